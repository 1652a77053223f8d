package listing

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/exchange"
)

// A list that holds still is read once: a page for each hundred records, one more where the last
// page is full, and one answer for each instant whose equal records stand on several pages.
func TestCleanListCostsNoMoreThanItsPages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyList(t)
		n := len(l.records)
		want := n/PageSize + 1
		page := map[int]int{} // by record
		crossing := map[int]bool{}
		for at, record := range l.records {
			if before, known := page[record]; known && before != at/PageSize {
				crossing[record] = true
			}
			page[record] = at / PageSize
		}
		want += len(crossing)
		got, err := l.read()
		if err != nil || !l.existed(got) {
			t.Fatalf("read %d of %d records (%v)", len(got), n, err)
		}
		if l.fetches != want {
			t.Fatalf("%d requests for %d records, want %d", l.fetches, n, want)
		}
	})
}

// histories are the ways in which a list moves or lies while it is read and
// leaves a trace: in the total, in a page that occurs twice, in two readings
// that differ. What a reading cannot notice is in the test after this one, and
// neither are two lies here that hide each other: a total that is wrong by
// just what is missing, a page that is short by just what the total leaves out.
var histories = map[string]func(t *rapid.T, l *list){
	"records inserted": func(t *rapid.T, l *list) {
		l.moves(t, func(n int) { l.insert(t, n) })
	},
	"records removed": func(t *rapid.T, l *list) {
		l.moves(t, func(n int) { l.remove(t, n) })
	},
	"inserted and removed at different times": func(t *rapid.T, l *list) {
		l.moves(t, func(n int) {
			if rapid.Bool().Draw(t, "insert") {
				l.insert(t, n)
			} else {
				l.remove(t, n)
			}
		})
	},
	"revised together with an insertion": func(t *rapid.T, l *list) {
		l.moves(t, func(n int) {
			l.remove(t, 1)
			l.insert(t, n+1)
		})
	},
	"total off by as much": func(t *rapid.T, l *list) {
		off := rapid.IntRange(-1000, 1500).Draw(t, "off")
		l.counts(func(_ int, n, pages int) (int, int) { return max(0, n+off), pages })
	},
	"total and pages off by as much": func(t *rapid.T, l *list) {
		off := rapid.IntRange(-1000, 1500).Draw(t, "off")
		l.counts(func(_ int, n, pages int) (int, int) { n = max(0, n+off); return n, (n + 99) / 100 })
	},
	"total and pages cut off": func(t *rapid.T, l *list) {
		most := rapid.SampledFrom([]int{1, 10, 100, 200, 500, 1000}).Draw(t, "most")
		l.counts(func(_ int, n, _ int) (int, int) { n = min(n, most); return n, (n + 99) / 100 })
	},
	"total off, and records inserted": func(t *rapid.T, l *list) {
		off := rapid.IntRange(-200, 200).Draw(t, "off")
		l.counts(func(_ int, n, pages int) (int, int) { return max(0, n+off), pages })
		l.moves(t, func(n int) { l.insert(t, n) })
	},
	"total changing": func(t *rapid.T, l *list) {
		off := rapid.SliceOfN(rapid.IntRange(-300, 300), 7, 7).Draw(t, "off")
		l.counts(func(fetch int, n, pages int) (int, int) { return max(0, n+off[fetch%7]), pages })
	},
	"no total": func(t *rapid.T, l *list) {
		l.counts(func(_ int, _, pages int) (int, int) { return -1, pages })
	},
	"neither total nor pages": func(t *rapid.T, l *list) {
		l.counts(func(int, int, int) (int, int) { return -1, -1 })
	},
	"wrong pages": func(t *rapid.T, l *list) {
		off := rapid.IntRange(-10, 10).Draw(t, "off")
		l.counts(func(_ int, n, pages int) (int, int) { return n, pages + off })
	},
	"a page repeated": func(t *rapid.T, l *list) {
		l.spoils(t, func(page int, _ []int) []int { return l.page(page-1, PageSize).Records })
	},
	"an empty page": func(t *rapid.T, l *list) {
		l.spoils(t, func(int, []int) []int { return nil })
	},
	"an empty page and no total": func(t *rapid.T, l *list) {
		l.counts(func(_ int, _, pages int) (int, int) { return -1, pages })
		l.spoils(t, func(int, []int) []int { return nil })
	},
	"a page cut short": func(t *rapid.T, l *list) {
		l.spoils(t, func(_ int, records []int) []int { return records[:len(records)/2] })
	},
	"smaller pages than asked for": func(t *rapid.T, l *list) {
		l.largest = rapid.IntRange(10, 99).Draw(t, "page size")
		l.stated = rapid.SampledFrom([]int{0, -1, 100, 500}).Draw(t, "stated page size")
		total := rapid.SampledFrom([]string{"true", "absent", "too high"}).Draw(t, "total")
		pages := rapid.SampledFrom([]int{0, -1, 1}).Draw(t, "pages")
		l.counts(func(_ int, n, really int) (int, int) {
			if pages == 0 {
				pages = really
			}
			switch total {
			case "absent":
				return -1, pages
			case "too high":
				return n + 150, pages
			}
			return n, pages
		})
	},
	"a page that is always empty": func(t *rapid.T, l *list) {
		l.hole = rapid.IntRange(1, 11).Draw(t, "hole")
		l.largest = rapid.SampledFrom([]int{50, 100}).Draw(t, "page size")
		l.stated = 100
	},
	"the last page given again past the end": func(t *rapid.T, l *list) {
		l.beyond = func(_, last int) int { return max(1, last) }
		off := rapid.IntRange(-3, 3).Draw(t, "pages off")
		l.counts(func(_ int, n, pages int) (int, int) { return n, min(pages, pages+off) })
	},
}

