package goals

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/segments"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	stored "rebatedesk/store/goals"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	saved "rebatedesk/store/segments"
	"rebatedesk/store/sums"
)

// Report lists the goals of a month.
type Report struct {
	Query query.Query
	Days  affiliate.Days // of the month
	Today affiliate.Day
	Goals []Progress
	// Before counts the goals of the month before that this month does not have.
	Before int
	Choices
}

// Choices are what a new goal can be about.
type Choices struct {
	Accounts []affiliate.Account
	Coins    []affiliate.Coin
	Codes    []string
	Tags     []string
	Segments []string
	Months   affiliate.Days // first days of the first and the last month that can have goals
}

// Progress is a goal, how far it is reached, and what is expected.
type Progress struct {
	stored.Goal
	Pace
	State State
	// Lost says why it is not known whom the goal is about: its segment was removed, for example.
	Lost   string
	Ending forecast.Ending // where the month will end; an estimate
}

// Complete reports whether all days of the month that are over are collected.
func (g Progress) Complete() bool {
	if g.Lost != "" {
		return false
	}
	switch g.Ending.Lack.Kind {
	case forecast.LackInvitees:
		return false
	case forecast.LackDays:
		return !slices.ContainsFunc(g.Ending.Lack.Days, func(d affiliate.Days) bool { return d.First <= g.Days.Last && d.Last >= g.Days.First })
	}
	return true
}

// Unit returns the coin in which the amounts of a goal are.
func (g Progress) Unit() affiliate.Coin {
	if g.Coin == "" {
		return figures.ValuedIn
	}
	return g.Coin
}

// In returns an amount of the goal with its coin.
func (g Progress) In(amount decimal.Decimal) affiliate.Amount {
	return affiliate.Amount{Value: amount, Coin: g.Unit()}
}

// Target returns the amount of the goal with its coin.
func (g Progress) Target() affiliate.Amount { return g.In(g.Pace.Amount) }

// Make answers the query for the goals of the month in which its range begins.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	view := Report{Query: q.Query, Days: forecast.MonthOf(q.Days.First), Today: affiliate.DayOf(q.Now, q.Zone)}
	before := forecast.MonthOf(view.Days.First - 1)
	list, err := stored.List(ctx, q.Tx, affiliate.Days{First: before.First, Last: view.Days.First}, q.AsOfMillis())
	if err != nil {
		return view, err
	}
	codes, err := q.CodesThen(ctx)
	if err != nil {
		return view, err
	}
	has := map[stored.Key]bool{}
	for i := range list {
		list[i].Code = affiliate.Spelling(codes, list[i].Code)
		has[list[i].Key] = true
	}
	for _, g := range list {
		if g.Month == before.First {
			if g.Month = view.Days.First; !has[g.Key] {
				view.Before++
			}
			continue
		}
		if !selects(q, g.Key) {
			continue
		}
		one, err := progress(ctx, q, g, view.Days, view.Today)
		if err != nil {
			return view, fmt.Errorf("the goal %s: %w", g.Key, err)
		}
		view.Goals = append(view.Goals, one)
	}
	view.Choices, err = ReadChoices(ctx, q)
	return view, err
}

// selects reports whether a query is about a goal. If there is one account only, goals of every
// account are about it.
func selects(q *snapshot.Snapshot, g stored.Key) bool {
	account := q.Account == "" || q.Account == g.Account || g.Account == "" && len(q.Known) == 1
	return account && (q.Coin == "" || affiliate.AsksFor(q.Coin, g.Coin)) &&
		(q.Code == "" || affiliate.AsksFor(q.Code, g.Code)) && (q.Tag == "" || affiliate.Folded(q.Tag) == affiliate.Folded(g.Tag)) &&
		(q.Segment == "" || affiliate.Folded(q.Segment) == affiliate.Folded(g.Segment))
}

// monthsAhead is how many months before its beginning a month can have goals.
const monthsAhead = 12

// ReadChoices returns what a new goal can be about: what is stored.
func ReadChoices(ctx context.Context, q *snapshot.Snapshot) (c Choices, err error) {
	c.Accounts = q.Known
	if c.Coins, err = q.Coins(ctx); err != nil {
		return c, err
	}
	if c.Codes, err = q.Codes(ctx, q.Members); err != nil {
		return c, err
	}
	tags, err := invitees.TagsInUse(ctx, q)
	if err != nil {
		return c, err
	}
	for _, t := range tags {
		c.Tags = append(c.Tags, t.Tag)
	}
	if c.Segments, err = saved.Names(ctx, q.Tx); err != nil {
		return c, err
	}
	today := affiliate.DayOf(q.Now, q.Zone)
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return c, err
	}
	year, month, _ := today.Date()
	c.Months = affiliate.Days{First: forecast.MonthOf(first).First, Last: affiliate.NewDay(year, month+monthsAhead, 1)}
	return c, nil
}

