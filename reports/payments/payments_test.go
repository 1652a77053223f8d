package payments_test

import (
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	shown "rebatedesk/reports/payments"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/payments"
)

// Every reader sees the coins that the page of payments offers, so these are the coins of
// lines: what else a wallet received is for readers of its bills. Files can be narrowed to it.
func TestCoinsOfPayments(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "2"))
	_, err := payments.ReplaceBills(t.Context(), d.DB, d.Slice("main", affiliate.Stream{Kind: affiliate.SpotBills}, reporttest.Days(-5, 0)), []affiliate.Bill{
		{Wallet: affiliate.SpotWallet, ID: "1", Coin: "DOT", Business: "deposit", Amount: "5", Created: reporttest.Midnight(reporttest.Today - 2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := d.QueryOf("range=all&coin=DOT", shown.Accepted)
	report, err := reports.Ask(t.Context(), d.Service, asked, shown.Make)
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Options.Coins; !slices.Equal(got, []affiliate.Coin{"USDT"}) || len(report.Options.Unknown) != 1 {
		t.Errorf("the page offers %q, and says %q of DOT", got, report.Options.Unknown)
	}
	file, err := d.OpenExport(t.Context(), shown.BillFile, asked)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if unknown, err := file.Unknown(t.Context()); err != nil || len(unknown) > 0 {
		t.Errorf("the file of bills in DOT: %q, %v", unknown, err)
	}
}
