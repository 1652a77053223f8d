// Package pivot makes tables of commission by any two of period, product, pair, coin, source,
// code, invitee, tag and account.
package pivot
