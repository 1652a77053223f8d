package returns

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/segments"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/costs"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	stored "rebatedesk/store/segments"
	"rebatedesk/store/sums"
)

// desk makes the rows of a query.
type desk struct {
	*snapshot.Snapshot
	rows   []*row
	hidden bool // there are costs that the filters leave out
	person bool // only the cost of the UID of the query counts
	today  affiliate.Day

	listed      []invitee // whom the exchange ever listed, if rows need them
	ownCodes    map[affiliate.UID]string
	firsts      map[sums.InviteeKey]affiliate.Day // see firstDays
	overlapping int
	union       dayAmounts // what the invitees of all rows brought, each once
	book        rateBook
}

// row is a row in the making.
type row struct {
	Row
	members affiliate.Members // of all but codes
	listed  []*invitee
	owners  map[affiliate.UID]affiliate.Amount // costs of single people
	problem string
	undated int // of the owners, those whose cost is of no day
	spent   dayAmounts
	earned  dayAmounts
}

// invitee is what costs depend on.
type invitee struct {
	sums.InviteeKey
	code       string
	registered affiliate.Day // 0: not known
	traded     affiliate.Day // first; 0: not known
}

// open finds the costs that the query is about.
func open(ctx context.Context, q *snapshot.Snapshot) (*desk, error) {
	d := &desk{Snapshot: q, today: affiliate.DayOf(q.Now, q.Zone)}
	list, err := visible(ctx, q)
	if err != nil {
		return nil, err
	}
	byTarget := map[costs.Costed]*row{}
	for _, c := range list {
		if !d.asks(c) {
			d.hidden = true
			continue
		}
		r := byTarget[c.Costed()]
		if r == nil {
			r = &row{Row: Row{Scope: c.Scope, Value: c.Value}}
			byTarget[c.Costed()] = r
			d.rows = append(d.rows, r)
		}
		r.Costs = append(r.Costs, DueCost{Cost: c, Runs: c.Kind != costs.Once && (c.Last == 0 || c.Last >= d.today)})
	}
	for _, r := range d.rows {
		first := r.Costs[0].First
		for _, c := range r.Costs {
			first = min(first, c.First)
		}
		r.Days = d.within(first)
	}
	return d, d.openPeople(ctx)
}

// within returns the days that count if the first cost is on a day: those of the query up to today.
// All time begins with the first cost, even before the oldest record.
func (d *desk) within(first affiliate.Day) affiliate.Days {
	if d.Range != query.AllTime {
		first = max(first, d.Query.Days.First)
	}
	return affiliate.Days{First: first, Last: min(d.today, d.Query.Days.Last)}
}

// asks reports whether the query is about a cost.
func (d *desk) asks(c costs.Cost) bool {
	switch {
	case d.Segment != "":
		return c.Costed() == costs.CostedOf(costs.OfSegment, d.Segment)
	case d.Code == "" && d.Tag == "":
		return true
	}
	return c.Scope == costs.OfCode && d.Code != "" && affiliate.AsksFor(d.Code, c.Value) || c.Scope == costs.OfTag && affiliate.Folded(d.Tag) == affiliate.Folded(c.Value)
}

// visible lists the costs that the caller may see: with a limit, those of codes and tags of
// their invitees, and of segments that have any of them.
func visible(ctx context.Context, q *snapshot.Snapshot) ([]costs.Cost, error) {
	list, err := snapshot.Part(ctx, q, "costs", q.AsOfMillis(), func(ctx context.Context) ([]costs.Cost, error) {
		return costs.List(ctx, q.Whole(), q.AsOfMillis())
	})
	if err != nil || !q.Visible.Limited() {
		return list, err
	}
	see, err := seen(ctx, q)
	if err != nil {
		return nil, err
	}
	var own []costs.Cost
	for _, c := range list {
		ok, err := see(c.Scope, c.Value)
		if err != nil {
			return nil, err
		}
		if ok {
			own = append(own, c)
		}
	}
	return own, nil
}

// seen returns whether the caller may see what a scope and a value are about.
func seen(ctx context.Context, q *snapshot.Snapshot) (func(costs.Scope, string) (bool, error), error) {
	if !q.Visible.Limited() {
		return func(costs.Scope, string) (bool, error) { return true, nil }, nil
	}
	codes, err := records.Codes(ctx, q.Tx, q.Visible, 0)
	if err != nil {
		return nil, fmt.Errorf("the codes that may be read: %w", err)
	}
	tags, err := invitees.TagsInUse(ctx, everybody(q))
	if err != nil {
		return nil, err
	}
	own := map[costs.Costed]bool{}
	for _, code := range codes {
		own[costs.CostedOf(costs.OfCode, code)] = true
	}
	for _, t := range tags {
		own[costs.CostedOf(costs.OfTag, t.Tag)] = true
	}
	return func(scope costs.Scope, value string) (bool, error) {
		if scope != costs.OfSegment {
			return own[costs.CostedOf(scope, value)], nil
		}
		members, problem, err := membersOf(ctx, q, value)
		return problem == "" && members.Single(), err
	}, nil
}

