package ui

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
)

// A figure has at most eight digits, and its exact value as title if it has more.
func TestDigits(t *testing.T) {
	for value, want := range map[string]string{
		"10896.4589747875": `<span title="10,896.4589747875">10,896.459</span>`, "-0.00173492425": `<span title="-0.00173492425">-0.0017349243</span>`,
		"123.5": "123.5", "0": "0", "123456789.5": `<span title="123,456,789.5">123,456,790</span>`,
	} {
		if got := pagetest.Text(t, Digits("", decimal.RequireFromString(value))); got != want {
			t.Errorf("%s is %s, want %s", value, got, want)
		}
	}
	if got := pagetest.Text(t, Signed("up", decimal.RequireFromString("12.3456789012"))); got != `<span class="up" title="+12.3456789012">+12.345679</span>` {
		t.Errorf("a difference is %s", got)
	}
	if got := pagetest.Text(t, SignedAmount("", affiliate.Amount{Value: decimal.RequireFromString("5.4321"), Coin: "USDT"})); got != `<span title="5.4321 USDT">+5.43</span>` {
		t.Errorf("a difference of a coin is %s", got)
	}
}

func TestVolume(t *testing.T) {
	for value, want := range map[string]string{
		"1284567.8951": "1,284,568", "0": "0.00", "0.00012345": "<0.01", "0.005": "0.01", "12": "12.00",
	} {
		if got := Volume(decimal.RequireFromString(value)); got != want {
			t.Errorf("%s reads %s, want %s", value, got, want)
		}
	}
	text := pagetest.Text(t, VolumeOf(decimal.RequireFromString("1284567.8951")))
	if !strings.Contains(text, `title="1284567.8951: taker + maker ≈ quote currency; the exchange does not document the unit"`) {
		t.Error(text)
	}
}

func TestComparedWords(t *testing.T) {
	for query, want := range map[string]string{
		"range=7d":                                       "",
		"range=7d&compare=previous":                      "compared with 7–13 Nov 2026; today is still running",
		"range=last-month&compare=previous":              "compared with September 2026, 31 days against 30",
		"range=yesterday&compare=weekday":                "compared with 12 Nov 2026, same weekdays",
		"range=today&compare=year":                       "compared with 20 Nov 2025; today is still running",
		"range=last-month&compare=month":                 "compared with September 2026, 31 days against 30",
		"from=2026-07-01&to=2026-09-30&compare=previous": "compared with 31 Mar – 30 Jun 2026",
		"from=2024-01-01&to=2024-12-31&compare=previous": "compared with 31 Dec 2022 – 31 Dec 2023",
		"from=2026-02-01&to=2026-02-28&compare=year":     "compared with February 2025",
	} {
		if got := comparedWords(pagetest.Ask(t, query), nil); got != want {
			t.Errorf("%s reads %q, want %q", query, got, want)
		}
	}
}

// Filters that do not apply to people are named below their figures.
func TestNotNarrowed(t *testing.T) {
	for query, want := range map[string]string{
		"range=7d&code=vip&uid=1": "",
		"coin=BTC&product=SPOT":   "Registrations, first deposits and first trades are not narrowed by product, coin; active traders are.",
		"q=x":                     "Registrations, first deposits and first trades are not narrowed by search text; active traders are.",
	} {
		if got := notNarrowed(pagetest.Ask(t, query)); got != want {
			t.Errorf("%s reads %q, want %q", query, got, want)
		}
	}
}

// Every row shows the year unless the range is in the current one.
func TestDayForm(t *testing.T) {
	for query, want := range map[string]string{
		"range=30d": "2 Jan", "from=2025-12-01&to=2026-01-31": "2 Jan 2006", "from=2025-02-01&to=2025-02-28": "2 Jan 2006",
	} {
		if got := DayForm(pagetest.Ask(t, query)); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}

// On a partly collected day a product without commission is unknown, and the total is
// marked.
func TestDayCollectedInPart(t *testing.T) {
	d := figures.DailySeries{Coin: "USDT", Days: []affiliate.Day{pagetest.Today}, Total: []decimal.Decimal{decimal.New(5, 0)},
		Parts: []figures.SeriesPart{{Name: "Futures", Values: []decimal.Decimal{decimal.New(5, 0)}}, {Name: "Spot", Values: []decimal.Decimal{{}}}}}
	for state, want := range map[coverage.DayState][2]bool{ // unknown part, marked total
		coverage.DayPartial: {true, true}, coverage.DayFailed: {true, true}, coverage.DayCollected: {}, coverage.DayRunning: {},
	} {
		d.State = []coverage.DayState{state}
		text := pagetest.Text(t, dailyTable(d))
		if got := [2]bool{strings.Contains(text, "—"), strings.Contains(text, ">partial<")}; got != want {
			t.Errorf("%s: unknown part and marked total are %v, want %v", state, got, want)
		}
		if !strings.Contains(text, "5.00") || !strings.Contains(text, ">"+stateWords(state)+"<") {
			t.Errorf("%s: %s", state, text)
		}
	}
}

func TestCoverageLine(t *testing.T) {
	whole := coverage.Coverage{Wanted: 7, Collected: 7, Through: affiliate.MillisOf(pagetest.Today.Start(ZoneOf(query.Query{})))}
	const lag = "The last hour may still grow"
	if text := pagetest.Text(t, CoverageLine(whole, "", pagetest.Ask(t, "range=7d"))); !strings.Contains(text, "Complete up to 20 Nov 2026 00:00 UTC.") || !strings.Contains(text, lag) {
		t.Error(text)
	}
	if text := pagetest.Text(t, CoverageLine(whole, "", pagetest.Ask(t, "range=last-month"))); strings.Contains(text, lag) {
		t.Error("a range that is over still waits for commission: " + text)
	}
	if text := pagetest.Text(t, CoverageLine(coverage.Coverage{}, coverage.EmptyFuture, pagetest.Ask(t, "range=7d"))); text != "" {
		t.Error(text)
	}
}

func TestUnknownCodes(t *testing.T) {
	if text := pagetest.Text(t, CodeNote(pagetest.Ask(t, "code=vip"), 1234)); !strings.Contains(text, "1,234 records of the range belong to invitees whose code is not known; they are not included.") {
		t.Error(text)
	}
	for _, text := range []string{pagetest.Text(t, CodeNote(pagetest.Ask(t, "code=vip"), 0)), pagetest.Text(t, CodeNote(pagetest.Ask(t, "range=7d"), 5))} {
		if text != "" {
			t.Error(text)
		}
	}
}
