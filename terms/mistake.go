package terms

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Mistake is one thing wrong with a terms file, with its place and its mend.
type Mistake struct {
	Line   int    // from 1; 0 = the file as a whole
	Column int    // the number of the field in its line, from 1; 0 = the line as a whole
	Name   string // of the column; "" where Column is 0
	Text   string
}

// String returns the mistake with its place: line 3, column 5 (rate): ….
func (m Mistake) String() string {
	switch {
	case m.Line == 0:
		return m.Text
	case m.Column == 0:
		return fmt.Sprintf("line %d: %s", m.Line, m.Text)
	}
	return fmt.Sprintf("line %d, column %d (%s): %s", m.Line, m.Column, m.Name, m.Text)
}

// maxMistakes is how many mistakes are listed; a file of another kind has one per cell.
const maxMistakes = 100

// Mistakes are all mistakes of a terms file, by line and column. It is the error of [Parse]
// and [Merge].
type Mistakes []Mistake

// Error lists the mistakes, one per line.
func (m Mistakes) Error() string {
	lines := make([]string, 0, len(m))
	for i, one := range m {
		if i == maxMistakes {
			lines = append(lines, fmt.Sprintf("and %d more", len(m)-i))
			break
		}
		lines = append(lines, one.String())
	}
	return strings.Join(lines, "\n")
}

// err returns the mistakes in the order of the file, nil without any.
func (m Mistakes) err() error {
	if len(m) == 0 {
		return nil
	}
	slices.SortStableFunc(m, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return m
}
