package export

import "errors"

// ErrNoPlace is the error of a text that names no place in a table.
var ErrNoPlace = errors.New("no place in a table")

// SomeRows returns the rows of a table after the first skip, at most limit of them. After the last
// row has been read, more tells whether the table has further ones.
func SomeRows(t Table, skip, limit int) (part Table, more *bool) {
	more = new(bool)
	return Table{t.headings, func(yield func([]cell, error) bool) {
		n := 0
		for cells, err := range t.rows {
			if err != nil {
				yield(nil, err)
				return
			}
			n++
			if n <= skip {
				continue
			}
			if n > skip+limit {
				*more = true
				return
			}
			if !yield(cells, nil) {
				return
			}
		}
	}}, more
}
