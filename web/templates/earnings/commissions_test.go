package earnings

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
	"rebatedesk/web/templates/ui"
)

// No volume appears next to a coin: not on a card, in a table, or below the records.
func TestVolumesHaveNoCoin(t *testing.T) {
	taker, maker := decimal.RequireFromString("7331.123456"), decimal.RequireFromString("10")
	total := figures.Totals{Coin: "BTC", Records: 3, TakerAmount: taker, MakerAmount: maker}
	report := commissions.Report{Totals: []figures.Totals{total, total, total, total}}
	for name, text := range map[string]string{
		"card":   pagetest.Text(t, ui.CoinCard(uncompared(report.Totals)[0], coverage.Coverage{})),
		"strip":  pagetest.Text(t, totalsStrip(report)),
		"footer": pagetest.Text(t, totalsRow(total, commissionColumns(query.Query{}, false))),
	} {
		if strings.Contains(text, "7341.123456 BTC") || strings.Contains(text, "7331.123456 BTC") || strings.Contains(text, "7,341.12 BTC") {
			t.Errorf("%s: a volume has a coin: %s", name, text)
		}
		if strings.Contains(text, "7,341.12") || strings.Contains(text, "7,331.12") {
			t.Errorf("%s: a volume is next to a coin: %s", name, text)
		}
	}
	if text := pagetest.Text(t, volumeRow(report.Totals, commissionColumns(query.Query{}, false))); !strings.Contains(text, ">29,324.49<") || !strings.Contains(text, ">40.00<") || !strings.Contains(text, "≈ quote currency") {
		t.Errorf("no volume of all coins has two decimals: %s", text)
	}
	if text := pagetest.Text(t, totalsStrip(report)); !strings.Contains(text, "Further coins") || strings.Contains(text, "Change") {
		t.Errorf("the fourth coin is not among the further coins: %s", text)
	}
}

func TestZeroReason(t *testing.T) {
	for _, c := range []struct {
		taker, fee, commission affiliate.Number
		want                   string
	}{
		{"10", "0", "0.000", "zero fee: voucher or zero-fee pair"},
		{"10", "0.5", "0", "fee without commission"},
		{"10", "0.5", "0.05", ""},
		{"0", "0", "0", ""},
		{"", "0", "0", ""},
		{"10", "", "0", ""},
		{"10", "0", "", ""},
		{"10", "-0.1", "0", ""},
	} {
		record := affiliate.Commission{TakerAmount: c.taker, MakerAmount: "0", Fee: c.fee, Commission: c.commission}
		if got := zeroReason(record); got != c.want {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

func TestTwins(t *testing.T) {
	row := records.CommissionRow{Commission: affiliate.Commission{DealTime: 5, UID: "1", Commission: "2"}, Account: "main", FirstSeen: 7}
	later, other := row, row
	later.FirstSeen, other.Account = 9, "second"
	repeated := twins([]records.CommissionRow{row, other, later})
	if !repeated[twin(row)] || !repeated[twin(later)] || repeated[twin(other)] {
		t.Errorf("the repeated records are %v", repeated)
	}
}
