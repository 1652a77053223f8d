package export

// AppendTextCell writes words as a cell of a CSV file: guarded where a
// spreadsheet would run them, in quotes where they need it. Numbers and times of
// ours are written as they are instead.
func AppendTextCell(b []byte, words string) []byte { return appendCSVText(b, words) }
