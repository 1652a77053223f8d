package changes

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Report is the difference between what was known of the commission of some days at two
// instants. Per coin, the net change is the commission as known at the later instant less
// the one as known at the earlier instant, to the last digit.
type Report struct {
	Query        query.Query
	Since, Until affiliate.Millis
	Coverage     coverage.Coverage  // at the later instant
	Empty        coverage.EmptyKind // not "" when there are no lines
	First        affiliate.Millis   // stamp of the first read of the accounts of the query; unknown: nothing was ever read
	// FromFirst reports that the earlier instant is the end of the first collection, because the
	// query names none and the usual one lies before it.
	FromFirst bool

	Totals []CoinMoved          // of all kinds, by coin: the one with most lines first
	Kinds  []KindMoved          // by kind and coin, in the order of Kinds and Totals
	Groups []GroupMoved         // of the kind of the query, split as Query.By says
	Valued figures.ValuedFigure // the net change of all coins, converted

	// Entered and Left count the lines of records that both states have. They came into the
	// filter, or left it, because the code of their invitee became known or changed.
	Entered, Left int64

	Lines   []*records.Difference // one page, of the kind of the query
	Count   int64                 // of lines of that kind
	All     int64                 // of lines of all kinds
	Pages   int                   // at least 1
	Options snapshot.Options
	Codes   *snapshot.CodeBook // at the later instant
}

// UpAndDown adds up differences of one coin.
type UpAndDown struct {
	Records  int64
	Up, Down affiliate.Sum // exact; Down is at most 0
}

// Net returns the sum of all differences.
func (s UpAndDown) Net() affiliate.Sum {
	net := s.Up
	net.AddSum(s.Down)
	return net
}

func (s *UpAndDown) add(o UpAndDown) {
	s.Records += o.Records
	s.Up.AddSum(o.Up)
	s.Down.AddSum(o.Down)
}

// CoinMoved is the change of one coin.
type CoinMoved struct {
	Coin affiliate.Coin
	UpAndDown
}

// KindMoved is the change of one kind and coin.
type KindMoved struct {
	Kind commissions.RestatementKind
	Coin affiliate.Coin
	UpAndDown
}

// GroupMoved is the change of one part of the records, in one coin.
type GroupMoved struct {
	Account affiliate.Account // of an invitee; otherwise empty
	Key     string            // as Query.By says: a month such as 2026-09, a code, a UID, a product, a pair
	Coin    affiliate.Coin
	UpAndDown
}

// Splits lists the ways to split the change; the first is the default.
func Splits() []string { return []string{"month", "code", "invitee", "product", "pair"} }

// Kinds lists the kinds of changes.
func Kinds() []commissions.RestatementKind {
	return append([]commissions.RestatementKind{commissions.RestatedNew}, commissions.RestatementKinds()...)
}

// Sorts lists the columns by which lines can be sorted.
var Sorts = []string{"noticed", "change", "account", "time", "uid", "code", "product", "symbol", "source", "coin", "before", "after", "difference"}

// Accepted are the parameters of the report and of its files.
var Accepted = query.AcceptedParams{
	Taken: []string{"since", "until", "range", "from", "to", "account", "product", "coin", "uid", "symbol", "source", "code", "segment", "q",
		"change", "by", "sort", "page", "per"},
	Sorts: Sorts, Order: query.Sort{Field: "noticed", Descending: true}, Usual: query.AllTime,
	Own: []query.Own{query.Declare(query.Own{Name: "change", Words: "Only records that changed like this.", Choices: kindNames(), Filters: true})},
	By:  Splits(), Since: true, Usually: 7,
}

func kindNames() (names []string) {
	for _, kind := range Kinds() {
		names = append(names, string(kind))
	}
	return names
}

// KindOf returns the kind of a difference. A record that came into the filter counts as late,
// and one that left it as removed.
func KindOf(d *records.Difference) commissions.RestatementKind {
	switch {
	case d.New:
		return commissions.RestatedNew
	case d.Was == nil:
		return commissions.RestatedLate
	case d.Became == nil:
		return commissions.RestatedRemoved
	case d.Became.Commission.IsZero() && !d.Was.Commission.IsZero():
		return commissions.RestatedZeroed
	}
	return commissions.RestatedChanged
}

