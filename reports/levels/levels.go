package levels

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/forecast"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Subject is a kind of what is watched.
type Subject string

// Kinds of what is watched.
const (
	Programme Subject = "programme"
	Code      Subject = "code"
	Invitee   Subject = "invitee"
)

// Change is a change of the level of what one programme, code or invitee brings. Amounts are commission in
// [figures.ValuedIn], of all coins that have a price, each day at its own.
type Change struct {
	Subject Subject
	Account affiliate.Account
	Code    string        // of the subject: of a code its name, of an invitee the code it came by; may be empty
	UID     affiliate.UID // of an invitee
	estimate.Break
	Share figures.Ratio // of a code or an invitee in what its programme brought in the last [RecentDays]
	// Effect is what the running month brings more at the level since, or less if it is negative: the difference
	// of a day times the days of the month since the change, those to come among them.
	Effect decimal.Decimal
}

// Down reports whether the level fell.
func (c *Change) Down() bool { return c.After.LessThan(c.Before) }

// Month is what the change makes in thirty days, as a positive amount.
func (c *Change) Month() affiliate.Amount {
	days := decimal.NewFromInt(invitees.PresentDays)
	return affiliate.Amount{Value: c.After.Sub(c.Before).Abs().Mul(days), Coin: figures.ValuedIn}
}

// Is reports whether the change is of what another one is of.
func (c *Change) Is(o *Change) bool {
	return c.Subject == o.Subject && c.Account == o.Account && c.UID == o.UID && (c.Subject == Invitee || c.Code == o.Code)
}

// Changes are those of all that is watched. The largest difference of a day comes first. The list is shared:
// callers must not change it.
type Changes struct {
	Today   affiliate.Day
	Watched int // series that were tested
	List    []Change
}

// Of returns the change of an invitee, or nil.
func (c Changes) Of(account affiliate.Account, uid affiliate.UID) *Change {
	return c.first(func(one *Change) bool { return one.Subject == Invitee && one.Account == account && one.UID == uid })
}

func (c Changes) first(is func(*Change) bool) *Change {
	for i := range c.List {
		if is(&c.List[i]) {
			return &c.List[i]
		}
	}
	return nil
}

const (
	// RecentDays are the days by whose commission it is decided who is large. They are more than the days in
	// which a change is looked for, so that who stopped is still among them.
	RecentDays = 180
	// largePercent is the share of its programme from which on a code or an invitee is watched. There are
	// at most twenty codes and twenty invitees with as much; half of less is lost among the days of the programme.
	largePercent = 5
	// pastDays are the days whose levels are looked at.
	pastDays = 400
)

// SameDays is how many days the first days of two changes of the same level are apart at most, if they are the
// same change: the first day is found again each day.
const SameDays = 28

// Make answers the query for the changes of level of its account, its codes and its segment. A segment is about
// its invitees alone.
func Make(ctx context.Context, q *snapshot.Snapshot) (Changes, error) {
	found, err := Read(ctx, q)
	if err != nil {
		return found, err
	}
	codes := affiliate.Choices(q.Code)
	found.List = slices.DeleteFunc(slices.Clone(found.List), func(c Change) bool {
		return q.Account != "" && c.Account != q.Account || len(codes) > 0 && !slices.Contains(codes, c.Code) ||
			q.Segment != "" && (c.Subject != Invitee || !q.Members.Has(c.Account, c.UID))
	})
	return found, nil
}

// Read returns the changes of level of the programmes that the caller sees, of their codes and of their large
// invitees, whatever the filters of the query. Of the query only its state counts.
func Read(ctx context.Context, q *snapshot.Snapshot) (Changes, error) {
	wide := q.Everywhere()
	wide.Query = query.Query{Members: q.Visible, AsOf: q.AsOf, Zone: q.Zone, Today: affiliate.DayOf(q.Now, q.Zone), Page: 1, Per: query.DefaultPer}
	spans := make([]affiliate.Days, len(wide.Accounts))
	for i, account := range wide.Accounts {
		var err error
		if spans[i], err = forecast.Complete(ctx, wide.OfAccount(account), pastDays); err != nil {
			return Changes{}, err
		}
	}
	type asked struct {
		query query.Query
		next  affiliate.Day
	}
	of := asked{query: wide.Query}
	for _, span := range spans {
		of.next = max(of.next, span.Last+1)
	}
	return snapshot.Part(ctx, wide, "levels", of, func(ctx context.Context) (Changes, error) { return look(ctx, wide, spans) })
}

// series is one of those that are watched together.
type series struct {
	Change
	amounts figures.DayAmounts
	days    affiliate.Days
}

