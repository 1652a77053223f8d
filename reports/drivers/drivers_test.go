package drivers_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// moved is what the model expects of one contribution.
type moved struct{ before, now *big.Rat }

// nameAlong returns the key of the contribution to which a record belongs.
func nameAlong(by drivers.Dimension, r reporttest.Record, several bool) string {
	switch by {
	case drivers.ByCode:
		return r.Code
	case drivers.ByPair:
		return r.Symbol
	case drivers.ByProduct:
		return string(r.Product)
	case drivers.BySource:
		return string(r.Source)
	}
	if several {
		return string(r.Account) + "/" + string(r.UID)
	}
	return string(r.UID)
}

// Contributions and effects add up to the change exactly, along each dimension and whatever the
// filters are; presences divide the invitees; and programs read what the page shows.
func TestDriversAddUp(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "the order of rows, sums of texts that are numbers", testDriversAddUp)
}

func testDriversAddUp(t *testing.T) {
	d := reporttest.NewModelFixture(t, "Asia/Kathmandu")
	rapid.Check(t, func(t *rapid.T) {
		m := reporttest.Draw(t, d, 14)
		values := reporttest.DrawFilters(t)
		first := rapid.IntRange(-2, 0).Draw(t, "first day")
		values.Set("from", (reporttest.Today + affiliate.Day(first)).String())
		values.Set("to", (reporttest.Today + affiliate.Day(rapid.IntRange(first, 0).Draw(t, "last day"))).String())
		values.Set("by", string(rapid.SampledFrom(drivers.Dimensions()).Draw(t, "by")))
		q := d.QueryOf(values.Encode(), drivers.Accepted)
		r, err := reports.Ask(d.Context(), d.Service, q, drivers.Make)
		if err != nil {
			t.Fatal(err)
		}
		past := q
		past.Days = r.Compared
		now, before := m.Matching(q), m.Matching(past)
		if len(now)+len(before) == 0 {
			if r.Known() || len(r.Contributions) > 0 {
				t.Fatalf("without records the report is %+v", r)
			}
			return
		}
		if !r.Known() {
			t.Fatalf("%s: nothing is explained: %q, %q", values.Encode(), r.Empty, r.Incomparable)
		}
		checkContributions(t, m, r, now, before)
		checkEffects(t, m, r, now, before)
		checkPresences(t, m, r, q, now, before)
		checkObject(t, d, r, q)
	})
}

func checkContributions(t *rapid.T, m *reporttest.Model, r drivers.Report, now, before []reporttest.Record) {
	t.Helper()
	want := map[string]moved{}
	add := func(list []reporttest.Record, to func(moved) *big.Rat) {
		for _, rec := range list {
			if rec.Coin != r.Coin {
				continue
			}
			key := nameAlong(r.By, rec, r.Several)
			if want[key].now == nil {
				want[key] = moved{new(big.Rat), new(big.Rat)}
			}
			sum := to(want[key])
			sum.Add(sum, reporttest.Rat(m, string(rec.Commission.Commission)))
		}
	}
	add(now, func(w moved) *big.Rat { return w.now })
	add(before, func(w moved) *big.Rat { return w.before })
	if len(r.Contributions) != len(want) {
		t.Fatalf("%d contributions, want %d", len(r.Contributions), len(want))
	}
	whole := new(big.Rat)
	for _, c := range r.Contributions {
		w, ok := want[c.Key(r.Several)]
		if !ok || reporttest.Exact(m, c.Before).Cmp(w.before) != 0 || reporttest.Exact(m, c.Now).Cmp(w.now) != 0 {
			t.Fatalf("%s %q is %+v, want %v", r.By, c.Key(r.Several), c, w)
		}
		whole.Add(whole, new(big.Rat).Sub(w.now, w.before))
	}
	if reporttest.Exact(m, r.Change()).Cmp(whole) != 0 {
		t.Fatalf("the change is %s, the contributions are %s", r.Change(), whole.FloatString(18))
	}
	up, down, rest := r.Contributions.Up(2).Together(), r.Contributions.Down(2).Together(), r.Contributions.Rest(2)
	if sum := up.Change().Add(down.Change()).Add(rest.Change()); !sum.Equal(r.Change()) || up.N+down.N+rest.N != len(want) {
		t.Fatalf("two up, two down and the rest are %s, the change is %s", sum, r.Change())
	}
}

