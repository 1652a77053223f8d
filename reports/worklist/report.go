package worklist

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
)

// Report is one page of the worklist. It is about the time of the query.
type Report struct {
	Query    query.Query        // with the page that is shown: the last one for a number beyond it
	Coverage coverage.Coverage  // of commission in the days by which rhythms are known
	Listed   coverage.Coverage  // of the invitees that the exchange lists
	Empty    coverage.EmptyKind // not "" when there are no lines
	Limit    int                // the inactivity limit in days; 0: none
	Seen     affiliate.Millis   // stamp of the state that the report shows

	Open WorkTally // of the open lines of the query, whatever the parameter show says
	// Snoozed and Done count the other lines of the query.
	Snoozed, Done int
	Reasons       map[ReasonName]int // open lines by reason; a line can have several

	Lines   []*Line // one page
	Count   int
	Pages   int // at least 1
	Results ContactResults

	Options snapshot.Options
	Tags    []people.TagCount
	Owners  []string // in alphabetical order
}

// WorkTally counts lines and adds up what they are worth.
type WorkTally struct {
	Lines int
	Worth figures.Valuation // of the reasons of these lines, at today's prices
	Risk  AtRisk

	Today      int               // the people of the day among the lines
	TodayWorth figures.Valuation // of these
	Handled    int               // lines that an act of the day took off the list
}

// Later returns how many lines can wait for another day.
func (t *WorkTally) Later() int { return t.Lines - t.Today }

// PerDay is how many people a day has. They are the first of the lines of the query, by [choose].
const PerDay = 10

// AtRisk is the revenue at risk of the invitees of a query, whatever was done about them: the one figure
// of all pages. Each invitee is in one part. The amounts are those of thirty days, at today's prices.
type AtRisk struct {
	Stopped, Slowing figures.Valuation // what invitees who are silent, or slowing, used to bring
	Lower            figures.Valuation // what lower rates cost with the others
	Less             figures.Valuation // what others bring less since their level fell
	All              figures.Valuation
}

// riskPart is a part of [AtRisk].
type riskPart int

const (
	noRisk riskPart = iota
	riskStopped
	riskSlowing
	riskLower
	riskLevel
)

// Choices of the parameter show. An empty one, which commands use, shows what is open or snoozed.
const (
	ShowOpen    = "open"
	ShowSnoozed = "snoozed"
	ShowDone    = "done"
	ShowAll     = "all"
)

// NobodysOwner is the value of the parameter owner that selects lines without an owner.
const NobodysOwner = "-"

// linesPerPage is what a page shows unless asked otherwise: a line has its forms with it, and on a
// phone nobody scrolls through more.
const linesPerPage = 25

// Accepted are the parameters of the report and of its files.
var Accepted = query.AcceptedParams{
	Taken: []string{"account", "coin", "uid", "code", "q", "tag", "segment", "state", "reason", "owner", "show", "sort", "page", "per", "as_of"},
	Sorts: slices.Sorted(func(yield func(string) bool) {
		for name := range lineOrders {
			if !yield(name) {
				return
			}
		}
	}),
	Order: query.Sort{Field: "worth", Descending: true}, Rows: linesPerPage,
	States: stateNames(), Tags: true, Own: []query.Own{
		query.Declare(query.Own{Name: "show", Words: "Which lines are shown.", Choices: []string{ShowOpen, ShowSnoozed, ShowDone, ShowAll}, Usual: true}),
		query.Declare(query.Own{Name: "reason", Words: "Only invitees with this reason for a call.", Choices: reasonNames(), Filters: true, Label: "Reason"}),
		query.Declare(query.Own{Name: "owner", Words: "Only invitees whom this person looks after.", Filters: true, Label: "Owner"}),
	},
}

func stateNames() (names []string) {
	for _, s := range invitees.States() {
		names = append(names, string(s))
	}
	return names
}

func reasonNames() (names []string) {
	for _, r := range ReasonNames() {
		names = append(names, string(r))
	}
	return names
}

// lineOrders are the columns by which lines are sorted. Lines whose value is not known come last in
// descending order.
var lineOrders = map[string]func(a, b *Line) int{
	"worth": func(a, b *Line) int {
		return cmp.Or(cmp.Compare(flag(a.Priced()), flag(b.Priced())), a.Worth.Total.Cmp(b.Worth.Total), cmp.Compare(len(a.AtRisk), len(b.AtRisk)))
	},
	"silent": func(a, b *Line) int { return cmp.Compare(silence(a), silence(b)) },
	"left":   func(a, b *Line) int { return cmp.Compare(left(a), left(b)) },
	"uid":    func(a, b *Line) int { return cmp.Compare(a.UID, b.UID) },
	"code":   func(a, b *Line) int { return cmp.Compare(a.Code, b.Code) },
	"owner":  func(a, b *Line) int { return cmp.Compare(a.Owner, b.Owner) },
	"contact": func(a, b *Line) int {
		return cmp.Compare(contacted(a), contacted(b))
	},
}

