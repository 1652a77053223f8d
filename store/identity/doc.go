// Package identity stores who may sign in and what belongs to each user: users, sessions,
// tokens, throttles, saved views, favourite pairs, and the sealed keys of exchange
// accounts.
package identity
