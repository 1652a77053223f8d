package export

// AppendTextCell writes text as a cell of a CSV file. It guards text that a spreadsheet
// would run, and quotes text where needed. Our own numbers and times are written unchanged
// instead.
func AppendTextCell(b []byte, words string) []byte { return appendCSVText(b, words) }
