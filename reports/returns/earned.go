package returns

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sync"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/costs"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

type dayAmounts = figures.DayAmounts

// read reads the amounts of all rows, and settles them.
func (d *desk) read(ctx context.Context) error {
	if err := d.belong(ctx); err != nil {
		return err
	}
	if err := d.spend(ctx); err != nil {
		return err
	}
	for _, r := range d.rows {
		r.earned = dayAmounts{}
	}
	d.union = dayAmounts{}
	if err := d.earnByCode(ctx); err != nil {
		return err
	}
	if err := d.earnBySet(ctx); err != nil {
		return err
	}
	return d.settle(ctx)
}

// earnByCode reads what the invitees of each code brought.
func (d *desk) earnByCode(ctx context.Context) error {
	byCode, days := map[string]*row{}, affiliate.Days{}
	for _, r := range d.rows {
		if r.Scope != costs.OfCode || r.Days.Len() == 0 {
			continue
		}
		if byCode[r.Value] = r; days.First == 0 || r.Days.First < days.First {
			days.First = r.Days.First
		}
		days.Last = max(days.Last, r.Days.Last)
	}
	if len(byCode) == 0 {
		return nil
	}
	coins, err := d.Coins(ctx)
	if err != nil {
		return err
	}
	for _, coin := range coins {
		if d.Coin != "" && !affiliate.AsksFor(d.Coin, coin) {
			continue
		}
		f := d.Filter()
		f.Days, f.Coin, f.Code = days, coin, ""
		list, err := snapshot.OfDays(ctx, d.Snapshot, "days of codes", f, sums.DaysOfCodes, slices.Concat)
		if err != nil {
			return err
		}
		for _, s := range list {
			if r := byCode[s.Code]; s.Code != "" && r != nil && r.Days.Contains(s.Day) {
				add(r.earned, coin, s.Day, s.Commission.Decimal())
				add(d.union, coin, s.Day, s.Commission.Decimal())
			}
		}
	}
	return nil
}

// setCell is what a row brought in a coin on a day. The row -1 is what no other row counts: each
// invitee once, and not while its code counts.
type setCell struct {
	row  int
	coin affiliate.Coin
	day  affiliate.Day
}

type setCells map[setCell]*affiliate.Sum

func (c setCells) add(at setCell, amount affiliate.Sum) {
	sum := c[at]
	if sum == nil {
		sum = new(affiliate.Sum)
		c[at] = sum
	}
	sum.AddSum(amount)
}

func joinCells(parts ...setCells) setCells {
	joined := setCells{}
	for _, part := range parts {
		for at, sum := range part {
			joined.add(at, *sum)
		}
	}
	return joined
}

// earnBySet reads what the invitees of each tag, each segment and the row of single people brought,
// in one look at all of them.
func (d *desk) earnBySet(ctx context.Context) error {
	var sets []*row
	of := map[sums.InviteeKey][]int{}
	pairs := map[affiliate.Account][]affiliate.UID{}
	f := d.Filter()
	f.Days, f.Code = affiliate.Days{First: d.today + 1}, ""
	hash := sha256.New()
	for _, r := range d.rows {
		if r.Scope == costs.OfCode || r.Days.Len() == 0 || !r.members.Single() {
			continue
		}
		for _, account := range d.Accounts {
			for uid := range r.members.Of(account) {
				key := sums.InviteeKey{Account: account, UID: uid}
				if len(of[key]) == 0 {
					pairs[account] = append(pairs[account], uid)
				}
				of[key] = append(of[key], len(sets))
			}
		}
		fmt.Fprintf(hash, "%s %s\n", r.Days.First, r.members.Pairs())
		f.Days = affiliate.Days{First: min(f.Days.First, r.Days.First), Last: max(f.Days.Last, r.Days.Last)}
		sets = append(sets, r)
	}
	if len(sets) == 0 {
		return nil
	}
	f.Members = affiliate.MembersOf(nil, pairs)
	coded := d.codeBegins(of)
	for _, key := range slices.SortedFunc(maps.Keys(coded), compareKeys) {
		fmt.Fprintf(hash, "%s %s %s\n", key.Account, key.UID, coded[key])
	}
	starts := make([]affiliate.Day, len(sets))
	for i, r := range sets {
		starts[i] = r.Days.First
	}
	cells, err := snapshot.OfDays(ctx, d.Snapshot, fmt.Sprintf("days of costs %x", hash.Sum(nil)), f, sums.DaysReading(func(ctx context.Context, tx *store.Tx, f records.CommissionFilter) (setCells, error) {
		return readSets(ctx, tx, f, of, starts, coded)
	}), joinCells)
	if err != nil {
		return err
	}
	for at, sum := range cells {
		switch {
		case at.row < 0:
			add(d.union, at.coin, at.day, sum.Decimal())
		case sets[at.row].Days.Contains(at.day):
			add(sets[at.row].earned, at.coin, at.day, sum.Decimal())
		}
	}
	return nil
}

// codeBegins returns since when the code of each of some invitees counts, if it has costs.
func (d *desk) codeBegins(of map[sums.InviteeKey][]int) map[sums.InviteeKey]affiliate.Day {
	begins := map[string]affiliate.Day{}
	for _, r := range d.rows {
		if r.Scope == costs.OfCode && r.Days.Len() > 0 {
			begins[r.Value] = r.Days.First
		}
	}
	coded := map[sums.InviteeKey]affiliate.Day{}
	if len(begins) == 0 {
		return coded
	}
	seen := map[sums.InviteeKey]bool{}
	for n := range d.listed {
		i := &d.listed[n]
		if seen[i.InviteeKey] = true; len(of[i.InviteeKey]) == 0 {
			continue
		}
		if first, ok := begins[i.code]; ok && i.code != "" {
			coded[i.InviteeKey] = first
		}
	}
	for key := range of { // a code of ours counts for those whom the exchange never listed
		if first, ok := begins[d.ownCodes[key.UID]]; ok && !seen[key] && d.ownCodes[key.UID] != "" {
			coded[key] = first
		}
	}
	return coded
}

func compareKeys(a, b sums.InviteeKey) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
}

func readSets(ctx context.Context, tx *store.Tx, f records.CommissionFilter, of map[sums.InviteeKey][]int, starts []affiliate.Day, coded map[sums.InviteeKey]affiliate.Day) (setCells, error) {
	var lock sync.Mutex
	var halves []setCells
	err := sums.EachInviteeDay(ctx, tx, f, func() func(*sums.InviteeDay) error {
		cells := setCells{}
		lock.Lock()
		halves = append(halves, cells)
		lock.Unlock()
		return func(line *sums.InviteeDay) error {
			counts := false
			for _, row := range of[line.InviteeKey] {
				if line.Day >= starts[row] {
					cells.add(setCell{row, line.Coin, line.Day}, line.Commission)
					counts = true
				}
			}
			first, ok := coded[line.InviteeKey]
			if counts && (!ok || line.Day < first) {
				cells.add(setCell{-1, line.Coin, line.Day}, line.Commission)
			}
			return nil
		}
	})
	if len(halves) == 1 {
		return halves[0], err
	}
	return joinCells(halves...), err
}
