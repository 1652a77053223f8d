package commissions_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// lines returns the restatements in short.
func lines(rows []commissions.RestatementLine) []string {
	list := []string{}
	for _, r := range rows {
		list = append(list, fmt.Sprintf("%s %s %q %q", r.Kind, r.UID[8:], r.Was, r.Became))
	}
	return list
}

func TestRestatementsByKind(t *testing.T) {
	storetest.Engines(t, "statements of restatements", testRestatementsByKind)
}

func testRestatementsByKind(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	day := reporttest.Today - 2
	at := reporttest.Days(-2, -2)
	d.Now = reporttest.Noon.AddDate(0, 0, -1)
	d.Read("main", reporttest.Spot, at, reporttest.Trade(day, reporttest.Spot, 1, "1"), reporttest.Trade(day, reporttest.Spot, 2, "2"), reporttest.Trade(day, reporttest.Spot, 3, "3"), reporttest.Trade(day, reporttest.Spot, 4, "4"))
	if report := d.Restatements("range=all"); report.Count != 0 || report.Pages != 1 || len(report.Rows)+len(report.Totals) != 0 {
		t.Fatalf("after one reading: %+v", report)
	}
	d.Now = d.Now.Add(time.Hour)
	before := d.Now.Add(-time.Minute)
	d.Read("main", reporttest.Spot, at, reporttest.Trade(day, reporttest.Spot, 1, "1.00"), reporttest.Trade(day, reporttest.Spot, 2, "2.5"), reporttest.Trade(day, reporttest.Spot, 3, "0"), reporttest.Trade(day, reporttest.Spot, 5, "5"))
	d.Now = reporttest.Noon
	d.Read("main", reporttest.Spot, at, reporttest.Trade(day, reporttest.Spot, 1, "1"), reporttest.Trade(day, reporttest.Spot, 2, "2.5"), reporttest.Trade(day, reporttest.Spot, 3, "0"))

	report := d.Restatements("range=all")
	// Restatements of one reading appear in stored order, which is not specified.
	got := lines(report.Rows)
	slices.Sort(got[1:])
	reporttest.SameLines(t, "all", got, []string{`removed 05 "5" ""`,
		`changed 02 "2" "2.5"`, `late 05 "" "5"`, `removed 04 "4" ""`, `zeroed 03 "3" "0"`})
	if first := report.Rows[0].Noticed; first != affiliate.MillisOf(reporttest.Noon) {
		t.Errorf("the newest was noticed at %s", first)
	}
	var totals []string
	for _, sum := range report.Totals {
		totals = append(totals, fmt.Sprint(sum.Kind, " ", sum.Coin, " ", sum.Count, " ", sum.Change))
	}
	reporttest.SameLines(t, "totals", totals, []string{"late USDT 1 5", "changed USDT 1 0.5", "removed USDT 2 -9", "zeroed USDT 1 -3"})

	if report := d.Restatements("range=all&as_of=" + before.Format(time.RFC3339)); report.Count != 0 {
		t.Errorf("before the first change was noticed: %q", lines(report.Rows))
	}
	if report := d.Restatements("range=yesterday"); report.Count != 0 {
		t.Errorf("on another day: %q", lines(report.Rows))
	}
	for filter, want := range map[string]int64{"uid=4667776805": 2, "symbol=btcusdt": 5, "coin=BTC": 0, "product=FUTURES": 0, "source=direct": 5, "source=sub": 0, "account=main": 5, "q=6805": 2} {
		if report := d.Restatements("range=all&" + filter); report.Count != want {
			t.Errorf("%s: %d restatements, want %d", filter, report.Count, want)
		}
	}

	// By when they were noticed, with what went up and what went down apart.
	for noticed, want := range map[string]string{
		"": "5 of 5: 5.5, -12", "&since=2026-09-15": "1 of 1: 0, -5", "&until=2026-09-14": "4 of 4: 5.5, -7", "&since=2026-09-14T13:30&until=2026-09-15T11:00": "0 of 0: 0, 0",
	} {
		report, err := reports.Ask(t.Context(), d.Service, d.QueryOf("range=all"+noticed, query.AcceptedParams{Since: true}), commissions.MakeRestatements)
		if err != nil {
			t.Fatal(err)
		}
		var count int64
		var up, down decimal.Decimal
		for _, sum := range report.Totals {
			count, up, down = count+sum.Count, up.Add(sum.Up), down.Add(sum.Down)
			if !sum.Change.Equal(sum.Up.Add(sum.Down)) {
				t.Errorf("%s: %s is not %s and %s", noticed, sum.Change, sum.Up, sum.Down)
			}
		}
		if got := fmt.Sprintf("%d of %d: %s, %s", len(report.Rows), count, up, down); got != want {
			t.Errorf("noticed %s: %s, want %s", noticed, got, want)
		}
	}

	var paged []string
	for page := 1; page <= 3; page++ {
		part := d.Restatements(fmt.Sprintf("range=all&per=2&page=%d", page))
		if part.Pages != 3 || part.Count != 5 {
			t.Errorf("page %d of %d, %d rows in all", page, part.Pages, part.Count)
		}
		paged = append(paged, lines(part.Rows)...)
	}
	reporttest.SameLines(t, "pages", paged, lines(report.Rows))
	if _, err := reports.Ask(t.Context(), d.Service, d.Ask("range=all&per=2&page=4"), commissions.MakeRestatements); err == nil {
		t.Error("page 4 exists")
	}
}

