package rates_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	shownrates "rebatedesk/reports/rates"
	"rebatedesk/reports/reporttest"
	"rebatedesk/terms"
)

// paying is an invitee of a test whose records have one rate on each side of a moment.
type paying struct {
	uid           int
	before, after string // rates
	from          affiliate.Millis
}

// records returns the invitee's records of some days: of each day at 1, 7, 13 and 19 hours, one in
// seven without a fee, and now and then with a fee of a few units whose commission is cut.
func (p paying) records(span affiliate.Days, stream affiliate.Stream) (list []affiliate.Commission) {
	for day := span.First; day <= span.Last; day++ {
		for hour := 1; hour < 24; hour += 6 {
			c := reporttest.Trade(day, stream, p.uid, "")
			c.DealTime = reporttest.Midnight(day) + affiliate.Millis(hour)*3600_000 + affiliate.Millis(p.uid)
			n := int(day)*4 + hour/6 + p.uid
			c.Fee = affiliate.Number(fmt.Sprintf("%d.%06d", 1+n%9, n*7919%1_000_000))
			c.Rate = affiliate.Number(p.before)
			if p.from != 0 && c.DealTime >= p.from {
				c.Rate = affiliate.Number(p.after)
			}
			switch n % 7 {
			case 0:
				c.Fee = "0"
			case 1:
				c.Fee = affiliate.Number(fmt.Sprintf("0.0000%04d", n%9999))
			}
			c.Commission = affiliate.Number(c.Fee.Decimal().Mul(c.Rate.Decimal()).RoundFloor(8).String())
			list = append(list, c)
		}
	}
	return list
}

// difference adds up commission − fee × rate of records, independently of the program.
func difference(t testing.TB, list []affiliate.Commission, rate string) *big.Rat {
	sum := new(big.Rat)
	for _, c := range list {
		sum.Add(sum, reporttest.Rat(t, string(c.Commission)))
		sum.Sub(sum, new(big.Rat).Mul(reporttest.Rat(t, string(c.Fee)), reporttest.Rat(t, rate)))
	}
	return sum
}

// since returns the records from a moment on.
func since(list []affiliate.Commission, from affiliate.Millis) []affiliate.Commission {
	return slices.DeleteFunc(slices.Clone(list), func(c affiliate.Commission) bool { return c.DealTime < from })
}

