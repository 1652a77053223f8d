package charts

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
)

const (
	tipDay  = "Mon, 2 Jan 2006"
	plain   = "2 Jan 2006"
	unknown = "—"
)

// tips writes the tooltips in the same words as the tables.
func (p plot) tips() []Tip {
	tips := make([]Tip, len(p.Days))
	for i := range p.Days {
		tips[i] = Tip{Title: p.tipTitle(i), Values: p.tipValues(i), From: p.spans[i].First.String(), To: p.spans[i].Last.String()}
	}
	return tips
}

// tipTitle returns the days of a column, their total, and the reason why the total is
// not final.
func (p plot) tipTitle(i int) string {
	title := p.name(i)
	if p.State[i].Tells(p.Total[i]) {
		title += " · " + p.amount(p.Total[i])
	}
	if p.State[i] != coverage.DayCollected {
		title += " · " + string(p.State[i])
	}
	for _, a := range p.notes(i) {
		title += "\n" + notedSign + " " + affiliate.OneLine(a.String())
	}
	return title
}

// name returns the day or the week of a column.
func (p plot) name(i int) string {
	if p.Period == "week" {
		return spanWords(p.spans[i])
	}
	return p.Days[i].Format(tipDay)
}

func spanWords(days affiliate.Days) string {
	if days.First == days.Last {
		return days.First.Format(plain)
	}
	return days.First.Format(plain) + " – " + days.Last.Format(plain)
}

func (p plot) tipValues(i int) []string {
	values := []string{}
	for _, part := range p.Parts {
		if p.State[i].Tells(part.Values[i]) {
			values = append(values, p.amount(part.Values[i]))
		} else {
			values = append(values, unknown)
		}
	}
	switch {
	case i >= len(p.Reference):
	case p.RefKnown[i]:
		values = append(values, p.amount(p.Reference[i])+", "+spanWords(p.refSpans[i]))
	default:
		values = append(values, unknown)
	}
	return values
}

func (p plot) amount(v decimal.Decimal) string {
	return affiliate.Amount{Value: v, Coin: p.Coin}.String()
}

// Subject names what a series measures.
func Subject(d figures.DailySeries) string {
	if d.Of == "" {
		return "Commission"
	}
	return d.Of
}

// DescribeDaily describes the chart in words for users who do not see it.
func DescribeDaily(d figures.DailySeries) string { return plotOf(d).describe() }

func (p plot) describe() string {
	if len(p.Days) == 0 {
		return "No days to draw."
	}
	total, best, unread, partial := decimal.Zero, 0, 0, 0
	for i, v := range p.Total {
		total = total.Add(v)
		if v.GreaterThan(p.Total[best]) {
			best = i
		}
		switch {
		case !p.State[i].Tells(v):
			unread++
		case IsPartial(p.DailySeries, i):
			partial++
		}
	}
	text := fmt.Sprintf("%s per %s from %s to %s: %s in all, most on %s with %s.", Subject(p.DailySeries), p.Period,
		p.spans[0].First.Format(tipDay), p.spans[len(p.spans)-1].Last.Format(tipDay), p.amount(total), p.name(best), p.amount(p.Total[best]))
	if unread > 0 {
		text += fmt.Sprintf(" Not collected: %d of %d %ss.", unread, len(p.Days), p.Period)
	}
	if partial > 0 {
		text += fmt.Sprintf(" Collected in part: %d of %d %ss.", partial, len(p.Days), p.Period)
	}
	for i, a := range p.Annotations {
		if i == mostNoted {
			text += fmt.Sprintf(" And %d annotations more.", len(p.Annotations)-i)
			break
		}
		text += fmt.Sprintf(" Annotated on %s: %s.", spanWords(a.Days), strings.TrimRight(a.String(), "."))
	}
	return text + " The table below holds every figure."
}
