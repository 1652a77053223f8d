package people_test

import (
	"math/big"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
)

func sumsOfFigures(t testing.TB, figures ...subaffiliates.Figures) site.SubSums {
	var s site.SubSums
	for _, f := range figures {
		if f.Records == 0 {
			continue
		}
		s.Add(t, f.Volume, f.Fee, f.Paid)
		s.Records += f.Records - 1
	}
	return s
}

// For any query the cards, the lines, the total, the ranking, the chart and the file
// equal the simulator's ledger exactly.
func TestSubAffiliatesEqualTheLedger(t *testing.T) {
	t.Parallel()
	f := openPartners(t, time.UTC)
	random := rand.New(rand.NewPCG(1, 2))
	filled := 0
	for range 60 {
		query := f.DrawFilters(random)
		r := f.List(query)
		truth := f.LedgerSums(r.Query, r.Query.Days).String()
		lines := make([]subaffiliates.Figures, len(r.Lines))
		products, daily, ranked := new(big.Rat), new(big.Rat), sumsOfFigures(t, r.Others.Figures)
		for i, line := range r.Lines {
			lines[i] = line.Figures
			products.Add(products, rational(line.Spot)).Add(products, rational(line.Futures))
		}
		for _, line := range r.Top {
			ranked = sumsOfFigures(t, ranked.Figures(), line.Figures)
		}
		for _, total := range r.Daily.Total {
			daily.Add(daily, total.Rat())
		}
		for name, got := range map[string]string{
			"the lines":   sumsOfFigures(t, lines...).String(),
			"the total":   sumsOfFigures(t, r.Total.Figures).String(),
			"the ranking": ranked.String(),
			"the file":    f.FileSums(f.Address + "/sub-affiliates.csv?" + query.Encode()).String(),
		} {
			if got != truth {
				t.Errorf("%s: %s: %s, the ledger has %s", query.Encode(), name, got, truth)
			}
		}
		paid := rational(r.Cards.Paid.Value)
		if paid.Cmp(products) != 0 || paid.Cmp(daily) != 0 {
			t.Errorf("%s: the card says %s, the products %s, the days %s", query.Encode(), paid, products, daily)
		}
		if r.Cards.Paid.Change.Kind != figures.ChangeNone && r.Cards.Paid.Change.Kind != figures.ChangeUnknown {
			before := f.LedgerSums(r.Query, affiliate.Days{First: r.Daily.RefDays[0], Last: r.Daily.RefDays[len(r.Daily.RefDays)-1]})
			if before.Records > 0 && rational(r.Cards.Paid.Reference).Cmp(before.Paid) != 0 {
				t.Errorf("%s: compared with %s, the ledger has %s", query.Encode(), r.Cards.Paid.Reference, before)
			}
		}
		if r.Total.Records > 0 {
			filled++
		}
	}
	if filled < 20 {
		t.Errorf("only %d of 60 queries had a result: nothing was tested", filled)
	}
}

func rational(n affiliate.Number) *big.Rat {
	if !n.Known() {
		return new(big.Rat)
	}
	return n.Decimal().Rat()
}

// The page of each sub-affiliate equals its part of the list and of the file.
func TestSubAffiliatePageEqualsItsPart(t *testing.T) {
	t.Parallel()
	f := openPartners(t, time.UTC)
	list := f.List(url.Values{"range": {"30d"}})
	for _, line := range list.Lines {
		r := f.One(line.UID, url.Values{"range": {"30d"}, "per": {"500"}})
		var rows []subaffiliates.Figures
		for _, row := range r.Rows {
			rows = append(rows, subaffiliates.Figures{Records: 1, Volume: row.TradingVolume, Fee: row.NetTradingFee, Paid: row.PaidCommission})
		}
		want := sumsOfFigures(t, line.Figures).String()
		for name, got := range map[string]string{
			"its total": sumsOfFigures(t, r.Total).String(), "its rows": sumsOfFigures(t, rows...).String(),
			"its file": f.FileSums(f.Address + "/sub-affiliates/" + string(line.UID) + ".csv?range=30d").String(),
		} {
			if got != want {
				t.Errorf("%s: %s is %s, its line says %s", line.UID, name, got, want)
			}
		}
		if !r.Share.Percent.Equal(line.Share.Percent) || r.Span.Days != line.Days || r.Span.First != line.First || r.Span.Last != line.Last {
			t.Errorf("%s: share %v and days %+v, its line says %v, %d, %s, %s", line.UID, r.Share, r.Span, line.Share, line.Days, line.First, line.Last)
		}
	}
}