// An invitee whose rate is lowered is one finding, with the record of the change and the exact
// cost; several of one code, or most of the programme, are one finding of the wider subject.
// Without a change there is none.
func TestRateBreaks(t *testing.T) {
	t.Parallel()
	at := reporttest.Midnight(reporttest.Today-12) + 13*3600_000
	people := func(lowered ...int) (list []paying) {
		for uid := 1; uid <= 6; uid++ {
			p := paying{uid: uid, before: []string{"0.4", "0.3", "0.4125", "0.25", "0.4", "0.15"}[uid-1]}
			if slices.Contains(lowered, uid) {
				p.after, p.from = "0.1", at
			}
			list = append(list, p)
		}
		return list
	}
	for _, c := range []struct {
		name    string
		lowered []int
		product affiliate.Product // only of this one; empty: of both
		scope   terms.Scope
		value   string
	}{
		{name: "none"},
		{name: "one", lowered: []int{3}, scope: terms.ScopeUID, value: "4667776803"},
		{name: "one product of one", lowered: []int{4}, product: affiliate.Futures, scope: terms.ScopeUID, value: "4667776804"},
		{name: "code", lowered: []int{1, 2}, scope: terms.ScopeCode, value: "spring"},
		{name: "all", lowered: []int{1, 2, 3, 4, 5}, scope: terms.ScopeAll},
		{name: "product", lowered: []int{1, 2, 3, 4, 5, 6}, product: affiliate.Spot, scope: terms.ScopeAll},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := reporttest.NewFixture(t, "Asia/Kathmandu")
			d.Want("main", reporttest.Today-60)
			d.ReadInvitees("main", reporttest.Days(-60, 0), affiliate.Invitee{UID: "4667776801", InviteCode: "spring", RegisterTime: reporttest.Midnight(reporttest.Today - 50)},
				affiliate.Invitee{UID: "4667776802", InviteCode: "spring", RegisterTime: reporttest.Midnight(reporttest.Today - 50)})
			want := new(big.Rat)
			for _, stream := range []affiliate.Stream{reporttest.Spot, reporttest.Futures} {
				var rows []affiliate.Commission
				for _, p := range people(c.lowered...) {
					if c.product != "" && stream.Product != c.product {
						p.from = 0
					}
					own := p.records(reporttest.Days(-60, -1), stream)
					rows = append(rows, own...)
					if p.from != 0 {
						want.Add(want, difference(t, since(own, p.from), p.before))
					}
				}
				d.Read("main", stream, reporttest.Days(-60, 0), rows...)
			}
			view := d.Rates("range=30d")
			if c.lowered == nil {
				if len(view.Deviations) != 0 {
					t.Fatalf("%d findings without a change: %+v", len(view.Deviations), view.Deviations)
				}
				return
			}
			if len(view.Deviations) != 1 {
				t.Fatalf("%d findings: %+v", len(view.Deviations), view.Deviations)
			}
			found := view.Deviations[0]
			if found.Scope != c.scope || found.Value != c.value || found.Product != c.product || !found.Break || found.Over || found.Invitees != len(c.lowered) {
				t.Errorf("the finding is %+v", found)
			}
			if all := d.Rates("range=all").Deviations; len(all) != 1 || all[0].Scope != c.scope || all[0].Value != c.value || all[0].Product != c.product {
				t.Errorf("of all days: %+v", all)
			}
			if len(found.Costs) != 1 || reporttest.Rat(t, found.Costs[0].Difference.String()).Cmp(want) != 0 {
				t.Errorf("it costs %+v, not %s", found.Costs, want.FloatString(12))
			}
			if first := found.From; first < at || first > at+6 {
				t.Errorf("it begins at %s, not at %s", first, at)
			}
			sum := new(big.Rat)
			for _, row := range d.Rows(shownrates.File, "range=30d") {
				sum.Add(sum, reporttest.Rat(t, row["difference"]))
				if row["term"] != "" || row["from_utc"] < at.String() || row["to_utc"] < row["from_utc"] {
					t.Errorf("row %v", row)
				}
			}
			if sum.Cmp(want) != 0 {
				t.Errorf("the export adds up to %s, not %s", sum.FloatString(12), want.FloatString(12))
			}
		})
	}
}

// A record that was paid at another rate just before a change does not begin the finding: the
// finding has the day of the change and costs what the records since then cost.
func TestRateBreakBeginsAfterAnOddRecord(t *testing.T) {
	t.Parallel()
	at := reporttest.Midnight(reporttest.Today-12) + 13*3600_000
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-60)
	p := paying{uid: 3, before: "0.4", after: "0.25", from: at}
	rows := p.records(reporttest.Days(-60, -1), reporttest.Futures)
	odd := -1
	for i := range rows {
		if rows[i].DealTime < at && rows[i].Fee.Cmp("1") > 0 {
			odd = i
		}
	}
	rows[odd].Rate = "0.36"
	rows[odd].Commission = affiliate.Number(rows[odd].Fee.Decimal().Mul(rows[odd].Rate.Decimal()).String())
	d.Read("main", reporttest.Futures, reporttest.Days(-60, 0), rows...)
	view := d.Rates("range=30d")
	if len(view.Deviations) != 1 || len(view.Deviations[0].Costs) != 1 {
		t.Fatalf("findings: %+v", view.Deviations)
	}
	found := view.Deviations[0]
	if found.From < at {
		t.Errorf("it begins at %s, before the change at %s", found.From, at)
	}
	if want := difference(t, since(rows, at), p.before); reporttest.Rat(t, found.Costs[0].Difference.String()).Cmp(want) != 0 {
		t.Errorf("it costs %s, not %s", found.Costs[0].Difference, want.FloatString(12))
	}
	drawnAsPaid(t, view.Course, rows, affiliate.DayOf(at.Time(), time.UTC), p.before)
}

