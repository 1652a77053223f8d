package pivot_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/pivot"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
)

// Every table of two axes is the sum of the records, whatever the filters: cells, rows, columns
// and the grand total, which is that of the overview. The sums are made here from the records
// of the page, as fractions.
func TestPivotIsTheSumOfTheRecords(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	d.FillVaried()
	d.TagSome()
	axes := pivot.Axes()
	check := func(t *rapid.T) {
		by := rapid.SampledFrom(axes).Draw(t, "by")
		across := rapid.SampledFrom(slices.DeleteFunc(slices.Clone(axes), func(a string) bool { return a == by })).Draw(t, "across")
		asked := url.Values{"range": {"all"}, "per": {"500"}, "by": {by}, "across": {across}, "metric": {rapid.SampledFrom(pivot.Accepted.Metrics).Draw(t, "metric")}}
		for _, choice := range [][]string{
			{"range", "all", "all", "30d", "7d", "mtd"}, {"product", "", "", "SPOT"}, {"coin", "", "", "BTC", "USDT"}, {"source", "", "", "sub"},
			{"code", "", "", "spring"}, {"uid", "", "", "", "4667776801"}, {"symbol", "", "", "", "btcusdt"}, {"account", "", "", "main"}, {"q", "", "", "", "", "é"},
			{"as_of", "", "", "", reporttest.Noon.Add(90 * time.Minute).UTC().Format(time.RFC3339)},
		} {
			if value := rapid.SampledFrom(choice[1:]).Draw(t, choice[0]); value != "" {
				asked.Set(choice[0], value)
			}
		}
		d.CheckPivot(t, asked)
	}
	rapid.Check(t, check)
	// A few that a random choice could miss: pairs of people, with and without a filter.
	for _, text := range []string{"by=invitee&across=symbol", "by=tag&across=invitee", "by=invitee&across=tag", "by=code&across=symbol&symbol=BTCUSDT", "by=symbol&across=month&uid=4667776801", "by=week&across=month", "by=code&across=day"} {
		values, err := url.ParseQuery("range=all&per=500&metric=commission&" + text)
		if err != nil {
			t.Fatal(err)
		}
		d.CheckPivot(t, values)
	}
}

