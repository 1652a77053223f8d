package records

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The open rows without the closed rows and with the added rows equal the reading, and a
// row that can stay is not closed.
func TestDifference(t *testing.T) {
	// The texts have two letters in either case, because the key ignores the case.
	records := rapid.SliceOfN(rapid.StringMatching(`[abAB][abAB]?`), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		read, rows := records.Draw(t, "read"), records.Draw(t, "rows")
		open, at := map[string][]int64{}, map[int64]string{}
		for i, row := range rows {
			k := strings.ToLower(row)
			open[k], at[int64(i)] = append(open[k], int64(i)), k
		}
		add, closed, gone := difference(slices.Clone(read), open, strings.ToLower, nil)
		if len(closed) != len(gone) {
			t.Fatalf("%d rows are closed, %d records", len(gone), len(closed))
		}
		for i, id := range gone {
			if at[id] != closed[i] {
				t.Fatalf("row %d is of %q, closed as %q", id, at[id], closed[i])
			}
		}
		after := map[string]int{}
		for _, id := range gone {
			if _, stands := at[id]; !stands {
				t.Fatalf("row %d is closed twice or does not exist", id)
			}
			delete(at, id)
		}
		for _, k := range at {
			after[k]++
		}
		for _, record := range add {
			after[strings.ToLower(record)]++
			if !slices.Contains(read, record) {
				t.Fatalf("%q is added and was not in the reading", record)
			}
		}
		want := map[string]int{}
		for _, record := range read {
			want[strings.ToLower(record)]++
		}
		for _, k := range []string{"a", "b", "aa", "ab", "ba", "bb"} {
			if after[k] != want[k] {
				t.Fatalf("after it there are %d rows of %q, want %d", after[k], k, want[k])
			}
		}
		for _, record := range add {
			for _, id := range gone {
				if strings.EqualFold(record, rows[id]) {
					t.Fatalf("%q is closed and added again", record)
				}
			}
		}
	})
}
