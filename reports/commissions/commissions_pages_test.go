package commissions_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// The pages of a list, from the first to the last, are the rows of its file, in any order.
func TestCommissionPagesAreTheFile(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "the order of rows", testCommissionPagesAreTheFile)
}

func testCommissionPagesAreTheFile(t *testing.T) {
	d := reporttest.NewModelFixture(t, "Asia/Kathmandu")
	rapid.Check(t, func(t *rapid.T) {
		reporttest.Draw(t, d, 40)
		asked := "range=all&per=10&sort=" + rapid.SampledFrom([]string{"-commission", "fee", "-rate", "symbol", "-time", "time"}).Draw(t, "sort") +
			rapid.SampledFrom([]string{"", "&coin=USDT", "&product=SPOT"}).Draw(t, "of")
		text, _ := d.Export(commissions.File, export.CSV, d.Ask(asked))
		var file, pages []string
		for _, row := range reporttest.Parse(t, export.CSV, text) {
			file = append(file, row["deal_time_utc"]+row["uid"]+row["symbol"]+row["fee"]+row["commission"]+row["coin"])
		}
		for page, of := 1, 1; page <= of; page++ {
			report, err := reports.Ask(d.Context(), d.Service, d.Ask(asked+fmt.Sprint("&page=", page)), commissions.Make)
			if err != nil {
				t.Fatal(err)
			}
			of = report.Pages
			for _, r := range report.Rows {
				pages = append(pages, r.DealTime.String()+string(r.UID)+r.Symbol+string(r.Fee)+string(r.Commission.Commission)+string(r.Coin))
			}
		}
		if fmt.Sprint(file) != fmt.Sprint(pages) {
			t.Fatalf("%s: the file has\n%q\nthe pages\n%q", asked, file, pages)
		}
	})
}
