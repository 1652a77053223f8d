// Package collector brings the records of the exchange into the store: it
// plans the windows to ask for, pages through each until the answer is
// coherent, and hands whole slices over to be written.
//
// It decides what to read and when a read can be believed. How a call is
// signed and paced is package exchange's, how a slice is written package
// store's.
package collector
