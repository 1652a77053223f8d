// Package tabular reads and writes tables that people send: text with separators, in the encodings
// and with the line ends that spreadsheets write, and, read only, workbooks. It names the line and the
// column of everything that is wrong. What the columns mean is for its callers.
package tabular