// membersOf returns the members of a segment the caller may see, or why nothing can be
// said of them.
func membersOf(ctx context.Context, q *snapshot.Snapshot, name string) (affiliate.Members, string, error) {
	nobody := affiliate.MembersOf(nil, nil)
	s, found, err := stored.Find(ctx, q.Tx, name)
	switch {
	case err != nil:
		return nobody, "", err
	case !found:
		return nobody, "there is no such segment", nil
	case s.Removed.Known():
		return nobody, "the segment was removed on " + q.DayOf(s.Removed).Format("2 January 2006"), nil
	}
	members, err := segments.MembersNow(ctx, q, s)
	return members, "", err
}

// openPeople adds the row of single people, unless the query asks for something else.
func (d *desk) openPeople(ctx context.Context) error {
	owners, err := snapshot.Part(ctx, d.Snapshot, "costs of people", nil, func(ctx context.Context) (map[affiliate.UID]affiliate.Amount, error) {
		return people.OwnCosts(ctx, d.Whole())
	})
	if err != nil || len(owners) == 0 {
		return err
	}
	if d.Code+d.Tag+d.Segment != "" {
		d.hidden = true
		return nil
	}
	if d.person {
		own, ok := owners[d.UID]
		if !ok {
			return nil
		}
		owners = map[affiliate.UID]affiliate.Amount{d.UID: own}
	}
	if owners, err = d.known(ctx, owners); err != nil || len(owners) == 0 {
		return err
	}
	r := &row{Row: Row{Scope: CostOfPeople, People: len(owners)}, owners: owners}
	r.Days = d.within(d.Query.Days.First)
	d.rows = append(d.rows, r)
	return nil
}

// known leaves out the people whom a limited user does not see.
func (d *desk) known(ctx context.Context, owners map[affiliate.UID]affiliate.Amount) (map[affiliate.UID]affiliate.Amount, error) {
	if !d.Visible.Limited() {
		return owners, nil
	}
	if err := d.list(ctx); err != nil {
		return nil, err
	}
	firsts, err := d.firstDays(ctx)
	if err != nil {
		return nil, err
	}
	own := map[affiliate.UID]affiliate.Amount{}
	for _, one := range d.listed {
		if cost, ok := owners[one.UID]; ok {
			own[one.UID] = cost
		}
	}
	for key := range firsts {
		if cost, ok := owners[key.UID]; ok {
			own[key.UID] = cost
		}
	}
	return own, nil
}

// days returns the days of all rows, or those of the query if no row has any.
func (d *desk) days() affiliate.Days {
	var all affiliate.Days
	for _, r := range d.rows {
		switch {
		case r.Days.Len() <= 0:
		case all == affiliate.Days{}:
			all = r.Days
		default:
			all = affiliate.Days{First: min(all.First, r.Days.First), Last: max(all.Last, r.Days.Last)}
		}
	}
	if all == (affiliate.Days{}) {
		return d.Query.Days
	}
	return all
}

// covered returns how far the days of all rows are collected.
func (d *desk) covered(ctx context.Context) (coverage.Coverage, error) {
	days := d.days()
	cover, err := d.ReadCoverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return coverage.Coverage{}, err
	}
	sum := cover.Summary(days)
	sum.LastRun, err = d.NewestRun(ctx)
	return sum, err
}

// list reads whom the exchange ever listed.
func (d *desk) list(ctx context.Context) (err error) {
	if d.listed != nil {
		return nil
	}
	all, err := invitees.Every(ctx, d.Snapshot)
	if err != nil {
		return err
	}
	d.listed = []invitee{}
	for i, err := range all {
		if err != nil {
			return err
		}
		if d.Account == "" || d.Account == i.Account {
			d.listed = append(d.listed, invitee{sums.InviteeKey{Account: i.Account, UID: i.UID}, i.InviteCode, d.DayOf(i.RegisterTime), d.DayOf(i.FirstTrade)})
		}
	}
	d.ownCodes, err = records.OwnCodes(ctx, d.Whole(), d.AsOfMillis())
	return err
}

