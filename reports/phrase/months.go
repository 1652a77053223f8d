package phrase

import (
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/months"
	"rebatedesk/store/closings"
)

// MonthName names a month.
func MonthName(first affiliate.Day) string { return first.Format("January 2006") }

// unsettled says what days of some streams of an account lack before their month can be closed,
// and what mends it. The days, the kind and the cause are those of the first.
func unsettled(l coverage.UnsettledDays, streams []affiliate.Stream, zone *time.Location) string {
	var names []string
	for _, s := range streams {
		names = append(names, Stream(s))
	}
	words := DaysIn(l.Days, time.UTC) + " of " + affiliate.OneLine(string(l.Account)) + ": " + Listed(names) + " "
	again := " webapp collect --since " + l.Days.First.String()
	switch l.Kind {
	case coverage.UnsettledMissing:
		words += "are not collected"
		if l.Cause != "" {
			words += " (" + Because(l.Cause) + ")"
		}
		return Sentence(words + ". Collect now, or run" + again)
	case coverage.UnsettledUnreadable:
		return Sentence(words + "are incomplete (" + Foreign(l.Cause) + "), until the exchange sends right what could not be read; the page Data shows it. It is asked for again every hour, or now with" + again)
	case coverage.UnsettledEarly:
		return Sentence(words + "may still change. They settle with the first collection after " + Clock(l.Until.Time(), zone))
	case coverage.UnsettledUnread:
		return Sentence(words + "were not read again since the exchange has stopped changing them. Collect now, or run" + again)
	}
	return Sentence(words + "changed in the last reading, and no other has confirmed it. They are read again a day later, or now with" + again)
}

// mostLacks is how many things a month lacks are listed.
const mostLacks = 8

// MonthLacks says what a month lacks before it can be closed, a sentence each.
func MonthLacks(first affiliate.Day, r months.Readiness, zone *time.Location) (list []string) {
	name := MonthName(first)
	switch {
	case r.Accounts == 0:
		return []string{"Nothing was ever collected: run webapp collect first."}
	case !r.Over:
		end := months.DaysOf(first).Range(zone).To
		return []string{name + " is not over. It can be closed from " + Clock(end.Add(affiliate.Settling), zone) + " on, once all of it is collected and settled."}
	}
	type group struct {
		account affiliate.Account
		kind    coverage.UnsettledKind
		days    affiliate.Days
		cause   string
	}
	of := map[group]int{}
	var alike [][]affiliate.Stream
	var firsts []coverage.UnsettledDays
	for _, lack := range r.Lacks {
		key := group{lack.Account, lack.Kind, lack.Days, lack.Cause}
		if _, known := of[key]; !known {
			of[key] = len(alike)
			alike, firsts = append(alike, nil), append(firsts, lack)
		}
		alike[of[key]] = append(alike[of[key]], lack.Stream)
	}
	for i, lack := range firsts {
		if i == mostLacks {
			return append(list, "More days lack something, in "+Things(len(firsts)-i, "range")+" of days; the page Data shows all.")
		}
		list = append(list, unsettled(lack, alike[i], zone))
	}
	return list
}

// MonthProof says why a month is complete, a sentence each.
func MonthProof(first affiliate.Day, r months.Readiness) []string {
	days := months.DaysOf(first)
	list := []string{"All " + Things(days.Len(), "day") + " of " + MonthName(first) + " are collected and settled."}
	var verified, settled, beyond int
	for _, s := range r.Streams {
		if s.Stream.Kind == affiliate.Commissions {
			verified, settled = verified+s.Verified, settled+s.Settled
		}
		beyond += s.Beyond
	}
	switch {
	case settled == 0:
	case verified == 0:
		list = append(list, "Each day of commissions was read after the exchange had stopped changing it; no second reading has confirmed them.")
	case verified >= settled:
		list = append(list, "Each day of commissions was found the same by two readings in a row.")
	default:
		list = append(list, Count(verified)+" of "+Things(settled, "day")+" of commissions were found the same by two readings in a row; the others were read once, after the exchange had stopped changing them.")
	}
	if beyond > 0 {
		list = append(list, "The exchange does not give "+Things(beyond, "day")+" of other streams.")
	}
	return list
}

// MonthSums lists the commission of a month by coin: as closed, now, or what was added since.
func MonthSums(coins []months.MonthCoin, of func(*months.MonthCoin) affiliate.Sum, signed bool) string {
	var parts []string
	for i := range coins {
		sum := of(&coins[i])
		amount := affiliate.Amount{Value: sum.Decimal(), Coin: coins[i].Coin}
		switch {
		case !signed:
			parts = append(parts, amount.String())
		case !amount.Value.IsZero():
			parts = append(parts, WithSign(amount.Value, amount.String()))
		}
	}
	if len(parts) == 0 && !signed {
		return "no commission"
	}
	return Listed(parts)
}

// MonthTotal says what is known of a month now: converted if it is of several coins, and at what prices.
func MonthTotal(m *months.Line, zone *time.Location) string {
	if m.Converted() {
		return m.Worth.Amount().String() + " (" + Things(len(m.Coins), "coin") + ", converted" + OtherPrices(m.Worth, zone) + ")"
	}
	return MonthSums(m.Coins, func(c *months.MonthCoin) affiliate.Sum { return c.Now.Commission }, false)
}

// MonthClosed says at which sums a month is closed, and what became known since. What has not changed
// since is told as of now, in one coin.
func MonthClosed(m *months.Line, zone *time.Location) string {
	words := MonthName(m.First()) + " is closed"
	if !m.Closing.Complete {
		words += " incomplete"
	}
	at := MonthSums(m.Coins, func(c *months.MonthCoin) affiliate.Sum { return c.Closed.Commission }, false)
	if MonthSums(m.Coins, func(c *months.MonthCoin) affiliate.Sum { return c.After() }, true) == "" {
		at = MonthTotal(m, zone)
	}
	return words + " at " + at + "; " + MonthAfter(m.Coins)
}

// MonthAfter says how the sums of a month changed since it was closed, as the end of a sentence.
func MonthAfter(coins []months.MonthCoin) string {
	change := MonthSums(coins, func(c *months.MonthCoin) affiliate.Sum { return c.After() }, true)
	if change == "" {
		return "its sums have not changed since."
	}
	return "since then it changed by " + change + "."
}

// ClosedBy says who closed a month, and when.
func ClosedBy(c *closings.Closing, zone *time.Location) string {
	words := "closed "
	if !c.Complete {
		words = "closed incomplete "
	}
	return words + Clock(c.Closed.Time(), zone) + " by " + actorOf(c.Actor)
}

func actorOf(name string) string {
	if name = affiliate.OneLine(name); strings.TrimSpace(name) == "" {
		return "nobody named"
	}
	return name
}
