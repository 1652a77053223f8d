package changes_test

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// addBy adds up an amount of rows by coin and a part of them. Parts without an amount are
// left out.
func addBy(t testing.TB, sign int64, sums map[string]*big.Rat, rows []map[string]string, amount string, part func(map[string]string) string) {
	for _, row := range rows {
		key := row["coin"] + " " + part(row)
		if sums[key] == nil {
			sums[key] = new(big.Rat)
		}
		sums[key].Add(sums[key], new(big.Rat).Mul(big.NewRat(sign, 1), reporttest.Rat(t, row[amount])))
	}
}

func equalSums(a, b map[string]*big.Rat) bool {
	of := func(sums map[string]*big.Rat, key string) *big.Rat {
		if sums[key] == nil {
			return new(big.Rat)
		}
		return sums[key]
	}
	for _, sums := range []map[string]*big.Rat{a, b} {
		for key := range sums {
			if of(a, key).Cmp(of(b, key)) != 0 {
				return false
			}
		}
	}
	return true
}

// changeParts are the parts by which the differences add up to those of the two states. The
// code is that of the later state, so it is no such part.
var changeParts = map[string]func(map[string]string) string{
	"coin":    func(map[string]string) string { return "" },
	"month":   func(row map[string]string) string { return row["deal_time_utc"][:7] },
	"invitee": func(row map[string]string) string { return row["account"] + " " + row["uid"] },
	"product": func(row map[string]string) string { return row["product_type"] },
	"pair":    func(row map[string]string) string { return row["symbol"] },
	"source":  func(row map[string]string) string { return row["source_type"] },
}

// After any readings, the changes between two instants are the later state less the earlier
// one, by coin and by each part, under any filter. The page says the same as the file.
func TestChangesAreTheDifferenceOfTwoStates(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "states of the past", testChangesAreTheDifferenceOfTwoStates)
}

func testChangesAreTheDifferenceOfTwoStates(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	rapid.Check(t, func(t *rapid.T) {
		r := reporttest.NewReading(t, d)
		var instants []time.Time
		for range rapid.IntRange(2, 5).Draw(t, "reads") {
			instants = append(instants, d.Now)
			d.Later(time.Duration(rapid.SampledFrom([]int{1, 60, 60 * 20}).Draw(t, "minutes")) * time.Minute)
			rapid.SampledFrom([]func(){func() { reporttest.Draw(t, d, 6) }, func() { redraw(t, d) }, func() { redraw(t, d) }, r.Invitees, func() { storetest.Done(d, records.RebuildRollups(d.Context(), d.DB)) }}).Draw(t, "read")()
		}
		d.Later(time.Minute)
		ends := rapid.SliceOfN(rapid.SampledFrom(instants), 2, 2).Draw(t, "instants")
		slices.SortFunc(ends, time.Time.Compare)
		since, until := ends[0].Format(time.RFC3339), ends[1].Format(time.RFC3339)
		for range 3 {
			filters := reporttest.DrawFilters(t)
			states := filters.Encode() + "&sort=time"
			after, before := d.Rows(commissions.File, states+"&as_of="+until), d.Rows(commissions.File, states+"&as_of="+since)
			asked := url.Values{"since": {since}, "until": {until}}.Encode() + "&" + filters.Encode()
			if rapid.Bool().Draw(t, "now") {
				after = d.Rows(commissions.File, states)
				asked = url.Values{"since": {since}}.Encode() + "&" + filters.Encode()
			}
			lines := d.Rows(changes.File, asked)
			for name, part := range changeParts {
				want, got := map[string]*big.Rat{}, map[string]*big.Rat{}
				addBy(d, 1, want, after, "commission", part)
				addBy(d, -1, want, before, "commission", part)
				addBy(d, 1, got, lines, "difference", part)
				if !equalSums(got, want) {
					t.Fatalf("%s: the differences by %s are %v, the states differ by %v\nbefore %v\nafter %v\nlines %v", asked, name, got, want, before, after, lines)
				}
				parts := map[string]*big.Rat{}
				addBy(d, 1, parts, lines, "commission_after", part)
				addBy(d, -1, parts, lines, "commission_before", part)
				if !equalSums(got, parts) {
					t.Fatalf("%s: after less before by %s is %v, the differences are %v", asked, name, parts, got)
				}
			}
			checkChangesPage(t, d, asked, lines)
		}
	})
}

