package export

import (
	"fmt"
	"slices"
	"strconv"

	"rebatedesk/workbook"
)

// totalsSheet is the name of the last sheet.
const totalsSheet = "Totals"

// totals adds the sheet with the exact sums and the facts of the rows. Sums computed over
// the sheets of rows would leave out values stored there as text.
func (e *xlsxEncoder) totals(summary RowTally) error {
	if err := e.file.Begin(workbook.Sheet{Name: totalsSheet, Widths: slices.Repeat([]int{26}, 12)}); err != nil {
		return err
	}
	lines := append(e.factLines(summary), sumLines(summary)...)
	return e.words(lines, func(line, cell int) bool { return cell == 0 || line > 0 && len(lines[line-1]) == 0 })
}

// factLines returns names and values, without the unknown ones.
func (e *xlsxEncoder) factLines(summary RowTally) [][]string {
	f := e.facts
	complete := "yes"
	if !f.Complete {
		complete = "NO: " + f.Lack
	}
	lines := [][]string{
		{"Report", string(f.Kind)},
		{"From", f.From}, {"To, included", f.To}, {"Time zone of days", f.Timezone}, {"Time zone of times", "UTC"},
		{"Filters", f.Filters}, {"Sorted by", f.Sort}, {"As of", f.AsOf}, {"Known since", f.Since}, {"Known until", f.Until},
		{"Complete", complete}, {"Collected through", f.Through}, {"Written", f.Written},
		{"Rows", strconv.FormatInt(summary.Rows, 10)}, {"Sheets of rows", strconv.Itoa(e.sheets)},
	}
	known := lines[:0]
	for _, line := range lines {
		if line[1] != "" {
			known = append(known, line)
		}
	}
	return append(append(known, f.Notes...), e.notes()...)
}

// notes returns a note for each case in which a cell does not hold the exact value
// received.
func (e *xlsxEncoder) notes() [][]string {
	var notes [][]string
	for _, gap := range e.facts.Gaps {
		notes = append(notes, []string{"Missing", gap.Stream.String(), gap.Days.First.String() + " to " + gap.Days.Last.String(), string(gap.Account), gap.Reason})
	}
	if n := e.cells.asText; n > 0 {
		notes = append(notes, []string{"Amounts kept as text", fmt.Sprintf("%d have more than %d digits, which a number cell would round", n, exactDigits)})
	}
	if n := e.cells.cut; n > 0 {
		notes = append(notes, []string{"Texts cut", fmt.Sprintf("%d are longer than a cell, and end in …", n)})
	}
	return notes
}

// sumLines returns an empty line, then a table of the sums per coin.
func sumLines(summary RowTally) [][]string {
	if len(summary.Sums) == 0 {
		return nil
	}
	head := []string{"Coin", "Rows"}
	for _, c := range summary.Sums[0].Columns {
		head = append(head, c.Column)
	}
	lines := [][]string{nil, head}
	for _, s := range summary.Sums {
		line := []string{string(s.Coin), strconv.FormatInt(s.Rows, 10)}
		for _, c := range s.Columns {
			line = append(line, string(c.Sum))
		}
		lines = append(lines, line)
	}
	return lines
}
