package phrase

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/payments"
)

func TestPaymentFault(t *testing.T) {
	day := affiliate.NewDay(2026, time.October, 12).Start(time.UTC)
	bill := func(after time.Duration, amount affiliate.Number) books.Bill {
		return books.Bill{Account: "main", Bill: affiliate.Bill{Amount: amount, Created: affiliate.MillisOf(day.Add(after))}}
	}
	line := func(state books.State, kind books.Kind, earned, whenPaid affiliate.Number, bills ...books.Bill) payments.PaymentLine {
		l := books.Line{From: affiliate.MillisOf(day), To: affiliate.MillisOf(day.Add(24 * time.Hour)), Account: "main", Coin: "USDT", Kind: kind,
			Due: affiliate.MillisOf(day.Add(33 * time.Hour)), State: state, Bills: bills}
		l.Earned.Add(earned)
		l.WhenPaid.Add(whenPaid)
		for _, b := range bills {
			l.Paid.Add(b.Amount)
		}
		return payments.PaymentLine{Line: l}
	}
	for want, l := range map[string]payments.PaymentLine{
		"main, 12 Oct 2026 (UTC), USDT of direct invitees: 10.00 USDT earned and not paid, due on 13 Oct 2026 09:00 UTC": line(books.Missing, books.Direct, "10", "10"),
		"main, 12 Oct 2026 (UTC), USDT of sub-agents: 10.00 USDT paid, all that was earned then; the exchange raised it to 12.50 USDT later, and the 2.50 USDT between are not paid, due on 13 Oct 2026 09:00 UTC": line(
			books.Short, books.Sub, "12.5", "10", bill(32*time.Hour, "10")),
		"main, 12 Oct 2026 (UTC), USDT of sub-agents: 10.00 USDT paid of 12.50 USDT earned, 2.50 USDT are short, due on 13 Oct 2026 09:00 UTC. " +
			"The exchange raised what was earned by 1.50 USDT after it had paid": line(books.Short, books.Sub, "12.5", "11", bill(32*time.Hour, "10")),
		"main, 12 Oct 2026 (UTC), USDT: 10.00 USDT paid for 9.00 USDT earned, the last time on 13 Oct 2026 08:00 UTC. The exchange lowered what it had paid by 1.00 USDT": line(
			books.Over, books.All, "9", "10", bill(32*time.Hour, "10")),
		"main, 12 Oct 2026 (UTC), USDT: 10.00 USDT paid 2 days 1 hour late, on 15 Oct 2026 10:10 UTC": line(books.Late, books.All, "10", "10", bill(82*time.Hour+10*time.Minute, "10")),
		"main, 12 Oct 2026 (UTC), USDT: 10.00 USDT earned and paid twice, the last time on 13 Oct 2026 08:20 UTC": line(books.Twice, books.All, "10", "10",
			bill(32*time.Hour, "10"), bill(32*time.Hour+20*time.Minute, "10")),
	} {
		if got := PaymentFault(l, false, time.UTC); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