// firstDays returns the first day with commission of each invitee who ever brought any.
func (d *desk) firstDays(ctx context.Context) (map[sums.InviteeKey]affiliate.Day, error) {
	if d.firsts != nil {
		return d.firsts, nil
	}
	first, err := sums.FirstDay(ctx, d.Tx, d.today)
	if err != nil {
		return nil, err
	}
	f := records.CommissionFilter{Days: affiliate.Days{First: first, Last: d.today}, Account: d.Account, UID: d.UID, Members: d.Members, AsOf: d.AsOfMillis()}
	d.firsts, err = snapshot.OfDays(ctx, d.Snapshot, "first days of invitees", f, sums.ActivityOfInvitees, func(parts ...sums.InviteeActivity) map[sums.InviteeKey]affiliate.Day {
		days := map[sums.InviteeKey]affiliate.Day{}
		for key, own := range sums.JoinActivity(parts...) {
			days[key] = own.Days[0]
		}
		return days
	})
	return d.firsts, err
}

// belong finds the invitees of each row.
func (d *desk) belong(ctx context.Context) error {
	if err := d.list(ctx); err != nil {
		return err
	}
	for _, r := range d.rows {
		var err error
		switch r.Scope {
		case costs.OfCode:
			continue
		case costs.OfTag:
			var tagged map[affiliate.UID]bool
			tagged, err = people.Tagged(ctx, d.Whole(), r.Value)
			r.members = d.everywhere(slices.Sorted(maps.Keys(tagged)))
		case CostOfPeople:
			r.members = d.everywhere(slices.Sorted(maps.Keys(r.owners)))
		case costs.OfSegment:
			r.members, r.problem, err = membersOf(ctx, d.Snapshot, r.Value)
			if d.Account != "" {
				r.members = r.members.And(affiliate.MembersOf([]affiliate.Account{d.Account}, nil))
			}
		}
		if err != nil {
			return fmt.Errorf("the invitees of the %s %s: %w", r.Scope, r.Value, err)
		}
	}
	firsts, err := d.firstDays(ctx)
	if err != nil {
		return err
	}
	d.share(firsts)
	return nil
}

// everywhere returns the UIDs in all accounts of the query, as far as the caller may see them.
func (d *desk) everywhere(uids []affiliate.UID) affiliate.Members {
	pairs := map[affiliate.Account][]affiliate.UID{}
	for _, account := range d.Accounts {
		pairs[account] = uids
	}
	return affiliate.MembersOf(nil, pairs).And(d.Members)
}

// share divides the invitees over the rows, and counts those who belong to several: whom the exchange
// ever listed, and the others who brought commission, which counts as well.
func (d *desk) share(firsts map[sums.InviteeKey]affiliate.Day) {
	byCode := map[string]*row{}
	var sets []*row
	for _, r := range d.rows {
		if r.Scope == costs.OfCode {
			byCode[r.Value] = r
		} else {
			sets = append(sets, r)
		}
	}
	belongs := func(key sums.InviteeKey, code string) (of []*row) {
		if r := byCode[code]; r != nil && code != "" {
			of = append(of, r)
		}
		for _, r := range sets {
			if r.members.Has(key.Account, key.UID) {
				of = append(of, r)
			}
		}
		for _, r := range of {
			r.Invitees++
			if len(of) > 1 {
				r.Shared++
			}
		}
		if len(of) > 1 {
			d.overlapping++
		}
		return of
	}
	listed := make(map[sums.InviteeKey]bool, len(d.listed))
	for n := range d.listed {
		i := &d.listed[n]
		listed[i.InviteeKey] = true
		for _, r := range belongs(i.InviteeKey, i.code) {
			r.listed = append(r.listed, i)
			r.Listed++
		}
	}
	for key := range firsts {
		if !listed[key] {
			belongs(key, d.ownCodes[key.UID])
		}
	}
}

// spend finds on which days costs fell due.
func (d *desk) spend(ctx context.Context) error {
	for _, r := range d.rows {
		r.spent = dayAmounts{}
		if r.Scope == CostOfPeople {
			if err := d.spendPeople(ctx, r); err != nil {
				return err
			}
			continue
		}
		for n := range r.Costs {
			c := &r.Costs[n]
			var registered, traded []affiliate.Day
			switch c.Kind {
			case costs.PerRegistration:
				for _, i := range r.listed {
					registered = append(registered, i.registered)
				}
			case costs.PerFirstTrade:
				var err error
				if traded, err = d.firstTrades(ctx, r); err != nil {
					return err
				}
			}
			for _, day := range dueDays(c.Cost, r.Days, registered, traded) {
				c.Times++
				c.Sum = c.Sum.Add(c.Amount.Decimal())
				add(r.spent, c.Coin, day, c.Amount.Decimal())
			}
		}
	}
	return nil
}

