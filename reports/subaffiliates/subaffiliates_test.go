package subaffiliates_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/subaffiliates"
)

func subDay(day affiliate.Day, product affiliate.Product, uid string, volume, fee, paid affiliate.Number) affiliate.SubAffiliateDay {
	return affiliate.SubAffiliateDay{UID: affiliate.UID(uid), Product: product, Date: day, TradingVolume: volume, NetTradingFee: fee, PaidCommission: paid}
}

// For any records of two accounts, with twins and unknown amounts, lines, total, ranking
// and export have the same sums.
func TestSubAffiliatesAddUp(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	accounts := []affiliate.Account{"main", "other"}
	rapid.Check(t, func(t *rapid.T) {
		type record struct {
			affiliate.SubAffiliateDay
			account affiliate.Account
		}
		records := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) record {
			return record{subDay(reporttest.Today-affiliate.Day(rapid.IntRange(0, 5).Draw(t, "day")), rapid.SampledFrom(affiliate.Products()).Draw(t, "product"),
				rapid.SampledFrom([]string{"71", "72", "8"}).Draw(t, "uid"), reporttest.DrawNumber(t, "volume"), reporttest.DrawNumber(t, "fee"), reporttest.DrawNumber(t, "paid")),
				rapid.SampledFrom(accounts).Draw(t, "account")}
		}), 0, 25).Draw(t, "records")
		for _, account := range accounts {
			for _, product := range affiliate.Products() {
				var list []affiliate.SubAffiliateDay
				for _, r := range records {
					if r.account == account && r.Product == product {
						list = append(list, r.SubAffiliateDay)
					}
				}
				d.ReadSubs(account, product, reporttest.Span, list...)
			}
		}
		query := "from=" + (reporttest.Today - affiliate.Day(rapid.IntRange(0, 5).Draw(t, "back"))).String() + "&to=" + reporttest.Today.String() +
			rapid.SampledFrom([]string{"", "&account=main", "&account=other"}).Draw(t, "of") +
			rapid.SampledFrom([]string{"", "&product=SPOT", "&product=FUTURES"}).Draw(t, "with") +
			rapid.SampledFrom([]string{"", "&q=7", "&uid=8", "&q=%25"}).Draw(t, "who")
		r := d.SubAffiliates(query)
		volume, fee, paid, count := new(big.Rat), new(big.Rat), new(big.Rat), int64(0)
		for _, one := range records {
			q := r.Query
			if q.Days.Contains(one.Date) && (q.Account == "" || q.Account == one.account) && (q.Product == "" || q.Product == one.Product) &&
				(q.UID == "" || q.UID == one.UID) && strings.Contains(string(one.UID), q.Text) {
				volume.Add(volume, reporttest.Rat(d, string(one.TradingVolume)))
				fee.Add(fee, reporttest.Rat(d, string(one.NetTradingFee)))
				paid.Add(paid, reporttest.Rat(d, string(one.PaidCommission)))
				count++
			}
		}
		want := fmt.Sprint(count, volume.FloatString(18), fee.FloatString(18), paid.FloatString(18))
		says := func(name string, lines ...subaffiliates.ListLine) {
			volume, fee, paid, count := new(big.Rat), new(big.Rat), new(big.Rat), int64(0)
			for _, l := range lines {
				volume.Add(volume, reporttest.Rat(d, string(l.Volume)))
				fee.Add(fee, reporttest.Rat(d, string(l.Fee)))
				paid.Add(paid, reporttest.Rat(d, string(l.Paid)))
				count += l.Records
			}
			if got := fmt.Sprint(count, volume.FloatString(18), fee.FloatString(18), paid.FloatString(18)); got != want {
				t.Fatalf("%s: %s: %s, want %s", query, name, got, want)
			}
		}
		says("the lines", r.Lines...)
		says("the total", r.Total)
		says("the ranking", append(slices.Clone(r.Top), r.Others)...)
		_, summary := d.Export(subaffiliates.File, export.CSV, r.Query)
		var exported subaffiliates.ListLine
		exported.Records = summary.Rows
		for _, s := range summary.Sums {
			exported.Volume, exported.Fee, exported.Paid = s.Of("trading_volume"), s.Of("net_trading_fee"), s.Of("paid_commission")
		}
		says("the export", exported)
	})
}

// An amount that the exchange omitted is unknown, not zero.
func TestSubAffiliatesUnknownAmounts(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-6)
	d.ReadSubs("main", affiliate.Spot, reporttest.Days(-6, 0), subDay(reporttest.Today-1, affiliate.Spot, "7", "", "", ""), subDay(reporttest.Today-2, affiliate.Spot, "8", "10", "0", "0"))
	d.ReadSubs("main", affiliate.Futures, reporttest.Days(-6, 0))
	r := d.SubAffiliates("range=7d&compare=previous&sort=uid")
	if r.Lines[0].Paid != "" || r.Lines[0].Volume != "" || r.Lines[0].Share.Known || r.Lines[1].Paid != "0" {
		t.Errorf("the lines are %+v", r.Lines)
	}
	if _, known := r.Lines[1].Ratio(); known {
		t.Error("a share of a fee of zero is known")
	}
	if r.Total.Paid != "0" || !r.Coverage.Complete() || r.Cards.Paid.Change.Kind != figures.ChangeUnknown {
		t.Errorf("the total is %+v, covered %+v, change %+v", r.Total, r.Coverage, r.Cards.Paid.Change)
	}
}