// checkChangesPage compares the page of changes with the lines of its file.
func checkChangesPage(t *rapid.T, d *reporttest.Fixture, asked string, lines []map[string]string) {
	by := rapid.SampledFrom([]string{"month", "invitee", "product", "pair"}).Draw(t, "by")
	got, err := reports.Ask(d.Context(), d.Service, d.QueryOf(asked+"&per=2&sort="+rapid.SampledFrom(changes.Sorts).Draw(t, "sort")+"&by="+by, changes.Accepted), changes.Make)
	if err != nil {
		t.Fatal(err)
	}
	if got.Count != int64(len(lines)) || len(got.Lines) != min(2, len(lines)) || (got.Empty == "") != (len(lines) > 0) {
		t.Fatalf("%s: the page has %d of %d lines and is empty: %q, the file has %d", asked, len(got.Lines), got.Count, got.Empty, len(lines))
	}
	want, totals, kinds, groups := map[string]*big.Rat{}, map[string]*big.Rat{}, map[string]*big.Rat{}, map[string]*big.Rat{}
	addBy(d, 1, want, lines, "difference", changeParts["coin"])
	add := func(to map[string]*big.Rat, coin affiliate.Coin, s changes.UpAndDown) {
		net, key := s.Net(), string(coin)+" "
		if to[key] == nil {
			to[key] = new(big.Rat)
		}
		to[key].Add(to[key], reporttest.Rat(d, net.String()))
	}
	for _, total := range got.Totals {
		add(totals, total.Coin, total.UpAndDown)
	}
	for _, kind := range got.Kinds {
		add(kinds, kind.Coin, kind.UpAndDown)
	}
	for _, group := range got.Groups {
		add(groups, group.Coin, group.UpAndDown)
	}
	if !equalSums(totals, want) || !equalSums(kinds, want) || !equalSums(groups, want) {
		t.Fatalf("%s: totals %v, by kind %v, by %s %v; the lines %v", asked, totals, kinds, by, groups, want)
	}
}

// redraw reads the open records again: some are gone, restated, set to zero or doubled.
func redraw(t *rapid.T, d *reporttest.Fixture) {
	for _, account := range []affiliate.Account{"main", "other"} {
		for _, stream := range []affiliate.Stream{reporttest.Spot, reporttest.Futures} {
			known, err := d.Stored(account, stream.Product)
			if err != nil {
				t.Fatal(err)
			}
			var list []affiliate.Commission
			for _, c := range known {
				switch rapid.IntRange(0, 6).Draw(t, "what happens") {
				case 0: // it is gone
				case 1:
					c.Commission = reporttest.DrawNumber(t, "commission")
					list = append(list, c)
				case 2:
					c.Commission = "0"
					list = append(list, c)
				case 3:
					list = append(list, c, c)
				case 4:
					c.Fee = reporttest.DrawNumber(t, "fee")
					list = append(list, c)
				default:
					list = append(list, c)
				}
			}
			d.Read(account, stream, reporttest.Span, list...)
		}
	}
}

