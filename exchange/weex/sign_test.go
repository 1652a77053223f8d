package weex

import (
	"rebatedesk/exchange"

	"net/http"
	"strconv"
	"testing"
	"time"

	"rebatedesk/affiliate"
)

// signingSecret is the secret of the vectors in package transport.
const signingSecret = exchange.Secret("5f2b7c9d1e3a4b6c8d0e2f4a6b8c0d1e2f3a4b5c6d7e8f901a2b3c4d5e6f7081")

// The client has to send exactly the bytes of the vectors.
func TestClientReproducesVectors(t *testing.T) {
	f := serve(t, says(200, goodPage), says(200, `{"code":"00000","data":{"records":[]}}`))
	now := time.UnixMilli(1756103438804)
	c := dial(t, f, func(cfg *exchange.Config) {
		cfg.Secret = signingSecret
		cfg.Now = func() time.Time { return now }
	})
	window := [2]affiliate.Millis{1755648000000, 1756103438000}
	if _, err := c.Commissions(t.Context(), CommissionQuery{Product: affiliate.Futures, Start: window[0], End: window[1]}); err != nil {
		t.Fatal(err)
	}
	now = time.UnixMilli(1756084752479) // the exchange's clock changes with it
	if _, err := c.SubAffiliateDays(t.Context(), SubAffiliateQuery{UID: "6424873609", Product: affiliate.Futures, Start: window[0], End: window[1]}); err != nil {
		t.Fatal(err)
	}
	want := []string{"Jp1NHArcZKvm/rj24/8ld+SEsoPr3rqOyz85RAU2aUM=", "QCQqnyJCTI3b+nsB2ewUyq2tXQjx+39S1AEEWiYZ2gE="}
	for i, r := range f.seen() {
		if got := r.header.Get("ACCESS-SIGN"); got != want[i] {
			t.Errorf("call %d: %s?%s %s signed %s, want %s", i, r.path, r.query, r.body, got, want[i])
		}
	}
}

// Every try has a separate timestamp, in milliseconds, and its signature covers the
// request that arrived.
func TestEveryTryIsSignedAgain(t *testing.T) {
	f := serve(t, says(500, `{}`), says(502, `<html>`), says(200, goodPage))
	tick := time.UnixMilli(1756103438804)
	c := dial(t, f, func(cfg *exchange.Config) {
		cfg.Now = func() time.Time { tick = tick.Add(time.Second); return tick }
	})
	if _, err := c.Commissions(t.Context(), CommissionQuery{UID: "42"}); err != nil {
		t.Fatal(err)
	}
	stamps := map[string]bool{}
	for _, r := range f.seen() {
		stamp := r.header.Get("ACCESS-TIMESTAMP")
		if _, err := strconv.ParseInt(stamp, 10, 64); err != nil || len(stamp) != 13 {
			t.Errorf("timestamp %q is not 13 digits", stamp)
		}
		if want := Sign(canarySecret, stamp, r.method, r.path, r.query, r.body); r.header.Get("ACCESS-SIGN") != want {
			t.Errorf("the signature does not cover what arrived: %s?%s at %s", r.path, r.query, stamp)
		}
		stamps[stamp] = true
	}
	if len(stamps) != 3 {
		t.Errorf("%d timestamps in 3 tries", len(stamps))
	}
}

func TestHeaders(t *testing.T) {
	f := serve(t, says(200, goodPage), says(200, `{"code":"00000","data":1756103438804}`))
	c := dial(t, f, func(cfg *exchange.Config) { cfg.Locale, cfg.UserAgent = "de-DE", "rebatedesk/1.2" })
	if _, err := c.Commissions(t.Context(), CommissionQuery{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ServerTime(t.Context()); err != nil {
		t.Fatal(err)
	}
	signed, open := f.seen()[0].header, f.seen()[1].header
	for name, want := range map[string]string{
		"ACCESS-KEY": canaryKey.Reveal(), "ACCESS-PASSPHRASE": canaryPassphrase.Reveal(),
		"Content-Type": "application/json", "locale": "de-DE", "User-Agent": "rebatedesk/1.2",
	} {
		if got := signed.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if open.Get("User-Agent") != "rebatedesk/1.2" {
		t.Errorf("a public call has the user agent %q", open.Get("User-Agent"))
	}
	for _, h := range []http.Header{signed, open} {
		if _, there := h["Idempotency-Key"]; there {
			t.Error("an Idempotency-Key makes net/http send twice")
		}
	}
	for name := range open {
		if len(name) > 6 && name[:6] == "Access" {
			t.Errorf("a public call has the header %s", name)
		}
	}
}
