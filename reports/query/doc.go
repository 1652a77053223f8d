// Package query reads and writes the question that is put to a report: the query
// string of every page and export.
package query
