package listing

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"rebatedesk/exchange"
)

// A list is read to its end by its counts, whatever the pages have, and again if it moved meanwhile.
func TestCountedLists(t *testing.T) {
	list := func(n int) (all []int) {
		for i := range n {
			all = append(all, i/2) // equal records are records
		}
		return all
	}
	for _, c := range []struct {
		name    string
		records int
		counts  bool
		moves   int // so many readings see a new record in front after their first page
		fails   bool
	}{
		{"none", 0, true, 0, false}, {"none without counts", 0, false, 0, false}, {"one page", 7, true, 0, false}, {"full pages", 20, true, 0, false},
		{"without counts", 25, false, 0, false}, {"moving once", 25, true, 1, false}, {"moving five times", 25, true, 5, false}, {"never still", 25, true, 99, true},
	} {
		all, passes, begun := list(c.records), 0, 0
		l := Counted[int]{Size: 10, Begin: func() { begun++ }, Fetch: func(_ context.Context, page, size int) (exchange.Page[int], error) {
			if page == 1 {
				passes++
			}
			if page == 2 && passes <= c.moves {
				all = slices.Insert(all, 0, 1000+passes)
			}
			from := min((page-1)*size, len(all))
			got := exchange.Page[int]{Records: slices.Clone(all[from:min(from+size, len(all))]), Total: -1, Pages: -1}
			if c.counts {
				got.Total, got.Pages = len(all), (len(all)+size-1)/size
			}
			return got, nil
		}}
		got, err := l.Read(t.Context())
		if (err != nil) != c.fails || begun != passes {
			t.Fatalf("%s: %v, %d of %d passes begun", c.name, err, begun, passes)
		}
		if !c.fails && fmt.Sprint(got.Records) != fmt.Sprint(all) {
			t.Errorf("%s: read %v of %v", c.name, got.Records, all)
		}
	}
}

// A list by a cursor ends where the exchange says so, and never because a page is short.
func TestFollowing(t *testing.T) {
	for name, c := range map[string]struct {
		cursors []string
		sizes   []int
		want    int
		fails   bool
	}{
		"short pages":   {[]string{"9", "8", "7"}, []int{3, 1, 2, 0}, 6, false},
		"same cursor":   {[]string{"9", "9"}, []int{3, 1}, 4, false},
		"page repeated": {[]string{"9", "9"}, []int{3, 3}, 3, false},
		"no cursor":     {[]string{"9", ""}, []int{3, 1}, 4, false},
		"empty at once": {[]string{"9"}, []int{0}, 0, false},
		"round":         {[]string{"9", "8", "9"}, []int{1, 1, 1}, 0, true},
	} {
		n := 0
		got, err := Follow(t.Context(), nil, func(_ context.Context, cursor string) (exchange.Page[int], error) {
			if n > 0 && cursor != c.cursors[n-1] {
				t.Errorf("%s: page %d is asked for at %q", name, n+1, cursor)
			}
			page := exchange.Page[int]{Records: make([]int, c.sizes[n])}
			if n < len(c.cursors) {
				page.Cursor = c.cursors[n]
			}
			n++
			return page, nil
		})
		if (err != nil) != c.fails || !c.fails && got.Len() != c.want {
			t.Errorf("%s: %d records, %v", name, got.Len(), err)
		}
	}
}

// Where only pages are counted, one that lacks records is read again, and believed if it is so each time.
func TestCountedPagesThatLackRecords(t *testing.T) {
	full := [][]int{{1, 2, 3}, {4, 5, 6}, {7}}
	for name, c := range map[string]struct {
		passes [][][]int // the pages of each pass; the last one goes on
		want   []int
		begun  int
		fails  bool
	}{
		"whole":               {[][][]int{full}, []int{1, 2, 3, 4, 5, 6, 7}, 1, false},
		"empty once":          {[][][]int{{{1, 2, 3}, {}, {7}}, full}, []int{1, 2, 3, 4, 5, 6, 7}, 2, false},
		"last empty once":     {[][][]int{{{1, 2, 3}, {4, 5, 6}, {}}, full}, []int{1, 2, 3, 4, 5, 6, 7}, 2, false},
		"short once":          {[][][]int{{{1, 2, 3}, {4}, {7}}, full}, []int{1, 2, 3, 4, 5, 6, 7}, 2, false},
		"repeated once":       {[][][]int{{{1, 2, 3}, {1, 2, 3}, {7}}, full}, []int{1, 2, 3, 4, 5, 6, 7}, 2, false},
		"a page too many":     {[][][]int{{{1, 2, 3}, {4, 5, 6}, {}}}, []int{1, 2, 3, 4, 5, 6}, 2, false},
		"a page that is none": {[][][]int{{{}}}, nil, 1, false},
		"other each time": {[][][]int{{{1, 2, 3}, {}, {7}}, {{1, 2, 3}, {4, 5, 6}, {}}, {{1, 2, 3}, {}, {7}}, {{1, 2, 3}, {4, 5, 6}, {}}, {{1, 2, 3}, {}, {7}},
			{{1, 2, 3}, {4, 5, 6}, {}}}, nil, 6, true},
	} {
		begun := 0
		got, err := Counted[int]{Size: 3, Key: func(n int) string { return fmt.Sprint(n) }, Begin: func() { begun++ }, Fetch: func(_ context.Context, page, _ int) (exchange.Page[int], error) {
			pages := c.passes[min(begun, len(c.passes))-1]
			return exchange.Page[int]{Records: pages[page-1], Total: -1, Pages: len(pages)}, nil
		}}.Read(t.Context())
		if (err != nil) != c.fails || begun != c.begun || !c.fails && !slices.Equal(got.Records, c.want) {
			t.Errorf("%s: %v in %d passes, %v", name, got.Records, begun, err)
		}
	}
}

// Where page numbers are ignored, a short page that comes again is the whole list; a full one is no proof.
func TestIgnoredPageNumbers(t *testing.T) {
	for records, fails := range map[int]bool{1: false, 7: false, 9: false, 10: true} {
		asked := 0
		got, err := Counted[int]{Size: 10, Fetch: func(context.Context, int, int) (exchange.Page[int], error) {
			asked++
			return exchange.Page[int]{Records: make([]int, records), Total: -1, Pages: -1}, nil
		}}.Read(t.Context())
		if (err != nil) != fails || !fails && (len(got.Records) != records || asked != 2) {
			t.Errorf("%d records are read as %d by %d calls: %v", records, len(got.Records), asked, err)
		}
	}
}
