// Package query reads and writes the query of a report: the query string of every page and
// export.
package query
