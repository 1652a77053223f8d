package charts

import (
	"fmt"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

const (
	tipDay  = "Mon, 2 Jan 2006"
	unknown = "—"
)

// tips writes the tooltips, in the words of the tables.
func tips(d reports.DailySeries) []Tip {
	tips := make([]Tip, len(d.Days))
	for i := range d.Days {
		tips[i] = Tip{Title: tipTitle(d, i), Values: tipValues(d, i)}
	}
	return tips
}

// tipTitle is the day, its total, and what keeps that from being final.
func tipTitle(d reports.DailySeries, i int) string {
	title := d.Days[i].Format(tipDay)
	if !d.Unread(i) {
		title += " · " + amount(d, d.Total[i])
	}
	if d.State[i] != reports.DayCollected {
		title += " · " + string(d.State[i])
	}
	return title
}

func tipValues(d reports.DailySeries, i int) []string {
	values := []string{}
	for _, part := range d.Parts {
		if d.Unread(i) {
			values = append(values, unknown)
		} else {
			values = append(values, amount(d, part.Values[i]))
		}
	}
	switch {
	case i >= len(d.Reference):
	case d.RefKnown[i]:
		values = append(values, amount(d, d.Reference[i])+" on "+d.RefDays[i].Format("2 Jan 2006"))
	default:
		values = append(values, unknown)
	}
	return values
}

func amount(d reports.DailySeries, v decimal.Decimal) string {
	return affiliate.Amount{Value: v, Coin: d.Coin}.String()
}

// Describe says in words what the chart shows, for those who do not see it.
func Describe(d reports.DailySeries) string {
	if len(d.Days) == 0 {
		return "No days to draw."
	}
	total, best, unread := decimal.Zero, 0, 0
	for i, v := range d.Total {
		total = total.Add(v)
		if v.GreaterThan(d.Total[best]) {
			best = i
		}
		if d.Unread(i) {
			unread++
		}
	}
	text := fmt.Sprintf("Commission per day from %s to %s: %s in all, most on %s with %s.",
		d.Days[0].Format(tipDay), d.Days[len(d.Days)-1].Format(tipDay), amount(d, total), d.Days[best].Format(tipDay), amount(d, d.Total[best]))
	if unread > 0 {
		text += fmt.Sprintf(" %d of %d days are not collected.", unread, len(d.Days))
	}
	return text + " The table below holds every figure."
}
