package changes

import (
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

// someLines yields lines of all kinds.
func someLines(n int) iter.Seq2[*records.Difference, error] {
	return func(yield func(*records.Difference, error) bool) {
		for i := range n {
			mixed := (i * 7919) % n
			d := &records.Difference{Noticed: affiliate.Millis(1_700_000_000_000 + mixed%5), Account: "main", InviteCode: fmt.Sprint("code", mixed%3), New: i%4 == 0, Recoded: i%9 == 0}
			c := affiliate.Commission{DealTime: affiliate.Millis(1_600_000_000_000 + i), UID: affiliate.UID(fmt.Sprint(4_000_000 + mixed)), Product: affiliate.Spot,
				Symbol: fmt.Sprint("PAIR", mixed%11, "\tUSDT"), Source: affiliate.Direct, Coin: "USDT", TakerAmount: "1.50", Fee: "0.001",
				Commission: affiliate.Number(fmt.Sprint(mixed%13, ".000000000000000001"))}
			if i%3 != 1 {
				before := c
				before.Commission = "" // unknown
				d.Was = &before
			}
			if i%3 != 0 {
				d.Became = &c
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// Lines that are sorted in a file have the order and the content of lines sorted in memory, and the
// file is gone afterwards, also if the reader leaves early or reading the lines fails.
func TestLinesAreSortedInAFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const n = 200
	for _, field := range Sorts {
		for _, descending := range []bool{false, true} {
			compare := orderOf(query.Sort{Field: field, Descending: descending})
			var want []*records.Difference
			for one := range someLines(n) {
				want = append(want, one)
			}
			slices.SortFunc(want, compare)
			var got []*records.Difference
			for one, err := range inOrder(someLines(n), compare, 7) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, one)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("by %s, descending %t: the lines differ", field, descending)
			}
		}
	}
	for range inOrder(someLines(n), (*records.Difference).Compare, 7) {
		break
	}
	broken := errors.New("the disk is gone")
	failing := func(yield func(*records.Difference, error) bool) {
		for one := range someLines(50) {
			if !yield(one, nil) {
				return
			}
		}
		yield(nil, broken)
	}
	for one, err := range inOrder(failing, (*records.Difference).Compare, 7) {
		if one != nil || !errors.Is(err, broken) {
			t.Errorf("the failure gives a line %v and the error %v", one, err)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// BenchmarkSortedChanges sorts the lines of a file of changes in the default order, in memory and in
// runs. MiB-live is the most memory that was in use.
func BenchmarkSortedChanges(b *testing.B) {
	for _, n := range []int{100_000, 500_000} {
		for name, most := range map[string]int{"memory": n, "runs": runLines} {
			b.Run(fmt.Sprintf("%s/lines=%d", name, n), func(b *testing.B) {
				var live uint64
				for b.Loop() {
					seen := 0
					for _, err := range inOrder(someLines(n), orderOf(Accepted.Order), most) {
						if err != nil {
							b.Fatal(err)
						}
						if seen++; seen%(n/4) == 1 {
							runtime.GC()
							var m runtime.MemStats
							runtime.ReadMemStats(&m)
							live = max(live, m.HeapAlloc)
						}
					}
				}
				b.ReportMetric(float64(live)/(1<<20), "MiB-live")
			})
		}
	}
}
