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
	"rebatedesk/web/templates/ui"
)

// No volume appears next to a coin: not on a card, in a table, or below the records.
func TestVolumesHaveNoCoin(t *testing.T) {
	taker, maker := decimal.RequireFromString("7331.123456"), decimal.RequireFromString("10")
	total := figures.Totals{Coin: "BTC", Records: 3, Summed: affiliate.Summed[decimal.Decimal]{TakerAmount: taker, MakerAmount: maker}}
	report := commissions.Report{Totals: []figures.Totals{total, total, total, total, total}}
	for name, text := range map[string]string{
		"card":   pagetest.Text(t, ui.CoinCard(uncompared(report.Totals)[0], coverage.Coverage{}, "")),
		"strip":  pagetest.Text(t, commissionTotal(CommissionsView{Report: report})),
		"footer": pagetest.Text(t, totalsRow(total, commissionColumns(query.Query{}, false), false, false)),
	} {
		if strings.Contains(text, "7341.123456 BTC") || strings.Contains(text, "7331.123456 BTC") || strings.Contains(text, "7,341.12 BTC") {
			t.Errorf("%s: a volume has a coin: %s", name, text)
		}
		if strings.Contains(text, "7,341.12") || strings.Contains(text, "7,331.12") {
			t.Errorf("%s: a volume is next to a coin: %s", name, text)
		}
	}
	if text := pagetest.Text(t, volumeRow(report.Totals, commissionColumns(query.Query{}, false))); !strings.Contains(text, ">36,655.62<") || !strings.Contains(text, ">50.00<") || !strings.Contains(text, "≈ quote currency") {
		t.Errorf("no volume of all coins has two decimals: %s", text)
	}
	if text := pagetest.Text(t, commissionTotal(CommissionsView{Report: report})); !strings.Contains(text, "Further coins") || strings.Contains(text, "Change") {
		t.Errorf("the fifth coin is not among the further coins: %s", text)
	}
}