// A change is the difference of two tables: the table of the range less that of the compared
// period, by name; and shares add up to the whole.
func TestPivotChangeAndShares(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-100)
	var rows []affiliate.Commission
	for day := -100; day <= 0; day++ {
		for uid := range 20 {
			rows = append(rows, reporttest.Trade(reporttest.Today+affiliate.Day(day), reporttest.Spot, uid, affiliate.Number(fmt.Sprintf("%d.%02d", (day*day+uid*7)%13, uid))))
		}
	}
	d.Read("main", reporttest.Spot, reporttest.Days(-100, 0), rows...)
	d.Read("main", reporttest.Futures, reporttest.Days(-100, 0))
	ask := func(text string) pivot.Report {
		t.Helper()
		view, err := reports.Ask(t.Context(), d.Service, d.QueryOf(text, pivot.Accepted), pivot.Make)
		if err != nil || view.Empty != "" {
			t.Fatalf("%s: %q, %v", text, view.Empty, err)
		}
		return view
	}
	change := ask("by=invitee&across=product&show=change&from=2026-09-01&to=2026-09-10&compare=previous")
	now, before := ask("by=invitee&across=product&from=2026-09-01&to=2026-09-10"), ask("by=invitee&across=product&from=2026-08-22&to=2026-08-31")
	of := func(view pivot.Report) map[string]string {
		values := map[string]string{}
		for _, row := range view.Rows {
			values[row.Name] = row.Total.Value.String()
		}
		return values
	}
	nows, befores := of(now), of(before)
	for _, row := range change.Rows {
		want := new(big.Rat).Sub(reporttest.Rat(t, nows[row.Name]), reporttest.Rat(t, befores[row.Name]))
		if reporttest.Rat(t, row.Total.Difference().String()).Cmp(want) != 0 || row.Total.Change.Kind == "unknown" {
			t.Errorf("%s changes by %s (%s), want %s", row.Name, row.Total.Difference(), row.Total.Change.Kind, want.RatString())
		}
	}
	if len(change.Rows) != 20 || change.RestN != 0 {
		t.Errorf("%d rows, %d further columns", len(change.Rows), change.RestN)
	}
	// Periods are compared by their place in the range; the last one takes what is left.
	months := ask("by=month&across=product&show=change&from=2026-08-01&to=2026-08-31&compare=month")
	july := ask("by=product&across=source&from=2026-07-01&to=2026-07-31")
	if got := months.Rows[0].Total.Before; !got.Equal(july.Total.Total.Value) {
		t.Errorf("August is compared with %s, July had %s", got, july.Total.Total.Value)
	}
	if unread := ask("by=month&across=product&show=change&from=2026-06-08&to=2026-06-20&compare=previous"); unread.Total.Total.Change.Kind != "unknown" {
		t.Errorf("a period that is not collected gives a change: %+v", unread.Total.Total.Change)
	}
	for _, show := range []string{"share", "row-share", "column-share"} {
		view := ask("by=source&across=month&range=90d&show=" + show)
		sum := new(big.Rat)
		switch show {
		case "column-share":
			for _, row := range view.Rows {
				sum.Add(sum, reporttest.Rat(t, row.Cells[0].Share.Percent.String()))
			}
		default:
			for _, c := range view.Rows[0].Cells {
				sum.Add(sum, reporttest.Rat(t, c.Share.Percent.String()))
			}
		}
		if off := sum.Sub(sum, big.NewRat(100, 1)); off.Abs(off).Cmp(big.NewRat(2, 10)) > 0 {
			t.Errorf("%s: shares add up to 100 plus %s", show, off.RatString())
		}
	}
	// Twelve columns stand apart, the others in one.
	wide := ask("by=product&across=invitee&from=2026-09-01&to=2026-09-10")
	if len(wide.Columns) != 12 || wide.RestN != 8 || len(wide.Rows[0].Cells) != 13 {
		t.Errorf("%d columns and %d others in %d cells", len(wide.Columns), wide.RestN, len(wide.Rows[0].Cells))
	}
	for _, text := range []string{"by=month&across=month", "by=nobody", "show=half", "page=2", "sort=time", "across=x"} {
		q, err := d.Parse(text, pivot.Accepted)
		if err == nil {
			_, err = reports.Ask(t.Context(), d.Service, q, pivot.Make)
		}
		if _, ok := errors.AsType[*query.ParamError](err); !ok {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A file has the rows, the order and the columns of the page, all of them, and names that
// cannot be formulas.
func TestPivotFiles(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-10)
	odd := reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "1.5")
	odd.Symbol = `=cmd|"x",1`
	d.Read("main", reporttest.Spot, reporttest.Days(-10, 0), odd, reporttest.Trade(reporttest.Today-1, reporttest.Spot, 2, "0.25"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "2"))
	d.Read("main", reporttest.Futures, reporttest.Days(-10, 0))
	q := d.QueryOf("by=invitee&across=symbol&range=7d&per=1", pivot.Accepted)
	text, written := d.Export(pivot.File, export.CSV, q)
	want := "invitee,account,coin,BTCUSDT,\"'=cmd|\"\"x\"\",1\",total\r\n4667776801,main,USDT,2,1.5,3.5\r\n4667776802,main,USDT,0.25,0,0.25\r\n"
	if text != want || written.Rows != 2 {
		t.Errorf("the file is\n%s\nwant\n%s", text, want)
	}
	content, _ := d.Export(pivot.File, export.JSON, q)
	var object struct {
		By, Across, Metric, Show, Coin string
		Columns                        []struct{ Key string }
		Rows                           []struct {
			Key, Account string
			Cells        []*string
			Total        *string
		}
		Total struct{ Cells []*string }
	}
	if err := json.Unmarshal([]byte(content), &object); err != nil {
		t.Fatal(err)
	}
	if len(object.Rows) != 2 || *object.Rows[0].Total != "3.5" || object.Rows[0].Account != "main" || object.Coin != "USDT" || len(object.Columns) != 2 || *object.Total.Cells[0] != "2.25" {
		t.Errorf("the JSON is %s", content)
	}
	if book, _ := d.Export(pivot.File, export.XLSX, q); !strings.HasPrefix(book, "PK") {
		t.Error("the workbook is none")
	}
}

// Two accounts can have one invitee, whose columns then name their account.
func TestPivotColumnsOfOneInvitee(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	for _, account := range []affiliate.Account{"main", "second"} {
		d.Want(account, reporttest.Today-10)
		d.Read(account, reporttest.Spot, reporttest.Days(-10, 0), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "1.5"))
		d.Read(account, reporttest.Futures, reporttest.Days(-10, 0))
	}
	text, _ := d.Export(pivot.File, export.CSV, d.QueryOf("by=product&across=invitee&range=7d", pivot.Accepted))
	if want := "product,coin,main/4667776801,second/4667776801,total\r\nSPOT,USDT,1.5,1.5,3\r\n"; text != want {
		t.Errorf("the file is\n%s\nwant\n%s", text, want)
	}
}
