// Package bitget reads the affiliate interface of Bitget (section 2 of its interface paper): commission
// by invitee, day, pair and coin, invitees, and what was settled.
package bitget
