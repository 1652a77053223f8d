package cohorts

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Cohort are the invitees who registered in one week or month.
type Cohort struct {
	Days     affiliate.Days // of registration: the part of Whole that lies in the range
	Whole    affiliate.Days // the week or month
	Invitees int64
	Unknown  string // why there may be more than Invitees; empty: all are known
	Cells    []Cell // by age, as many as have begun
}

// Cell is a cohort at one age.
type Cell struct {
	Days       affiliate.Days // the week or month that it has this age in
	Active     int64          // who traded then
	Commission decimal.Decimal
	Total      decimal.Decimal // commission up to the end of Days
	// Immature says why the figures are not final. It is empty if they are.
	Immature, TotalImmature string
	// Unread tells that none of the days was collected, so that nothing can be
	// said; TotalUnread that none was since the registration.
	Unread, TotalUnread bool
}

// Complete reports whether all of the cohort's week or month lies in the range. Users who
// registered in only a part of it had a different time to trade.
func (c Cohort) Complete() bool { return c.Days == c.Whole }

// Percent is the part of the cohort that traded at an age.
func (c Cohort) Percent(cell Cell) figures.Ratio {
	return figures.ShareOfCount(cell.Active, c.Invitees)
}

// PerUser returns the commission of the period of a cell, or up to its end, divided by all
// registered users, whether they traded or not.
func (c Cohort) PerUser(cell Cell, cumulative bool) (decimal.Decimal, bool) {
	if cumulative {
		return perUser(cell.Total, c.Invitees)
	}
	return perUser(cell.Commission, c.Invitees)
}

// fill takes the stored data of a cohort, in one coin.
func (c *Cohort) fill(stored sums.CohortSums, coin affiliate.Coin) {
	c.Invitees = stored.Invitees
	for _, age := range stored.Ages {
		for len(c.Cells) <= age.Age {
			c.Cells = append(c.Cells, Cell{})
		}
		cell := &c.Cells[age.Age]
		cell.Active = age.Active
		for _, earned := range age.Coins {
			if earned.Coin == coin {
				cell.Commission = earned.Commission.Decimal()
			}
		}
	}
}

// age adds the ages without commission, and sets for each how complete it is.
func (c *Cohort) age(known *cohortKnowledge) {
	var total decimal.Decimal
	totalImmature, unread := c.Unknown, true
	whole := c.Whole
	lived := affiliate.Days{First: c.Days.First, Last: whole.Last} // the cohort did not exist before
	for i := 0; whole.First <= known.today || i < len(c.Cells); i++ {
		if i == len(c.Cells) {
			c.Cells = append(c.Cells, Cell{})
		}
		cell := &c.Cells[i]
		p := known.period(lived)
		total = total.Add(cell.Commission)
		p.unread = p.unread && cell.Active == 0
		unread = unread && p.unread
		if totalImmature == "" {
			totalImmature = p.immature
		}
		cell.Days, cell.Total, cell.Immature, cell.TotalImmature = whole, total, p.immature, totalImmature
		cell.Unread, cell.TotalUnread = p.unread, unread
		if c.Unknown != "" {
			cell.Immature = c.Unknown
		}
		whole = periodAt(whole.Last+1, known.by)
		lived = whole
	}
}

// cohortKnowledge says how far registrations and commissions are collected.
type cohortKnowledge struct {
	by                 sums.CohortPeriod
	today              affiliate.Day
	since              affiliate.Days // in which commissions are considered
	registered, earned *coverage.Map
	periods            map[affiliate.Day]periodKnowledge // by first day
}

// periodKnowledge is how far one week or month is collected.
type periodKnowledge struct {
	immature string // why more may follow
	unread   bool   // no day of it was collected, even up to now
}

func readKnowledge(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days, by sums.CohortPeriod) (*cohortKnowledge, error) {
	k := &cohortKnowledge{by: by, today: affiliate.DayOf(q.Now, q.Zone), periods: map[affiliate.Day]periodKnowledge{}}
	k.since = affiliate.Days{First: days.First, Last: k.today}
	var err error
	if k.registered, err = q.ReadCoverage(ctx, affiliate.Invitees, q.Days); err != nil {
		return nil, err
	}
	k.earned, err = q.ReadCoverage(ctx, affiliate.Commissions, k.since)
	return k, err
}

// whyNotAll returns why the invitees registered on the given days are not all known.
func (k *cohortKnowledge) whyNotAll(days affiliate.Days) string {
	switch sum := k.registered.Summary(days); {
	case sum.Beyond > 0:
		return figures.OutOfReach
	case !sum.Complete():
		return "the registrations of these days are not collected completely"
	}
	return ""
}

func (k *cohortKnowledge) period(days affiliate.Days) periodKnowledge {
	p, ok := k.periods[days.First]
	if !ok {
		p = k.look(days)
		k.periods[days.First] = p
	}
	return p
}

func (k *cohortKnowledge) look(days affiliate.Days) periodKnowledge {
	lacking, begun, read := 0, 0, 0
	for day := days.First; day <= min(days.Last, k.today); day++ {
		begun++
		switch k.earned.State(day) {
		case coverage.DayMissing, coverage.DayPartial, coverage.DayFailed:
			lacking++
		case coverage.DayCollected, coverage.DayRunning:
			read++
		}
	}
	p := periodKnowledge{unread: read == 0}
	switch {
	case lacking > 0:
		p.immature = fmt.Sprintf("%d of %d days are not collected completely", lacking, begun)
	case days.Last >= k.today:
		p.immature = "this " + string(k.by) + " is not over yet"
	}
	return p
}

// periodAt returns the week, from Monday, or the month of a day.
func periodAt(day affiliate.Day, by sums.CohortPeriod) affiliate.Days {
	if by == sums.CohortMonth {
		year, month, _ := day.Date()
		return affiliate.Days{First: affiliate.NewDay(year, month, 1), Last: affiliate.NewDay(year, month+1, 1) - 1}
	}
	monday := day - affiliate.Day((day.Weekday()-time.Monday+7)%7)
	return affiliate.Days{First: monday, Last: monday + 6}
}

// periodsOf divides days at the ends of weeks or months.
func periodsOf(days affiliate.Days, by sums.CohortPeriod) []affiliate.Days {
	var list []affiliate.Days
	for day := days.First; day <= days.Last; {
		step := affiliate.Days{First: day, Last: min(periodAt(day, by).Last, days.Last)}
		list = append(list, step)
		day = step.Last + 1
	}
	return list
}