// checkEffects computes the effects of each product and source independently.
func checkEffects(t *rapid.T, m *reporttest.Model, r drivers.Report, now, before []reporttest.Record) {
	t.Helper()
	if sum := r.Effects.Sum(); !sum.Equal(r.Change()) {
		t.Fatalf("the effects add up to %s, the change is %s", sum, r.Change())
	}
	cells := map[string][2][]reporttest.Record{}
	for i, list := range [][]reporttest.Record{before, now} {
		for _, rec := range list {
			if rec.Coin == r.Coin {
				key := string(rec.Product) + " " + string(rec.Source)
				one := cells[key]
				one[i] = append(one[i], rec)
				cells[key] = one
			}
		}
	}
	want := [3]*big.Rat{new(big.Rat), new(big.Rat), new(big.Rat)}
	for _, one := range cells {
		b, n := m.Sums(one[0])[r.Coin], m.Sums(one[1])[r.Coin]
		if b == nil || n == nil {
			continue
		}
		vb, vn := new(big.Rat).Add(b.Taker, b.Maker), new(big.Rat).Add(n.Taker, n.Maker)
		if vb.Sign() == 0 || vn.Sign() == 0 || b.Fee.Sign() == 0 || n.Fee.Sign() == 0 {
			continue
		}
		byVolume := new(big.Rat).Quo(new(big.Rat).Mul(b.Commission, vn), vb)
		byFee := new(big.Rat).Quo(new(big.Rat).Mul(b.Commission, n.Fee), b.Fee)
		want[0].Add(want[0], new(big.Rat).Sub(byVolume, b.Commission))
		want[1].Add(want[1], new(big.Rat).Sub(byFee, byVolume))
		want[2].Add(want[2], new(big.Rat).Sub(n.Commission, byFee))
	}
	near := big.NewRat(1, 1_000_000_000)
	for i, got := range []decimal.Decimal{r.Effects.Volume, r.Effects.FeePerVolume, r.Effects.ShareOfFees} {
		if off := new(big.Rat).Sub(reporttest.Exact(m, got), want[i]); off.Abs(off).Cmp(near) > 0 {
			t.Fatalf("effect %d is %s, want %s", i, got, want[i].FloatString(12))
		}
	}
}

func checkPresences(t *rapid.T, m *reporttest.Model, r drivers.Report, q query.Query, now, before []reporttest.Record) {
	t.Helper()
	all := q
	all.Coin, all.Days = "", affiliate.Days{First: reporttest.Span.First - 1, Last: r.Compared.First - 1}
	earlier := m.Matching(all)
	all.Days = q.Days
	nowAny := m.Matching(all)
	all.Days = r.Compared
	beforeAny := m.Matching(all)
	has := func(list []reporttest.Record, key string) bool {
		for _, rec := range list {
			if nameAlong(drivers.ByInvitee, rec, r.Several) == key {
				return true
			}
		}
		return false
	}
	sum := decimal.Zero
	for _, c := range r.Invitees {
		key := c.Key(r.Several)
		want := figures.PresentInBoth
		switch {
		case !has(nowAny, key):
			want = figures.PresentNoLonger
		case !has(beforeAny, key) && has(earlier, key):
			want = figures.PresentBack
		case !has(beforeAny, key):
			want = figures.PresentNew
		}
		if c.Presence != want {
			t.Fatalf("%s is %q, want %q", key, c.Presence, want)
		}
		sum = sum.Add(c.Change())
	}
	moved := decimal.Zero
	for p, one := range r.Presences() {
		if (p == "") == r.By.People() {
			t.Fatalf("contributions by %s have the presence %q", r.By, p)
		}
		moved = moved.Add(one.Change())
	}
	if !sum.Equal(r.Change()) || !moved.Equal(r.Change()) {
		t.Fatalf("invitees changed by %s, presences by %s, all by %s", sum, moved, r.Change())
	}
}

// objectJSON has the members that other programs rely on.
type objectJSON struct {
	Coin                  string
	Before, After, Change *string
	Contributions         []struct{ Key, Before, After, Change string }
	Effects               *struct {
		Volume     string `json:"volume"`
		FeeRate    string `json:"fee_rate"`
		RebateRate string `json:"rebate_rate"`
		Rest       string `json:"rest"`
	}
}

func objectOf(t testing.TB, text string) (o objectJSON) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	return o
}

