package store_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/benchdata"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

func BenchmarkReplaceCommissions(b *testing.B) {
	const perDay = 250
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 15}
	var records []affiliate.Commission
	for d := days.First; d <= days.Last; d++ {
		for i := range perDay {
			c := storetest.Record(0, affiliate.Number(fmt.Sprintf("0.%07d", i*31+1)))
			c.DealTime = affiliate.MillisOf(d.Start(time.UTC)) + affiliate.Millis(i*345_600)
			c.UID = affiliate.UID(fmt.Sprint(4667776800 + i%100))
			records = append(records, c)
		}
	}
	s := storetest.Open(b, store.Options{})
	n := 0
	for b.Loop() {
		slice := storetest.DaySlice(days)
		slice.Account = affiliate.Account(fmt.Sprint("account ", n)) // a different account each time
		storetest.Replace(b, s, slice, records...)
		n++
	}
	b.ReportMetric(float64(n*len(records))/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkReader runs the queries of the pages on databases of three sizes, for thirty
// days and for all time. The aims on the largest are a p95 of at most 50 ms and 150 ms,
// and at most 1.5 times the time on the smallest.
//
// The databases are kept in REBATEDESK_BENCH_DIR if it is set. Filling the largest takes
// some minutes and four gigabytes; REBATEDESK_BENCH_ROWS limits the number of rows.
func BenchmarkReader(b *testing.B) {
	for _, q := range questions {
		for _, days := range []affiliate.Days{{First: benchdata.Last - 29, Last: benchdata.Last}, {First: benchdata.First, Last: benchdata.Last}} {
			var smallest time.Duration
			for _, size := range benchdata.Sizes(b) {
				b.Run(fmt.Sprintf("%s/days=%d/rows=%d", q.name, days.Len(), size), func(b *testing.B) {
					s := marketStore(b, size)
					var took benchdata.Durations
					for b.Loop() {
						took.Measure(func() {
							if err := askOnce(b.Context(), s, q.ask, records.CommissionFilter{Days: days}); err != nil {
								b.Fatal(err)
							}
						})
					}
					p95 := took.P95()
					if smallest == 0 {
						smallest = p95
					}
					b.ReportMetric(float64(p95)/float64(time.Millisecond), "p95-ms")
					b.ReportMetric(float64(p95)/float64(smallest), "growth")
				})
			}
		}
	}
}

// BenchmarkAgainstRows compares the roll-ups with sqlite3 over the raw rows of the same
// database, in one run.
func BenchmarkAgainstRows(b *testing.B) {
	month := affiliate.Days{First: benchdata.Last - 29, Last: benchdata.Last}
	all := affiliate.Days{First: benchdata.First, Last: benchdata.Last}
	for _, c := range []struct {
		name, ask string
		days      affiliate.Days
		sql       string
	}{
		{"30 days by product and coin", "days", month,
			`SELECT product, coin, sum(CAST(commission AS REAL)) FROM commissions WHERE deal_time_ms >= %d AND deal_time_ms < %d AND closed_ms IS NULL GROUP BY 1, 2`},
		{"top 20 of all time", "invitees", all,
			`SELECT uid, sum(CAST(commission AS REAL)) FROM commissions WHERE deal_time_ms >= %d AND deal_time_ms < %d AND closed_ms IS NULL AND coin = 'USDT' GROUP BY 1 ORDER BY 2 DESC LIMIT 20`},
		{"cohorts", "cohorts by month", all,
			`SELECT i.register_ms / 2592000000, c.deal_time_ms / 2592000000, count(DISTINCT c.uid), sum(CAST(c.commission AS REAL)) FROM commissions c JOIN invitees i USING (account_id, uid)
				WHERE c.deal_time_ms >= %d AND c.deal_time_ms < %d AND c.closed_ms IS NULL GROUP BY 1, 2`},
	} {
		for _, size := range benchdata.Sizes(b) {
			b.Run(fmt.Sprintf("%s/rows=%d", c.name, size), func(b *testing.B) {
				s := marketStore(b, size)
				var took benchdata.Durations
				for b.Loop() {
					took.Measure(func() {
						if err := askOnce(b.Context(), s, question(c.ask), records.CommissionFilter{Days: c.days}); err != nil {
							b.Fatal(err)
						}
					})
				}
				span := c.days.Range(time.UTC)
				theirs := sqlite3(b, benchdata.Path(b, size), fmt.Sprintf(c.sql, affiliate.MillisOf(span.From), affiliate.MillisOf(span.To)))
				b.ReportMetric(float64(took.P95())/float64(time.Millisecond), "p95-ms")
				if theirs > 0 {
					b.ReportMetric(float64(theirs)/float64(time.Millisecond), "sqlite3-ms")
				}
			})
		}
	}
}

// questions holds the queries of the pages.
var questions = []struct {
	name string
	ask  func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error)
}{
	{"days", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		list, err := sums.ByDay(ctx, r, f)
		return len(list), err
	}},
	{"days of a code", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		f.Code = "code3"
		list, err := sums.ByDay(ctx, r, f)
		return len(list), err
	}},
	{"days of the top invitee", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		f.UID = benchdata.UID(0)
		list, err := sums.ByDay(ctx, r, f)
		return len(list), err
	}},
	{"pairs of invitee 50", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		f.UID = benchdata.UID(50)
		list, err := sums.BySymbol(ctx, r, f)
		return len(list), err
	}},
	{"pairs of the top invitee", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		f.UID = benchdata.UID(0)
		list, err := sums.BySymbol(ctx, r, f)
		return len(list), err
	}},
	{"invitees", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		list, err := sums.ByInvitee(ctx, r, f)
		return len(list), err
	}},
	{"top pairs", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		figures, err := sums.FiguresOfSymbols.Read(ctx, r, f)
		list := figures.Top(20)
		return len(list), err
	}},
	{"active traders", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		n, err := sums.ActiveTraders(ctx, r, f)
		return int(n), err
	}},
	{"traders by day", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		list, err := sums.TradersByDay(ctx, r, f)
		return len(list), err
	}},
	{"cohorts by week", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		list, err := cohorts(ctx, r, f, sums.CohortWeek)
		return len(list), err
	}},
	{"cohorts by month", func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (int, error) {
		list, err := cohorts(ctx, r, f, sums.CohortMonth)
		return len(list), err
	}},
}