// progress returns how far a goal is reached.
func progress(ctx context.Context, q *snapshot.Snapshot, g stored.Goal, days affiliate.Days, today affiliate.Day) (Progress, error) {
	view := Progress{Goal: g}
	one := about(q, g.Key, days)
	err := segments.LimitTo(ctx, one)
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		view.Lost, view.State, view.Pace.Days, view.Pace.Amount = wrong.Problem, Unknown, days, g.Amount.Decimal()
		return view, nil
	}
	if err != nil {
		return view, err
	}
	list, err := brought(ctx, one)
	if err != nil {
		return view, err
	}
	amounts := figures.CommissionDays(list)
	byDay := amounts[g.Coin]
	if g.Coin == "" {
		valued, err := one.Valued(ctx, list, figures.Reference{})
		if err != nil {
			return view, err
		}
		byDay = valued.ByDay(amounts)
	}
	view.Pace = paceOf(g.Amount.Decimal(), days, today, byDay)
	view.Ending, err = forecast.MakeEnding(ctx, q, forecast.Earnings{Coin: g.Coin, Account: g.Account, Code: g.Code, Tag: g.Tag, Members: one.Members}, days)
	view.State = view.state(view.Ending, view.Complete())
	return view, err
}

// about returns the question about what a goal counts.
func about(q *snapshot.Snapshot, g stored.Key, days affiliate.Days) *snapshot.Snapshot {
	one := q.Everywhere()
	if g.Account != "" {
		one = q.OfAccount(g.Account)
	}
	one.Query = query.Query{Range: query.Custom, Days: days, Account: g.Account, Coin: g.Coin, Code: g.Code, Tag: g.Tag, Segment: g.Segment,
		Members: q.Visible, Zone: q.Zone, Today: q.Today, AsOf: q.AsOf, Page: 1, Per: query.DefaultPer}
	return one
}

// brought returns the sums by day of what a goal counts. They are shared.
func brought(ctx context.Context, q *snapshot.Snapshot) ([]sums.DaySums, error) {
	f := q.Filter()
	if q.Tag == "" {
		return snapshot.Read(ctx, q, "sums by day", f, sums.ByDay)
	}
	type tagged struct {
		filter records.CommissionFilter
		tag    string
	}
	return snapshot.Part(ctx, q, "sums by day of a tag", tagged{f, affiliate.Folded(q.Tag)}, func(ctx context.Context) (list []sums.DaySums, err error) {
		have, err := people.Tagged(ctx, q.Tx, q.Tag)
		if err != nil {
			return nil, err
		}
		var keys []sums.InviteeKey
		for uid := range have {
			for _, account := range q.Accounts {
				if f.Account == "" || account == f.Account {
					keys = append(keys, sums.InviteeKey{Account: account, UID: uid})
				}
			}
		}
		byInvitee, err := sums.ByInviteeDay(ctx, q.Tx, f, keys)
		for _, days := range byInvitee {
			list = append(list, days...)
		}
		return list, err
	})
}

// Check returns what is wrong with a new goal: a month out of reach, and names that are not
// stored. Names get the letter case in which they are stored.
func (c Choices) Check(g *stored.Key) *store.RuleError {
	refuse := func(field, format string, args ...any) *store.RuleError {
		return &store.RuleError{Problem: fmt.Sprintf(format, args...), Field: field}
	}
	switch {
	case g.Month < c.Months.First:
		return refuse("month", "Nothing is stored before %s: choose that month or a later one.", c.Months.First.Format("January 2006"))
	case g.Month > c.Months.Last:
		return refuse("month", "Goals reach %d months ahead: choose %s or an earlier month.", monthsAhead, c.Months.Last.Format("January 2006"))
	case g.Account != "" && !slices.Contains(c.Accounts, g.Account):
		return refuse("account", "There is no account %q.", string(g.Account))
	case g.Coin != "" && !among(&g.Coin, c.Coins):
		return refuse("coin", "No commission in %q is stored: choose a coin of the list.", string(g.Coin))
	case g.Code != "" && !among(&g.Code, c.Codes):
		return refuse("code", "No invitee has the invite code %q: choose one of the list.", g.Code)
	case g.Tag != "" && !among(&g.Tag, c.Tags):
		return refuse("tag", "No invitee has the tag %q: choose one of the list, or add the tag to an invitee first.", g.Tag)
	case g.Segment != "" && !among(&g.Segment, c.Segments):
		return refuse("segment", "There is no segment %q: choose one of the list.", g.Segment)
	}
	return nil
}

// among finds a name in a list, by its letter case or else without it, and sets it as listed.
func among[T ~string](name *T, list []T) bool {
	if slices.Contains(list, *name) {
		return true
	}
	alike := slices.DeleteFunc(slices.Clone(list), func(known T) bool { return affiliate.Folded(string(known)) != affiliate.Folded(string(*name)) })
	if len(alike) != 1 {
		return false
	}
	*name = alike[0]
	return true
}