// Growth from zero is an amount, and the compared period is shown by day.
func TestSubAffiliatesCompared(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.ReadSubs("main", affiliate.Spot, reporttest.Days(-13, 0), subDay(reporttest.Today-1, affiliate.Spot, "7", "1", "1", "3"), subDay(reporttest.Today-8, affiliate.Spot, "7", "1", "1", "2"),
		subDay(reporttest.Today-1, affiliate.Spot, "8", "1", "1", "5"))
	d.ReadSubs("main", affiliate.Futures, reporttest.Days(-13, 0))
	r := d.SubAffiliates("range=7d&compare=previous&sort=uid")
	if c := r.Lines[0].Change; c.Change.Kind != figures.ChangeUp || c.Change.Percent.String() != "50" || c.Reference != "2" {
		t.Errorf("from 2 to 3 is %+v", c)
	}
	if c := r.Lines[1].Change.Change; c.Kind != figures.ChangeUp || c.Relative() || c.By.Short() != "5" {
		t.Errorf("from zero to 5 is %+v", r.Lines[1].Change)
	}
	if r.Cards.Paid.Change.Percent.String() != "300" || r.Daily.Reference[5].String() != "2" || !r.Daily.RefKnown[5] {
		t.Errorf("the total is %+v, by day %v", r.Cards.Paid, r.Daily.Reference)
	}
}

func TestSubAffiliatesEmpty(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-29)
	d.ReadEmpty(reporttest.Days(-29, 0)) // commissions do not affect sub-affiliates
	check := func(query string, want coverage.EmptyKind) {
		t.Helper()
		if got := d.SubAffiliates(query).Empty; got != want {
			t.Errorf("%s is %q, want %q", query, got, want)
		}
	}
	check("range=7d", coverage.EmptyNotCollected)
	d.FailRead(affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}, reporttest.Days(-6, 0), "refused")
	check("range=7d", coverage.EmptyFailed)
	for _, product := range affiliate.Products() {
		d.ReadSubs("main", product, reporttest.Days(-29, 0))
	}
	check("range=7d", coverage.EmptyTruly)
	d.ReadSubs("main", affiliate.Spot, reporttest.Days(-29, 0), subDay(reporttest.Today-1, affiliate.Spot, "7", "1", "1", "1"))
	check("range=7d", "")
	check("range=7d&product=FUTURES", coverage.EmptyFiltered)
	check("range=7d&q=8", coverage.EmptyFiltered)
	check("from=2030-01-01&to=2030-01-02", coverage.EmptyFuture)
	check("from=2020-01-01&to=2020-01-31", coverage.EmptyBefore)
}

// A difference is shown where both sides are complete and have rates for our coins.
func TestSubAffiliateCheckDifference(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-6)
	d.ReadSubs("main", affiliate.Spot, reporttest.Days(-6, 0), subDay(reporttest.Today-1, affiliate.Spot, "7", "100", "5", "2"))
	d.ReadSubs("main", affiliate.Futures, reporttest.Days(-6, 0), subDay(reporttest.Today-1, affiliate.Futures, "7", "100", "5", "2"))
	ours := reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "0.5")
	ours.Source, ours.Fee = affiliate.SubAgent, "4"
	direct := reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "9")
	bitcoin := reporttest.Trade(reporttest.Today-1, reporttest.Futures, 1, "0.5")
	bitcoin.Source, bitcoin.Coin = affiliate.SubAgent, "BTC"
	d.Read("main", reporttest.Spot, reporttest.Days(-6, 0), ours, direct)
	d.Read("main", reporttest.Futures, reporttest.Days(-6, 0), bitcoin)
	c := d.SubAffiliates("range=7d").Check
	if len(c.Totals) != 2 || len(c.Steps) != 2 || c.Days != reporttest.Days(-6, -1) {
		t.Fatalf("the check is %+v", c)
	}
	if fee, paid := c.Totals[0].Fee, c.Totals[0].Paid; fee.Unknown != "" || fee.Value.String() != "1" || paid.Value.String() != "1.5" {
		t.Errorf("spot differs by %+v and %+v, want 1 and 1.5", fee, paid)
	}
	if c.Totals[1].Fee.Unknown != "no price is known for BTC" {
		t.Errorf("futures differ by %+v although BTC has no rate", c.Totals[1].Fee)
	}
	d.FailRead(affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}, reporttest.Days(-9, -7), "refused")
	if c = d.SubAffiliates("range=14d").Check; c.Totals[0].Fee.Unknown == "" || c.Totals[0].ReportedWhole {
		t.Errorf("a difference of days that are not collected: %+v", c.Totals[0])
	}
	if c = d.SubAffiliates("range=12m").Check; !c.ByMonth || c.Steps[0].Days.First != affiliate.NewDay(2026, 9, 1) {
		t.Errorf("a year is not checked by month: %+v", c.Steps[0].Days)
	}
}

func TestSubAffiliatesRefuseForeignFilters(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	for _, query := range []string{"coin=USDT", "symbol=x", "source=sub", "code=vip"} {
		if _, err := reports.Ask(context.Background(), d.Service, d.Ask(query), subaffiliates.Make); err == nil {
			t.Errorf("%s was ignored", query)
		}
		if _, err := d.OpenExport(context.Background(), subaffiliates.File, d.Ask(query)); err == nil {
			t.Errorf("%s was ignored by the export", query)
		}
	}
}