// Each way in which a record can change is a line of its kind.
func TestKindsOfChanges(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	at := func(n int, commission affiliate.Number) affiliate.Commission {
		c := reporttest.Trade(reporttest.Today-3, reporttest.Spot, n, commission)
		c.DealTime += affiliate.Millis(n)
		return c
	}
	fresh := reporttest.Trade(reporttest.Today, reporttest.Spot, 7, "7")
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), at(1, "1"), at(2, "2"), at(3, "3"), at(4, "4"), at(5, "5"))
	since := d.Now
	d.Later(time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), at(1, "1"), at(2, "2.5"), at(3, "0.00"), at(6, "6"), at(8, "8"), fresh)
	d.Later(time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), at(1, "1"), at(2, "2.25"), at(3, "0.00"), at(5, "5.0"), at(6, "6"), fresh) // 5 is back, 8 came and went
	var got []string
	for _, row := range d.Rows(changes.File, "since="+since.Format(time.RFC3339)+"&sort=uid") {
		got = append(got, fmt.Sprint(row["uid"][len(row["uid"])-1:], " ", row["change"], " ", row["commission_before"], " ", row["commission_after"], " ", row["difference"]))
	}
	want := []string{"2 changed 2 2.25 0.25", "3 zeroed 3 0.00 -3", "4 removed 4  -4", "6 late  6 6", "7 new  7 7"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	report, err := reports.Ask(t.Context(), d.Service, d.QueryOf("change=late&since="+since.Format(time.RFC3339), changes.Accepted), changes.Make)
	if err != nil || report.Count != 1 || report.All != 5 || len(report.Kinds) != 5 || len(report.Groups) != 1 || report.Totals[0].Up.String() != "13.25" || report.Totals[0].Down.String() != "-7" {
		t.Errorf("%+v, %v", report, err)
	}
}

// A record comes into a filter by code when its invitee's code becomes known, and leaves it
// when the code changes.
func TestChangesOfCodes(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "1"), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 2, "2"))
	first := d.Now
	d.Later(time.Hour)
	invitee := func(code string) affiliate.Invitee {
		return affiliate.Invitee{UID: "4667776801", InviteCode: code, RegisterTime: reporttest.Midnight(reporttest.Today - 4)}
	}
	d.ReadInvitees("main", reporttest.Days(-5, 0), invitee("spring"))
	second := d.Now
	d.Later(time.Hour)
	d.ReadInvitees("main", reporttest.Days(-5, 0), invitee("summer"))
	for _, c := range []struct {
		asked         string
		entered, left int64
	}{
		{"code=spring&since=" + first.Format(time.RFC3339) + "&until=" + second.Format(time.RFC3339), 1, 0},
		{"q=SPR&since=" + first.Format(time.RFC3339) + "&until=" + second.Format(time.RFC3339), 1, 0},
		{"code=spring&since=" + second.Format(time.RFC3339), 0, 1},
		{"code=spring,summer&since=" + second.Format(time.RFC3339), 0, 0},
		{"code=summer&q=6801&since=" + second.Format(time.RFC3339), 1, 0},
		{"q=6801&since=" + first.Format(time.RFC3339), 0, 0},
		{"since=" + first.Format(time.RFC3339), 0, 0},
	} {
		got, err := reports.Ask(t.Context(), d.Service, d.QueryOf(c.asked, changes.Accepted), changes.Make)
		if err != nil || got.Entered != c.entered || got.Left != c.left || got.All != c.entered+c.left {
			t.Errorf("%s: %d came in and %d left of %d, %v; want %d and %d", c.asked, got.Entered, got.Left, got.All, err, c.entered, c.left)
		}
	}
}

// An empty page says why.
func TestEmptyChanges(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	empty := func(asked string, want coverage.EmptyKind) {
		t.Helper()
		got, err := reports.Ask(t.Context(), d.Service, d.QueryOf(asked, changes.Accepted), changes.Make)
		if err != nil || got.Empty != want {
			t.Errorf("%s: empty as %q, %v; want %q", asked, got.Empty, err, want)
		}
	}
	empty("", coverage.EmptyNotCollected)
	d.Later(time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "1"))
	d.Later(time.Hour)
	empty("", coverage.EmptyTruly)
	empty("since=2026-09-15T12:30:00Z", "")
	empty("until=2026-09-15T12:30:00Z", coverage.EmptyBefore)
	empty("since=2026-09-15T13:30:00Z", coverage.EmptyTruly)
	empty("since=2026-09-15T12:30:00Z&coin=BTC", coverage.EmptyFiltered)
	empty("since=2026-09-15T12:30:00Z&change=late", coverage.EmptyFiltered)
}