// firstTrades returns the day of the first trade of each invitee of a row: as the exchange tells
// it, otherwise that of the first commission.
func (d *desk) firstTrades(ctx context.Context, r *row) (days []affiliate.Day, err error) {
	firsts, err := d.firstDays(ctx)
	if err != nil {
		return nil, err
	}
	known := map[sums.InviteeKey]bool{}
	for _, i := range r.listed {
		days = append(days, cmp.Or(i.traded, firsts[i.InviteeKey]))
		known[i.InviteeKey] = true
	}
	for key, day := range firsts { // those whom the exchange never listed
		own := r.members.Has(key.Account, key.UID)
		if r.Scope == costs.OfCode {
			own = d.ownCodes[key.UID] == r.Value
		}
		if own && !known[key] {
			days = append(days, day)
		}
	}
	return days, nil
}

// spendPeople counts the cost of each person on the day of registration, or of the first commission
// if nobody knows it. Of all time no cost is left out: one of an unknown or an earlier day is of the
// first day.
func (d *desk) spendPeople(ctx context.Context, r *row) error {
	days := map[affiliate.UID]affiliate.Day{}
	earlier := func(uid affiliate.UID, day affiliate.Day) {
		if before, ok := days[uid]; day != 0 && (!ok || day < before) {
			days[uid] = day
		}
	}
	for _, i := range r.listed {
		earlier(i.UID, i.registered)
	}
	if len(days) < len(r.owners) {
		firsts, err := d.firstDays(ctx)
		if err != nil {
			return err
		}
		for key, day := range firsts {
			if _, ok := r.owners[key.UID]; ok {
				earlier(key.UID, day)
			}
		}
	}
	for uid, cost := range r.owners {
		day := days[uid]
		if d.Range == query.AllTime {
			day = max(day, r.Days.First) // registered before the oldest record
		} else if day == 0 {
			r.undated++
			continue
		}
		if r.Days.Contains(day) {
			add(r.spent, cost.Coin, day, cost.Value)
		}
	}
	return nil
}

// FindCost returns a cost that the caller may change. One that is gone, or about others, is a
// missing *[store.RuleError].
func FindCost(ctx context.Context, q *snapshot.Snapshot, id int64) (costs.Cost, error) {
	c, err := costs.Table.Get(ctx, q.Tx, id)
	if err != nil {
		return c, err
	}
	see, err := seen(ctx, q)
	if err != nil {
		return c, err
	}
	ok, err := see(c.Scope, c.Value)
	if err == nil && !ok {
		err = &store.RuleError{Problem: "There is no such cost.", Missing: true}
	}
	return c, err
}

// CheckCost returns what is wrong with a cost that a user wants to add, and puts its fields into
// the form in which they are stored.
func CheckCost(ctx context.Context, q *snapshot.Snapshot, c *costs.Cost) error {
	if err := c.Check(); err != nil {
		return err
	}
	refuse := func(field, format string, args ...any) error {
		return &store.RuleError{Problem: fmt.Sprintf(format, args...), Field: field}
	}
	for _, given := range []struct {
		field string
		day   affiliate.Day
	}{{"from", c.First}, {"to", c.Last}} {
		if given.day != 0 && !snapshot.AllDays.Contains(given.day) {
			return refuse(given.field, "Give a day between %s and %s.", snapshot.AllDays.First, snapshot.AllDays.Last)
		}
	}
	if c.Scope == costs.OfCode {
		codes, err := q.Codes(ctx, q.Visible)
		if err != nil {
			return err
		}
		c.Value = affiliate.Spelling(codes, c.Value)
	}
	if c.Scope == costs.OfSegment {
		if _, problem, err := membersOf(ctx, q, c.Value); err != nil || problem != "" {
			if err == nil {
				err = refuse("value", "A cost of the segment %q cannot be kept: %s. The page /segments lists the segments.", c.Value, problem)
			}
			return err
		}
	}
	see, err := seen(ctx, q)
	if err != nil {
		return err
	}
	ok, err := see(c.Scope, c.Value)
	switch {
	case err != nil:
		return err
	case !ok:
		return refuse("value", "None of your invitees belongs to the %s %q: choose one of your own.", c.Scope, c.Value)
	}
	c.Coin, err = q.StoredCoins(ctx, c.Coin)
	return err
}

// everybody returns the question about all invitees the caller may see.
func everybody(q *snapshot.Snapshot) *snapshot.Snapshot {
	all := *q
	all.Members = q.Visible
	return &all
}