func silence(l *Line) int {
	if l.LastTradeDay == 0 {
		return -1
	}
	return l.SilentDays
}

func left(l *Line) int {
	if !l.Tied {
		return 1 << 20
	}
	return l.DaysLeft
}

func contacted(l *Line) affiliate.Millis {
	if l.Contact == nil {
		return 0
	}
	return l.Contact.Act.Created
}

func order(lines []*Line, by query.Sort) {
	compare := lineOrders[by.Field]
	if compare == nil {
		compare, by.Descending = lineOrders["worth"], true
	}
	names := ReasonNames()
	slices.SortFunc(lines, func(a, b *Line) int {
		c := compare(a, b)
		if by.Descending {
			c = -c
		}
		return cmp.Or(cmp.Compare(flag(b.Today), flag(a.Today)), c, cmp.Compare(slices.Index(names, a.Reasons[0].Name), slices.Index(names, b.Reasons[0].Name)),
			cmp.Compare(b.Reasons[0].Began, a.Reasons[0].Began), cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
	})
}

// has reports whether an open line, or a done one, has a reason.
func (l *Line) has(name string) bool {
	return slices.ContainsFunc(l.Reasons, func(r CallReason) bool { return string(r.Name) == name && (!r.Done || l.Status == LineDone) })
}

// narrowed keeps the lines with the state, the reason and the owner of the query.
func narrowed(lines []*Line, q query.Query) []*Line {
	reason, owner := q.Own("reason"), q.Own("owner")
	return slices.DeleteFunc(lines, func(l *Line) bool {
		owned := owner == "" || strings.EqualFold(owner, l.Owner) || owner == NobodysOwner && l.Owner == ""
		return q.State != "" && q.State != string(l.State) || reason != "" && !l.has(reason) || !owned || q.UID != "" && q.UID != l.UID
	})
}

// shown keeps the lines that the query shows.
func shown(lines []*Line, show string) []*Line {
	return slices.DeleteFunc(lines, func(l *Line) bool {
		switch show {
		case ShowAll:
			return false
		case "":
			return l.Status == LineDone
		}
		return string(l.Status) != show
	})
}

// choose marks the people of the day: those with a next date that has come, then those with most at
// risk, converted. Who was taken off the list today is one of the [PerDay].
func choose(lines []*Line, today affiliate.Day) {
	order(lines, query.Sort{})
	left := PerDay
	for _, l := range lines {
		if l.takenOff(today) {
			left--
		}
	}
	due := func(l *Line) bool {
		return slices.ContainsFunc(l.Reasons, func(r CallReason) bool { return r.Name == ReasonPlanned && !r.Done })
	}
	for _, promised := range []bool{true, false} {
		for _, l := range lines {
			if left > 0 && l.Status == LineOpen && due(l) == promised {
				l.Today = true
				left--
			}
		}
	}
}

// takenOff reports whether an act of the day took the line off the list.
func (l *Line) takenOff(today affiliate.Day) bool { return l.Status != LineOpen && l.handled == today }

// listing is all lines of a query with what was read for them.
type listing struct {
	*desk
	lines    []*Line
	contacts []*Contact
}

func list(ctx context.Context, q *snapshot.Snapshot) (l listing, err error) {
	l.desk, l.lines, l.contacts, err = readLines(ctx, present(q))
	if err == nil {
		l.lines = narrowed(l.lines, q.Query)
		choose(l.lines, l.today)
		order(l.lines, q.Sort)
	}
	return l, err
}

// Make answers the query, which takes [Accepted], for one page of lines.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	view := Report{Query: q.Query, Limit: q.InactivityLimit, Reasons: map[ReasonName]int{}}
	all, err := list(ctx, q)
	if err != nil {
		return view, err
	}
	view.Owners = slices.Sorted(maps.Keys(all.owning))
	if view.Seen, err = q.LastWrite(ctx); err != nil {
		return view, err
	}
	view.tally(all)
	lines := shown(slices.Clone(all.lines), q.Own("show"))
	view.Count = len(lines)
	view.Pages = max(1, (view.Count+q.Per-1)/q.Per)
	view.Query.Page = min(q.Page, view.Pages) // the last page may have lost its last line to an act
	view.Lines = lines[(view.Query.Page-1)*q.Per : min(view.Query.Page*q.Per, len(lines))]
	if err := all.fillTimes(ctx, view.Lines); err != nil {
		return view, err
	}
	if view.Results, err = all.follow(ctx, all.contacts); err != nil {
		return view, err
	}
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	if view.Tags, err = invitees.TagsInUse(ctx, q); err != nil {
		return view, err
	}
	if view.Coverage, err = covered(ctx, q); err != nil {
		return view, err
	}
	if view.Listed, err = q.ListedCoverage(ctx); err != nil {
		return view, err
	}
	if view.Count == 0 {
		view.Empty, err = all.empty(ctx, q, &view)
	}
	return view, err
}

