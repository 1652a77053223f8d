// Package collector brings the records of the exchange into the store: it plans the windows
// to request, pages through each until the answer is coherent, and passes whole slices on
// to be written.
//
// It decides what to read and when a read is reliable. Package exchange signs and paces the
// calls, and package store writes the slices.
package collector
