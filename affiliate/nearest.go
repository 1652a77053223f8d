package affiliate

import (
	"cmp"
	"slices"
	"strings"
)

// mostCompared is how many bytes of a text [Nearest] compares.
const mostCompared = 80

// Nearest sorts names by how few letters have to change or swap to make a text of them, in any case.
// Names of the same distance are in their order.
func Nearest(text string, names []string) []string {
	text = strings.ToLower(text[:min(len(text), mostCompared)])
	sorted := slices.Clone(names)
	slices.SortStableFunc(sorted, func(a, b string) int {
		return cmp.Compare(distance(text, strings.ToLower(a)), distance(text, strings.ToLower(b)))
	})
	return sorted
}

// distance returns how many bytes are added, left out, changed, or swapped with the next one.
func distance(a, b string) int {
	var before []int // two rows above
	above, row := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, above, row = above, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
