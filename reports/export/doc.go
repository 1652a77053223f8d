// Package export writes tables as files: CSV, XLSX, JSON and JSON lines. A table is
// typed columns and a stream of rows; a format knows no report, and a report knows no
// format.
package export
