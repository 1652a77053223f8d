// Package identity stores who may sign in and what is theirs: users, sessions, tokens,
// throttles, saved views, favourite pairs, and the sealed keys of exchange accounts.
package identity