// DifferenceOf returns the commission after less the one before. A commission that the
// exchange did not give adds nothing.
func DifferenceOf(d *records.Difference) (change affiliate.Sum) {
	if d.Became != nil {
		change.Add(d.Became.Commission)
	}
	if d.Was != nil {
		change.Sub(d.Was.Commission)
	}
	return change
}

// Make answers the query, which names the instant since which it asks, for what became
// known since. It takes [Accepted].
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	q, fromFirst, err := settled(ctx, q)
	if err != nil {
		return Report{Query: q.Query}, err
	}
	later := at(q)
	view := Report{Query: q.Query, Since: q.SinceMillis(), Until: affiliate.MillisOf(later.Now), FromFirst: fromFirst}
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	if view.Coverage, err = covered(ctx, q); err != nil {
		return view, err
	}
	if view.First, _, err = q.FirstCollection(ctx, affiliate.Commissions); err != nil {
		return view, err
	}
	first := best{compare: orderOf(q.Sort), limit: min(q.Page*q.Per, mostKept)}
	all, err := found(ctx, q, &first)
	if err != nil {
		return view, err
	}
	all.describe(q, &view)
	view.Pages = max(1, int((min(view.Count, mostKept)+int64(q.Per)-1)/int64(q.Per)))
	if q.Page > view.Pages {
		beyond := query.BeyondPages(q.Page, view.Pages)
		if view.Count > mostKept {
			beyond.Problem += ", which end before the last line; sort the other way, narrow the question, or take the file"
		}
		return view, beyond
	}
	if view.Valued, err = later.Valued(ctx, all.days, figures.Reference{}); err != nil {
		return view, err
	}
	if view.Count == 0 {
		view.Empty, err = whyEmpty(ctx, q, &view)
		return view, err
	}
	if view.Lines, err = all.page(ctx, q, &first); err != nil {
		return view, err
	}
	view.Codes, err = later.InviteeCodes(ctx)
	return view, err
}

// settled returns the question with its earlier instant. One that names none asks since some days
// ago, but never since before the end of the first collection: until then nothing changed, it only
// became known.
func settled(ctx context.Context, q *snapshot.Snapshot) (*snapshot.Snapshot, bool, error) {
	if !q.SinceUsual {
		return q, false, nil
	}
	_, over, err := q.FirstCollection(ctx, affiliate.Commissions)
	if err != nil || over <= q.SinceMillis() || !q.Until.IsZero() && !q.Until.After(over.Time()) {
		return q, false, err
	}
	later := *q
	later.Since = over.Time()
	return &later, true, nil
}

// at returns the question about the later state alone.
func at(q *snapshot.Snapshot) *snapshot.Snapshot {
	later := *q
	if !q.Until.IsZero() {
		later.AsOf = q.Until
		if q.Until.Before(later.Now) {
			later.Now = q.Until
		}
	}
	return &later
}

// covered returns how far the days are collected in the later state.
func covered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	_, covered, err := at(q).Covered(ctx)
	return covered, err
}

// whyEmpty returns why there are no lines.
func whyEmpty(ctx context.Context, q *snapshot.Snapshot, view *Report) (coverage.EmptyKind, error) {
	switch {
	case !view.First.Known():
		return coverage.EmptyNotCollected, nil
	case view.Until < view.First:
		return coverage.EmptyBefore, nil
	case view.All > 0: // the kind of the query has none
		return coverage.EmptyFiltered, nil
	case q.Filtered():
		bare := *q
		bare.Query = q.WithoutFilters()
		all, err := found(ctx, &bare, nil)
		if err == nil && all.count > 0 {
			return coverage.EmptyFiltered, nil
		}
		return coverage.EmptyTruly, err
	}
	return coverage.EmptyTruly, nil
}

// mostKept is how many lines are kept in memory between two pages, and how many all pages show:
// finding a page takes the memory of all lines before it. The last lines of a longer list are the
// first ones of the opposite order.
const mostKept = 20_000

// comparison is the difference of two states under a filter.
type comparison struct {
	lines         []*records.Difference // by deal time; nil if there are more than mostKept
	count         int64
	entered, left int64
	kinds         map[kindKey]*UpAndDown
	groups        map[string]map[groupKey]*UpAndDown // by the name of the split
	days          []sums.DaySums                     // the net change of each coin and day
}