// checkObject compares what programs read with the page.
func checkObject(t *rapid.T, d *reporttest.Fixture, r drivers.Report, q query.Query) {
	t.Helper()
	text, tally := d.Export(drivers.File, export.JSON, q)
	o := objectOf(d, text)
	if o.Coin != string(r.Coin) || *o.Before != r.Before.Commission.String() || *o.After != r.Now.Commission.String() || *o.Change != r.Change().String() {
		t.Fatalf("%.300s is not %s %s → %s", text, r.Coin, r.Before.Commission, r.Now.Commission)
	}
	if len(o.Contributions) != len(r.Contributions) || tally.Rows != int64(len(r.Contributions)) {
		t.Fatalf("%d contributions and %d rows of %d", len(o.Contributions), tally.Rows, len(r.Contributions))
	}
	for i, c := range r.Contributions {
		if got := o.Contributions[i]; got.Key != c.Key(r.Several) || got.Before != c.Before.String() || got.After != c.Now.String() || got.Change != c.Change().String() {
			t.Fatalf("contribution %d is %+v, the page has %+v", i, got, c)
		}
	}
	e := r.Effects
	if got := *o.Effects; got.Volume != e.Volume.String() || got.FeeRate != e.FeePerVolume.String() || got.RebateRate != e.ShareOfFees.String() || got.Rest != e.Rest.String() {
		t.Fatalf("the effects are %+v, the page has %+v", got, e)
	}
}

// Two accounts may have the same UID: both are contributions of their own.
func TestDriversOfTwoAccounts(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	for account, now := range map[affiliate.Account]affiliate.Number{"main": "5", "other": "1"} {
		d.Want(account, reporttest.Today-20)
		d.Read(account, reporttest.Spot, reporttest.Days(-20, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, now), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "3"))
		d.Read(account, reporttest.Futures, reporttest.Days(-20, 0))
	}
	r := d.DriversOf("range=today")
	var got []string
	for _, c := range r.Contributions {
		got = append(got, c.Key(r.Several)+" "+c.Change().String())
	}
	if want := "main/4667776801 2, other/4667776801 -2"; strings.Join(got, ", ") != want {
		t.Errorf("the contributions are %v, want %s", got, want)
	}
	if one := d.DriversOf("range=today&account=other"); len(one.Contributions) != 1 || one.Contributions[0].Key(one.Several) != "4667776801" {
		t.Errorf("of one account the contributions are %+v", one.Contributions)
	}
}

// A coin is chosen as on the overview. Who earned in another coin before is neither new nor
// lost. Each coin's change has its own worth.
func TestDriversOfCoins(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-20)
	btc := func(day affiliate.Day, uid int, commission affiliate.Number) affiliate.Commission {
		c := reporttest.Trade(day, reporttest.Futures, uid, commission)
		c.Coin = "BTC"
		return c
	}
	d.Read("main", reporttest.Spot, reporttest.Days(-20, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "5"), reporttest.Trade(reporttest.Today, reporttest.Spot, 2, "7"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 3, "3"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 4, "3"), reporttest.Trade(reporttest.Today-4, reporttest.Spot, 5, "1"), reporttest.Trade(reporttest.Today, reporttest.Spot, 5, "2"))
	d.Read("main", reporttest.Futures, reporttest.Days(-20, 0), btc(reporttest.Today-1, 1, "0.1"), btc(reporttest.Today, 3, "0.25"))
	d.Sample("BTC", "1000")
	r := d.DriversOf("range=today")
	want := map[string]figures.Presence{"4667776801": figures.PresentInBoth, "4667776802": figures.PresentNew, "4667776803": figures.PresentInBoth,
		"4667776804": figures.PresentNoLonger, "4667776805": figures.PresentBack}
	for _, c := range r.Contributions {
		if want[c.Name] != c.Presence {
			t.Errorf("%s is %q, want %q", c.Name, c.Presence, want[c.Name])
		}
	}
	if len(r.Contributions) != len(want) || r.Coin != "USDT" || r.Change().String() != "8" {
		t.Errorf("%d contributions in %s, change %s", len(r.Contributions), r.Coin, r.Change())
	}
	if len(r.Coins) != 2 || r.Coins[1].Coin != "BTC" || r.Coins[1].Change().String() != "0.15" || !r.Coins[1].Priced || r.Coins[1].Worth.String() != "150" {
		t.Errorf("the coins are %+v", r.Coins)
	}
	if of := d.DriversOf("range=today&coin=BTC"); of.Coin != "BTC" || of.Contributions[0].Name != "4667776803" || of.Contributions[0].Presence != figures.PresentInBoth {
		t.Errorf("of BTC: %+v", of.Contributions)
	}
}

