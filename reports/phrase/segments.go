package phrase

import (
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/segments"
	stored "rebatedesk/store/segments"
)

// SegmentConditions says whom a definition selects: "code VIP, silent, registered in the last 30
// days". It names each condition once.
func SegmentConditions(d segments.Definition) string {
	var parts []string
	add := func(before, value string) {
		if value != "" {
			parts = append(parts, strings.TrimSpace(before+" "+affiliate.OneLine(value)))
		}
	}
	q := d.Query
	add("account", string(q.Account))
	add("code", strings.Join(affiliate.Choices(q.Code), " or "))
	add("tag", q.Tag)
	add("owner", d.Owner)
	add("", stateNames[q.State])
	add("KYC", map[string]string{"true": "passed", "false": "not passed", query.KYCUnknown: "not known"}[q.KYC])
	add("UID", string(q.UID))
	add("found by", q.Text)
	add("registered", rangeOf(d.RegisteredIn))
	if d.FirstTrade == "yes" {
		add("", "has traded")
	} else if d.FirstTrade == "no" {
		add("", "has never traded")
	}
	if d.Silent > 0 {
		add("", "no trade for "+Things(d.Silent, "day")+" or more")
	}
	if d.RiskLeast != "" {
		add("", "at least "+string(d.RiskLeast)+" USDT at risk, converted")
	}
	if d.HasDays() {
		parts = append(parts, inDays(d))
	}
	return strings.Join(parts, ", ")
}

// mostUses is how many schedules and how many alerts are named before the rest is counted.
const mostUses = 3

// SegmentUses names what uses a segment: "the schedule “Morning”, 2 goals and 1 saved view". It is
// empty if nothing does.
func SegmentUses(u stored.Uses) string {
	var parts []string
	add := func(noun string, names []string) {
		for _, name := range names[:min(mostUses, len(names))] {
			parts = append(parts, "the "+noun+" “"+affiliate.OneLine(name)+"”")
		}
		if rest := len(names) - mostUses; rest > 0 {
			parts = append(parts, Things(rest, "other "+noun))
		}
	}
	add("schedule", u.Schedules)
	add("alert", u.Alerts)
	if u.Goals > 0 {
		parts = append(parts, Things(u.Goals, "goal"))
	}
	if u.Views > 0 {
		parts = append(parts, Things(u.Views, "saved view"))
	}
	return Listed(parts)
}

// stateNames name the states of invitees inside a sentence.
var stateNames = map[string]string{
	"new": "new", "active": "active", "slowing": "slowing", "silent": "silent", "never-traded": "never traded", "traded": "traded in the days", "at-risk": "at risk, stopped",
	"vanished": "no longer listed", "beyond-reach": "listed too long ago", "commission-only": "known from commission only",
}

// inDays says what members traded or brought in the days of a definition.
func inDays(d segments.Definition) string {
	q := d.Query
	var kinds []string
	for _, product := range affiliate.Choices(q.Product) {
		kinds = append(kinds, product.Label())
	}
	if q.Symbol != "" {
		kinds = append(kinds, affiliate.OneLine(q.Symbol))
	}
	if q.Source != "" {
		kinds = append(kinds, strings.ToLower(q.Source.Label()))
	}
	of := strings.Join(kinds, ", ")
	coins := strings.Join(affiliate.Choices(string(q.Coin)), " or ")
	var parts []string
	if d.Commission != (segments.AmountBounds{}) {
		parts = append(parts, "commission "+bounds(d.Commission, coins))
	} else if coins != "" {
		parts = append(parts, "commission in "+coins)
	}
	if d.Volume != (segments.AmountBounds{}) {
		parts = append(parts, "volume "+bounds(d.Volume, "in the quote currency"))
	}
	if len(parts) == 0 {
		parts = append(parts, "commission")
	}
	words := strings.Join(parts, ", ")
	if of != "" {
		words += " from " + of
	}
	days := rangeOf(string(q.Range))
	if q.Range == query.Custom {
		days = "from " + Period(q.Days)
	}
	return words + " " + days
}

func bounds(b segments.AmountBounds, unit string) string {
	var parts []string
	if b.Least != "" {
		parts = append(parts, "of at least "+string(b.Least))
	}
	if b.Most != "" {
		parts = append(parts, "of at most "+string(b.Most))
	}
	return strings.Join(parts, " and ") + " " + unit
}

// rangeOf names a relative range, or two days, inside a sentence.
func rangeOf(name string) string {
	if name == "" {
		return ""
	}
	if first, last, ok := strings.Cut(name, ".."); ok {
		return strings.TrimSpace("from " + first + " to " + last)
	}
	switch of := query.RangeName(name); of {
	case query.Today, query.Yesterday, query.AllTime:
		return Lowered(of.Label())
	case query.MonthTo, query.QuarterTo, query.YearTo:
		return "in the " + Lowered(of.Label())
	case query.LastMonth:
		return "in the last month"
	default:
		return "in the " + Lowered(of.Label())
	}
}