// Day is whom to call first on a day, and what is at risk in all.
type Day struct {
	Tally  WorkTally
	First  []*Line // the people of the day, at most [PerDay]
	Failed bool    // a fault of this program prevents it
}

// MakeDay answers the query for the people of the day.
func MakeDay(ctx context.Context, q *snapshot.Snapshot) (Day, error) {
	var view Report
	all, err := list(ctx, q)
	if err != nil {
		return Day{}, err
	}
	view.tally(all)
	return Day{Tally: view.Open, First: all.lines[:view.Open.Today]}, nil // they come first, see [order]
}

// MakeTally counts the open lines of the query, and adds up what is at risk.
func MakeTally(ctx context.Context, q *snapshot.Snapshot) (WorkTally, error) {
	var view Report
	all, err := list(ctx, q)
	if err == nil {
		view.tally(all)
	}
	return view.Open, err
}

// tally counts the lines of the query.
func (r *Report) tally(all listing) {
	total, today := figures.CoinTotals{}, figures.CoinTotals{}
	var risk [riskLevel + 1]figures.CoinTotals
	for _, l := range all.lines {
		for _, part := range []riskPart{noRisk, l.risk} { // the first is all of them
			for _, amount := range l.risked {
				if risk[part] == nil {
					risk[part] = figures.CoinTotals{}
				}
				risk[part].Add([]figures.Totals{figures.CommissionIn(amount.Coin, 1, amount.Value)})
			}
		}
		if l.takenOff(all.today) {
			r.Open.Handled++
		}
		switch l.Status {
		case LineSnoozed:
			r.Snoozed++
			continue
		case LineDone:
			r.Done++
			continue
		}
		r.Open.Lines++
		if l.Today {
			r.Open.Today++
		}
		for _, amount := range l.AtRisk {
			total.Add([]figures.Totals{figures.CommissionIn(amount.Coin, 1, amount.Value)})
			if l.Today {
				today.Add([]figures.Totals{figures.CommissionIn(amount.Coin, 1, amount.Value)})
			}
		}
		for _, reason := range l.Reasons {
			if !reason.Done && r.Reasons != nil {
				r.Reasons[reason.Name]++
			}
		}
	}
	r.Open.Worth, r.Open.TodayWorth = all.prices.Worth(amountsOf(total)...), all.prices.Worth(amountsOf(today)...)
	worth := func(part riskPart) figures.Valuation { return all.prices.Worth(amountsOf(risk[part])...) }
	r.Open.Risk = AtRisk{Stopped: worth(riskStopped), Slowing: worth(riskSlowing), Lower: worth(riskLower), Less: worth(riskLevel), All: worth(noRisk)}
}

func amountsOf(total figures.CoinTotals) (list []affiliate.Amount) {
	for _, t := range total.Totals() {
		list = append(list, affiliate.Amount{Value: t.Commission, Coin: t.Coin})
	}
	return list
}

// covered returns how far the days are collected by which rhythms are known.
func covered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	days := lastDays(affiliate.DayOf(q.Now, q.Zone), invitees.RhythmDays)
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, days)
	if err != nil {
		return coverage.Coverage{}, err
	}
	sum := cover.Summary(days)
	sum.LastRun, err = q.NewestRun(ctx)
	return sum, err
}

// empty returns why there are no lines.
func (l listing) empty(ctx context.Context, q *snapshot.Snapshot, view *Report) (coverage.EmptyKind, error) {
	switch {
	case q.Filtered() || len(l.lines) > 0:
		return coverage.EmptyFiltered, nil
	case view.Coverage.Complete():
		return coverage.EmptyTruly, nil
	}
	return q.WhyNothing(ctx, view.Coverage)
}
