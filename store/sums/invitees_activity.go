package sums

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// InviteeKey identifies an invitee: several accounts may have the same UID.
type InviteeKey struct {
	Account affiliate.Account
	UID     affiliate.UID
}

// Activity is when an invitee traded and what it brought.
type Activity struct {
	Days  []affiliate.Day // reporting days with a record, oldest first
	Coins []CoinFigures   // only records and commission
}

// InviteeActivity is the activity of invitees, of which days are sets of each month.
type InviteeActivity map[InviteeKey]ownActivity

// ActivityOfInvitees returns the activity of each invitee with a record of the filter. The cost
// grows with the invitees who traded in each month of the range.
var ActivityOfInvitees = Reading[InviteeActivity]{Read: readActivity, longest: rollup.OfMonth}

// JoinActivity returns the activity over all parts, which are of different days.
func JoinActivity(parts ...InviteeActivity) map[InviteeKey]Activity {
	joined := make(map[InviteeKey]Activity, len(parts[0]))
	for i, part := range parts {
		for key, own := range part {
			if _, ok := joined[key]; ok {
				continue
			}
			all := ownActivity{months: slices.Clone(own.months), coins: slices.Clone(own.coins)}
			for _, later := range parts[i+1:] {
				if more, ok := later[key]; ok {
					all.join(more)
				}
			}
			joined[key] = Activity{daysOf(all.months), all.coins}
		}
	}
	return joined
}

// join adds the activity of other days. It changes neither the months nor the sums of more.
func (o *ownActivity) join(more ownActivity) {
	for _, m := range more.months {
		o.traded(m.first, m.days)
	}
	sum := coinAdder{lists: [][]CoinFigures{o.coins, more.coins}}
	o.coins = sum.sum()
}

func readActivity(ctx context.Context, r *store.Tx, f records.CommissionFilter) (InviteeActivity, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	parts, err := inHalves(ctx, r, f, func(r *store.Tx, part half) (*activity, error) {
		a := &activity{people: newPeople(), half: part}
		if inBlocks(r, f, rollup.ByUID) {
			return a, a.readBlocks(ctx, r, f)
		}
		return a, eachEntry(ctx, r, f, rollup.ByUID, rollup.OfDay, a.addDay)
	})
	if err != nil {
		return nil, fmt.Errorf("reading the days of invitees: %w", err)
	}
	of := InviteeActivity{}
	for _, a := range parts {
		for n, who := range a.list {
			if own := a.of[n]; len(own.coins) > 0 {
				of[InviteeKey{names[who.account], who.uid}] = own
			}
		}
	}
	return of, nil
}

// activity collects the activity of invitees.
type activity struct {
	*people
	half half
	of   []ownActivity // by number of the person
	own  *ownActivity  // of the invitee of the entry
	made rollup.FiguresMaker
}

type ownActivity struct {
	months []activeMonth
	coins  coinSums
}

// activeMonth holds days of the month that begins with first.
type activeMonth struct {
	first affiliate.Day
	days  rollup.MonthDays
}

// see finds the activity that an entry belongs to.
func (a *activity) see(e *entry) *ownActivity {
	if e.another {
		n := a.people.of(e)
		if n == len(a.of) {
			a.of = append(a.of, ownActivity{})
		}
		a.own = &a.of[n]
	}
	return a.own
}

// addDay adds an entry of one day.
func (a *activity) addDay(e *entry) error {
	first := rollup.BlockOf(rollup.OfMonth, e.day).First
	a.see(e).traded(first, 1<<(e.day-first))
	return a.addCommission(e)
}

// addMonth adds an entry of a whole month.
func (a *activity) addMonth(e *entry) error {
	var line rollup.LineFigures
	if err := line.AddDays(e.figures); err != nil {
		return err
	}
	a.see(e).traded(e.day, line.Days)
	return a.addCommission(e)
}

// addCommission adds only what an entry brought.
func (a *activity) addCommission(e *entry) error {
	return e.addCommissionTo(a.see(e).coins.at(e.Coin, &a.made))
}

func (o *ownActivity) traded(first affiliate.Day, days rollup.MonthDays) {
	for i := len(o.months) - 1; i >= 0; i-- { // nearly always the last
		if o.months[i].first == first {
			o.months[i].days |= days
			return
		}
	}
	o.months = append(o.months, activeMonth{first, days})
}

