// Package invitees reports who was invited: the list of invitees with their state,
// the page of one of them, and how many people registered, deposited and traded.
package invitees
