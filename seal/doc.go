// Package seal holds the master key and what is made of it: keys for other
// purposes, and the sealing of secrets that are kept in the database.
//
// It knows neither the database nor what is sealed. Whoever can write the
// database but has no master key can neither read a sealed secret nor move it
// to another row, nor make one.
package seal
