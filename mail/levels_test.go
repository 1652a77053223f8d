package mail

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/terms"
)

// A tier that has been within reach for half a day is reported once in its month, with what it lacks; another month
// is another fact. A tier that is not reached at the present pace, or a month with missing days, is none.
func TestAlertOfTiers(t *testing.T) {
	t.Parallel()
	d := aiming(t, first+9) // 2 USDT of volume on each of ten days of September
	file, err := terms.Parse(t.Context(), []byte("scope,value,product_type,rate,from,to,tier_by,tier_from\nall,,,0.4,2026-01-01,,,\nall,,,0.45,2026-01-01,,volume,50\nall,,,0.5,2026-01-01,,volume,70\n"))
	if err == nil {
		_, err = agreements.ImportTerms(t.Context(), d.store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "ann"})
	}
	if err != nil {
		t.Fatal(err)
	}
	d.watching("tier", func(a *outbox.Subscription) { a.Coin, a.Amount = "", "" })
	const within = "Alert: a tier is within reach – all accounts (UTC)"
	told(t, "at first", d.after(0))
	told(t, "half a day later", d.after(half), within)
	if text := unwrapped(d.newest().Text); !strings.Contains(text, "- Everyone: the rate becomes 45\u00a0% with 30.00 USDT more of volume, at the present pace on 26 September; by what is known now that is worth 0.50 USDT in the month.\n") ||
		!strings.Contains(text, "https://desk.example.com/tiers?month=2026-09\n") {
		t.Errorf("it says\n%s", text)
	}
	d.brought(first-3, first+12)
	told(t, "some days later", d.after(half), within)
	d.brought(first-3, first+27) // 56 of volume: the tier is reached, and the next one is not in this month
	told(t, "reached", d.after(half), within)
	d.now = (first + 45).Start(time.UTC).Add(8 * time.Hour) // the days since are not collected
	told(t, "days are missing", d.after(half), within)
	d.brought(first-3, first+45)
	told(t, "the next month, at first", d.after(0), within)
	told(t, "the next month", d.after(half), within, within)
}

// A level that fell is reported once, however its first day moves with the days that follow.
func TestAlertOfLevels(t *testing.T) {
	t.Parallel()
	d := aiming(t, first)
	d.watching("level", func(a *outbox.Subscription) { a.Coin, a.Amount = "", "" })
	told(t, "as every day", d.after(0))
	less := func(until affiliate.Day) {
		var list []affiliate.Commission
		for day := first + 1; day <= until; day++ {
			list = append(list, brings(day, affiliate.Number([]string{"3", "2.5", "3.5"}[int(day)%3]), "USDT"))
		}
		d.now = (until + 1).Start(time.UTC).Add(8 * time.Hour)
		d.collect(daysOf(first+1, until+1), list...)
	}
	const changed = "Alert: 3 levels changed – all accounts (UTC)"
	less(first + 8)
	told(t, "eight days later", d.after(0), changed)
	text := strings.ReplaceAll(unwrapped(d.newest().Text), "\u00a0", " ")
	for _, line := range []string{"- The programme of main brings 3.00 USDT a day since 2 Sep 2026, 10.00 before; about 203.00 USDT less in September 2026", "Invitee 4667776801 of main brings 3.00 USDT a day", "https://desk.example.com/forecast?account=main", "https://desk.example.com/invitees/4667776801?account=main"} {
		if !strings.Contains(text, line) {
			t.Errorf("it lacks %q:\n%s", line, text)
		}
	}
	for _, more := range []affiliate.Day{12, 20, 40} {
		less(first + more)
		told(t, "later", d.after(time.Hour), changed)
	}
}