// What the first collection finds is no change: without another instant the page counts from its
// end, however many runs it took. A day that only begins later does not belong to it.
func TestFirstCollectionIsNoChange(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	found := func(asked string, fromFirst bool, want ...string) {
		t.Helper()
		got, err := reports.Ask(t.Context(), d.Service, d.QueryOf(asked, changes.Accepted), changes.Make)
		if err != nil || got.FromFirst != fromFirst || got.All != int64(len(want)) {
			t.Errorf("%s: %d lines, from the end of the first collection %v, %v; want %v", asked, got.All, got.FromFirst, err, want)
			return
		}
		for i, line := range got.Lines {
			if net := changes.DifferenceOf(line); net.String() != want[i] {
				t.Errorf("%s: line %d is %s, want %s", asked, i, net.String(), want[i])
			}
		}
		if lines := d.Rows(changes.File, asked); len(lines) != len(want) {
			t.Errorf("%s: the file has %d lines", asked, len(lines))
		}
	}
	d.Read("main", reporttest.Spot, reporttest.Days(-3, 0), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "100"))
	d.Later(time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-5, -4), reporttest.Trade(reporttest.Today-4, reporttest.Spot, 2, "50"))
	found("", true)
	found("since=2026-09-01&sort=time", false, "50", "100")
	d.Later(time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(-3, 0), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "101"))
	found("", true, "1")
	d.Later(24 * time.Hour)
	d.Read("main", reporttest.Spot, reporttest.Days(1, 1), reporttest.Trade(reporttest.Today+1, reporttest.Spot, 3, "7"))
	found("", true, "7", "1")
	d.Later(24 * time.Hour)
	d.Read("beta", reporttest.Spot, reporttest.Days(-5, 2), reporttest.Trade(reporttest.Today, reporttest.Spot, 4, "1000"))
	found("", true)
	found("account=main", true, "7", "1")
	d.Later(8 * 24 * time.Hour)
	found("account=main", false)
}

// The pages of a list that is too long to be kept in memory are those of its file. They end at a
// limit, beyond which the opposite order shows the lines.
func TestChangesOfManyLines(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements of many conditions", testChangesOfManyLines)
}

func testChangesOfManyLines(t *testing.T) {
	const many = 20_100
	d := reporttest.NewFixture(t, "UTC")
	d.Later(time.Hour)
	var list []affiliate.Commission
	for i := range many {
		list = append(list, reporttest.Trade(reporttest.Today-3, reporttest.Spot, i, "1"))
	}
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), list...)
	lines := d.Rows(changes.File, "since=2026-09-01&sort=-uid")
	ask := func(page int) (changes.Report, error) {
		return reports.Ask(t.Context(), d.Service, d.QueryOf(fmt.Sprintf("since=2026-09-01&sort=-uid&per=500&page=%d", page), changes.Accepted), changes.Make)
	}
	for _, page := range []int{40, 1} {
		got, err := ask(page)
		if err != nil || got.Count != many || got.Pages != 40 || len(got.Lines) != 500 {
			t.Fatalf("page %d: %d of %d lines on %d pages, %v", page, len(got.Lines), got.Count, got.Pages, err)
		}
		for i, line := range got.Lines {
			if want := lines[(page-1)*500+i]["uid"]; string(line.Record().UID) != want {
				t.Fatalf("page %d, line %d: %s, want %s", page, i, line.Record().UID, want)
			}
		}
	}
	if _, err := ask(41); err == nil || !strings.Contains(err.Error(), "sort the other way") {
		t.Errorf("a page beyond the limit: %v", err)
	}
}