// readBlocks takes the days from the blocks of months, and the commission from those and,
// in months that the range does not hold as a whole, from shorter blocks.
func (a *activity) readBlocks(ctx context.Context, r *store.Tx, f records.CommissionFilter) error {
	stored, ok, err := storedDays(ctx, r)
	if err != nil || !ok {
		return err
	}
	q, err := askBlocks(ctx, r, f, rollup.ByUID)
	if err != nil {
		return err
	}
	q.half = a.half
	days := affiliate.Days{First: max(f.Days.First, stored.First), Last: min(f.Days.Last, stored.Last)}
	partly := map[affiliate.Day]bool{} // months by their first day
	for _, run := range rollup.Cover(rollup.Widen(days, stored), rollup.OfMonth) {
		add := a.addCommission
		switch run.Span {
		case rollup.OfMonth:
			add = a.addMonth
		case rollup.OfDay:
			add = a.addDay
		case rollup.OfWeek:
			for _, day := range []affiliate.Day{run.Days().First, run.Days().Last} {
				partly[rollup.BlockOf(rollup.OfMonth, day).First] = true
			}
		}
		if err := q.eachEntry(ctx, run, add); err != nil {
			return err
		}
	}
	for month := range partly {
		err := q.eachEntry(ctx, rollup.Stretch{Span: rollup.OfMonth, First: month, Last: month}, func(e *entry) error {
			var line rollup.LineFigures
			if err := line.AddDays(e.figures); err != nil {
				return err
			}
			seen := a.see(e) // of every entry: only the first one of an invitee says who it is
			if own := line.Days.Within(e.day, days); own != 0 {
				seen.traded(e.day, own)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// daysOf lists the days of months, oldest first.
func daysOf(months []activeMonth) []affiliate.Day {
	slices.SortFunc(months, func(a, b activeMonth) int { return cmp.Compare(a.first, b.first) })
	n := 0
	for _, m := range months {
		n += bits.OnesCount32(uint32(m.days))
	}
	days := make([]affiliate.Day, 0, n)
	for _, m := range months {
		days = slices.AppendSeq(days, m.days.In(m.first))
	}
	return days
}

// LastCommission returns when the newest record of the filter, which names a UID, was earned,
// whatever its days. It is unknown if no record exists.
func LastCommission(ctx context.Context, r *store.Tx, f records.CommissionFilter) (affiliate.Millis, error) {
	return edgeCommission(ctx, r, f, "DESC")
}

// FirstCommission is like [LastCommission], for the oldest record.
func FirstCommission(ctx context.Context, r *store.Tx, f records.CommissionFilter) (affiliate.Millis, error) {
	return edgeCommission(ctx, r, f, "ASC")
}

func edgeCommission(ctx context.Context, r *store.Tx, f records.CommissionFilter, direction string) (affiliate.Millis, error) {
	var w store.Where
	f.OfRecords(&w)
	records.OpenRows(&w, f.AsOf)
	var at affiliate.Millis
	err := r.QueryRowContext(ctx, `
		SELECT c.deal_time_ms FROM commissions c WHERE `+w.String()+`
		ORDER BY c.deal_time_ms `+direction+` LIMIT 1`, w.Args...).Scan(&at)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("reading a record of %s: %w", f.UID, err)
	}
	return at, nil
}

// MonthSums are the sums of one calendar month in one coin.
type MonthSums struct {
	First affiliate.Day // of the month
	Coin  affiliate.Coin
	Sums
}

// ByMonth adds up the records of the filter by month and coin, oldest month first. The cost
// grows with the months.
func ByMonth(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]MonthSums, error) {
	groups := map[MonthSums]*rollup.LineFigures{}
	err := eachEntry(ctx, r, f, rollup.ByUID, rollup.OfMonth, func(e *entry) error {
		return e.addTo(rollup.At(groups, MonthSums{First: rollup.BlockOf(rollup.OfMonth, e.day).First, Coin: e.Coin}))
	})
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by month: %w", err)
	}
	list := make([]MonthSums, 0, len(groups))
	for key, s := range groups {
		key.Sums = sumsOf(s)
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b MonthSums) int { return cmp.Or(cmp.Compare(a.First, b.First), cmp.Compare(a.Coin, b.Coin)) })
	return list, nil
}