// look tests all series of all accounts.
func look(ctx context.Context, q *snapshot.Snapshot, spans []affiliate.Days) (Changes, error) {
	found := Changes{Today: q.Today}
	var watched []series
	for i, account := range q.Accounts {
		list, err := watch(ctx, q.OfAccount(account), spans[i])
		if err != nil {
			return found, err
		}
		watched = append(watched, list...)
	}
	found.Watched = len(watched)
	rates, err := rates(ctx, q, watched)
	if err != nil {
		return found, err
	}
	coins, err := q.Coins(ctx)
	if err != nil {
		return found, err
	}
	prices, err := q.Prices(ctx, coins)
	if err != nil {
		return found, err
	}
	month := forecast.MonthOf(q.Today)
	for _, s := range watched {
		b := estimate.BreakOf(past(rates.ByDay(s.amounts), s.days), len(watched))
		if b == nil {
			continue
		}
		s.Break = *b
		s.Effect = b.After.Sub(b.Before).Mul(decimal.NewFromInt(int64(month.Last - max(month.First, b.Since) + 1)))
		if m := s.Month(); prices.Matters(m.Value, m.Coin) {
			found.List = append(found.List, s.Change)
		}
	}
	slices.SortStableFunc(found.List, func(a, b Change) int { return b.After.Sub(b.Before).Abs().Cmp(a.After.Sub(a.Before).Abs()) })
	return found, nil
}

// rates returns the prices of all days on which any of the series brought something.
func rates(ctx context.Context, q *snapshot.Snapshot, watched []series) (figures.Valuation, error) {
	some := figures.DayAmounts{} // what cancels out in one may not in another
	for _, s := range watched {
		for coin, days := range s.amounts {
			if some[coin] == nil {
				some[coin] = map[affiliate.Day]decimal.Decimal{}
			}
			for day, amount := range days {
				some[coin][day] = some[coin][day].Add(amount.Abs())
			}
		}
	}
	return q.Valuation(ctx, some)
}

// past returns the history of a series, from its first day with commission on.
func past(amounts map[affiliate.Day]decimal.Decimal, days affiliate.Days) estimate.PastDays {
	h := estimate.PastDays{First: days.Last + 1}
	for day, amount := range amounts {
		if days.Contains(day) && !amount.IsZero() {
			h.First = min(h.First, day)
		}
	}
	for day := h.First; day <= days.Last; day++ {
		h.Amounts = append(h.Amounts, amounts[day])
	}
	return h
}

// watch returns the series of one account: of all of it, of its codes and of its large invitees.
func watch(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days) ([]series, error) {
	account := q.Account
	if days.Len() <= estimate.LeastBreak {
		return nil, nil
	}
	f := records.CommissionFilter{Account: account, Members: q.Members, AsOf: q.AsOfMillis()}
	daily := func(code string) (figures.DayAmounts, error) {
		of := f
		of.Days, of.Code = days, code
		list, err := snapshot.OfDays(ctx, q, "forecast days", of, sums.EachDay, sums.JoinEachDay)
		return figures.CommissionDays(list), err
	}
	all, err := daily("")
	if err != nil {
		return nil, err
	}
	list := []series{{Change: Change{Subject: Programme, Account: account}, amounts: all, days: days}}
	large, err := largest(ctx, q, f)
	if err != nil {
		return nil, err
	}
	var keys []sums.InviteeKey
	for _, c := range large {
		if c.Subject == Invitee {
			keys = append(keys, sums.InviteeKey{Account: account, UID: c.UID})
		}
	}
	of := f
	of.Days = days
	people, err := snapshot.OfDaysOnce(ctx, q, fmt.Sprintf("levels of invitees %q", keys), of, sums.DaysOfInvitees(keys), sums.JoinDays)
	if err != nil {
		return nil, err
	}
	for _, c := range large {
		s := series{Change: c, days: days}
		if c.Subject == Invitee {
			s.amounts = figures.CommissionDays(people[sums.InviteeKey{Account: account, UID: c.UID}])
		} else if s.amounts, err = daily(c.Code); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// largest returns the codes and the invitees of an account that are watched.
func largest(ctx context.Context, q *snapshot.Snapshot, f records.CommissionFilter) ([]Change, error) {
	f.Days = affiliate.Days{First: q.Today - RecentDays + 1, Last: q.Today}
	totals, err := invitees.ReadTotals(ctx, q, f)
	if err != nil {
		return nil, err
	}
	coins, err := q.Coins(ctx)
	if err != nil {
		return nil, err
	}
	prices, err := q.Prices(ctx, coins)
	if err != nil {
		return nil, err
	}
	codes, err := q.InviteeCodes(ctx)
	if err != nil {
		return nil, err
	}
	var whole figures.Portions
	ofCode := map[string]decimal.Decimal{}
	var list []Change
	add := func(c Change, brought decimal.Decimal) {
		if c.Share = whole.Share(brought); c.Share.Known && c.Share.Percent.GreaterThanOrEqual(decimal.NewFromInt(largePercent)) {
			list = append(list, c)
		}
	}
	brought := map[sums.InviteeKey]decimal.Decimal{}
	for key, of := range totals {
		var worth decimal.Decimal
		for i := range of {
			worth = worth.Add(prices.Worth(affiliate.Amount{Value: of[i].Commission, Coin: of[i].Coin}).Total)
		}
		brought[key] = worth
		whole.Add(worth)
		if code := codes.Of(key); code != "" {
			ofCode[code] = ofCode[code].Add(worth)
		}
	}
	for code, worth := range ofCode {
		add(Change{Subject: Code, Account: q.Account, Code: code}, worth)
	}
	for key, worth := range brought {
		add(Change{Subject: Invitee, Account: q.Account, UID: key.UID, Code: codes.Of(key)}, worth)
	}
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Code, b.Code), cmp.Compare(a.UID, b.UID))
	})
	return list, nil
}
