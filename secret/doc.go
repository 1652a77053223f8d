// Package secret holds the master key and what is derived from it: keys for other purposes,
// and the sealing of secrets that are stored in the database.
//
// It knows neither the database nor the content of the secrets. An attacker who can write
// the database but has no master key can neither read a sealed secret, nor move it to
// another row, nor forge one.
package secret
