package charts

import (
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
)

const (
	tipDay  = "Mon, 2 Jan 2006"
	plain   = "2 Jan 2006"
	clock   = "15:04"
	offset  = "-07:00"
	unknown = "—"
)

// tips writes the tooltips in the same words as the tables.
func (p plot) tips() []Tip {
	tips := make([]Tip, len(p.Days))
	for i := range p.Days {
		tips[i] = Tip{Title: p.tipTitle(i), Values: p.tipValues(i)}
		if p.Hours == nil {
			tips[i].From, tips[i].To = p.Spans[i].First.String(), p.Spans[i].Last.String()
		}
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
	switch state := p.State[i]; {
	case state == coverage.DayRunning:
		title += " · so far"
	case state != coverage.DayCollected:
		title += " · " + string(state)
	}
	for _, a := range p.notes(i) {
		title += "\n" + notedSign + " " + affiliate.OneLine(a.String())
	}
	return title
}

// name returns the hour, the day or the week of a column.
func (p plot) name(i int) string {
	switch p.Period {
	case "hour":
		return p.Days[i].Format(tipDay) + ", " + HourWords(p.Hours, i)
	case "week":
		return spanWords(p.Spans[i])
	}
	return p.Days[i].Format(tipDay)
}

// HourWords names an hour of a list, with its offset where clocks change during the day.
func HourWords(hours []affiliate.Range, i int) string {
	form := clock
	for _, hour := range hours {
		if !hour.Empty() && hour.From.Format(offset) != hours[i].To.Format(offset) {
			form = "15:04 MST"
		}
	}
	return hours[i].From.Format(clock) + "–" + hours[i].To.Format(form)
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
			values = append(values, p.amount(part.Values[i])+p.shareOf(part, i))
		} else {
			values = append(values, unknown)
		}
	}
	switch {
	case i >= len(p.Reference):
	case p.RefKnown[i]:
		values = append(values, p.amount(p.Reference[i])+", "+p.refName(i)+p.tipChange(i))
	default:
		values = append(values, unknown)
	}
	return values
}

// refName returns the compared hour, day or week of a column.
func (p plot) refName(i int) string {
	if p.RefHours != nil {
		return p.RefDays[i].Format(plain) + ", " + p.RefHours[i].From.Format(clock)
	}
	return spanWords(p.RefSpans[i])
}

// tipChange compares a column with its reference. A column that is not over is not compared.
func (p plot) tipChange(i int) string {
	if p.State[i] != coverage.DayCollected {
		return ""
	}
	return " · " + phrase.Change(figures.ChangeOf(p.Coin, p.Total[i], p.Reference[i])).String()
}

// shareOf returns the share of a part in its column, if it has others.
func (p plot) shareOf(part figures.SeriesPart, i int) string {
	if len(p.Parts) < 2 {
		return ""
	}
	var whole figures.Portions
	for _, other := range p.Parts {
		if !p.State[i].Tells(other.Values[i]) {
			return "" // an unknown part may be most of the whole
		}
		whole.Add(other.Values[i])
	}
	if share := whole.Share(part.Values[i]); share.Known && !share.OfPositive {
		return " · " + phrase.Percent(share.Percent)
	}
	return ""
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

// UnitOf names the unit of a series; empty: it is not stated.
func UnitOf(d figures.DailySeries) string {
	if d.Unit != "" {
		return d.Unit
	}
	return string(d.Coin)
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
		p.Spans[0].First.Format(tipDay), p.Spans[len(p.Spans)-1].Last.Format(tipDay), p.amount(total), p.name(best), p.amount(p.Total[best]))
	if p.Hours != nil {
		text = fmt.Sprintf("%s per hour on %s: %s in all, most from %s to %s with %s.", Subject(p.DailySeries), p.Days[0].Format(tipDay),
			p.amount(total), p.Hours[best].From.Format(clock), p.Hours[best].To.Format(clock), p.amount(p.Total[best]))
	}
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
