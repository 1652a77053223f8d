package listing

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/exchange"
)

// tieOrders are ways in which an exchange may order records of one instant that it has no order for.
// Records are of one instant if they have the same hundreds.
var tieOrders = map[string]func(seed uint64) func(page int, records []int) []int{
	"steady": func(uint64) func(int, []int) []int {
		return func(_ int, records []int) []int { return records }
	},
	"by page": func(uint64) func(int, []int) []int {
		return func(page int, records []int) []int {
			return tiesReordered(records, func(ties []int) {
				if page%2 == 0 {
					slices.Reverse(ties)
				}
			})
		}
	},
	"by page, at random": func(seed uint64) func(int, []int) []int {
		return func(page int, records []int) []int {
			random := rand.New(rand.NewPCG(seed, uint64(page)))
			return tiesReordered(records, func(ties []int) { random.Shuffle(len(ties), func(i, j int) { ties[i], ties[j] = ties[j], ties[i] }) })
		}
	},
	"by call": func(seed uint64) func(int, []int) []int {
		random := rand.New(rand.NewPCG(seed, 0))
		return func(_ int, records []int) []int {
			return tiesReordered(records, func(ties []int) { random.Shuffle(len(ties), func(i, j int) { ties[i], ties[j] = ties[j], ties[i] }) })
		}
	},
}

// tiesReordered reorders the records of each instant in a sorted list.
func tiesReordered(records []int, reorder func([]int)) []int {
	for from := 0; from < len(records); {
		to := from
		for to < len(records) && records[to]/1000 == records[from]/1000 {
			to++
		}
		reorder(records[from:to])
		from = to
	}
	return records
}

// Whatever the order of records of one instant, a reading that is believed is the list; and one is
// believed where answers can prove it.
func TestTies(t *testing.T) {
	for name, order := range tieOrders {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				l := &list{uncut: rapid.Bool().Draw(t, "cannot be read apart")}
				for instant := range rapid.IntRange(1, 4).Draw(t, "instants") {
					n := rapid.SampledFrom([]int{1, 3, 90, 180, 250}).Draw(t, "records of one instant")
					for i := range n {
						record := instant*1000 + i
						if i > 0 && rapid.IntRange(0, 40).Draw(t, "twin") == 0 {
							record = l.records[len(l.records)-1]
						}
						l.records = append(l.records, record)
					}
				}
				slices.Sort(l.records)
				l.order = order(rapid.Uint64().Draw(t, "seed"))
				if rapid.IntRange(0, 3).Draw(t, "without a total") == 0 {
					l.counts(func(_ int, _, _ int) (int, int) { return -1, -1 })
				}
				got, err := l.read()
				switch {
				case err != nil && exchange.ClassOf(err) != exchange.ClassMalformed:
					t.Fatal(err)
				case err != nil && name == "steady":
					t.Fatalf("not believed: %v", err)
				case err == nil && !l.existed(got):
					t.Fatalf("accepted %d records that never were the list (it has %d)", len(got), len(l.records))
				}
			})
		})
	}
}

// 250 records of one time in opposite orders on odd and even pages: one reading reads 50 twice and
// misses 50, with a right total. Other page sizes show them all.
func TestTiesOppositeByPage(t *testing.T) {
	l := &list{order: tieOrders["by page"](0), uncut: true}
	for i := range 250 {
		l.records = append(l.records, i)
	}
	got, err := l.read()
	if err != nil || !slices.Equal(got, l.records) {
		t.Errorf("%d records (%v), want all 250 once", len(slices.Compact(got)), err)
	}
}
