package findings

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/store/records"
)

// A finding is one text: mails print it in a line, pages add the exact amounts.
func TestFinding(t *testing.T) {
	day := affiliate.NewDay(2026, 11, 21)
	one := decimal.RequireFromString
	restated := commissions.Restated{Coin: "USDT", Records: 3, Up: one("100"), Down: one("-20.005"), Days: affiliate.Days{First: day, Last: day}}
	for _, c := range []struct {
		finding Finding
		want    string
	}{
		{Run{Account: "second", InARow: 3, Since: affiliate.MillisOf(time.Date(2026, 11, 22, 3, 4, 0, 0, time.UTC)), Slices: 1, Error: "The exchange has not given a usable answer.\naffiliate commissions (4.17): the exchange answered HTTP 502"},
			"Collection fails. The last 3 runs of second failed, since 22 Nov 2026 03:04 UTC; the newest could not read 1 window. The exchange has not given a usable answer."},
		{Drop{Coin: "USDT", Days: affiliate.Days{First: day, Last: day}, Now: one("4.5"), Usual: one("10"), Of: 8, Drop: figures.QuotientOf(one("5.5"), one("10"))},
			"Yesterday brought 55.0 % less than usual. 4.50 USDT on 21 Nov 2026; usual is 10.00 USDT, the mean of 8 Saturdays before. That is 5.50 USDT less."},
		{Restated{Restated: restated},
			"Figures in USDT changed afterwards. 3 records of 21 Nov 2026 (UTC) changed after the day had been collected, by +100.00 and -20.01 USDT, noticed in the last 30 days."},
		{Silent{Count: 2, Coins: []Silence{{Coin: "USDT", Count: 2, AtRisk: one("13.03")}}}, "2 invitees stopped trading. They used to bring 13.03 USDT in 30 days."},
	} {
		if got := (About{Zone: time.UTC, Today: day + 1}).Finding(c.finding).String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	text := About{Zone: time.UTC}.Finding(Restated{Restated: restated}).Text
	if last := text[3]; last.Exact != "-20.005 USDT" {
		t.Errorf("the exact value of %q is %q", last.Text, last.Exact)
	}
}

// The alert about a failing collection says why in the words that were stored.
func TestFailingIsTold(t *testing.T) {
	const stored = "The exchange has refused the key. Check REBATEDESK_API_KEY.\naffiliate commissions (4.17): the exchange answered code 40006 (HTTP 400)"
	at := affiliate.MillisOf(time.Date(2026, 11, 22, 3, 4, 0, 0, time.UTC))
	got := failing(&Watched{Zone: time.UTC}, records.Collecting{Account: "main", Good: 1, GoodAt: at, Error: stored}).Words
	if want := "The collection of main has not gone well since 22 Nov 2026 03:04 UTC: the exchange has refused the key. Check REBATEDESK_API_KEY"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A day of less than nothing is compared with the usual amount, and is no percentage of it; nor is any
// day of a usual amount of nothing.
func TestWeekdayWithoutPercentage(t *testing.T) {
	day := overview.Weekday{Day: affiliate.NewDay(2026, 11, 20), Coin: "USDT", Of: 8}
	for _, c := range []struct{ now, usual, want string }{
		{"5", "20", "Fri 20 Nov 2026 (UTC) brought 5.00 USDT: 25.0\u00a0% of the usual 20.00 USDT, the mean of 8 Fridays before"},
		{"-120", "30", "Fri 20 Nov 2026 (UTC) brought -120.00 USDT: usual are 30.00 USDT, the mean of 8 Fridays before"},
		{"5", "0", "Fri 20 Nov 2026 (UTC) brought 5.00 USDT: usual are 0.00 USDT, the mean of 8 Fridays before"},
	} {
		day.Commission, day.Usual = decimal.RequireFromString(c.now), decimal.RequireFromString(c.usual)
		if got := weekday(day, &Watched{Zone: time.UTC}); got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
}
