package phrase

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
)

func TestFraction(t *testing.T) {
	for rate, want := range map[affiliate.Number]string{
		"0.1": "10.0\u00a0%", "0.35": "35.0\u00a0%", "0.3525": "35.25\u00a0%", "0": "0.0\u00a0%", "": "", "1": "100.0\u00a0%",
	} {
		if got := Fraction(rate); got != want {
			t.Errorf("%q reads %q, want %q", rate, got, want)
		}
	}
}

func TestCoverage(t *testing.T) {
	gap := coverage.Gap{Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures},
		Days: affiliate.Days{First: affiliate.NewDay(2026, 11, 3), Last: affiliate.NewDay(2026, 11, 5)}}
	through := affiliate.MillisOf(time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC))
	for _, c := range []struct {
		coverage coverage.Coverage
		want     string
	}{
		{coverage.Coverage{Wanted: 30, Collected: 30, Through: through}, "Complete up to 20 Nov 2026 14:05 UTC"},
		{coverage.Coverage{Wanted: 30, Collected: 27, Gaps: []coverage.Gap{gap}}, "3 of 30 days not collected"},
		{coverage.Coverage{Wanted: 30, Gaps: []coverage.Gap{gap}}, "None of 30 days collected yet"},
		{coverage.Coverage{Wanted: 1, Gaps: []coverage.Gap{gap}}, "None of 1 day collected yet"},
		{coverage.Coverage{}, "Nothing of this range is to be read yet"},
	} {
		if got := Coverage(c.coverage, time.UTC); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	invitees := coverage.Gap{Stream: affiliate.Stream{Kind: affiliate.Invitees}, Days: affiliate.Days{First: affiliate.NewDay(2026, 10, 28), Last: affiliate.NewDay(2026, 11, 2)}}
	if got, want := Gaps([]coverage.Gap{gap, invitees, gap, gap}), "Futures commissions 3–5 Nov 2026; invitees 28 Oct – 2 Nov 2026; and 2 more"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 850 * time.Millisecond: "850 ms", 12400 * time.Millisecond: "12.4 s", 59949 * time.Millisecond: "59.9 s", 59960 * time.Millisecond: "1 min 0 s",
		192 * time.Second: "3 min 12 s", time.Hour - time.Millisecond: "1 h 0 min", 125 * time.Minute: "2 h 5 min",
	} {
		if got := strings.ReplaceAll(Took(d), Space, " "); got != want {
			t.Errorf("%v reads %q, want %q", d, got, want)
		}
	}
}

func TestListed(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{{nil, ""}, {[]string{"a"}, "a"}, {[]string{"a", "b"}, "a and b"}, {[]string{"a", "b", "c"}, "a, b and c"}} {
		if got := Listed(c.names); got != c.want {
			t.Errorf("%v reads %q, want %q", c.names, got, c.want)
		}
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 1000: "1.0 kB", 1250: "1.3 kB", 1_234_567: "1.2 MB", 5_000_000_000: "5.0 GB"} {
		if got := strings.ReplaceAll(Size(bytes), Space, " "); got != want {
			t.Errorf("%d reads %q, want %q", bytes, got, want)
		}
	}
}

func TestPaymentPeriod(t *testing.T) {
	at := func(text string) affiliate.Millis {
		instant, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return affiliate.MillisOf(instant)
	}
	for want, period := range map[string][2]string{
		"12 Oct 2026":                           {"2026-10-12T00:00:00Z", "2026-10-13T00:00:00Z"},
		"5–11 Oct 2026":                         {"2026-10-05T00:00:00Z", "2026-10-12T00:00:00Z"},
		"October 2026":                          {"2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z"},
		"12 Oct 2026 23:00–00:00":               {"2026-10-12T23:00:00Z", "2026-10-13T00:00:00Z"},
		"12 Oct 2026 08:10":                     {"2026-10-12T08:10:20Z", "2026-10-12T08:10:20Z"},
		"12 Oct 2026 12:00 – 14 Oct 2026 00:00": {"2026-10-12T12:00:00Z", "2026-10-14T00:00:00Z"},
	} {
		if got := PaymentPeriod(at(period[0]), at(period[1])); got != want {
			t.Errorf("%v is %q, want %q", period, got, want)
		}
	}
}

func TestPayoutRule(t *testing.T) {
	for text, want := range map[string]string{
		"day+8h apart":        "Paid daily, about 8 hours after the day ends, direct commissions and those of sub-agents apart",
		"week+1d12h together": "Paid weekly, about 1 day 12 hours after the week ends, direct commissions and those of sub-agents in one sum",
		"hour+0h together":    "Paid hourly, as soon as the hour ends, direct commissions and those of sub-agents in one sum",
		"month+90m apart":     "Paid monthly, about 90 minutes after the month ends, direct commissions and those of sub-agents apart",
	} {
		rule, err := books.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := PayoutRule(rule); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// A stored failure is told in its own words; foreign text stays as it is.
func TestFailureIsTold(t *testing.T) {
	const stored = "The exchange has refused the key. Check REBATEDESK_API_KEY.\naffiliate commissions (4.17): the exchange answered code 40006 (HTTP 400)"
	for name, c := range map[string][2]string{
		"told":            {Told(stored), "The exchange has refused the key. Check REBATEDESK_API_KEY."},
		"exactly":         {Exactly(stored), "affiliate commissions (4.17): the exchange answered code 40006 (HTTP 400)"},
		"after a colon":   {Because(stored), "the exchange has refused the key. Check REBATEDESK_API_KEY"},
		"foreign":         {Because("HTTP 502"), "HTTP 502"},
		"foreign exactly": {Exactly("HTTP 502"), ""},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %q, want %q", name, c[0], c[1])
		}
	}
}

// A cost that did not come back is never said to have come back once.
func TestTimes(t *testing.T) {
	for want, of := range map[string][2]int64{"0.99\u00a0×": {999, 1000}, "1\u00a0×": {1000, 1000}, "0.05\u00a0×": {59, 1000}, "1,234.5\u00a0×": {1234500, 1000}, "0\u00a0×": {1, 1000}, "-0.5\u00a0×": {-500, 1000}} {
		if got := Times(decimal.NewFromInt(of[0]), decimal.NewFromInt(of[1])); got != want {
			t.Errorf("%d for %d is %q, want %q", of[0], of[1], got, want)
		}
	}
}