// A day is read before its end, and then not until the next day. Records that the second
// reading adds are no restatements, because the day was never complete before; later
// changes are.
func TestRowsOfARunningDayAreNotLate(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Now = reporttest.Noon.AddDate(0, 0, -3) // stamps only increase
	run, err := records.StartRun(t.Context(), d.DB, "main", "schedule")
	if err != nil {
		t.Fatal(err)
	}
	day, at := reporttest.Today-2, reporttest.Days(-2, -2)
	read := func(now time.Time, rows ...affiliate.Commission) {
		d.Now = now
		slice := d.Slice("main", reporttest.Spot, at)
		slice.Run = run
		if _, err := records.ReplaceCommissions(t.Context(), d.DB, slice, rows); err != nil {
			t.Fatal(err)
		}
	}
	evening := day.Start(time.UTC).Add(18 * time.Hour)
	one, two, three, four := reporttest.Trade(day, reporttest.Spot, 1, "1"), reporttest.Trade(day, reporttest.Spot, 2, "2"), reporttest.Trade(day, reporttest.Spot, 3, "3"), reporttest.Trade(day, reporttest.Spot, 4, "4")
	read(evening, one)
	read(evening.Add(7*time.Hour), one, two) // an hour after the day, which has not settled yet
	if report := d.Restatements("range=all"); report.Count != 0 {
		t.Fatalf("before the day was complete: %q", lines(report.Rows))
	}
	read(evening.Add(24*time.Hour), one, two, three)
	if report := d.Restatements("range=all"); report.Count != 0 {
		t.Fatalf("at the first complete reading: %q", lines(report.Rows))
	}
	read(evening.Add(25*time.Hour), one, two, three, four)
	reporttest.SameLines(t, "later", lines(d.Restatements("range=all").Rows), []string{`late 04 "" "4"`})
}

// The first complete reading of each day together with all later changes gives the
// present records, after any writes. A page never splits the changes of one reading.
func TestRestatementsExplainTheDifference(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements of restatements", testRestatementsExplainTheDifference)
}

