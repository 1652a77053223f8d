// Package access says who may do what: users and their roles, passwords,
// one-time codes, sessions, API tokens, and how fast anybody may guess.
//
// It knows nothing of HTTP: the server gives it what a browser or a program
// sent and asks whether that is somebody. Everything it keeps is in the store,
// secrets only as hashes or sealed, so a copy of the database lets nobody in.
// What was decided is read anew for every request: a user who is disabled or
// changes role is so at once.
package access