// drawnAsPaid checks the shares of fees of each day: those that were paid, and those that were due,
// which from the day of the change on are the rate before it.
func drawnAsPaid(t testing.TB, course shownrates.Course, rows []affiliate.Commission, change affiliate.Day, before string) {
	t.Helper()
	fees, paid := map[affiliate.Day]*big.Rat{}, map[affiliate.Day]*big.Rat{}
	for _, c := range rows {
		day := affiliate.DayOf(c.DealTime.Time(), time.UTC)
		if fees[day] == nil {
			fees[day], paid[day] = new(big.Rat), new(big.Rat)
		}
		fees[day].Add(fees[day], reporttest.Rat(t, string(c.Fee)))
		paid[day].Add(paid[day], reporttest.Rat(t, string(c.Commission)))
	}
	if len(course.Steps) != 30 || len(course.Parts) != 2 || course.Invitees != 1 || !course.All {
		t.Fatalf("drawn are %d days, %d curves, %d invitees", len(course.Steps), len(course.Parts), course.Invitees)
	}
	for i, step := range course.Steps {
		day, fee := step.First, fees[step.First]
		due := reporttest.Rat(t, before)
		if fee != nil && day < change {
			due = new(big.Rat).Quo(paid[day], fee)
		}
		for n, want := range []*big.Rat{due, nil} {
			part := course.Parts[n]
			if part.IsKnown(i) != (fee != nil) {
				t.Errorf("%s of %s: known is %t", part.Name, day, part.IsKnown(i))
				continue
			} else if fee == nil {
				continue
			}
			if want == nil {
				want = new(big.Rat).Quo(paid[day], fee)
			}
			if percent := new(big.Rat).Mul(want, big.NewRat(100, 1)).FloatString(2); reporttest.Rat(t, part.Values[i].String()).Cmp(reporttest.Rat(t, percent)) != 0 {
				t.Errorf("%s of %s: %s %%, not %s %%", part.Name, day, part.Values[i], percent)
			}
		}
	}
}

// agreedOf is the term of a record, found by comparing all lines: independent of the program.
func agreedOf(list []terms.Term, r reporttest.Record, day affiliate.Day, volume func(terms.Term, affiliate.Day) *big.Rat) (terms.Term, bool) {
	var fitting []terms.Term
	for _, t := range list {
		if t.Account != "" && t.Account != r.Account || t.Product != "" && t.Product != r.Product || t.Source != "" && t.Source != r.Source ||
			t.Scope == terms.ScopeUID && t.Value != string(r.UID) || t.Scope == terms.ScopeCode && (r.Code == "" || t.Value != r.Code) || t.Scope == terms.ScopeSubAffiliate {
			continue
		}
		if t.From > day || t.To != 0 && t.To < day {
			continue
		}
		later := slices.ContainsFunc(list, func(o terms.Term) bool { return o.Key() == t.Key() && o.From > t.From && o.From <= day })
		if later || t.TierBy != "" && volume(t, day).Cmp(ratio(t.TierFrom)) < 0 {
			continue
		}
		fitting = append(fitting, t)
	}
	rank := func(t terms.Term) (n int) {
		n = 100 * slices.Index([]terms.Scope{terms.ScopeAll, terms.ScopeCode, terms.ScopeUID}, t.Scope)
		for i, stated := range []bool{t.TierBy != "", t.Source != "", t.Product != "", t.Account != ""} {
			if stated {
				n += 1 << i
			}
		}
		return n
	}
	if len(fitting) == 0 {
		return terms.Term{}, false
	}
	return slices.MaxFunc(fitting, func(a, b terms.Term) int { return cmp.Compare(rank(a), rank(b)) }), true
}

