package rates

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Course is the share of fees that was paid and the one that was due, over time, of the invitees
// and products that findings are about.
type Course struct {
	figures.Lines // the share that was due, and the one that was paid
	Coin          affiliate.Coin
	Invitees      int  // that are drawn
	All           bool // no invitee of the findings is left out
}

// Names of the curves of a [Course].
const (
	CourseDue  = "due"
	CoursePaid = "paid"
)

// mostDrawn is how many invitees are read for a course.
const mostDrawn = 50

// mostDaySteps is how many days are drawn one by one.
const mostDaySteps = 124

// courseKey names the records that findings are about.
type courseKey struct {
	sums.InviteeKey
	product affiliate.Product
	source  affiliate.Source
}

// courseOf returns the course of findings in the coin with most of their records.
func courseOf(ctx context.Context, q *snapshot.Snapshot, list []Deviation) (Course, error) {
	counts := map[affiliate.Coin]int64{}
	c := Course{All: true}
	for i := range list {
		for _, cost := range list[i].Costs {
			counts[cost.Coin] += cost.Records
		}
	}
	for coin, n := range counts {
		if most := counts[c.Coin]; n > most || n == most && coin < c.Coin {
			c.Coin = coin
		}
	}
	lines := map[courseKey][]*Line{}
	losses := map[sums.InviteeKey]decimal.Decimal{}
	for i := range list {
		for n := range list[i].Lines {
			if l := &list[i].Lines[n]; l.Coin == c.Coin {
				key := courseKey{l.InviteeKey, l.Product, l.Source}
				lines[key] = append(lines[key], l)
				losses[l.InviteeKey] = losses[l.InviteeKey].Add(l.Difference().Abs())
			}
		}
	}
	if len(losses) == 0 {
		return c, nil
	}
	people := make([]sums.InviteeKey, 0, len(losses))
	for key := range losses {
		people = append(people, key)
	}
	slices.SortFunc(people, func(a, b sums.InviteeKey) int {
		if worth := losses[b].Cmp(losses[a]); worth != 0 {
			return worth
		}
		return courseKey{InviteeKey: a}.compare(courseKey{InviteeKey: b})
	})
	if len(people) > mostDrawn {
		people, c.All = people[:mostDrawn], false
	}
	c.Invitees = len(people)
	days, err := sums.ByInviteeDay(ctx, q.Tx, q.Filter(), people)
	if err != nil {
		return c, err
	}
	c.draw(q.Days, lines, days)
	return c, nil
}

func (k courseKey) compare(o courseKey) int {
	return seriesKey{InviteeKey: k.InviteeKey}.compare(seriesKey{InviteeKey: o.InviteeKey})
}

// draw adds up the days by step. What is due of a day is what was paid, less the difference.
func (c *Course) draw(days affiliate.Days, lines map[courseKey][]*Line, of map[sums.InviteeKey][]sums.DaySums) {
	c.Of, c.Unit = "Share of fees", "%"
	c.Steps = steps(days)
	due, paid := make([]figures.Totals, len(c.Steps)), make([]figures.Totals, len(c.Steps))
	for person, list := range of {
		for n := range list {
			d := &list[n]
			key := courseKey{person, d.Product, d.Source}
			if d.Coin != c.Coin || len(lines[key]) == 0 {
				continue
			}
			at, found := slices.BinarySearchFunc(c.Steps, d.Day, func(step affiliate.Days, day affiliate.Day) int {
				switch {
				case step.Last < day:
					return -1
				case step.First > day:
					return 1
				}
				return 0
			})
			if !found {
				continue
			}
			fee, commission := d.Fee.Decimal(), d.Commission.Decimal()
			paid[at].Fee, paid[at].Commission = paid[at].Fee.Add(fee), paid[at].Commission.Add(commission)
			due[at].Fee, due[at].Commission = due[at].Fee.Add(fee), due[at].Commission.Add(dueOf(lines[key], d.Day, fee, commission))
		}
	}
	for _, part := range []struct {
		name   string
		totals []figures.Totals
	}{{CourseDue, due}, {CoursePaid, paid}} {
		curve := figures.Curve{Name: part.name, Values: make([]decimal.Decimal, len(c.Steps)), Known: make([]bool, len(c.Steps))}
		for i, t := range part.totals {
			rate := t.Rate()
			curve.Values[i], curve.Known[i] = rate.Percent, rate.Known
		}
		c.Parts = append(c.Parts, curve)
	}
}

// dueOf returns what was due of the records of a day: by the newest line that has the day, or what
// was paid if none has it.
func dueOf(lines []*Line, day affiliate.Day, fee, commission decimal.Decimal) decimal.Decimal {
	var newest *Line
	for _, l := range lines {
		if l.Days.First <= day && day <= l.Days.Last && (newest == nil || l.Days.First > newest.Days.First) {
			newest = l
		}
	}
	if newest == nil {
		return commission
	}
	return affiliate.Times(fee, newest.Agreed)
}

// steps divides days into days or, if they are many, into months.
func steps(days affiliate.Days) (list []affiliate.Days) {
	for first := days.First; first <= days.Last; first = list[len(list)-1].Last + 1 {
		step := affiliate.Days{First: first, Last: first}
		if days.Len() > mostDaySteps {
			step.Last = min(monthOf(monthOf(first)+31)-1, days.Last)
		}
		list = append(list, step)
	}
	return list
}
