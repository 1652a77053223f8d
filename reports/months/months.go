package months

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/closings"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// State says whether a month is closed.
type State string

// States, by their names in exports.
const (
	Open             State = "open"       // it cannot be closed yet, see Readiness
	Closable         State = "closable"   // it is collected and settled
	Closed           State = "closed"     // as complete
	ClosedIncomplete State = "incomplete" // closed with parts missing, and a reason
	Reopened         State = "reopened"   // it was closed; Readiness says whether it can be closed again
)

// Label names the state on pages and in workbooks.
func (s State) Label() string {
	switch s {
	case Closed:
		return "Closed"
	case ClosedIncomplete:
		return "Closed incomplete"
	case Reopened:
		return "Reopened"
	case Closable:
		return "Can be closed"
	}
	return "Open"
}

// List has the months from the first one with records on, the newest first.
type List struct {
	Query  query.Query
	Months []Line
	Empty  coverage.EmptyKind // not "" when nothing was ever collected
	Known  []affiliate.Account
}

// Line is one month with its sums as closed and as of now.
type Line struct {
	Days      affiliate.Days
	State     State
	Readiness Readiness         // for all accounts
	Closing   *closings.Closing // the newest; nil: the month was never closed
	Coins     []MonthCoin       // under the filters of the query; the one with most records first
	Worth     figures.Valuation // of the commission of now, at the prices of its days
	Owed      payments.Owed     // what the exchange owes of the month on balance, by what is known now
}

// First returns the first day of the month.
func (m *Line) First() affiliate.Day { return m.Days.First }

// Converted reports whether the commission of the month is told in one coin: it is of several, and each
// has a price.
func (m *Line) Converted() bool {
	return len(m.Coins) > 1 && m.Worth.Known() && len(m.Worth.Missing) == 0
}

// InForce returns the closing of a closed month, or nil.
func (m *Line) InForce() *closings.Closing {
	if m.Closing != nil && m.Closing.InForce() {
		return m.Closing
	}
	return nil
}

// MonthCoin has the sums of one coin.
type MonthCoin struct {
	Coin   affiliate.Coin
	Closed Figures // of the newest closing; zero if the month was never closed
	Now    Figures // at the instant of the query
}

// After returns the commission that became known after the close: that of now less that of the
// closing, to the last digit.
func (c *MonthCoin) After() affiliate.Sum {
	change := c.Now.Commission
	change.AddSum(c.Closed.Commission.Negated())
	return change
}

// Figures are exact.
type Figures struct {
	Records int64
	affiliate.Summed[affiliate.Sum]
	unknown affiliate.Summed[bool] // which sums lack an amount that the program did not know yet
}

func (s *Figures) add(records int64, sums affiliate.Summed[affiliate.Number]) {
	s.Records += records
	affiliate.AddNumbers(&s.Summed, &sums)
	numbers := sums.All()
	for i, unknown := range s.unknown.All() {
		*unknown = *unknown || !numbers[i].Known()
	}
}

// Of returns one of [affiliate.Summed.All]; unknown if the month was closed before the program knew the
// amount.
func (s *Figures) Of(place int) affiliate.Number {
	if *s.unknown.All()[place] {
		return ""
	}
	return number(*s.All()[place])
}

// Accepted are the parameters of the list and of its files.
var Accepted = query.AcceptedParams{Taken: []string{"account", "as_of"}, Usual: query.AllTime}

// AcceptedOfOne are the parameters of a month and of its files.
var AcceptedOfOne = query.AcceptedParams{Taken: []string{"account", "as_of"}, Usual: query.MonthTo}

// DaysOf returns the days of the month in which a day lies.
func DaysOf(day affiliate.Day) affiliate.Days {
	year, month, _ := day.Date()
	return affiliate.Days{First: affiliate.NewDay(year, month, 1), Last: affiliate.NewDay(year, month+1, 1) - 1}
}

// Parse returns the first day of a month such as 2026-10.
func Parse(text string) (affiliate.Day, bool) {
	first, err := affiliate.ParseDay(text + "-01")
	return first, err == nil && first >= query.Earliest && first <= query.Latest
}

