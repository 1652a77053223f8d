package mail

import (
	"html"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/terms"
)

// agreed stores a term for all records.
func (d *fixture) agreed(rate string) {
	d.Helper()
	file, err := terms.Parse(d.Context(), []byte("scope,value,product_type,rate,from,to\nall,,,"+rate+",2026-08-01,\n"))
	if err == nil {
		_, err = agreements.ImportTerms(d.Context(), d.store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "ann"})
	}
	if err != nil {
		d.Fatal(err)
	}
}

// paidAt stores one record with a fee of 100 for each of some days, and a higher rate before a day.
func (d *fixture) paidAt(from, lowered, until affiliate.Day) {
	d.Helper()
	d.now = (until + 1).Start(time.UTC).Add(8 * time.Hour)
	var list []affiliate.Commission
	for day := from; day <= until; day++ {
		c := brings(day, "40", "USDT")
		if c.Fee = "100"; day >= lowered {
			c.Commission = "30"
		}
		list = append(list, c)
	}
	d.collect(daysOf(from, until+1), list...)
}

// A finding about rates is reported once: a rate that changed, and what was paid otherwise than
// agreed. A summary lists those of its period with what they cost.
func TestAlertOfRates(t *testing.T) {
	t.Parallel()
	d := newFixture(t, mailer.Server{})
	d.paidAt(first-40, first+40, first)
	d.watching("rate", func(a *outbox.Subscription) { a.Coin, a.Amount = "", "" })
	told(t, "at first", d.after(0))
	d.paidAt(first-40, first+1, first+4)
	told(t, "too few records", d.after(0))
	d.paidAt(first-40, first+1, first+8)
	changed := "Alert: a rate is not as agreed or as before – all accounts (UTC)"
	told(t, "lowered", d.after(0), changed)
	if text := unwrapped(d.newest().Text); !strings.Contains(text, "the rate changed from 40.0\u00a0% to 30.0\u00a0% on 2 Sep 2026; it cost 80.00 USDT since\n") || !strings.Contains(text, "/rates?from=") {
		t.Errorf("it says\n%s", text)
	}
	told(t, "still", d.after(time.Hour), changed)
	d.paidAt(first-40, first+1, first+10)
	told(t, "with new records", d.after(time.Hour), changed)
	d.agreed("0.35")
	told(t, "agreed otherwise", d.after(time.Hour), changed, changed)
	sc := d.schedule(func(s *outbox.Subscription) { s.Every, s.Sections = string(dispatch.Weekly), []string{SectionRates} })
	made, err := d.author.summary(t.Context(), sc, dispatch.Period{Every: dispatch.Weekly, Days: daysOf(first, first+6)})
	if err != nil {
		t.Fatal(err)
	}
	finished, err := d.Service.finish(t.Context(), sc, made)
	if err != nil {
		t.Fatal(err)
	}
	content, err := mailer.Message{Summary: finished, To: "boss@example.com", HeaderID: "id@example.com"}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	_, parts := parse(t, content)
	for _, kind := range []string{"text/plain", "text/html"} {
		for _, want := range []string{"Paid otherwise than agreed", "35.0\u00a0%", "USDT"} {
			if !strings.Contains(html.UnescapeString(text(parts, kind)), want) {
				t.Errorf("the %s part of the summary lacks %q:\n%s", kind, want, text(parts, kind))
			}
		}
	}
}
