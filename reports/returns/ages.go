package returns

import (
	"context"
	"fmt"
	"sync"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/costs"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// ageCell is what invitees of an age brought in a coin on a day.
type ageCell struct {
	age  int
	coin affiliate.Coin
	day  affiliate.Day
}

type ageCells map[ageCell]*affiliate.Sum

func joinAges(parts ...ageCells) ageCells {
	joined := ageCells{}
	for _, part := range parts {
		for at, sum := range part {
			if joined[at] == nil {
				joined[at] = new(affiliate.Sum)
			}
			joined[at].AddSum(*sum)
		}
	}
	return joined
}

// ages divides what the only row brought by months since registration, and counts the invitees who
// registered before its days, or nobody knows when.
func (d *desk) ages(ctx context.Context) (list []AgeReturn, older int, err error) {
	r := d.rows[0]
	if !r.Known() {
		return nil, 0, nil
	}
	months := map[sums.InviteeKey]affiliate.Day{} // day of registration
	reached := map[int]int{}                      // how many have an age
	oldest, youngest := 0, -1
	for _, i := range r.listed {
		if i.registered == 0 || i.registered < r.Days.First {
			older++
		}
		if i.registered == 0 || !r.Days.Contains(i.registered) {
			continue
		}
		age := monthsBetween(i.registered, r.Days.Last)
		months[i.InviteeKey], oldest = i.registered, max(oldest, age)
		if reached[age]++; youngest < 0 || age < youngest {
			youngest = age
		}
	}
	if len(months) == 0 {
		return nil, older, nil
	}
	changed, err := sums.LastInviteeChange(ctx, d.Tx)
	if err != nil {
		return nil, 0, err
	}
	f := d.Filter()
	f.Days = r.Days
	if r.Scope == costs.OfCode {
		f.Code = r.Value
	} else {
		f.Code, f.Members = "", r.members
	}
	cells, err := snapshot.OfDaysOnce(ctx, d.Snapshot, fmt.Sprintf("ages of costs %s %d", r.Days.First, changed), f, sums.DaysReading(func(ctx context.Context, tx *store.Tx, f records.CommissionFilter) (ageCells, error) {
		return readAges(ctx, tx, f, months)
	}), joinAges)
	if err != nil {
		return nil, 0, err
	}
	byAge := make([]dayAmounts, oldest+1)
	for at, sum := range cells {
		if byAge[at.age] == nil {
			byAge[at.age] = dayAmounts{}
		}
		add(byAge[at.age], at.coin, at.day, sum.Decimal())
	}
	var total decimal.Decimal
	count := len(months)
	for age := range oldest + 1 {
		days := byAge[age][r.Coin]
		if r.Converted {
			_, days = d.book.convert(byAge[age])
		}
		for _, amount := range days {
			total = total.Add(amount)
		}
		if age > 0 {
			count -= reached[age-1]
		}
		list = append(list, AgeReturn{Age: age, Invitees: count, Commission: total, Percent: r.percentOf(total), Immature: age >= youngest})
	}
	return list, older, nil
}

func readAges(ctx context.Context, tx *store.Tx, f records.CommissionFilter, registered map[sums.InviteeKey]affiliate.Day) (ageCells, error) {
	var lock sync.Mutex
	var halves []ageCells
	err := sums.EachInviteeDay(ctx, tx, f, func() func(*sums.InviteeDay) error {
		cells := ageCells{}
		lock.Lock()
		halves = append(halves, cells)
		lock.Unlock()
		return func(line *sums.InviteeDay) error {
			first, ok := registered[line.InviteeKey]
			if !ok {
				return nil
			}
			at := ageCell{max(0, monthsBetween(first, line.Day)), line.Coin, line.Day}
			if cells[at] == nil {
				cells[at] = new(affiliate.Sum)
			}
			cells[at].AddSum(line.Commission)
			return nil
		}
	})
	return joinAges(halves...), err
}
