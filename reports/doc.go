// Package reports answers the questions of an affiliate manager from what is
// stored: how much was earned in a range of days, through whom, compared with
// when, and how completely that range is known. Its answers are finished
// values for a page, a file or a mail to print.
//
// It reads through package store and writes nothing.
package reports
