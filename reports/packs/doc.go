// Package packs has the words of evidence packs: the letter to the exchange's support, the
// closing of a month, and what each member is; without access to the store.
package packs
