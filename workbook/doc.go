// Package workbook reads and writes XLSX files. Reading takes the first sheet row by row, with
// limits of memory and time that do not depend on what the file says, since files come from
// strangers. Writing gives the same bytes for the same cells, and every text reads back as it was.
package workbook
