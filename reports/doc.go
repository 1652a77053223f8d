// Package reports answers the questions of an affiliate manager from stored records: how
// much was earned in a range of days, through whom, compared with which period, and how
// completely that range is known. Its answers are finished values for a page, a file or a
// mail to print.
//
// [Service] is the entry point: it has a method for each report and the cache of answers.
// Each report is a subpackage and is made from one snapshot.
//
// The package reads through package store. It writes only notes, tags and saved views.
package reports
