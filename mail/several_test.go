package mail

import (
	"net/url"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
)

// A summary of several coins, codes and products has the figures of each of them and of
// no other, and its link has the same filters.
func TestSeveralOfAKind(t *testing.T) {
	t.Parallel()
	d := collected(t, mailer.Server{})
	totals := func(change func(*outbox.Subscription)) map[affiliate.Coin]affiliate.Number {
		t.Helper()
		sum, err := d.summary(t.Context(), planned(t, change), dispatch.Daily.Of(first))
		if err != nil {
			t.Fatal(err)
		}
		of := map[affiliate.Coin]affiliate.Number{}
		for _, total := range sum.Totals {
			of[total.Coin] = total.Commission
		}
		return of
	}
	all := totals(nil)
	if len(all) != 2 {
		t.Fatalf("of all coins: %v", all)
	}
	for name, c := range map[string]struct {
		several func(*outbox.Subscription)
		each    []func(*outbox.Subscription)
	}{
		"coins": {func(s *outbox.Subscription) { s.Coin = "BTC, USDT" },
			[]func(*outbox.Subscription){func(s *outbox.Subscription) { s.Coin = "BTC" }, func(s *outbox.Subscription) { s.Coin = "USDT" }}},
		"products": {func(s *outbox.Subscription) { s.Product = "SPOT,FUTURES" },
			[]func(*outbox.Subscription){func(s *outbox.Subscription) { s.Product = affiliate.Spot }, func(s *outbox.Subscription) { s.Product = affiliate.Futures }}},
		"codes": {func(s *outbox.Subscription) { s.Code = "VIP,<b>&amp;,nobody" },
			[]func(*outbox.Subscription){func(s *outbox.Subscription) { s.Code = "vip" }, func(s *outbox.Subscription) { s.Code = "<b>&amp;" }}},
		"one of them": {func(s *outbox.Subscription) { s.Coin, s.Code = "BTC,DOGE", "nobody,vip" },
			[]func(*outbox.Subscription){func(s *outbox.Subscription) { s.Coin, s.Code = "BTC", "vip" }}},
	} {
		sums := map[affiliate.Coin]*affiliate.Sum{}
		for _, one := range c.each {
			for coin, amount := range totals(one) {
				if sums[coin] == nil {
					sums[coin] = new(affiliate.Sum)
				}
				sums[coin].Add(amount)
			}
		}
		got := totals(c.several)
		for coin, sum := range sums {
			if !got[coin].Decimal().Equal(affiliate.Number(sum.AppendTo(nil)).Decimal()) {
				t.Errorf("%s: %s %s, want %s", name, got[coin], coin, sum.AppendTo(nil))
			}
		}
		if len(got) != len(sums) {
			t.Errorf("%s: %v", name, got)
		}
	}
	sc := planned(t, func(s *outbox.Subscription) { s.Coin, s.Code = "BTC, USDT", "vip,new" })
	sum, err := d.summary(t.Context(), sc, dispatch.Daily.Of(first))
	if err != nil {
		t.Fatal(err)
	}
	link, err := url.Parse(sum.Link)
	if q := link.Query(); err != nil || strings.ReplaceAll(q.Get("coin"), " ", "") != "BTC,USDT" || q.Get("code") != "vip,new" {
		t.Errorf("the link is %s", sum.Link)
	}
	if !strings.Contains(strings.Join(sum.Notes, " "), "Only BTC and USDT, invite codes vip and new.") {
		t.Errorf("the notes are %q", sum.Notes)
	}
}
