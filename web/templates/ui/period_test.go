package ui

import (
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/query"
)

func TestPeriods(t *testing.T) {
	cases := []struct{ query, back, forward string }{
		{"range=30d", "from=2026-09-22&to=2026-10-21", ""},
		{"range=today", "range=yesterday", ""},
		{"range=yesterday", "from=2026-11-18&to=2026-11-18", "range=today"},
		{"range=mtd", "range=last-month", ""},
		{"range=last-month", "from=2026-09-01&to=2026-09-30", "range=mtd"},
		{"range=qtd", "from=2026-07-01&to=2026-09-30", ""},
		{"range=ytd", "from=2025-01-01&to=2025-12-31", ""},
		{"from=2026-02-01&to=2026-02-28", "from=2026-01-01&to=2026-01-31", "from=2026-03-01&to=2026-03-31"},
		{"from=2024-01-01&to=2024-12-31", "from=2023-01-01&to=2023-12-31", "from=2025-01-01&to=2025-12-31"},
		{"from=2026-10-25&to=2026-11-13", "from=2026-10-05&to=2026-10-24", "range=mtd"},
		{"range=12m", "from=2024-11-21&to=2025-11-20", ""},
		{"from=2026-03-01&to=2026-03-10", "from=2026-02-19&to=2026-02-28", "from=2026-03-11&to=2026-03-20"},
		{"from=2000-01-01&to=2000-01-31", "", "from=2000-02-01&to=2000-02-29"},
	}
	for _, c := range cases {
		q := pagetest.Ask(t, c.query)
		for _, side := range []struct {
			name, want string
			step       func(query.Query) (query.Query, bool)
		}{{"back", c.back, Back}, {"forward", c.forward, forward}} {
			got := ""
			if next, ok := side.step(q); ok {
				got = next.Values().Encode()
			}
			if got != side.want {
				t.Errorf("%s from %s links to %q, want %q", side.name, c.query, got, side.want)
			}
		}
	}
}

// The previous period never overlaps the range, and its address gives the same days.
func TestBackAdjoins(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		first := affiliate.NewDay(2020, 1, 1) + affiliate.Day(rapid.IntRange(0, 2300).Draw(rt, "first"))
		q := pagetest.Ask(t, "from="+first.String()+"&to="+(first+affiliate.Day(rapid.IntRange(0, 200).Draw(rt, "length"))).String())
		before, ok := Back(q)
		if !ok {
			rt.Fatal("there is a previous period")
		}
		if before.Days.Last != q.Days.First-1 || before.Days.Len() == 0 {
			rt.Fatalf("%v is the period before %v", before.Days, q.Days)
		}
		if read := pagetest.Ask(t, before.Values().Encode()); read.Days != before.Days {
			rt.Fatalf("%s is described as %v, want %v", before.Values().Encode(), read.Days, before.Days)
		}
	})
}