// If a later reading changes a value, the page shows the change, and the earlier state
// remains readable.
func TestSubAffiliatesAsOf(t *testing.T) {
	t.Parallel()
	f := openPartners(t, time.UTC)
	before := f.Sim.Ledger().SubAffiliateDays
	at := before[len(before)/2]
	text := site.Get(t, f.Address+"/sub-affiliates.csv?range=all").Body
	then := time.UnixMilli(f.Clock.Load()).UTC().Add(time.Minute)
	f.Clock.Add(time.Hour.Milliseconds())
	if !f.Sim.RemoveSubAffiliateDay(at) {
		t.Fatal("the ledger has no day to change")
	}
	revised := at
	revised.PaidCommission, revised.NetTradingFee = "7777.5", "99999.25"
	f.Sim.InsertSubAffiliateDay(revised)
	late := at
	late.UID = "31337"
	f.Sim.InsertSubAffiliateDay(late)
	f.Collect()

	asOf := "as_of=" + url.QueryEscape(then.Format(time.RFC3339))
	if got := site.Get(t, f.Address+"/sub-affiliates.csv?range=all&"+asOf).Body; got != text {
		t.Errorf("the file as of the instant differs from the earlier file:\n%s\n%s", got, text)
	}
	if site.Get(t, f.Address+"/sub-affiliates.csv?range=all").Body == text {
		t.Error("the change has no effect")
	}
	r := f.One(at.UID, url.Values{"range": {"all"}})
	if r.Changed != 1 || len(r.Changes) != 1 {
		t.Fatalf("%d changes are known, want one: %+v", r.Changed, r.Changes)
	}
	c := r.Changes[0]
	if c.Kind != commissions.RestatedChanged || c.Day != at.Date || c.Product != at.Product || c.Was.Paid.Cmp(at.PaidCommission) != 0 || c.Became.Paid != "7777.5" || c.Became.Fee != "99999.25" {
		t.Errorf("the change is %+v", c)
	}
	if r = f.One(at.UID, url.Values{"range": {"all"}, "as_of": {then.Format(time.RFC3339)}}); r.Changed != 0 {
		t.Errorf("%d changes are known before the first one", r.Changed)
	}
	if r = f.One("31337", url.Values{"range": {"all"}}); !r.Known || r.Changes[0].Kind != commissions.RestatedLate {
		t.Errorf("the late day: known %v, %+v", r.Known, r.Changes)
	}
	if r = f.One("31337", url.Values{"range": {"all"}, "as_of": {then.Format(time.RFC3339)}}); r.Known {
		t.Error("a sub-affiliate is known before its first day")
	}
}

// The check adds up both ledgers by UTC day, with every reporting zone.
func TestSubAffiliateCheck(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	f := openPartners(t, zone)
	check := f.List(url.Values{"range": {"7d"}}).Check
	if len(check.Totals) != 2 || check.Days.Last != affiliate.DayOf(site.Now, time.UTC)-1 {
		t.Fatalf("the check is %+v", check)
	}
	ledger := f.Sim.Ledger()
	records := 0
	for _, line := range append(slices.Clone(check.Totals), check.Steps...) {
		ours := map[affiliate.Coin]*big.Rat{}
		for _, c := range ledger.Commissions {
			if c.Source == affiliate.SubAgent && c.Product == line.Product && line.Days.Contains(affiliate.DayOf(c.DealTime.Time(), time.UTC)) {
				if ours[c.Coin] == nil {
					ours[c.Coin] = new(big.Rat)
				}
				ours[c.Coin].Add(ours[c.Coin], rational(c.Fee))
				records++
			}
		}
		for _, total := range line.Ours {
			if ours[total.Coin] == nil || ours[total.Coin].Cmp(total.Fee.Rat()) != 0 {
				t.Errorf("%s %s: our fees in %s are %s, the ledger has %s", line.Days, line.Product, total.Coin, total.Fee, ours[total.Coin])
			}
		}
		if len(line.Ours) != len(ours) || !line.ReportedWhole || !line.OursWhole {
			t.Errorf("%s %s: %d coins, the ledger has %d; collected %v and %v", line.Days, line.Product, len(line.Ours), len(ours), line.ReportedWhole, line.OursWhole)
		}
		truth := f.LedgerSums(query.Query{Product: line.Product}, line.Days).String()
		if got := sumsOfFigures(t, line.Reported).String(); got != truth {
			t.Errorf("%s %s: reported %s, the ledger has %s", line.Days, line.Product, got, truth)
		}
	}
	if records == 0 {
		t.Error("the ledger has no record of source sub: nothing was tested")
	}
	if long := f.List(url.Values{"from": {"2026-06-01"}}).Check; !long.TooLong || len(long.Totals) > 0 {
		t.Errorf("more days were checked than can be read: %+v", long.Days)
	}
	page := site.Get(t, f.Address+"/sub-affiliates").Body
	if !strings.Contains(page, "other pages use Asia/Tokyo") || !strings.Contains(page, "(UTC)") {
		t.Error("the page does not name the zone of its days")
	}
}
