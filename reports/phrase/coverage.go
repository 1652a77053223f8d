package phrase

import (
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
)

// Coverage says how completely the range is known.
func Coverage(c coverage.Coverage, zone *time.Location) string {
	missing := c.Wanted - c.Collected
	unreadable, alone := c.Unreadable()
	switch {
	case c.Wanted == 0:
		return "Nothing of this range is to be read yet"
	case c.Complete() && c.Beyond > 0 && len(c.Limits) > 0:
		return "Complete up to " + Clock(c.Through.Time(), zone) + ", but for " + Things(c.Beyond, "day") + " that an exchange does not list"
	case c.Complete():
		return "Complete up to " + Clock(c.Through.Time(), zone)
	case c.Beyond == c.Wanted:
		return "Not all of this range was read while the exchange listed it"
	case alone:
		return "Complete but for " + Things(unreadable, "record") + " that could not be read"
	case c.Collected == 0:
		return fmt.Sprintf("None of %s collected yet", Things(c.Wanted, "day"))
	case missing > 0:
		return fmt.Sprintf("%d of %d days not collected", missing, c.Wanted)
	}
	return fmt.Sprintf("%d of %d days collected, with gaps", c.Collected, c.Wanted)
}

// Lack says how much of an incomplete range is collected, after a colon.
func Lack(c coverage.Coverage) string {
	switch {
	case c.Wanted == 0:
		return "nothing of it is to be read yet"
	case len(c.Gaps) == 0:
		return "not all of it was read"
	}
	if unreadable, alone := c.Unreadable(); alone {
		return Things(unreadable, "record") + " of it could not be read"
	}
	return fmt.Sprintf("%d of %d days are collected", c.Collected, c.Wanted)
}

// Stream names a stream: "Futures commissions".
func Stream(s affiliate.Stream) string {
	switch {
	case s.Kind == affiliate.SpotBills:
		return "spot bills"
	case s.Kind == affiliate.FundingBills:
		return "funding bills"
	case s.Product == "":
		return string(s.Kind)
	}
	return s.Product.Label() + " " + string(s.Kind)
}

// Refused says which streams a key may not read.
func Refused(streams []affiliate.Stream) string {
	names := make([]string, len(streams))
	for i, s := range streams {
		names[i] = Stream(s)
	}
	return "This key may not read " + Listed(names) + "."
}

// RefusedHint says what makes a refused stream readable.
const RefusedHint = "Add the permission to read them to the key in the exchange's settings, and they are read with the next run."

// Gaps names up to two gaps; the collection page names all.
func Gaps(gaps []coverage.Gap) string {
	const shown = 2
	var parts []string
	for i, gap := range gaps {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more", len(gaps)-shown))
			break
		}
		part := Stream(gap.Stream) + " " + Days(gap.Days)
		if gap.Quarantined > 0 {
			part += " (" + Things(gap.Quarantined, "record") + " that could not be read)"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}

// Gap names one gap with its account and the reason, as far as it is known.
func Gap(gap coverage.Gap) string {
	words := Stream(gap.Stream) + " of " + affiliate.OneLine(string(gap.Account)) + ", " + DaysIn(gap.Days, time.UTC)
	if gap.Reason != "" {
		words += ": " + Foreign(gap.Reason)
	}
	return words
}

// Missing says which days are missing, and until when none is.
func Missing(c coverage.Coverage, zone *time.Location) string {
	text := ""
	if len(c.Gaps) > 0 {
		text = "Missing: " + Gaps(c.Gaps) + "."
	}
	if c.Through.Known() {
		text += " Complete until " + Clock(c.Through.Time(), zone) + "."
	}
	return strings.TrimSpace(text)
}

// DayState says how much of a day is collected.
func DayState(state coverage.DayState) string {
	switch state {
	case coverage.DayCollected:
		return "all"
	case coverage.DayPartial:
		return "in part"
	}
	return "no"
}

// Empty says in a few words why a report of commission is empty.
func Empty(kind coverage.EmptyKind) string {
	switch kind {
	case coverage.EmptyTruly:
		return "No commission in this range"
	case coverage.EmptyFiltered:
		return "No record matches the filters"
	case coverage.EmptyFailed:
		return "The collection of these days failed"
	case coverage.EmptyThen:
		return "Not known then"
	case coverage.EmptyFuture:
		return "These days have not begun"
	case coverage.EmptyBefore:
		return "Before the collected history"
	}
	return "Not collected yet"
}
