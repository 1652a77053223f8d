// Package access decides who may do what: users and their roles, passwords, one-time codes,
// sessions, API tokens, and how fast guesses may be made.
//
// It knows nothing of HTTP: the server passes on what a browser or a program sent, and
// access says who that is. It keeps everything in the store, secrets only as hashes or
// sealed, so a copy of the database grants no access. Every request reads the current state
// again, so disabling a user or changing a role takes effect at once.
package access