func testRestatementsExplainTheDifference(t *testing.T) {
	fixtures := []*reporttest.Fixture{reporttest.NewFixture(t, "UTC"), reporttest.NewFixture(t, "America/St_Johns")}
	next := reporttest.Today
	rapid.Check(t, func(rt *rapid.T) {
		d := fixtures[rapid.IntRange(0, len(fixtures)-1).Draw(rt, "zone")]
		first, today := next, next+6
		next += 40 // stamps only increase, so every trial uses separate days
		d.Now = first.Start(time.UTC)
		logged := rapid.Bool().Draw(rt, "logged")
		if !logged { // only days that were complete at their first reading are known exactly
			d.Now = (today + 1).Start(time.UTC).Add(records.Settles)
		}
		var run int64
		if logged {
			var err error
			if run, err = records.StartRun(t.Context(), d.DB, "main", "schedule"); err != nil {
				rt.Fatal(err)
			}
		}
		live := map[affiliate.Day][]affiliate.Commission{}
		base := map[affiliate.Day]map[affiliate.Coin]*big.Rat{}
		for range rapid.IntRange(1, 8).Draw(rt, "reads") {
			d.Now = d.Now.Add(time.Duration(rapid.IntRange(1, 30).Draw(rt, "hours")) * time.Hour)
			last := min(today, affiliate.DayOf(d.Now, time.UTC))
			span := affiliate.Days{First: first + affiliate.Day(rapid.IntRange(0, int(last-first)).Draw(rt, "from"))}
			span.Last = span.First + affiliate.Day(rapid.IntRange(0, int(last-span.First)).Draw(rt, "days"))
			var list []affiliate.Commission
			for day := span.First; day <= span.Last; day++ {
				live[day] = nil
				for range rapid.IntRange(0, 4).Draw(rt, "records") {
					live[day] = append(live[day], anyTrade(rt, day))
				}
				list = append(list, live[day]...)
				settled := (day + 1).Start(time.UTC).Add(records.Settles)
				if !d.Now.Before(settled) && base[day] == nil {
					base[day] = coinSumsOf(t, live[day])
				}
			}
			slice := d.Slice("main", reporttest.Spot, span)
			slice.Run = run
			if _, err := records.ReplaceCommissions(t.Context(), d.DB, slice, slices.Clone(list)); err != nil {
				rt.Fatal(err)
			}
		}
		want := map[affiliate.Coin]*big.Rat{}
		for day, before := range base {
			for coin, now := range coinSumsOf(t, live[day]) {
				sumAt(want, coin).Add(sumAt(want, coin), now)
			}
			for coin, was := range before {
				sumAt(want, coin).Sub(sumAt(want, coin), was)
			}
		}
		d.Now = d.Now.Add(time.Hour)
		q := d.Ask("from=" + (first - 1).String() + "&to=" + (today + 2).String() + "&per=500")
		report, err := reports.Ask(t.Context(), d.Service, q, commissions.MakeRestatements)
		if err != nil {
			rt.Fatal(err)
		}
		totals, rows := map[affiliate.Coin]*big.Rat{}, map[affiliate.Coin]*big.Rat{}
		var count int64
		for _, sum := range report.Totals {
			count += sum.Count
			sumAt(totals, sum.Coin).Add(sumAt(totals, sum.Coin), sum.Change.Rat())
		}
		for i, row := range report.Rows {
			if i > 0 && row.Noticed > report.Rows[i-1].Noticed {
				rt.Fatalf("row %d is newer than the previous one", i)
			}
			sum := sumAt(rows, row.Coin)
			sum.Add(sum, reporttest.Rat(t, string(row.Became)))
			sum.Sub(sum, reporttest.Rat(t, string(row.Was)))
		}
		if count != report.Count || count != int64(len(report.Rows)) {
			rt.Fatalf("%d rows, %d counted by kind, %d in all", len(report.Rows), count, report.Count)
		}
		for _, coin := range []affiliate.Coin{"USDT", "BTC"} {
			if sumAt(totals, coin).Cmp(sumAt(want, coin)) != 0 || sumAt(rows, coin).Cmp(sumAt(want, coin)) != 0 {
				rt.Fatalf("%s: totals %s, rows %s, want %s", coin, sumAt(totals, coin), sumAt(rows, coin), sumAt(want, coin))
			}
		}
	})
}

func sumAt(sums map[affiliate.Coin]*big.Rat, coin affiliate.Coin) *big.Rat {
	if sums[coin] == nil {
		sums[coin] = new(big.Rat)
	}
	return sums[coin]
}

func coinSumsOf(t testing.TB, records []affiliate.Commission) map[affiliate.Coin]*big.Rat {
	sums := map[affiliate.Coin]*big.Rat{}
	for _, c := range records {
		sumAt(sums, c.Coin).Add(sumAt(sums, c.Coin), reporttest.Rat(t, string(c.Commission)))
	}
	return sums
}

// anyTrade draws one of few trades, so that versions of one trade and twins occur.
func anyTrade(t *rapid.T, day affiliate.Day) affiliate.Commission {
	c := reporttest.Trade(day, reporttest.Spot, rapid.IntRange(1, 2).Draw(t, "uid"), affiliate.Number(decimal.New(rapid.Int64Range(-2, 2).Draw(t, "amount"), -17).String()))
	c.DealTime += affiliate.Millis(rapid.SampledFrom([]int64{-3_600_000, 0, 82_799_999}).Draw(t, "ms"))
	c.Coin = rapid.SampledFrom([]affiliate.Coin{"USDT", "BTC"}).Draw(t, "coin")
	return c
}