// moves has up to four changes happen ahead of fetches of the first readings,
// each of one to five records.
func (l *list) moves(t *rapid.T, move func(n int)) {
	pages := len(l.records)/PageSize + 1
	when := rapid.OneOf(rapid.IntRange(2, pages+1), rapid.IntRange(2, 3*pages+2))
	at := rapid.MapOfN(when, rapid.SampledFrom([]int{1, 1, 1, 2, 5}), 0, 4).Draw(t, "moves")
	l.before = func(fetch int) {
		if n := at[fetch]; n > 0 {
			move(n)
		}
	}
}

// counts has total and pages stated as told, given the fetch, the true total
// and the true pages.
func (l *list) counts(state func(fetch, total, pages int) (int, int)) {
	l.counted = func(fetch int, p exchange.Page[int]) (int, int) { return state(fetch, p.Total, p.Pages) }
}

// spoils has one page that is not the first come out wrong, once.
func (l *list) spoils(t *rapid.T, spoil func(page int, records []int) []int) {
	at := rapid.IntRange(2, 12).Draw(t, "spoiled fetch")
	l.answer = func(fetch, page int, records []int) []int {
		if fetch != at || page < 2 || len(records) == 0 {
			return records
		}
		return spoil(page, records)
	}
}

// An accepted reading is the list at some moment of the reading, and temporary disturbances
// do not prevent acceptance.
func TestAcceptedReadingExisted(t *testing.T) {
	for name, disturb := range histories {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				l := anyList(t)
				disturb(t, l)
				got, err := l.read()
				if err != nil {
					t.Fatalf("not accepted: %v", err)
				}
				if !l.existed(got) {
					t.Fatalf("accepted %d records that never were the list (it had %d)", len(got), len(l.records))
				}
			})
		})
	}
}

// In each of two passes a record equal to the first one appears after the first page was read:
// both passes read the last record twice. Only the repeated page of the second tells that the
// list moved.
func TestPassesThatAgreeOnAMixture(t *testing.T) {
	l := &list{}
	for ; l.fresh < 100; l.fresh++ {
		l.records = append(l.records, l.fresh)
	}
	l.before = func(fetch int) {
		switch fetch {
		case 2, 5:
			l.records = slices.Insert(l.records, 0, l.records[0])
		case 3:
			l.records = l.records[1:]
		}
	}
	if got, err := l.read(); err != nil || !l.existed(got) {
		t.Errorf("accepted %d records that never were the list: %v", len(got), err)
	}
}

// One record disappears from a page already read, and one page later another appears
// further on: as many are read as exist, and one is missing. Only the total in between
// reveals it.
func TestTotalInBetweenTells(t *testing.T) {
	l := &list{}
	for ; l.fresh < 250; l.fresh++ {
		l.records = append(l.records, l.fresh)
	}
	l.before = func(fetch int) {
		switch fetch {
		case 2:
			l.records = l.records[1:]
		case 3:
			l.records = append(l.records, l.fresh)
		}
	}
	if got, err := l.read(); err != nil || !l.existed(got) {
		t.Fatalf("accepted %d records that never were the list (%v)", len(got), err)
	}
}

// If one record disappears from a page already read and another appears further on, both
// between the same two answers, they leave no trace; nor does a record that is revised in
// place. Such a reading may mix two states; the next one, which recent days get, is right.
func TestNextReadingMendsWhatNobodyCanNotice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyList(t)
		l.moves(t, func(n int) {
			l.remove(t, n)
			l.insert(t, n)
		})
		if _, err := l.read(); err != nil {
			t.Fatalf("not accepted: %v", err)
		}
		l.before = nil
		got, err := l.read()
		if err != nil || !slices.Equal(got, slices.Sorted(slices.Values(l.records))) {
			t.Fatalf("the reading after gave %d records of %d (%v)", len(got), len(l.records), err)
		}
	})
}

// A wrong name for the page number returns page 1 forever.
func TestPageOneForEverIsNeverAccepted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := anyList(t)
		l.insert(t, 101) // at least two pages
		l.answer = func(int, int, []int) []int { return l.page(1, PageSize).Records }
		absent := rapid.Bool().Draw(t, "no total")
		l.counts(func(_ int, n, pages int) (int, int) {
			if absent {
				return -1, -1
			}
			return n, pages
		})
		got, err := l.read()
		if exchange.ClassOf(err) != exchange.ClassMalformed {
			t.Fatalf("accepted %d of %d records (%v)", len(got), len(l.records), err)
		}
		if l.fetches != 2*maxPasses {
			t.Fatalf("%d requests to find out, want %d", l.fetches, 2*maxPasses)
		}
	})
}

