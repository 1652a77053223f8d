package main

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
)

// A coin can be selected by any name that the exchange gives it, and a summary works with
// it as the main coin.
func TestCoinsOfAnyName(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Records, o.Invitees = 5, 2 })
	coins := map[string]int{"USD₮": 60, "wxt.e": 3, "币安人生": 4, "W XT": 5}
	for coin, n := range coins {
		for i := range n {
			d.sim.Insert(affiliate.Commission{
				DealTime: affiliate.MillisOf(d.now().Add(-time.Duration(72+i) * time.Hour / 2)), UID: "4667776811", Product: affiliate.Spot,
				Coin: affiliate.Coin(coin), Symbol: "BTCUSDT_SPBL", Source: affiliate.Direct, TakerAmount: "10", MakerAmount: "0", Fee: "1", Rate: "0.1", Commission: "0.1",
			})
		}
	}
	d.done(nil, "collect")
	for coin, n := range coins {
		if rows := d.cells(d.done(nil, "export", "commissions", "--coin", coin)); len(rows) != n || rows[0]["coin"] != coin {
			t.Errorf("%s: %d rows, want %d", coin, len(rows), n)
		}
	}
	if rows := d.cells(d.done(nil, "export", "commissions", "--coin", "WXT.E")); len(rows) != coins["wxt.e"] {
		t.Errorf("in other letter case: %d rows", len(rows))
	}
	status, stdout, stderr := d.run(t.Context(), nil, "export", "daily", "--coin", "DOGE")
	if status != statusDone || len(d.cells(stdout)) != 0 || !strings.Contains(stderr, `warning: No commission in the coin "DOGE" is stored`) {
		t.Errorf("no such coin: status %d, stderr %q", status, stderr)
	}
	if _, _, stderr := d.run(t.Context(), nil, "export", "daily", "--symbol", "NOPE", "--uid", "999"); !strings.Contains(stderr, `warning: No commission in the pair "NOPE" is stored`) ||
		!strings.Contains(stderr, `warning: Nothing of the UID "999" is stored`) {
		t.Errorf("no such pair and UID: stderr %q", stderr)
	}
	smtpd := newMailServer(t, nil, false)
	d.env = append(d.env, "REBATEDESK_SMTP_URL=smtp://"+smtpd.address+"?tls=none", "REBATEDESK_MAIL_FROM=desk@example.com")
	if status, _, stderr := d.run(t.Context(), nil, "summary", "preview", "--period", "weekly"); status != statusDone {
		t.Errorf("the summary: status %d, stderr %q", status, stderr)
	}
	status, _, stderr = d.run(t.Context(), nil, "summary", "send", "--period", "daily", "--date", d.dayAgo(2), "--to", "boss@example.com")
	if status != statusDone || len(smtpd.messages) != 1 {
		t.Errorf("sending: status %d, stderr %q, %d letters", status, stderr, len(smtpd.messages))
	}
}