// drawTerms draws lines of a terms file without contradictions.
func drawTerms(t *rapid.T) (lines []string) {
	known := map[string]bool{}
	figure := rapid.SampledFrom([]string{"volume,1", "active_traders,2"}).Draw(t, "figure") // tiers of one agreement go by one figure
	for range rapid.IntRange(0, 6).Draw(t, "terms") {
		scope := rapid.SampledFrom([]string{"all,", "code,spring", "code,telegram", "uid,4667776801", "uid,4667776803", "sub-affiliate,"}).Draw(t, "scope")
		from := reporttest.Span.First + affiliate.Day(rapid.IntRange(-2, reporttest.Span.Len()).Draw(t, "from"))
		to := ""
		if rapid.Bool().Draw(t, "ends") {
			to = (from + affiliate.Day(rapid.IntRange(0, 3).Draw(t, "days"))).String()
		}
		product, account, source := rapid.SampledFrom([]string{"", "", "SPOT"}).Draw(t, "product"), "", ""
		tier := ","
		if !strings.HasPrefix(scope, "sub") {
			account, source = rapid.SampledFrom([]string{"", "main"}).Draw(t, "account"), rapid.SampledFrom([]string{"", "", "direct"}).Draw(t, "source")
			tier = rapid.SampledFrom([]string{",", figure}).Draw(t, "tier")
			if strings.HasPrefix(scope, "uid") && tier != "," {
				tier = "volume,1"
			}
		}
		rate := rapid.SampledFrom([]string{"0.1", "0.4", "0.4125", "0", "1", "0.333333333333333333"}).Draw(t, "rate")
		key := strings.Join([]string{scope, product, from.String(), account, source, tier}, "|")
		if !known[key] {
			known[key] = true
			lines = append(lines, strings.Join([]string{scope, product, rate, from.String(), to, account, source, tier}, ","))
		}
	}
	return lines
}

// rateSums are the sums of lines of one invitee, product, coin and term.
type rateSums struct {
	records                      int64
	fee, due, commission, differ *big.Rat
}

func (s rateSums) String() string {
	return fmt.Sprintf("%d records, fee %s, due %s, commission %s, difference %s", s.records, s.fee.RatString(), s.due.RatString(), s.commission.RatString(), s.differ.RatString())
}

func rateSumsAt(sums map[string]rateSums, key string) rateSums {
	s, ok := sums[key]
	if !ok {
		s = rateSums{fee: new(big.Rat), due: new(big.Rat), commission: new(big.Rat), differ: new(big.Rat)}
	}
	return s
}

