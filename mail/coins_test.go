package mail

import (
	"context"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
)

// anyNames are coins as the exchange and as people may write them.
var anyNames = map[affiliate.Coin]affiliate.Coin{"wxt.e": "WXT.E", "币安人生": "币安人生", "USD₮": "usd₮", "W XT": "w xt", "A, B": "a, b"}

// bringing returns a fixture whose invitee brings 10 of a coin on each day of ten weeks up
// to yesterday, once collect is called. The subscriptions of plan are stored before the
// coin is first seen.
func bringing(t *testing.T, server mailer.Server, coin affiliate.Coin, plan func(*fixture)) *fixture {
	t.Helper()
	d := newFixture(t, server)
	days := daysOf(first-70, first+1)
	if err := d.store.WantFrom(t.Context(), "main", days.First); err != nil {
		t.Fatal(err)
	}
	plan(d)
	var records []affiliate.Commission
	for day := days.First; day <= first; day++ {
		records = append(records, brings(day, "10", coin))
	}
	d.collect(days, records...)
	return d
}

// An alert with a limit in a coin fires whatever the exchange calls the coin, even if
// it was named in other letter case before the coin was first stored.
func TestAlertsOfCoinsOfAnyName(t *testing.T) {
	for coin, name := range anyNames {
		t.Run(string(coin), func(t *testing.T) {
			watch := func(d *fixture) {
				d.watching("drop", func(a *outbox.Subscription) { a.Coin, a.Amount = name, "" })
				d.watching("restatement", func(a *outbox.Subscription) { a.Coin, a.Amount = name, "5" })
				d.watching("silence", func(a *outbox.Subscription) { a.Coin = name })
			}
			d := bringing(t, mailer.Server{}, coin, watch)
			d.now = tomorrow(9, 30)
			d.collect(daysOf(first+1, first+2), brings(first+1, "4.99", coin))
			d.collect(daysOf(first-9, first-9), brings(first-9, "20", coin))
			d.now = d.now.Add(15 * time.Minute)
			const drop, changed = "Alert: a day with low commission – all accounts (UTC)", "Alert: figures of past days changed – all accounts (UTC)"
			got := strings.Join(d.after(0), "\n")
			if !strings.Contains(got, drop) || !strings.Contains(got, changed) {
				t.Errorf("told: %s", got)
			}
			for _, one := range d.log() {
				if text := d.stored(one.Message).Text; !strings.Contains(text, string(coin)) {
					t.Errorf("the coin is not in\n%s", text)
				}
			}
			d.now = (first + 12).Start(time.UTC).Add(32 * time.Hour)
			d.collect(daysOf(first+1, first+13), brings(first+1, "4.99", coin))
			if got := strings.Join(d.after(0), "\n"); !strings.Contains(got, "Alert: 1 invitee stopped trading – all accounts (UTC)") {
				t.Errorf("told: %s", got)
			}
		})
	}
}

// The running program sends a summary in which such a coin is the main one, compares
// its limits with it, and filters by it.
func TestSummariesOfCoinsOfAnyName(t *testing.T) {
	t.Parallel()
	for coin, typed := range anyNames {
		t.Run(string(coin), func(t *testing.T) {
			o := newMailServer(t)
			d := bringing(t, o.Server, coin, func(d *fixture) {
				for name, change := range map[string]func(*outbox.Subscription){
					"All":     func(*outbox.Subscription) {},
					"Of it":   func(s *outbox.Subscription) { s.Coin = typed },
					"Enough":  func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "9.99", typed },
					"Too few": func(s *outbox.Subscription) { s.SkipBelow, s.SkipCoin = "10.01", typed },
				} {
					d.schedule(func(s *outbox.Subscription) {
						s.Name, s.Recipients = name, []outbox.Recipient{{Address: strings.ReplaceAll(name, " ", "") + "@example.com"}}
						change(s)
					})
				}
			})
			d.now = tomorrow(7, 30)
			d.collect(daysOf(first+1, first+2), brings(first+1, "10", coin))
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { defer close(ended); d.Run(ctx) }()
			defer func() { stop(); <-ended }()
			for _, to := range []string{"All", "Ofit", "Enough"} {
				soon(t, "the letter of "+to, func() bool { return len(o.copies(to+"@example.com")) == 1 })
			}
			for _, one := range d.log() {
				if one.Kind == outbox.SummarySkipped {
					continue
				}
				if text := d.stored(one.Message).Text; !strings.Contains(text, "10 "+string(coin)) {
					t.Errorf("the summary says\n%s", text)
				}
			}
			if n := len(o.copies("Toofew@example.com")); n != 0 {
				t.Errorf("of too little %d letters were sent", n)
			}
			sc, p := d.named("Of it"), dispatch.Weekly.Of(first-20)
			if err := d.sendNow(sc, p, []string{"boss@example.com"}, SendOptions{}); err != nil || len(o.copies("boss@example.com")) != 1 {
				t.Errorf("by hand: %v", err)
			}
		})
	}
}
