package templates

import (
	"bytes"
	"context"
	"html"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

func drawn(t *testing.T, c templ.Component) string {
	t.Helper()
	var page bytes.Buffer
	if err := c.Render(context.Background(), &page); err != nil {
		t.Fatal(err)
	}
	return html.UnescapeString(page.String())
}

func TestVolume(t *testing.T) {
	for value, want := range map[string]string{
		"1284567.8951": "1,284,567.90", "0": "0.00", "0.00012345": "<0.01", "0.005": "0.01", "12": "12.00",
	} {
		if got := volume(decimal.RequireFromString(value)); got != want {
			t.Errorf("%s reads %s, want %s", value, got, want)
		}
	}
	text := drawn(t, volumeOf(decimal.RequireFromString("1284567.8951")))
	if !strings.Contains(text, `title="1284567.8951: taker + maker ≈ quote currency; the exchange does not document the unit"`) {
		t.Error(text)
	}
}

// No coin stands beside a volume, neither on a card nor in a table nor below
// the records.
func TestVolumesHaveNoCoin(t *testing.T) {
	taker, maker := decimal.RequireFromString("7331.123456"), decimal.RequireFromString("10")
	total := figures.Totals{Coin: "BTC", Records: 3, TakerAmount: taker, MakerAmount: maker}
	report := commissions.Report{Totals: []figures.Totals{total, total, total, total}}
	for name, text := range map[string]string{
		"card":   drawn(t, coinCard(uncompared(report.Totals)[0], coverage.Coverage{})),
		"strip":  drawn(t, totalsStrip(report)),
		"footer": drawn(t, totalsRow(total, query.Query{}, 7)),
	} {
		if strings.Contains(text, "7341.123456 BTC") || strings.Contains(text, "7331.123456 BTC") || strings.Contains(text, "7,341.12 BTC") {
			t.Errorf("%s: a volume has a coin: %s", name, text)
		}
		if strings.Contains(text, "7,341.12") || strings.Contains(text, "7,331.12") {
			t.Errorf("%s: a volume stands with a coin: %s", name, text)
		}
	}
	if text := drawn(t, volumeRow(report.Totals, query.Query{}, 7)); !strings.Contains(text, ">29,324.49<") || !strings.Contains(text, ">40.00<") || !strings.Contains(text, "≈ quote currency") {
		t.Errorf("no volume with two decimals, of all coins: %s", text)
	}
	if text := drawn(t, totalsStrip(report)); !strings.Contains(text, "Further coins") || strings.Contains(text, "Change") {
		t.Errorf("the fourth coin is not among further coins: %s", text)
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

func TestComparedWords(t *testing.T) {
	for query, want := range map[string]string{
		"range=7d":                          "",
		"range=7d&compare=previous":         "compared with 7–13 Nov 2026; today is still running",
		"range=last-month&compare=previous": "compared with 31 Aug – 30 Sep 2026",
		"range=yesterday&compare=weekday":   "compared with 12 Nov 2026, same weekdays",
		"range=today&compare=year":          "compared with 20 Nov 2025; today is still running",
		"range=last-month&compare=month":    "compared with 1–30 Sep 2026",
	} {
		if got := comparedWords(ask(t, query)); got != want {
			t.Errorf("%s reads %q, want %q", query, got, want)
		}
	}
}

// Filters that say nothing about people are named below their figures.
func TestNotNarrowed(t *testing.T) {
	for query, want := range map[string]string{
		"range=7d&code=vip&uid=1": "",
		"coin=BTC&product=SPOT":   "Registrations, first deposits and first trades are not narrowed by product, coin; active traders are.",
		"q=x":                     "Registrations, first deposits and first trades are not narrowed by search text; active traders are.",
	} {
		if got := notNarrowed(ask(t, query)); got != want {
			t.Errorf("%s reads %q, want %q", query, got, want)
		}
	}
}

// The year stands in every row unless the range lies in this one.
func TestDayForm(t *testing.T) {
	for query, want := range map[string]string{
		"range=30d": "2 Jan", "from=2025-12-01&to=2026-01-31": "2 Jan 2006", "from=2025-02-01&to=2025-02-28": "2 Jan 2006",
	} {
		if got := dayForm(ask(t, query)); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// In a day that is collected in part a product without commission is unknown,
// and the total is marked.
func TestDayCollectedInPart(t *testing.T) {
	d := figures.DailySeries{Coin: "USDT", Days: []affiliate.Day{today}, Total: []decimal.Decimal{decimal.New(5, 0)},
		Parts: []figures.SeriesPart{{Name: "Futures", Values: []decimal.Decimal{decimal.New(5, 0)}}, {Name: "Spot", Values: []decimal.Decimal{{}}}}}
	for state, want := range map[coverage.DayState][2]bool{ // unknown part, marked total
		coverage.DayPartial: {true, true}, coverage.DayFailed: {true, true}, coverage.DayCollected: {}, coverage.DayRunning: {},
	} {
		d.State = []coverage.DayState{state}
		text := drawn(t, dailyTable(d))
		if got := [2]bool{strings.Contains(text, "—"), strings.Contains(text, ">partial<")}; got != want {
			t.Errorf("%s: unknown part and marked total are %v, want %v", state, got, want)
		}
		if !strings.Contains(text, "5.00") || !strings.Contains(text, ">"+string(state)+"<") {
			t.Errorf("%s: %s", state, text)
		}
	}
}

func TestCoverageLine(t *testing.T) {
	whole := coverage.Coverage{Wanted: 7, Collected: 7, Through: affiliate.MillisOf(today.Start(zoneOf(query.Query{})))}
	const lag = "The last hour may still grow"
	if text := drawn(t, coverageLine(whole, "", ask(t, "range=7d"))); !strings.Contains(text, "Complete up to 20 Nov 2026 00:00 UTC.") || !strings.Contains(text, lag) {
		t.Error(text)
	}
	if text := drawn(t, coverageLine(whole, "", ask(t, "range=last-month"))); strings.Contains(text, lag) {
		t.Error("a range that is over still waits for commission: " + text)
	}
	if text := drawn(t, coverageLine(coverage.Coverage{}, coverage.EmptyFuture, ask(t, "range=7d"))); text != "" {
		t.Error(text)
	}
}

func TestUnknownCodes(t *testing.T) {
	if text := drawn(t, codeNote(ask(t, "code=vip"), 1234)); !strings.Contains(text, "1,234 records of the range belong to invitees whose code is not known; they are not included.") {
		t.Error(text)
	}
	for _, text := range []string{drawn(t, codeNote(ask(t, "code=vip"), 0)), drawn(t, codeNote(ask(t, "range=7d"), 5))} {
		if text != "" {
			t.Error(text)
		}
	}
}

// Days out of reach are neither planned nor collected, and what one stream
// lacks the whole lacks.
func TestCollectionSums(t *testing.T) {
	stream := func(wanted, read, beyond int, through affiliate.Millis) coverage.StreamCoverage {
		return coverage.StreamCoverage{Account: "main", Days: affiliate.Days{First: today - affiliate.Day(wanted) + 1, Last: today},
			Coverage: coverage.Coverage{Wanted: wanted, Collected: read, Through: through}, OutOfReach: beyond}
	}
	v := CollectionView{Report: collection.Report{Streams: []coverage.StreamCoverage{stream(400, 400, 35, 9), stream(400, 100, 0, 4)}}}
	want := collected{Days: affiliate.Days{First: today - 399, Last: today}, Planned: 765, Collected: 465, OutOfReach: 35, Through: 4}
	if got := v.sum(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if (CollectionView{}).sum() != (collected{}) || v.accounts() != 1 {
		t.Error("nothing at all is not nothing")
	}
}
