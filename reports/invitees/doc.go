// Package invitees reports on invited users: the list of invitees with their state, the
// page of one invitee, and how many people registered, deposited and traded.
package invitees
