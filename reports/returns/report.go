package returns

import (
	"context"
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/costs"
	"rebatedesk/store/people"
)

// Accepted are the parameters of the report. A code, a tag or a segment chooses the costs of
// that code, tag or segment.
var Accepted = query.AcceptedParams{
	Taken: []string{"range", "from", "to", "account", "product", "coin", "source", "code", "tag", "segment", "sort", "as_of"},
	Sorts: []string{"for", "cost", "commission", "return", "percent", "paid_back"}, Order: query.Sort{Field: "return", Descending: true},
	Usual: query.AllTime, Timeless: true, Tags: true,
}

// CostOfPeople is the scope of the row with the costs of single people, which come from the people
// file or the page of an invitee.
const CostOfPeople costs.Scope = "people"

// Report says what costs brought back.
type Report struct {
	Query    query.Query
	Coverage coverage.Coverage  // of the days since the first cost
	Empty    coverage.EmptyKind // not "" when there is no row, or nothing is known about the commission of any
	Rows     []*Row
	// Total is about all rows together; nil if there is one row, or if an amount cannot be converted.
	Total *Row
	// Overlapping counts the invitees who belong to several rows. Total has each of them once.
	Overlapping int
	Course      figures.Lines // cost and commission of Total, or of the only row
	Ages        []AgeReturn   // of the only row; nil if there are several
	Older       int           // invitees of the only row who registered before its first cost, or nobody knows when
	Options     snapshot.Options
	Tags        []people.TagCount
}

// Only returns the only row; nil if there are several or none.
func (r Report) Only() *Row {
	if len(r.Rows) == 1 {
		return r.Rows[0]
	}
	return nil
}

// Row is what was spent on the invitees of a code, a tag or a segment, and what they brought
// since the first cost.
type Row struct {
	Scope costs.Scope // empty: all rows together
	Value string
	Costs []DueCost
	// Days are those whose cost and commission count: since the first cost.
	Days     affiliate.Days
	Invitees int // whose commission counts: whom the exchange ever listed, and others with commission
	Listed   int // of these, whom the exchange ever listed
	Shared   int // of these, also in other rows
	People   int // in the row of single people: how many have a cost

	Coin       affiliate.Coin // of the amounts below
	Cost       decimal.Decimal
	Commission decimal.Decimal
	Spent      figures.Valuation // with the rates, if Converted
	Earned     figures.Valuation
	Converted  bool
	Why        string // why nothing can be said about the return; empty if it can
	Life       Life
	NotFinal   NotFinal
	course     course
}

// Life is what a row cost and brought from its first cost to the present, whatever the range of the
// query is.
type Life struct {
	Known      bool
	Days       affiliate.Days // since the first cost
	Due        affiliate.Day  // on which a cost first fell due; 0: none did
	Coin       affiliate.Coin // of the amounts
	Cost       decimal.Decimal
	Commission decimal.Decimal
	PaidBack   affiliate.Day   // the first on which commission had reached the cost; 0: not yet
	Since      decimal.Decimal // commission of the days after that one
	Missing    decimal.Decimal // until the cost is paid back; zero if nothing is
}

// life returns that of a row of all time.
func (r *Row) life() Life {
	l := Life{Known: r.Known(), Days: r.Days, Coin: r.Coin, Cost: r.Cost, Commission: r.Commission}
	if l.Known {
		l.Due = r.course.due()
		l.PaidBack, l.Since = r.course.paidBack()
		l.Missing = decimal.Max(decimal.Decimal{}, l.Cost.Sub(l.Commission))
	}
	return l
}

// Return is commission minus cost.
func (l *Life) Return() decimal.Decimal { return l.Commission.Sub(l.Cost) }

// perInviteeDigits is how many digits after the point an amount per invitee is rounded to.
const perInviteeDigits = 8

// PerInvitee returns an amount of the life of the row by all of its invitees, listed or not; false if
// nothing is known, or there is nobody.
func (r *Row) PerInvitee(amount decimal.Decimal) (decimal.Decimal, bool) {
	if !r.Life.Known || r.Invitees == 0 {
		return decimal.Decimal{}, false
	}
	return amount.DivRound(decimal.NewFromInt(int64(r.Invitees)), perInviteeDigits), true
}

// Unlisted counts the invitees whom the exchange never listed.
func (r *Row) Unlisted() int { return r.Invitees - r.Listed }