type kindKey struct {
	kind commissions.RestatementKind
	coin affiliate.Coin
}

type groupKey struct {
	kind    commissions.RestatementKind
	account affiliate.Account
	key     string
	coin    affiliate.Coin
}

// compared identifies a comparison.
type compared struct {
	filter       records.CommissionFilter
	since, until affiliate.Millis
}

// differences yields the lines of all kinds by deal time.
func differences(ctx context.Context, q *snapshot.Snapshot) iter.Seq2[*records.Difference, error] {
	return records.Differences(ctx, q.Tx, q.Filter(), q.SinceMillis(), q.UntilMillis())
}

// found compares the two states of a query, whatever kind, order and page it asks for. If it has
// to read the lines for that, it fills first with those that the query asks for; nil: it does not.
func found(ctx context.Context, q *snapshot.Snapshot, first *best) (*comparison, error) {
	asked := compared{q.Filter(), q.SinceMillis(), q.UntilMillis()}
	return snapshot.Part(ctx, q, "changes", asked, func(ctx context.Context) (*comparison, error) { return compare(ctx, q, first) })
}

func compare(ctx context.Context, q *snapshot.Snapshot, first *best) (*comparison, error) {
	c := &comparison{kinds: map[kindKey]*UpAndDown{}, groups: map[string]map[groupKey]*UpAndDown{}}
	for _, split := range Splits() {
		c.groups[split] = map[groupKey]*UpAndDown{}
	}
	days := netDays{}
	for one, err := range differences(ctx, q) {
		if err != nil {
			return nil, err
		}
		c.add(one, q.Zone)
		days.add(one, q.Zone)
		if first != nil && asks(q.Query, KindOf(one)) {
			first.add(one)
		}
	}
	if first != nil {
		first.filled = true
	}
	c.days = days.list()
	return c, nil
}

// add counts a line.
func (c *comparison) add(d *records.Difference, zone *time.Location) {
	c.count++
	switch {
	case c.count <= mostKept:
		c.lines = append(c.lines, d)
	default:
		c.lines = nil
	}
	if d.Recoded && d.Was == nil {
		c.entered++
	} else if d.Recoded {
		c.left++
	}
	of, kind, change := d.Record(), KindOf(d), sumsOf(d)
	sumAt(c.kinds, kindKey{kind, of.Coin}).add(change)
	for split, groups := range c.groups {
		account, key := part(d, split, zone)
		sumAt(groups, groupKey{kind, account, key, of.Coin}).add(change)
	}
}

func sumAt[K comparable](sums map[K]*UpAndDown, key K) *UpAndDown {
	if sums[key] == nil {
		sums[key] = new(UpAndDown)
	}
	return sums[key]
}

func sumsOf(d *records.Difference) UpAndDown {
	s := UpAndDown{Records: 1}
	change := DifferenceOf(d)
	if change.Cmp(new(affiliate.Sum)) > 0 {
		s.Up = change
	} else {
		s.Down = change
	}
	return s
}

// part returns the part of the records to which a line belongs.
func part(d *records.Difference, split string, zone *time.Location) (affiliate.Account, string) {
	of := d.Record()
	switch split {
	case "code":
		return "", d.InviteCode
	case "invitee":
		return d.Account, string(of.UID)
	case "product":
		return "", string(of.Product)
	case "pair":
		return "", of.Symbol
	}
	return "", of.DealTime.Time().In(zone).Format("2006-01")
}

// netDays adds up lines by coin and reporting day.
type netDays map[coinDay]*affiliate.Sum

type coinDay struct {
	coin affiliate.Coin
	day  affiliate.Day
}

func (n netDays) add(d *records.Difference, zone *time.Location) {
	of := coinDay{d.Record().Coin, affiliate.DayOf(d.Record().DealTime.Time(), zone)}
	if n[of] == nil {
		n[of] = new(affiliate.Sum)
	}
	n[of].AddSum(DifferenceOf(d))
}

func (n netDays) list() []sums.DaySums {
	list := make([]sums.DaySums, 0, len(n))
	for of, sum := range n {
		list = append(list, sums.DaySums{Day: of.day, Coin: of.coin, Sums: sums.CommissionOf(0, affiliate.Number(sum.String()))})
	}
	slices.SortFunc(list, func(a, b sums.DaySums) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Coin, b.Coin))
	})
	return list
}
