// Package mexc reads the affiliate interface of MEXC (section 3 of its interface paper): commission by
// invitee, day and pair, and invitees.
package mexc
