package phrase

import (
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/payments"
)

// PayoutRule says in a sentence when the exchange pays, and by which sums: "Paid daily, about 8
// hours after the day ends, direct commissions and those of sub-agents apart".
func PayoutRule(r books.Rule) string {
	kinds := "direct commissions and those of sub-agents apart"
	if r.Together {
		kinds = "direct commissions and those of sub-agents in one sum"
	}
	return "Paid " + paidEvery[r.Period] + ", " + payoutDelay(r.Delay, r.Period) + ", " + kinds
}

var paidEvery = map[books.Period]string{books.Hour: "hourly", books.Day: "daily", books.Week: "weekly", books.Month: "monthly"}

func payoutDelay(delay time.Duration, period books.Period) string {
	if delay == 0 {
		return "as soon as the " + string(period) + " ends"
	}
	return "about " + LongSpan(delay) + " after the " + string(period) + " ends"
}

// LongSpan prints a duration in whole units: "8 hours", "1 day 12 hours", "90 minutes".
func LongSpan(d time.Duration) string {
	var parts []string
	if days := d / (24 * time.Hour); days > 0 {
		parts, d = append(parts, Things(int64(days), "day")), d%(24*time.Hour)
	}
	switch {
	case d == 0 && len(parts) > 0:
	case d%time.Hour == 0:
		parts = append(parts, Things(int64(d/time.Hour), "hour"))
	default:
		parts = append(parts, Things(int64((d+time.Minute/2)/time.Minute), "minute"))
	}
	return strings.Join(parts, " ")
}

// PaymentPeriod names the period that a line of the books is about, in UTC: "12 Oct 2026",
// "5–11 Oct 2026", "October 2026", "12 Oct 2026 14:00–15:00". A payment without a period has
// the time at which it arrived.
func PaymentPeriod(from, to affiliate.Millis) string {
	if from == to {
		return from.Time().UTC().Format(dayForm + " 15:04")
	}
	first, last := affiliate.DayOf(from.Time(), time.UTC), affiliate.DayOf((to-1).Time(), time.UTC)
	begins, ends := affiliate.MillisOf(first.Start(time.UTC)), affiliate.MillisOf((last + 1).Start(time.UTC))
	days := affiliate.Days{First: first, Last: last}
	_, _, day := first.Date()
	_, _, after := (last + 1).Date()
	switch {
	case from != begins || to != ends:
		if first == last {
			return fmt.Sprintf("%s %s–%s", first.Format(dayForm), from.Time().UTC().Format("15:04"), to.Time().UTC().Format("15:04"))
		}
		return from.Time().UTC().Format(dayForm+" 15:04") + " – " + to.Time().UTC().Format(dayForm+" 15:04")
	case days.Len() > 27 && day == 1 && after == 1 && first.Format("2006-01") == last.Format("2006-01"):
		return first.Format("January 2006")
	}
	return Days(days)
}

// OnBalance says what the exchange owes on balance of some periods, such as "of October 2026": "On balance the
// exchange owes 12.50 USDT of October 2026."
func OnBalance(o payments.Owed, of string) string {
	if len(o.Coins) == 0 {
		if o.Unruled {
			return "What the exchange owes " + of + " is not known: there is no payout rule."
		}
		return "Nothing is due " + of + " yet."
	}
	list := o.Amounts()
	if worth := o.Worth; len(list) > 1 && worth.Known() && len(worth.Missing) == 0 {
		sum := worth.Amount()
		so := fmt.Sprintf(" (%s, converted)", Things(len(list), "coin"))
		if sum.Value.IsNegative() {
			return "On balance the exchange has paid ≈" + Space + affiliate.Amount{Value: sum.Value.Neg(), Coin: sum.Coin}.String() + " more than it owes " + of + so + "."
		}
		return "On balance the exchange owes ≈" + Space + sum.String() + " " + of + so + "."
	}
	var owes, over []string
	for _, a := range list {
		if a.Value.IsNegative() {
			over = append(over, affiliate.Amount{Value: a.Value.Neg(), Coin: a.Coin}.String())
		} else {
			owes = append(owes, a.String())
		}
	}
	switch {
	case len(list) == 0:
		return "On balance the exchange owes nothing " + of + "."
	case len(over) == 0:
		return "On balance the exchange owes " + Listed(owes) + " " + of + "."
	case len(owes) == 0:
		return "On balance the exchange has paid " + Listed(over) + " more than it owes " + of + "."
	}
	return "On balance the exchange owes " + Listed(owes) + " " + of + ", and has paid " + Listed(over) + " more than it owes."
}
