package people

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// CellFault is one thing wrong with a people file, with its place and its mend.
type CellFault struct {
	Line   int    // from 1; 0 = the file as a whole
	Column int    // the number of the cell in its line, from 1; 0 = the line as a whole
	Name   string // of the column; "" where Column is 0
	Text   string
}

// String returns the fault with its place: line 3, column 5 (owner): ….
func (f CellFault) String() string {
	switch {
	case f.Line == 0:
		return f.Text
	case f.Column == 0:
		return fmt.Sprintf("line %d: %s", f.Line, f.Text)
	}
	return fmt.Sprintf("line %d, column %d (%s): %s", f.Line, f.Column, f.Name, f.Text)
}

// FileFaults are all faults of a people file, by line and column. It is the error of
// [ParseFile].
type FileFaults []CellFault

// Error lists the faults, one per line.
func (f FileFaults) Error() string {
	lines := make([]string, len(f))
	for i, one := range f {
		lines[i] = one.String()
	}
	return strings.Join(lines, "\n")
}

// err returns the faults in the order of the file, nil without any.
func (f FileFaults) err() error {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b CellFault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return f
}
