package invitees

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// mostUserDays is the longest range with a point for each day. Longer ranges have a point
// for each week, like the columns of the commission chart.
const mostUserDays = 120

// MakeUsers returns registrations, first steps and active traders over time.
func MakeUsers(ctx context.Context, q *snapshot.Snapshot, p PeopleCounts, steps []sums.InviteeSteps, trades *coverage.Map) (figures.Lines, error) {
	weekly := q.Days.Len() > mostUserDays
	of := "Users per day"
	if weekly {
		of = "Users per week"
	}
	lines := figures.Lines{Of: of, Steps: timesOf(q.Days, weekly), Open: q.OpenDay()}
	var err error
	lines.Parts, err = usersIn(ctx, q, lines.Steps, weekly, p, steps, trades)
	return lines, err
}

// CompareUsers adds the compared period to one of the parts of [MakeUsers], alone: each of its days
// counts towards the step of the day with which it is compared. The days without a counterpart are
// not known, nor are the traders of weeks that do not begin with a Monday.
func CompareUsers(ctx context.Context, q *snapshot.Snapshot, lines *figures.Lines, part int, ref figures.Reference) error {
	before := *q
	before.Days = ref.Days
	p, err := CountPeople(ctx, &before, ref.Days, 0)
	if err != nil {
		return err
	}
	steps, err := sums.StepsOfInvitees(ctx, q.Tx, before.InviteeFilter(), ref.Days.Range(q.Zone))
	if err != nil {
		return err
	}
	weekly, by := q.Days.Len() > mostUserDays, q.Days.First-ref.Days.First
	lines.RefSteps = make([]affiliate.Days, len(lines.Steps))
	for i, step := range lines.Steps {
		lines.RefSteps[i] = affiliate.Days{First: step.First - by, Last: min(step.Last-by, ref.Days.Last)}
	}
	parts, err := usersIn(ctx, &before, lines.RefSteps, weekly, p, steps, ref.Cover)
	if err != nil {
		return err
	}
	compared := parts[part]
	for i, step := range lines.RefSteps {
		if step.First > step.Last || part == activePart && weekly && by%7 != 0 {
			compared.Known[i] = false
		}
	}
	if !slices.Contains(compared.Known, true) {
		lines.RefSteps = nil
		return nil
	}
	compared.Name, compared.Compared, compared.Bars = "Compared", true, false
	lines.Parts = append(lines.Parts, compared)
	return nil
}

// activePart is the number of the active traders among the parts.
const activePart = 0

// usersIn counts the people of each step of time.
func usersIn(ctx context.Context, q *snapshot.Snapshot, times []affiliate.Days, weekly bool, p PeopleCounts, steps []sums.InviteeSteps, trades *coverage.Map) ([]figures.Curve, error) {
	registered, deposited, traded := countSteps(q, times, steps)
	active, err := activeBy(ctx, q, times, weekly)
	if err != nil {
		return nil, err
	}
	own, err := q.ReadCoverage(ctx, affiliate.Invitees, q.Days)
	if err != nil {
		return nil, err
	}
	reach := q.Listable().First
	begun := func(day affiliate.Day) bool { return day <= affiliate.DayOf(q.Now, q.Zone) }
	first := func(reported bool) func(affiliate.Day) bool {
		return func(day affiliate.Day) bool { return p.Listed && reported && day >= reach && begun(day) }
	}
	parts := []figures.Curve{
		line("Active traders", active, times, trades.Whole),
		line("Registered", registered, times, own.Whole),
		line("First deposits", deposited, times, first(p.counts.DepositsKnown)),
		line("First trades", traded, times, first(p.counts.TradesKnown)),
	}
	for i := range parts[1:] { // a few a day next to hundreds of active traders
		parts[i+1].Bars = true
	}
	return parts, nil
}

// line returns a line. A step is known if all its days are.
func line(name string, counts []int64, steps []affiliate.Days, known func(affiliate.Day) bool) figures.Curve {
	l := figures.Curve{Name: name, Values: make([]decimal.Decimal, len(steps)), Known: make([]bool, len(steps))}
	for i, step := range steps {
		l.Values[i] = decimal.NewFromInt(counts[i])
		l.Known[i] = true
		for day := step.First; day <= step.Last; day++ {
			l.Known[i] = l.Known[i] && known(day)
		}
	}
	return l
}

// timesOf divides days into single days or into weeks from Monday, of which the first and
// the last contain only the days of the range.
func timesOf(days affiliate.Days, weekly bool) []affiliate.Days {
	var steps []affiliate.Days
	for day := days.First; day <= days.Last; day++ {
		if len(steps) == 0 || !weekly || day.Weekday() == time.Monday {
			steps = append(steps, affiliate.Days{First: day})
		}
		steps[len(steps)-1].Last = day
	}
	return steps
}

// countSteps counts the first steps of invitees in each step of time.
func countSteps(q *snapshot.Snapshot, times []affiliate.Days, steps []sums.InviteeSteps) (registered, deposited, traded []int64) {
	at := map[affiliate.Day]int{}
	for i, days := range times {
		for day := days.First; day <= days.Last; day++ {
			at[day] = i
		}
	}
	registered, deposited, traded = make([]int64, len(times)), make([]int64, len(times)), make([]int64, len(times))
	count := func(counts []int64, when affiliate.Millis) {
		if i, ok := at[q.DayOf(when)]; ok && when.Known() {
			counts[i]++
		}
	}
	for _, s := range steps {
		count(registered, s.Registered)
		count(deposited, s.FirstDeposit)
		count(traded, s.FirstTrade)
	}
	return registered, deposited, traded
}

// activeBy counts the traders of each step of time.
func activeBy(ctx context.Context, q *snapshot.Snapshot, times []affiliate.Days, weekly bool) ([]int64, error) {
	var list []sums.DayTraders
	var err error
	if weekly {
		list, err = snapshot.Read(ctx, q, "traders by week", q.Filter(), sums.TradersByWeek)
	} else {
		list, err = snapshot.Read(ctx, q, "traders by day", q.Filter(), sums.TradersByDay)
	}
	if err != nil {
		return nil, err
	}
	traders := make(map[affiliate.Day]int64, len(list))
	for _, t := range list {
		traders[t.Day] = t.Traders
	}
	counts := make([]int64, len(times))
	for i, step := range times {
		day := step.First
		if weekly { // weeks are named by their Monday, even if the range begins later
			day -= affiliate.Day((day.Weekday() + 6) % 7)
		}
		counts[i] = traders[day]
	}
	return counts, nil
}