// DueCost is a cost with how often it fell due so far, in the days of the row.
type DueCost struct {
	costs.Cost
	Times int
	Sum   decimal.Decimal // in the coin of the cost
	Runs  bool            // it may fall due again
	// Unknown counts invitees of whom it is not known whether they count: nobody knows when they
	// registered.
	Unknown int
}

// NotFinal says why the return of a row can still change, other than by future trades.
type NotFinal struct {
	Running  bool             // a cost may fall due again
	Open     bool             // the exchange may still change the newest days
	Missing  int              // days that are not collected
	Unrated  []affiliate.Coin // commission in these coins has no rate, and is left out
	Unlisted bool             // registrations are not collected completely, and costs depend on them
}

// Known reports whether the return is known.
func (r *Row) Known() bool { return r.Why == "" }

// Return is commission minus cost.
func (r *Row) Return() decimal.Decimal { return r.Commission.Sub(r.Cost) }

// Percent is commission as a percentage of the cost.
func (r *Row) Percent() figures.Ratio {
	if !r.Known() {
		return figures.Ratio{}
	}
	return figures.QuotientOf(r.Commission, r.Cost)
}

// AgeReturn is what the invitees of a row brought up to an age.
type AgeReturn struct {
	Age        int // months since the month of registration
	Invitees   int // who have reached this age
	Commission decimal.Decimal
	Percent    figures.Ratio // of the cost of the row
	// Immature tells that the age is not over for all of the invitees.
	Immature bool
}

// covered returns how far the days since the first cost are collected.
func covered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	d, err := open(ctx, q)
	if err != nil {
		return coverage.Coverage{}, err
	}
	return d.covered(ctx)
}

// Make answers the query, which takes [Accepted].
func Make(ctx context.Context, q *snapshot.Snapshot) (view Report, err error) {
	view.Query = q.Query
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	if view.Tags, err = invitees.TagsInUse(ctx, everybody(q)); err != nil {
		return view, err
	}
	d, err := open(ctx, q)
	if err != nil {
		return view, err
	}
	if view.Coverage, err = d.covered(ctx); err != nil {
		return view, err
	}
	if len(d.rows) == 0 {
		view.Empty = coverage.EmptyTruly
		if d.hidden {
			view.Empty = coverage.EmptyFiltered
		}
		return view, nil
	}
	if err := d.read(ctx); err != nil {
		return view, err
	}
	ever, err := d.live(ctx)
	if err != nil {
		return view, err
	}
	if !view.Coverage.Begun {
		if view.Empty, err = q.WhyNothing(ctx, view.Coverage); err != nil {
			return view, err
		}
	}
	view.Overlapping = d.overlapping
	for _, r := range d.rows {
		view.Rows = append(view.Rows, &r.Row)
	}
	drawn := view.Only()
	if drawn == nil {
		if view.Total = d.total(); view.Total != nil {
			view.Total.Life = ever
		}
		drawn = view.Total
	} else if view.Ages, view.Older, err = d.ages(ctx); err != nil {
		return view, err
	}
	if drawn != nil && drawn.Known() {
		view.Course = drawn.lines()
	}
	order(view.Rows, q.Sort)
	return view, nil
}

// OfPerson returns the row of the one person whose UID the query names, over all accounts; nil if the
// person has no cost of its own.
func OfPerson(ctx context.Context, q *snapshot.Snapshot) (*Row, error) {
	d := &desk{Snapshot: q, today: affiliate.DayOf(q.Now, q.Zone), person: true}
	if err := d.openPeople(ctx); err != nil || len(d.rows) == 0 {
		return nil, err
	}
	if err := d.read(ctx); err != nil {
		return nil, err
	}
	_, err := d.live(ctx)
	return &d.rows[0].Row, err
}

// Words says why the return can still change, a reason each; nothing if it is final.
func (n NotFinal) Words() (list []string) {
	if n.Missing == 1 {
		list = append(list, "1 day is not collected")
	} else if n.Missing > 1 {
		list = append(list, strconv.Itoa(n.Missing)+" days are not collected")
	}
	if len(n.Unrated) > 0 {
		coins := string(n.Unrated[0])
		if more := len(n.Unrated) - 1; more == 1 {
			coins += " and " + string(n.Unrated[1])
		} else if more > 1 {
			coins += " and " + strconv.Itoa(more) + " other coins"
		}
		list = append(list, "commission in "+coins+" has no rate and is left out")
	}
	if n.Unlisted {
		list = append(list, "registrations are not collected completely")
	}
	if n.Running {
		list = append(list, "costs go on")
	}
	if n.Open {
		list = append(list, "the newest days are open")
	}
	return list
}