func question(name string) func(context.Context, *store.Tx, records.CommissionFilter) (int, error) {
	for _, q := range questions {
		if q.name == name {
			return q.ask
		}
	}
	panic("no question " + name)
}

// askOnce runs a query with a new reader, as a page does.
func askOnce(ctx context.Context, s *store.Store, ask func(context.Context, *store.Tx, records.CommissionFilter) (int, error), f records.CommissionFilter) error {
	r, err := s.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := ask(ctx, r, f)
	if err == nil && n == 0 {
		err = fmt.Errorf("the query has no answer")
	}
	return err
}

// BenchmarkPairs adds up the pairs of half of the invitees, and of the one who trades most, in the
// thirty days before the last thirty: from the lines of months and the rows of few days, and from
// the rows of all days, as of an earlier state. cpu-ms is the processor time.
func BenchmarkPairs(b *testing.B) {
	var half []affiliate.UID
	for n := range 2500 {
		half = append(half, benchdata.UID(2*n))
	}
	days := affiliate.Days{First: benchdata.Last - 59, Last: benchdata.Last - 30}
	members := affiliate.MembersOf(nil, map[affiliate.Account][]affiliate.UID{"main": half})
	for _, size := range benchdata.Sizes(b) {
		s, err := store.Open(b.Context(), benchdata.Path(b, size), store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() }) // nothing was written
		for of, filter := range map[string]records.CommissionFilter{"members": {Days: days, Members: members}, "invitee": {Days: days, UID: benchdata.UID(0)}} {
			for _, by := range []string{"lines", "rows"} {
				if by == "rows" {
					filter.AsOf = affiliate.MillisOf(time.Now())
				}
				b.Run(fmt.Sprintf("%s/%s/rows=%d", of, by, size), func(b *testing.B) {
					var before, after syscall.Rusage
					if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						if err := askOnce(b.Context(), s, question("top pairs"), filter); err != nil {
							b.Fatal(err)
						}
					}
					if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
						b.Fatal(err)
					}
					used := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
					b.ReportMetric(float64(used)/float64(b.N)/1e6, "cpu-ms")
				})
			}
		}
	}
}

// BenchmarkSortedByAmount reads the first page of thirty days sorted by each amount, turn
// about with the engine, which sorts the same records by the decimal collation. The aim is
// 60 ms at 10,000,000 records.
func BenchmarkSortedByAmount(b *testing.B) {
	for _, size := range benchdata.Sizes(b) {
		s := marketStore(b, size)
		if err := records.MakeRollups(b.Context(), s); err != nil {
			b.Fatal(err)
		}
		f := records.CommissionFilter{Days: affiliate.Days{First: benchdata.Last - 29, Last: benchdata.Last}}
		for _, column := range []string{"taker", "maker", "fee", "rate", "commission"} {
			b.Run(fmt.Sprintf("%s/rows=%d", column, size), func(b *testing.B) {
				order := records.CommissionOrder{Column: column, Descending: true}
				var ours, theirs benchdata.Durations
				for b.Loop() {
					ours.Measure(func() { rowsOf(b, s, f, order, 50, 0) })
					theirs.Measure(func() { sortedByEngine(b, s, f, column) })
				}
				b.ReportMetric(float64(ours.P95().Microseconds())/1000, "p95-ms")
				b.ReportMetric(theirs.P95().Seconds()/ours.P95().Seconds(), "of-engine-sort")
			})
		}
	}
}

func sortedByEngine(b *testing.B, s *store.Store, f records.CommissionFilter, column string) {
	r := storetest.Reader(b, s)
	defer r.Close()
	w := f.Rows(f.Days.Range(time.UTC))
	columns := map[string]string{"taker": "taker_amount", "maker": "maker_amount"}
	if columns[column] != "" {
		column = columns[column]
	}
	ids, err := r.QueryContext(b.Context(), `SELECT c.id FROM commissions c WHERE `+w.String()+` ORDER BY c.`+column+` COLLATE decimal DESC, c.id DESC LIMIT 50`, w.Args...)
	if err != nil {
		b.Fatal(err)
	}
	defer ids.Close()
	n := 0
	for ids.Next() {
		n++
	}
	if err := ids.Err(); err != nil || n != 50 {
		b.Fatal(n, err)
	}
}
