package segments

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	stored "rebatedesk/store/segments"
	"rebatedesk/store/sums"
)

// LimitTo limits a question that names a segment to its members, as of the instant of the
// question. A segment that is unknown or was removed is a *query.ParamError; no question is ever
// answered as if it named none.
func LimitTo(ctx context.Context, q *snapshot.Snapshot) error {
	if q.Segment == "" {
		return nil
	}
	wrong := func(format string, args ...any) error {
		return &query.ParamError{Param: "segment", Value: q.Segment, Problem: fmt.Sprintf(format, args...)}
	}
	const unknown = "there is no such segment; the page /segments lists them"
	s, found, err := stored.Find(ctx, q.Tx, q.Segment)
	switch {
	case err != nil:
		return err
	case !found, s.Removed.Known() && q.Visible.Limited():
		return wrong(unknown)
	case s.Removed.Known():
		return wrong("the segment was removed on %s by %s; choose another one on the page /segments", q.DayOf(s.Removed).Format("2 January 2006"), s.Changer)
	}
	members, err := MembersNow(ctx, q, s)
	if err != nil {
		return err
	}
	// Whoever may see nobody of a segment does not learn that it exists.
	if q.Visible.Limited() && !members.Single() {
		return wrong(unknown)
	}
	q.Segment, q.Members = s.Name, q.Members.And(members)
	return nil
}

// MembersNow returns the members of a segment the caller may see, as of the instant of
// the question. Those of a frozen one are the kept ones.
func MembersNow(ctx context.Context, q *snapshot.Snapshot, s stored.Segment) (affiliate.Members, error) {
	if s.Frozen != 0 {
		return s.Kept.And(q.Visible), nil
	}
	d, err := Checked(ctx, q, s.Definition)
	if err != nil {
		return affiliate.Members{}, fmt.Errorf("the definition of the segment %q: %w", s.Name, err)
	}
	return find(ctx, q, d)
}

// Checked reads a definition that a user gave or that is stored. Relative ranges end on the day of
// the question. Coins and invite codes have the spelling of the exchange.
func Checked(ctx context.Context, q *snapshot.Snapshot, text string) (Definition, error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return Definition{}, err
	}
	d, err := ParseDefinition(text, query.Basis{Now: q.Now, Zone: q.Zone, First: first})
	if err == nil && d.Query.Coin != "" {
		d.Query.Coin, err = q.StoredCoins(ctx, d.Query.Coin)
	}
	if err == nil && d.Query.Code != "" {
		d.Query.Code, err = q.StoredCodes(ctx, d.Query.Code)
	}
	return d, err
}

// find returns the members of a definition. They are cached until the next write, or until the
// next day or minute if they depend on the time.
func find(ctx context.Context, q *snapshot.Snapshot, d Definition) (affiliate.Members, error) {
	type asked struct {
		definition string
		today      affiliate.Day
		asOf       affiliate.Millis
		zone       *time.Location
	}
	everybody := *q
	everybody.Members = q.Visible
	key := asked{d.Text(), affiliate.DayOf(q.Now, q.Zone), q.AsOfMillis(), q.Zone}
	part := snapshot.Part[affiliate.Members]
	if slices.Contains(records.InviteeStatuses(), records.InviteeStatus(d.Query.State)) {
		part = snapshot.PartOfMinute[affiliate.Members]
	}
	return part(ctx, &everybody, "members of a segment", key, func(ctx context.Context) (affiliate.Members, error) {
		one := about(&everybody, d)
		if len(one.Accounts) == 0 {
			return affiliate.MembersOf(nil, nil), nil
		}
		lines, err := invitees.ReadLines(ctx, one)
		if err != nil {
			return affiliate.Members{}, err
		}
		prices, err := pricesOf(ctx, one, d, lines)
		if err != nil {
			return affiliate.Members{}, err
		}
		var owners map[affiliate.UID]string
		if d.Owner != "" {
			if owners, err = people.Owners(ctx, q.Whole(), q.AsOfMillis()); err != nil {
				return affiliate.Members{}, err
			}
		}
		found := map[affiliate.Account][]affiliate.UID{}
		for i := range lines {
			if d.Owner != "" && affiliate.Folded(owners[lines[i].UID]) != affiliate.Folded(d.Owner) {
				continue
			}
			if d.has(one, &lines[i], prices) {
				found[lines[i].Account] = append(found[lines[i].Account], lines[i].UID)
			}
		}
		return affiliate.MembersOf(nil, found), nil
	})
}

// about returns the question for the list of invitees of a definition. It has no accounts if the
// definition names one that does not exist.
func about(q *snapshot.Snapshot, d Definition) *snapshot.Snapshot {
	one := q.Everywhere()
	if d.Query.Account != "" {
		one = q.OfAccount(d.Query.Account)
		if !slices.Contains(q.Known, d.Query.Account) {
			one.Accounts = nil
		}
	}
	one.Query = d.Query
	one.Members, one.AsOf = q.Visible, q.AsOf
	return one
}

// pricesOf returns today's prices of the coins at risk, if the definition asks for them.
func pricesOf(ctx context.Context, q *snapshot.Snapshot, d Definition, lines []invitees.ListLine) (figures.Prices, error) {
	if d.RiskLeast == "" {
		return nil, nil
	}
	var coins []affiliate.Coin
	for i := range lines {
		for _, amount := range lines[i].AtRisk {
			if !slices.Contains(coins, amount.Coin) {
				coins = append(coins, amount.Coin)
			}
		}
	}
	slices.Sort(coins)
	return q.Prices(ctx, coins)
}

// has reports whether an invitee of the list meets the further conditions.
func (d *Definition) has(q *snapshot.Snapshot, line *invitees.ListLine, prices figures.Prices) bool {
	if d.RegisteredIn != "" && (!line.RegisterTime.Known() || !d.Registered.Contains(q.DayOf(line.RegisterTime))) {
		return false
	}
	if d.traded() && len(line.InRange) == 0 {
		return false
	}
	if d.Commission.set() && !d.Commission.within(commissionOf(line.InRange, d.Query.Coin)) {
		return false
	}
	if d.Volume.set() && !d.Volume.within(line.Volume()) {
		return false
	}
	if d.RiskLeast != "" && (len(line.AtRisk) == 0 || prices.Worth(line.AtRisk...).Total.LessThan(d.RiskLeast.Decimal())) {
		return false
	}
	if d.Silent > 0 && (line.LastTradeDay == 0 || line.SilentDays < d.Silent) {
		return false
	}
	traded := line.FirstTrade.Known() || line.LastTradeDay != 0
	return d.FirstTrade == "" || traded == (d.FirstTrade == "yes")
}

// commissionOf returns the commission in the coins of a filter.
func commissionOf(totals []figures.Totals, coin affiliate.Coin) decimal.Decimal {
	var sum decimal.Decimal
	for _, t := range totals {
		if affiliate.AsksFor(coin, t.Coin) {
			sum = sum.Add(t.Commission)
		}
	}
	return sum
}

// within reports whether an amount is within the bounds.
func (b AmountBounds) within(amount decimal.Decimal) bool {
	return (b.Least == "" || !amount.LessThan(b.Least.Decimal())) && (b.Most == "" || !amount.GreaterThan(b.Most.Decimal()))
}