// Whoever began between two periods that do not adjoin is not new in the range.
func TestDriversBetweenThePeriods(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-40)
	d.Read("main", reporttest.Spot, reporttest.Days(-40, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "5"), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "5"), reporttest.Trade(reporttest.Today, reporttest.Spot, 2, "5"), reporttest.Trade(reporttest.Today-7, reporttest.Spot, 3, "5"))
	d.Read("main", reporttest.Futures, reporttest.Days(-40, 0))
	r := d.DriversOf("range=today&compare=weekday")
	if moved := r.Presences(); moved[figures.PresentSince].N != 1 || moved[figures.PresentNew].N != 1 || moved[figures.PresentNoLonger].N != 1 || len(moved) != 3 {
		t.Errorf("the presences are %+v", moved)
	}
}

// Missing days mark the drivers. If nothing of a period is known, there are none, and programs
// read that they are not known.
func TestDriversWithoutAReference(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-9)
	d.Read("main", reporttest.Spot, reporttest.Days(-9, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "5"), reporttest.Trade(reporttest.Today-9, reporttest.Spot, 2, "1"))
	d.Read("main", reporttest.Futures, reporttest.Days(-9, -6))
	d.Read("main", reporttest.Futures, reporttest.Days(-3, 0))
	for asked, want := range map[string]struct {
		empty, incomparable coverage.EmptyKind
		complete            bool
	}{
		"range=today":                    {complete: true},
		"range=7d":                       {},
		"range=today&compare=year":       {incomparable: coverage.EmptyBefore},
		"from=2026-09-20&to=2026-09-21":  {empty: coverage.EmptyFuture},
		"from=2026-08-01&to=2026-08-02":  {empty: coverage.EmptyBefore},
		"range=yesterday":                {empty: coverage.EmptyTruly},
		"range=today&uid=4667776809":     {empty: coverage.EmptyFiltered},
		"range=7d&code=nobody&by=code":   {empty: coverage.EmptyFiltered},
		"range=all&compare=previous":     {incomparable: coverage.EmptyBefore},
		"from=2026-09-06&to=2026-09-06":  {incomparable: coverage.EmptyBefore},
		"from=2026-09-07&to=2026-09-07":  {complete: true}, // it fell to nothing
		"range=today&compare=weekday":    {complete: true},
		"range=today&q=776801&by=symbol": {complete: true},
	} {
		r := d.DriversOf(asked)
		if r.Empty != want.empty || r.Incomparable != want.incomparable || r.Known() && r.Complete() != want.complete {
			t.Errorf("%s: empty %q, incomparable %q, complete %t", asked, r.Empty, r.Incomparable, r.Complete())
		}
		text, tally := d.Export(drivers.File, export.JSON, r.Query)
		known := r.Known() || r.Empty != "" && r.Complete() // nothing is 0 where all is collected
		if o := objectOf(t, text); (o.Change == nil) == known || (o.Effects == nil) == known || !known && o.Before != nil || !r.Known() && (tally.Rows != 0 || known && *o.Change != "0") {
			t.Errorf("%s: programs read %s", asked, text)
		}
	}
}

// A report that compares refuses to compare with nothing.
func TestDriversAlwaysCompare(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	if q := d.QueryOf("", drivers.Accepted); q.Compare != query.ComparePrevious || q.By != string(drivers.ByInvitee) {
		t.Errorf("without parameters the query compares with %s by %s", q.Compare, q.By)
	}
	basis, err := d.Basis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	basis.AcceptedParams = drivers.Accepted
	_, err = query.Parse(map[string][]string{"compare": {"none"}}, basis)
	if want := `compare="none": is none of previous, weekday, month, year`; err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// BenchmarkDrivers opens the report after each write of today, as the first reader after a
// collection does.
func BenchmarkDrivers(b *testing.B) {
	d := reporttest.Crowd(b, 5000, 90)
	n := 0
	asked := d.QueryOf("range=30d", drivers.Accepted)
	for b.Loop() {
		b.StopTimer()
		n++
		d.Read("main", reporttest.Spot, reporttest.Days(0, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, affiliate.Number(fmt.Sprint(n))))
		b.StartTimer()
		if _, err := reports.Ask(b.Context(), d.Service, asked, drivers.Make); err != nil {
			b.Fatal(err)
		}
	}
}
