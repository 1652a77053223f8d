// Package reports answers the questions of an affiliate manager from what is
// stored: how much was earned in a range of days, through whom, compared with
// when, and how completely that range is known. Its answers are finished
// values for a page, a file or a mail to print.
//
// [Service] is the door: a method for each report, and the cache of what was
// answered. Each report is a package below, made from one open question.
//
// It reads through package store. It writes only notes, tags and saved views.
package reports
