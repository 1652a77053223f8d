// Package export writes tables as files: CSV, XLSX, JSON and JSON lines. A table is typed
// columns and a stream of rows. Formats know nothing about reports, and reports nothing
// about formats.
package export
