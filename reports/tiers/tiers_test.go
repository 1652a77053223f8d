package tiers_test

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/tiers"
)

const columns = "scope,value,product_type,rate,from,to,tier_by,tier_from"

// report makes the report of a query string.
func report(d *reporttest.Fixture, text string) tiers.Report {
	d.Helper()
	r, err := reports.Ask(d.Context(), d.Service, d.QueryOf(text, tiers.Accepted), tiers.Make)
	if err != nil {
		d.Fatal(err)
	}
	return r
}

// The next tier is the lowest that the figure of the month has not reached. Its worth is the fees of the month to
// which no narrower agreement applies, times what the rate becomes more.
func TestNextTier(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC") // 15 September
	of := func(day affiliate.Day, uid int, fee affiliate.Number, coin affiliate.Coin) affiliate.Commission {
		c := reporttest.Trade(day, reporttest.Spot, uid, "1")
		c.Fee, c.Coin, c.TakerAmount, c.MakerAmount = fee, coin, "700", "0"
		return c
	}
	first := reporttest.Today - 14
	d.Read("main", reporttest.Spot, affiliate.Days{First: first - 1, Last: reporttest.Today},
		of(first-1, 1, "1000", "USDT"), // of August
		of(first, 1, "10.01", "USDT"), of(first+3, 2, "20.02", "USDT"), of(first+5, 2, "3", "USDC"), of(first+6, 3, "500", "USDT"))
	d.Agree(columns,
		"all,,,0.10,2026-01-01,,,", "all,,,0.15,2026-01-01,,volume,2000", "all,,,0.25,2026-01-01,,volume,5600", "all,,,0.40,2026-01-01,,volume,90000",
		"uid,4667776803,,0.50,2026-01-01,,,", // narrower, without tiers
	)
	r := report(d, "")
	if len(r.Tiers) != 1 || !r.Open() {
		t.Fatalf("%+v", r.Tiers)
	}
	one := &r.Tiers[0]
	if one.Figure.Figure != "2800" || one.Current.Rate != "0.15" || one.Next == nil || one.Next.TierFrom != "5600" || one.Missing != "2800" || one.Next.Rate != "0.25" {
		t.Errorf("reached %s at %s, next %+v, missing %s", one.Figure.Figure, one.Current.Rate, one.Next, one.Missing)
	}
	if want := reporttest.Today + 14; one.ReachedOn != want { // as much again in fourteen days
		t.Errorf("reached on %s, want %s", one.ReachedOn, want)
	}
	if len(one.Worth) != 2 || one.Worth[0].Coin != "USDT" || one.Worth[0].Value.String() != "3.003" || one.Worth[1].Coin != "USDC" || one.Worth[1].Value.String() != "0.3" {
		t.Errorf("worth %v", one.Worth)
	}
	if august := report(d, "month=2026-08"); len(august.Tiers) != 1 || august.Open() || august.Tiers[0].Missing != "1300" || august.Tiers[0].ReachedOn != 0 || august.Tiers[0].Worth[0].Value.String() != "50" {
		t.Errorf("August: %+v", august.Tiers)
	}
}

// Where no rate is agreed below the first tier, its worth is not known, and the highest tier has no next one.
func TestTierWithoutBase(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	c := reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "1")
	d.Read("main", reporttest.Spot, reporttest.Days(0, 0), c)
	d.Agree(columns, "all,,SPOT,0.2,2026-01-01,,active_traders,2", "uid,4667776801,,0.3,2026-01-01,,volume,150", "uid,4667776801,,0.1,2026-01-01,,,")
	r := report(d, "")
	if len(r.Tiers) != 2 {
		t.Fatalf("%+v", r.Tiers)
	}
	all, uid := &r.Tiers[0], &r.Tiers[1]
	if all.Figure.Figure != "1" || all.Missing != "1" || all.Current.Rate.Known() || len(all.Worth) > 0 || all.WorthInUSDT().Known() {
		t.Errorf("without a rate below: %+v", all)
	}
	if uid.Next != nil || uid.Current.Rate != "0.3" || uid.Missing.Known() || uid.WorthInUSDT().Known() {
		t.Errorf("the highest: %+v", uid)
	}
	if none := report(d, "month=2025-12"); len(none.Tiers) != 0 || !none.Agreed {
		t.Errorf("before the terms: %+v", none.Tiers)
	}
}

// The tier of a term about every sub-affiliate goes by the volume of each. Its worth is due to it, in the coin of the agreement if that
// names one.
func TestTiersOfSubAffiliates(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadSubs("main", affiliate.Futures, reporttest.Days(-2, 0),
		affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Futures, Date: reporttest.Today - 1, TradingVolume: "1000", NetTradingFee: "30"},
		affiliate.SubAffiliateDay{UID: "8", Product: affiliate.Futures, Date: reporttest.Today - 1, TradingVolume: "10", NetTradingFee: "3"})
	d.Agree(columns, "sub-affiliate,,,0.2,2026-01-01,,,", "sub-affiliate,,,0.5,2026-01-01,,volume,1000")
	r := report(d, "")
	if len(r.Tiers) != 2 || r.Tiers[0].Who != "7" || r.Tiers[0].Next != nil || r.Tiers[1].Who != "8" || r.Tiers[1].Missing != "990" || r.Tiers[1].NoCoin != "-0.9" {
		t.Errorf("%+v", r.Tiers)
	}
	d.Agree(columns+",coin", "sub-affiliate,8,,0.2,2026-01-01,,,,USDT", "sub-affiliate,8,,0.5,2026-01-01,,volume,1000,USDT")
	for _, tier := range report(d, "").Tiers {
		if tier.Value == "8" && (tier.NoCoin.Known() || tier.WorthInUSDT() != "-0.9" || len(tier.Worth) != 1 || tier.Worth[0].Coin != "USDT") {
			t.Errorf("settled in USDT: %+v", tier)
		}
	}
}
