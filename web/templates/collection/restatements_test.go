package collection

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/golden"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/records"
	"rebatedesk/web/templates/ui"
)

// A missing record counts as zero, and an omitted amount stays unknown.
func TestDifference(t *testing.T) {
	for _, c := range []struct {
		kind        commissions.RestatementKind
		was, became affiliate.Number
		want        string // empty: unknown
	}{
		{commissions.RestatedLate, "", "0.123456789012345678", "+0.123456789012345678"},
		{commissions.RestatedRemoved, "1234.5", "", "-1,234.5"},
		{commissions.RestatedChanged, "10", "9.999999999999999999", "-0.000000000000000001"},
		{commissions.RestatedChanged, "1", "1.0", "0"},
		{commissions.RestatedZeroed, "5.25", "0", "-5.25"},
		{commissions.RestatedChanged, "", "5", ""},
		{commissions.RestatedChanged, "5", "", ""},
		{commissions.RestatedLate, "", "", ""},
	} {
		got := ""
		if d, known := difference(commissions.RestatementLine{Kind: c.kind, Was: c.was, Became: c.became}); known {
			got = phrase.Signed(d)
		}
		if got != c.want {
			t.Errorf("%s from %q to %q is %q, want %q", c.kind, c.was, c.became, got, c.want)
		}
	}
}

// Each coin is added up separately, for the kinds that occur.
func TestRestatementSums(t *testing.T) {
	total := func(kind commissions.RestatementKind, coin affiliate.Coin, n, change int64) commissions.RestatementTotals {
		return commissions.RestatementTotals{Kind: kind, Coin: coin, Count: n, Change: decimal.NewFromInt(change)}
	}
	late, zeroed := commissions.RestatedLate, commissions.RestatedZeroed
	s := sumsOf([]commissions.RestatementTotals{total(late, "BTC", 1, 5), total(late, "USDT", 2, 7), total(zeroed, "USDT", 3, -9)})
	if len(s.Kinds) != 2 || len(s.Coins) != 2 || s.Coins[0].Coin != "USDT" {
		t.Fatalf("%+v", s)
	}
	if usdt := s.Coins[0]; usdt.Count != 5 || !usdt.Change.Equal(decimal.NewFromInt(-2)) || usdt.Kinds[0].Count != 2 || usdt.Kinds[1].Count != 3 {
		t.Errorf("%+v", usdt)
	}
	if text := pagetest.Text(t, restatementTotals([]commissions.RestatementTotals{total(late, "BTC", 1, 5), total(zeroed, "USDT", 3, -9)})); strings.Count(text, ">none<") != 2 {
		t.Errorf("a coin without restatements of a kind does not say so: %s", text)
	}
}

func TestRestatementGolden(t *testing.T) {
	r := commissions.RestatementLine{Noticed: affiliate.MillisOf(pagetest.Today.Start(time.UTC)), Kind: commissions.RestatedRemoved, Account: "main", DealTime: affiliate.MillisOf((pagetest.Today - 3).Start(time.UTC)),
		UID: "4667776811", Product: affiliate.Futures, Symbol: "cmt_btcusdt", Coin: "USDT", Was: "0.0682571"}
	zeroed := r
	zeroed.Kind, zeroed.Became = commissions.RestatedZeroed, "0"
	rows := []commissions.RestatementLine{r, zeroed}
	golden.Equal(t, "restatements.html", []byte(pagetest.Text(t, restatementTable(rows, ui.Links{Path: "/collection/restatements", Query: pagetest.Ask(t, "range=90d")}, false))))
}

// A run lists its failures in a folded part, and counts those that are not listed.
func TestRunErrors(t *testing.T) {
	problem := records.SliceProblem{Stream: affiliate.Stream{Kind: affiliate.Invitees}, Days: affiliate.Days{First: pagetest.Today, Last: pagetest.Today}, Error: "HTTP 502"}
	text := pagetest.Text(t, runErrors(collection.RunRow{Run: records.Run{ID: 1234, Failed: 60}, Problems: []records.SliceProblem{problem, problem}}))
	for _, want := range []string{`id="run-1234"`, "60 failed slices", "Invitees", "20 Nov 2026", "HTTP 502", "and 58 more"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q: %s", want, text)
		}
	}
	if text := pagetest.Text(t, runErrors(collection.RunRow{})); !strings.Contains(text, "none") || strings.Contains(text, "<details") {
		t.Error(text)
	}
}