// checkRates compares the export and the report with the model.
func checkRates(t *rapid.T, d *reporttest.Fixture, m *reporttest.Model, list []terms.Term, asOf string) {
	text := "range=all" + asOf
	want, whole := map[string]rateSums{}, map[string]*big.Rat{}
	lines := map[string]int64{}
	for _, r := range m.Records {
		term, ok := agreedOf(list, r, affiliate.DayOf(r.DealTime.Time(), m.Zone), m.TiersOf)
		if !ok {
			continue
		}
		key := strings.Join([]string{string(r.Account), string(r.UID), r.Code, string(r.Product), string(r.Coin), fmt.Sprint(term.ID), term.Rate.Decimal().String()}, " ")
		s := rateSumsAt(want, key)
		s.records++
		s.fee.Add(s.fee, reporttest.Rat(d, string(r.Fee)))
		s.commission.Add(s.commission, reporttest.Rat(d, string(r.Commission.Commission)))
		if r.Fee.Known() && r.Commission.Commission.Known() {
			due := new(big.Rat).Mul(reporttest.Rat(d, string(r.Fee)), reporttest.Rat(d, string(term.Rate)))
			s.due.Add(s.due, due)
			due.Sub(reporttest.Rat(d, string(r.Commission.Commission)), due)
			s.differ.Add(s.differ, due)
		}
		want[key] = s
	}
	got := map[string]rateSums{}
	rows := d.Rows(shownrates.File, text)
	for _, row := range rows {
		if whole[row["coin"]] == nil {
			whole[row["coin"]] = new(big.Rat)
		}
		if row["difference"] != "" {
			whole[row["coin"]].Add(whole[row["coin"]], reporttest.Rat(d, row["difference"]))
			due := reporttest.AtScale(new(big.Rat).Mul(reporttest.Rat(d, row["fee"]), reporttest.Rat(d, row["agreed_rate"])))
			if due.Cmp(reporttest.Rat(d, row["agreed_commission"])) != 0 || reporttest.Rat(d, row["difference"]).Cmp(new(big.Rat).Sub(reporttest.Rat(d, row["commission"]), due)) != 0 {
				t.Errorf("of %v due are %s", row, due.FloatString(20))
			}
		}
		if row["term"] == "" {
			continue // a break
		}
		key := strings.Join([]string{row["account"], row["uid"], row["invite_code"], row["product_type"], row["coin"], row["term"], row["agreed_rate"]}, " ")
		s := rateSumsAt(got, key)
		n, _ := new(big.Int).SetString(row["records"], 10)
		s.records += n.Int64()
		s.fee.Add(s.fee, reporttest.Rat(d, row["fee"]))
		s.due.Add(s.due, reporttest.Rat(d, row["agreed_commission"]))
		s.commission.Add(s.commission, reporttest.Rat(d, row["commission"]))
		s.differ.Add(s.differ, reporttest.Rat(d, row["difference"]))
		if row["from_utc"] == "" || row["to_utc"] < row["from_utc"] {
			t.Fatalf("the times of %v", row)
		}
		got[key] = s
		lines[key]++
	}
	for key := range want {
		// Each line is rounded to 18 decimals.
		a, b := rateSumsAt(got, key), want[key]
		off := new(big.Rat).Abs(new(big.Rat).Sub(a.due, b.due))
		if off.Cmp(big.NewRat(lines[key], 2e18)) <= 0 {
			b.differ = new(big.Rat).Sub(new(big.Rat).Add(b.differ, b.due), a.due)
			b.due = a.due
		}
		if a.String() != b.String() {
			t.Errorf("%s: %s, not %s", key, a, b)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: %s, not agreed", key, got[key])
		}
	}
	view := d.Rates(text)
	for _, b := range view.Balances {
		parts, records := new(big.Rat), int64(0)
		for _, c := range b.Causes {
			parts.Add(parts, reporttest.Rat(d, c.Difference.String()))
			records += c.Records
		}
		if records != b.Records || parts.Cmp(reporttest.Rat(d, b.Difference.String())) != 0 {
			t.Errorf("%s: the causes add up to %d and %s of %+v", b.Coin, records, parts.RatString(), b)
		}
		if all := whole[string(b.Coin)]; all != nil && parts.Cmp(all) != 0 {
			t.Errorf("%s: %s, not %s", b.Coin, parts.RatString(), all.RatString())
		}
	}
	if view.Count != len(rows) {
		t.Errorf("the page has %d lines, the file %d", view.Count, len(rows))
	}
}

// Under any terms and records, the lines have exactly the records, fees and commission that have a
// term, and fee × agreed rate of them at 18 decimals, for each invitee, product, coin and term; the causes add up
// to the whole difference. That also holds for an earlier instant, after the same days were read
// again and the terms were changed.
func TestRatesAreThoseOfTheRecords(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "America/New_York"} {
		d := reporttest.NewModelFixture(t, zone)
		rapid.Check(t, func(t *rapid.T) {
			d.Later(time.Minute)
			m := reporttest.Draw(t, d, 10)
			d.Later(time.Minute)
			list := d.AgreeOnly(drawTerms(t)...)
			checkRates(t, d, m, list, "")
			d.Later(time.Minute)
			asOf := d.Now
			d.Later(time.Minute)
			again := reporttest.Draw(t, d, 10)
			checkRates(t, d, again, list, "")
			d.Later(time.Minute)
			other := d.AgreeOnly(drawTerms(t)...)
			checkRates(t, d, again, other, "")
			checkRates(t, d, m, list, "&as_of="+asOf.Format(time.RFC3339))
		})
	}
}

func ratio(n affiliate.Number) *big.Rat {
	r, _ := new(big.Rat).SetString(string(n))
	return r
}