// Make answers the query, which takes [Accepted], for all months.
func Make(ctx context.Context, q *snapshot.Snapshot) (List, error) {
	list := List{Query: q.Query, Known: q.Known}
	known, err := closings.List(ctx, q.Tx, q.AsOfMillis())
	if err != nil {
		return list, err
	}
	first, err := records.FirstReadOf(ctx, q.Tx, affiliate.Commissions, q.Account)
	if err != nil {
		return list, err
	}
	if !first.Known() && len(known) == 0 {
		list.Empty = coverage.EmptyNotCollected
		return list, nil
	}
	sumsOf, err := presentSums(ctx, q)
	if err != nil {
		return list, err
	}
	all := figures.DayAmounts{}
	for _, list := range sumsOf {
		all.AddCommission(list)
	}
	worth, err := q.Valuation(ctx, all)
	if err != nil {
		return list, err
	}
	today := affiliate.DayOf(q.Now, q.Zone)
	oldest := min(q.Days.First, today)
	for i := range known {
		oldest = min(oldest, known[i].Month)
	}
	watch, err := newWatch(ctx, q, affiliate.Days{First: DaysOf(oldest).First, Last: DaysOf(today).Last})
	if err != nil {
		return list, err
	}
	for days := DaysOf(today); days.Last >= oldest; days = DaysOf(days.First - 1) {
		line := Line{Days: days, Closing: newestOf(known, days.First)}
		if line.InForce() == nil {
			line.Readiness = watch.readiness(days)
		}
		line.State = stateOf(&line)
		now := sumsOf[days.First]
		line.Worth = worth.Within(days, all)
		if c := line.Closing; c != nil && c.Zone != q.Zone.String() {
			if now, err = sumsInZone(ctx, q, c); err != nil {
				return list, err
			}
			if line.Worth, err = q.Valuation(ctx, figures.CommissionDays(now)); err != nil {
				return list, err
			}
		}
		line.Coins = coinsOf(q.Query, line.Closing, now)
		list.Months = append(list.Months, line)
	}
	return list, addOwed(ctx, q, pointers(list.Months)...)
}