// If pages is too high and the last page is repeated past the end, even a last page of one
// record must not continue for long.
func TestLastRecordRepeatedIsNoEndlessList(t *testing.T) {
	l := &list{beyond: func(_, last int) int { return last }}
	for ; l.fresh < 101; l.fresh++ {
		l.records = append(l.records, l.fresh)
	}
	l.counts(func(_, n, pages int) (int, int) { return n, pages + 5 })
	_, err := l.read()
	if exchange.ClassOf(err) != exchange.ClassMalformed || l.fetches != 3*maxPasses {
		t.Fatalf("%d requests (%v), want %d", l.fetches, err, 3*maxPasses)
	}
}

// A list that never stops moving is given up, with the reason.
func TestRestlessListIsGivenUp(t *testing.T) {
	l := &list{}
	for l.fresh < 250 {
		l.records = append(l.records, l.fresh)
		l.fresh++
	}
	l.before = func(int) {
		l.records = slices.Insert(l.records, 0, l.fresh)
		l.fresh++
	}
	got, err := l.read()
	failure, ok := errors.AsType[*exchange.Error](err)
	if !ok || failure.Class != exchange.ClassMalformed || failure.Hint == "" || got != nil {
		t.Fatalf("read %d records (%v)", len(got), err)
	}
}

func TestEndlessListIsGivenUp(t *testing.T) {
	next := 0
	list := List[int, int]{Key: func(n int) int { return n }, Fetch: func(context.Context, int, int) (exchange.Page[int], error) {
		next++
		return exchange.Page[int]{Records: []int{next}, Total: -1, Pages: -1, PageSize: -1}, nil
	}}
	got, err := list.Read(t.Context())
	if exchange.ClassOf(err) != exchange.ClassMalformed || next != MaxPages {
		t.Fatalf("read %d records in %d pages (%v)", got.Len(), next, err)
	}
}

func TestLongListAsksForASplit(t *testing.T) {
	for _, c := range []struct {
		pages, total, records, most int
		split                       bool
	}{
		{pages: 81, total: 8100, records: 8100, most: 80, split: true},
		{pages: 1, total: 8100, records: 8100, most: 80, split: true}, // whichever says more
		{pages: 81, total: 1, records: 8100, most: 80, split: true},
		{pages: 80, total: 8000, records: 8100, most: 80, split: true}, // longer than announced
		{pages: 80, total: 7950, records: 7950, most: 80},
		{pages: 81, total: 8100, records: 8100, most: 0},
	} {
		list := List[int, int]{Key: func(n int) int { return n }, MostPages: c.most,
			Fetch: func(_ context.Context, page, _ int) (exchange.Page[int], error) {
				p := exchange.Page[int]{Total: c.total, Pages: c.pages, PageSize: PageSize}
				for i := (page - 1) * PageSize; i < min(page*PageSize, c.records); i++ {
					p.Records = append(p.Records, i)
				}
				return p, nil
			}}
		_, err := list.pass(t.Context(), newHasher(list.Key), PageSize)
		if split := errors.Is(err, exchange.ErrTooLong); split != c.split || err != nil && !split {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// If equal records fill whole pages, a page that is returned instead of the next one looks
// like more of them, and the total cannot reveal it.
func TestRepeatedPageOfTwinsIsNotBelieved(t *testing.T) {
	for _, spoiled := range []int{3, 4, 5, 6, 7, 8} {
		l := &list{records: make([]int, 450)}
		for at := 0; at < 450; at++ {
			if at < 70 || at >= 330 {
				l.records[at] = at + 1
			}
		}
		l.answer = func(fetch, page int, records []int) []int {
			if fetch != spoiled || page < 2 {
				return records
			}
			return l.page(page-1, PageSize).Records
		}
		if got, err := l.read(); err != nil || !l.existed(got) {
			t.Errorf("fetch %d spoiled: accepted %d records that never were the list (%v)", spoiled, len(got), err)
		}
	}
}

// More records than requested are refused.
func TestOverfullPageIsRefused(t *testing.T) {
	l := &list{records: make([]int, 3*PageSize)}
	l.answer = func(_, _ int, records []int) []int { return append(records, 0) }
	if got, err := l.read(); exchange.ClassOf(err) != exchange.ClassMalformed || got != nil {
		t.Errorf("read %d records (%v)", len(got), err)
	}
}

func TestFailedPageFailsTheReading(t *testing.T) {
	failure := errors.New("no answer")
	for _, at := range []int{1, 2, 3, 4} { // 3 is the second look at page 1
		l := &list{records: make([]int, 250)}
		_, err := List[int, int]{Key: func(n int) int { return n },
			Fetch: func(ctx context.Context, page, size int) (exchange.Page[int], error) {
				if l.fetches+1 == at {
					return exchange.Page[int]{}, failure
				}
				return l.fetch(ctx, page, size)
			}}.Read(t.Context())
		if !errors.Is(err, failure) {
			t.Errorf("fetch %d failed, the reading gave %v", at, err)
		}
	}
}
