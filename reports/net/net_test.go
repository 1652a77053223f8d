package net_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/net"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/statements"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/costs"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
)

func makeNet(d *reporttest.Fixture, text string) *net.Report {
	d.Helper()
	r, err := reports.Ask(d.Context(), d.Service, d.QueryOf(text, net.Accepted), net.Make)
	storetest.Done(d, err)
	return &r
}

func agree(d *reporttest.Fixture, lines string) {
	d.Helper()
	file, err := terms.Parse(context.Background(), []byte("scope,value,product_type,rate,from,to,note,coin\n"+lines))
	storetest.Done(d, err)
	_, err = agreements.ImportTerms(d.Context(), d.DB, file, "terms.csv", store.AnyVersion, reporttest.ByAnn)
	storetest.Done(d, err)
}

// line prints the parts of a coin of the month.
func line(m *net.Month, coin affiliate.Coin) string {
	for _, l := range m.Coins {
		if l.Coin == coin {
			if l.Why != "" {
				return "unknown: " + l.Why
			}
			return l.Commission.String() + " − " + l.Shares.String() + " − " + l.Costs.String() + " = " + l.Net().String()
		}
	}
	return "none"
}

func filled(t *testing.T) *reporttest.Fixture {
	d := reporttest.NewFixture(t, "Asia/Tokyo")
	d.Want("main", reporttest.August)
	july := reporttest.August - 1
	d.Read("main", reporttest.Spot, affiliate.Days{First: july - 30, Last: reporttest.Today}, // of the zone
		d.Earned(reporttest.August, "USDT", "100.000000000000000001"), d.Earned(reporttest.August+30, "BTC", "0.5"), d.Earned(reporttest.August+31, "USDT", "7"))
	d.Read("main", reporttest.Futures, affiliate.Days{First: july - 30, Last: reporttest.Today})
	d.ReadSubAffiliates(statements.WholeMonth(reporttest.August),
		affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: reporttest.August, NetTradingFee: "30.3", TradingVolume: "1"},
		affiliate.SubAffiliateDay{UID: "8", Product: affiliate.Spot, Date: reporttest.August + 3, NetTradingFee: "40", TradingVolume: "1"},
		affiliate.SubAffiliateDay{UID: "9", Product: affiliate.Spot, Date: reporttest.August + 4, NetTradingFee: "50", TradingVolume: "1"})
	return d
}

// A share is taken off in the coin of its term, and stands apart without one. A term that gets its coin later
// gives it to a statement that was issued before. An earlier state knows nothing of it.
func TestNetShares(t *testing.T) {
	t.Parallel()
	d := filled(t)
	agree(d, "sub-affiliate,7,,0.1,2026-01-01,,,USDT\nsub-affiliate,8,,0.5,2026-01-01,,,\n")
	m := makeNet(d, "month=2026-08").Month()
	if got := line(m, "USDT"); got != "100.000000000000000001 − 3.03 − 0 = 96.970000000000000001" || line(m, "BTC") != "0.5 − 0 − 0 = 0.5" || m.Unagreed != 1 || m.Drafts != 2 {
		t.Errorf("%s; %+v", got, m)
	}
	if len(m.Apart) != 1 || m.Apart[0].Coin != "" || m.Apart[0].Value.String() != "20" {
		t.Errorf("apart: %+v", m.Apart)
	}
	before := d.Now.Add(30 * time.Minute)
	d.Now = d.Now.Add(time.Hour)
	_, err := d.IssueStatement(d.Context(), "8", reporttest.August, "as far as known", reporttest.ByAnn)
	storetest.Done(t, err)
	agree(d, "sub-affiliate,8,,0.5,2026-01-01,,,BTC\n")
	m = makeNet(d, "month=2026-08").Month()
	if got := line(m, "BTC"); got != "0.5 − 20 − 0 = -19.5" || len(m.Apart) != 0 || m.Issued != 1 || m.Drafts != 1 {
		t.Errorf("with a coin: %s; %+v", got, m)
	}
	m = makeNet(d, "month=2026-08&as_of="+before.Format(time.RFC3339)).Month()
	if got := line(m, "BTC"); got != "0.5 − 0 − 0 = 0.5" || len(m.Apart) != 1 || m.Issued != 0 {
		t.Errorf("before: %s; %+v", got, m)
	}
	if m = makeNet(d, "month=2026-09").Month(); line(m, "USDT") != "7 − 0 − 0 = 7" {
		t.Errorf("September: %+v", m)
	}
	if m = makeNet(d, "month=2026-08&coin=BTC").Month(); len(m.Coins) != 1 || line(m, "BTC") != "0.5 − 20 − 0 = -19.5" {
		t.Errorf("of a coin: %+v", m)
	}
}

// Costs that fell due are taken off in their coins. Where nobody knows who belongs to a segment, costs per invitee
// are unknown, and so is the net of their coin; a cost of a day stays known.
func TestNetCosts(t *testing.T) {
	t.Parallel()
	d := filled(t)
	segment := d.NewSegment("Gone", "code=vip")
	d.NewCost(costs.Cost{Scope: costs.OfCode, Value: "vip", Kind: costs.Monthly, Amount: "1.000000000000000001", Coin: "USDT", First: reporttest.August - 1})
	d.NewCost(costs.Cost{Scope: costs.OfSegment, Value: "Gone", Kind: costs.Once, Amount: "0.25", Coin: "BTC", First: reporttest.August + 2})
	r := makeNet(d, "month=2026-08")
	if got := line(r.Month(), "USDT"); got != "100.000000000000000001 − 0 − 1.000000000000000001 = 99" || line(r.Month(), "BTC") != "0.5 − 0 − 0.25 = 0.25" {
		t.Errorf("%s; %+v", got, r.Month())
	}
	if len(r.Costed) != 2 {
		t.Errorf("%d rows of costs", len(r.Costed))
	}
	d.Sample("BTC", "50000")
	r = makeNet(d, "month=2026-08")
	want := decimal.RequireFromString("99").Add(decimal.RequireFromString("12500"))
	if got := r.Month().Total.Net(); !got.Equal(want) || len(r.Month().Total.Missing()) != 0 {
		t.Errorf("converted: %s, want %s", got, want)
	}
	d.NewCost(costs.Cost{Scope: costs.OfSegment, Value: "Gone", Kind: costs.PerRegistration, Amount: "3", Coin: "BTC", First: reporttest.August + 2})
	storetest.Done(t, d.Service.RemoveSegment(d.Context(), segment, store.AnyVersion, reporttest.ByAnn))
	r = makeNet(d, "month=2026-08")
	if got := line(r.Month(), "BTC"); !strings.Contains(got, "unknown: who belongs to the segment Gone is not known") || !strings.HasSuffix(line(r.Month(), "USDT"), "= 99") || r.Month().Total.Why == "" {
		t.Errorf("%s; %+v", got, r.Month())
	}
	content, _ := d.Export(net.File, export.CSV, d.QueryOf("month=2026-08", net.Accepted))
	rows := reporttest.Parse(t, export.CSV, content)
	for _, row := range rows {
		if row["coin"] == "BTC" && (row["net"] != "" || row["costs"] != "" || row["commission"] != "0.5" || row["unknown_because"] == "") {
			t.Errorf("the file has %v", row)
		}
	}
	if r = makeNet(d, "month=2026-06"); r.Month().Total.Why == "" {
		t.Errorf("a month that was never read: %+v", r.Month())
	}
}