func pointers(list []Line) (all []*Line) {
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

// addOwed adds to months what the exchange owes of them.
func addOwed(ctx context.Context, q *snapshot.Snapshot, list ...*Line) error {
	ranges := make([]affiliate.Days, len(list))
	for i, line := range list {
		ranges[i] = line.Days
	}
	owed, err := payments.OwedIn(ctx, q, ranges...)
	for i := range owed {
		list[i].Owed = owed[i]
	}
	return err
}

// newestOf returns the newest closing of a month in a list of [closings.List].
func newestOf(known []closings.Closing, month affiliate.Day) *closings.Closing {
	if i := slices.IndexFunc(known, func(c closings.Closing) bool { return c.Month == month }); i >= 0 {
		return &known[i]
	}
	return nil
}

func stateOf(m *Line) State {
	switch c := m.Closing; {
	case c != nil && c.InForce() && c.Complete:
		return Closed
	case c != nil && c.InForce():
		return ClosedIncomplete
	case c != nil:
		return Reopened
	case m.Readiness.Ready():
		return Closable
	}
	return Open
}

// presentSums adds up the records of the query by month and day.
func presentSums(ctx context.Context, q *snapshot.Snapshot) (map[affiliate.Day][]sums.DaySums, error) {
	all, err := snapshot.OfDays(ctx, q, "days of months", q.Filter(), sums.EachDay, sums.JoinEachDay)
	of := map[affiliate.Day][]sums.DaySums{}
	for i := range all {
		first := DaysOf(all[i].Day).First
		of[first] = append(of[first], all[i])
	}
	return of, err
}

// sumsInZone adds up the records of a closed month in the zone of its closing, which is no more
// that of the reports.
func sumsInZone(ctx context.Context, q *snapshot.Snapshot, c *closings.Closing) ([]sums.DaySums, error) {
	zone, err := time.LoadLocation(c.Zone)
	if err != nil {
		return nil, fmt.Errorf("%s was closed in the zone %s: %w", closings.MonthText(c.Month), c.Zone, err)
	}
	f := q.Filter()
	f.Days = DaysOf(c.Month)
	return sums.ByDay(ctx, q.Tx.In(zone), f)
}

// coinsOf joins the sums of a closing with those of now.
func coinsOf(q query.Query, c *closings.Closing, now []sums.DaySums) []MonthCoin {
	of := map[affiliate.Coin]*MonthCoin{}
	at := func(coin affiliate.Coin) *MonthCoin {
		if of[coin] == nil {
			of[coin] = &MonthCoin{Coin: coin}
		}
		return of[coin]
	}
	for i := range now {
		at(now[i].Coin).Now.add(now[i].Records, now[i].Summed)
	}
	if c != nil {
		for i := range c.Sums {
			if s := &c.Sums[i]; takes(q, s) {
				at(s.Coin).Closed.add(s.Records, s.Summed)
			}
		}
	}
	list := make([]MonthCoin, 0, len(of))
	for _, coin := range of {
		list = append(list, *coin)
	}
	slices.SortFunc(list, func(a, b MonthCoin) int {
		return cmp.Or(cmp.Compare(max(b.Now.Records, b.Closed.Records), max(a.Now.Records, a.Closed.Records)), cmp.Compare(a.Coin, b.Coin))
	})
	return list
}

// takes reports whether a query asks for a sum of a closing.
func takes(q query.Query, s *closings.Sum) bool {
	return (q.Account == "" || s.Account == q.Account) && affiliate.AsksFor(q.Product, s.Product) &&
		affiliate.AsksFor(q.Coin, s.Coin) && (q.Source == "" || s.Source == q.Source)
}

// Detail is one month with everything that is known of its closings.
type Detail struct {
	Line
	Query    query.Query // of the days of the month
	Details  closings.Details
	History  []closings.Closing // all closings of the month, the newest first
	Rows     []MonthRow         // by account, product, coin and source
	Changes  *changes.Report    // what became known after the close; nil unless the month is closed
	Accounts []affiliate.Account
	// Draft are the lists that would be frozen if the month were closed now; nil if it is closed.
	Draft *closings.Details
}

// MonthRow are the sums of one account, product, coin and source.
type MonthRow struct {
	Account affiliate.Account
	Product affiliate.Product
	Coin    affiliate.Coin
	Source  affiliate.Source
	MonthCoin
}

// MakeOne answers the query for one month, whose days are those of the query.
func MakeOne(ctx context.Context, q *snapshot.Snapshot) (Detail, error) {
	d := Detail{Query: q.Query, Accounts: q.Known}
	d.Days = q.Days
	var err error
	if d.History, err = closings.Of(ctx, q.Tx, q.Days.First, q.AsOfMillis()); err != nil {
		return d, err
	}
	d.Closing = newestOf(d.History, q.Days.First)
	watch, err := newWatch(ctx, q, q.Days)
	if err != nil {
		return d, err
	}
	d.Readiness = watch.readiness(q.Days)
	d.State = stateOf(&d.Line)
	now, err := rowsNow(ctx, q, d.Closing)
	if err != nil {
		return d, err
	}
	d.Coins = coinsOf(q.Query, d.Closing, now)
	if d.Worth, err = q.Valuation(ctx, figures.CommissionDays(now)); err != nil {
		return d, err
	}
	d.Rows = rowsOf(q.Query, d.Closing, now)
	if err := addOwed(ctx, q, &d.Line); err != nil {
		return d, err
	}
	c := d.InForce()
	if c == nil {
		draft, err := draftOf(ctx, q.Everywhere(), d.Readiness)
		d.Draft, d.Details = &draft, draft
		return d, err
	}
	if d.Details, err = closings.ReadDetails(ctx, q.Tx, c.ID); err != nil {
		return d, err
	}
	report, err := changes.Make(ctx, sinceClose(q, c))
	d.Changes = &report
	return d, err
}

// rowsNow adds up the days of a month, in the zone of its closing if there is one.
func rowsNow(ctx context.Context, q *snapshot.Snapshot, c *closings.Closing) ([]sums.DaySums, error) {
	if c != nil && c.Zone != q.Zone.String() {
		return sumsInZone(ctx, q, c)
	}
	return snapshot.OfDays(ctx, q, "days of a month", q.Filter(), sums.EachDay, sums.JoinEachDay)
}

// shownChanges is how many changes the page of a month lists.
const shownChanges = 10

// sinceClose returns the question of what became known of a month after its close.
func sinceClose(q *snapshot.Snapshot, c *closings.Closing) *snapshot.Snapshot {
	since := *q
	since.Since, since.Until, since.AsOf = c.Known.Time(), q.AsOf, time.Time{}
	since.Sort, since.Page, since.Per, since.By = changes.Accepted.Order, 1, shownChanges, changes.Splits()[0]
	return &since
}

// rowsOf is coinsOf by account, product, coin and source.
func rowsOf(q query.Query, c *closings.Closing, now []sums.DaySums) []MonthRow {
	type key struct {
		account affiliate.Account
		product affiliate.Product
		coin    affiliate.Coin
		source  affiliate.Source
	}
	of := map[key]*MonthRow{}
	at := func(k key) *MonthRow {
		if of[k] == nil {
			of[k] = &MonthRow{Account: k.account, Product: k.product, Coin: k.coin, Source: k.source}
			of[k].MonthCoin.Coin = k.coin
		}
		return of[k]
	}
	for i := range now {
		s := &now[i]
		at(key{s.Account, s.Product, s.Coin, s.Source}).Now.add(s.Records, s.Summed)
	}
	if c != nil {
		for i := range c.Sums {
			if s := &c.Sums[i]; takes(q, s) {
				at(key{s.Account, s.Product, s.Coin, s.Source}).Closed.add(s.Records, s.Summed)
			}
		}
	}
	list := make([]MonthRow, 0, len(of))
	for _, row := range of {
		list = append(list, *row)
	}
	slices.SortFunc(list, func(a, b MonthRow) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Product, b.Product), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Source, b.Source))
	})
	return list
}
