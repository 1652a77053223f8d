package tabular

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
)

// Mistake is one thing wrong with a file, with its place and its mend.
type Mistake struct {
	Line   int    // from 1; 0 = the file as a whole
	Column int    // the number of the cell in its line, from 1; 0 = the line as a whole
	Name   string // of the column; "" where Column is 0
	Text   string
}

// String returns the fault with its place: line 3, column 5 (rate): ….
func (f Mistake) String() string {
	switch {
	case f.Line == 0:
		return f.Text
	case f.Column == 0:
		return fmt.Sprintf("line %d: %s", f.Line, f.Text)
	case f.Name == "":
		return fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Text)
	}
	return fmt.Sprintf("line %d, column %d (%s): %s", f.Line, f.Column, f.Name, f.Text)
}

const (
	// maxFaults is how many faults end the reading: a file of another kind has one per cell.
	maxFaults = 10_000
	// MaxShown is how many faults are listed for people.
	MaxShown = 100
)

// Mistakes are all faults of a file, by line and column. They are the error of [Read].
type Mistakes []Mistake

// Error lists the first faults, one per line, and counts the others.
func (f Mistakes) Error() string {
	lines := make([]string, 0, min(len(f), MaxShown+1))
	for i, one := range f {
		if i == MaxShown {
			lines = append(lines, fmt.Sprintf("and %d more", len(f)-i))
			break
		}
		lines = append(lines, one.String())
	}
	return strings.Join(lines, "\n")
}

// Err returns the faults in the order of the file, nil without any.
func (f Mistakes) Err() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f
}

// Clipped keeps a foreign text short and visible in messages.
func Clipped(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return affiliate.Visible(text)
}
