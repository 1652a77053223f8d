package reports

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
)

// InviteeList is one page of invitees with what they brought. The range of the
// query is that of [InviteeLine.InRange]; everything else is of all time.
type InviteeList struct {
	Query    Query
	Coverage Coverage                           // of the commissions in range
	Lifetime Coverage                           // of all commissions ever to be collected
	Since    affiliate.Day                      // where these begin
	Listed   Coverage                           // of the invitees that the exchange lists
	Empty    EmptyKind                          // not "" when there are no lines
	Lines    []InviteeLine                      // of the page
	Count    int                                // over all pages
	Pages    int                                // at least 1
	Choices  map[string]int                     // for each name of [InviteeChoices], the invitees of the query if that were chosen
	All      int                                // the invitees of the query if no state were chosen
	Coin     affiliate.Coin                     // that commissions are shown and ordered by: asked for, else that of most records
	Totals   []CoinCard                         // of the range, per coin, over all pages
	Volume   Figure                             // of the range and all coins together, see [volumeOf]
	Ever     []Totals                           // of all time, per coin, over all pages
	AtRisk   map[affiliate.Coin]decimal.Decimal // per coin, over all pages
	Tags     []people.TagCount
	Options  Options

	ref reference // the compared period, all invitees of the list together
}

// InviteeLine is one invitee.
type InviteeLine struct {
	affiliate.Invitee
	Account   affiliate.Account
	Status    records.InviteeStatus
	State     InviteeState
	FirstSeen affiliate.Millis // as in [InviteeHistory], like the two below
	LastSeen  affiliate.Millis
	Vanished  affiliate.Millis

	// LastTradeDay is the reporting day of the last trade that the exchange
	// tells or that commission is of, whichever is later; 0 = none is known.
	LastTradeDay affiliate.Day
	SilentDays   int      // from that day to today
	UsualGap     HalfDays // median of days between days with commission, of the last 180 days

	// AtRisk is, per coin, the mean commission of thirty days while the invitee
	// traded, over all products, sources and pairs: of one that is silent by its
	// own usual gap. None where it is not, or where a day since is not collected.
	AtRisk []affiliate.Amount
	risky  bool // enough of it to be looked at

	InRange  []Totals // per coin, most records first
	Before   []Totals // in the compared period, where one is asked for
	Lifetime []Totals
	Change   Change   // of the commission in range, in the coin of the list
	Tags     []string // of the lines of a page
}

// In is what the invitee brought in the range in one coin.
func (l InviteeLine) In(coin affiliate.Coin) Totals { return totalIn(l.InRange, coin) }

// Was is what the invitee brought in the compared period in one coin.
func (l InviteeLine) Was(coin affiliate.Coin) Totals { return totalIn(l.Before, coin) }

// Volume is that of the range, of all coins together.
func (l InviteeLine) Volume() decimal.Decimal { return volumeOf(l.InRange) }

// Risk is what is at risk in one coin; zero where nothing is.
func (l InviteeLine) Risk(coin affiliate.Coin) decimal.Decimal {
	for _, amount := range l.AtRisk {
		if amount.Coin == coin {
			return amount.Value
		}
	}
	return decimal.Zero
}

// Ever is what the invitee brought in its lifetime in one coin.
func (l InviteeLine) Ever(coin affiliate.Coin) Totals { return totalIn(l.Lifetime, coin) }

// InviteeChoices lists the values of Query.State: a state, [ChoiceAtRisk], or a
// status other than being listed.
func InviteeChoices() []string {
	var names []string
	for _, state := range InviteeStates() {
		names = append(names, string(state))
	}
	names = append(names, ChoiceAtRisk)
	for _, status := range records.InviteeStatuses() {
		if status != records.InviteeListed {
			names = append(names, string(status))
		}
	}
	return names
}

// makeInvitees makes the report of [Service.Invitees].
func makeInvitees(ctx context.Context, q *question) (InviteeList, error) {
	view, lines, err := q.inviteeList(ctx)
	if err != nil {
		return view, err
	}
	view.Pages = max(1, (len(lines)+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, &ParamError{"page", fmt.Sprint(q.Page), fmt.Sprintf("there are %d pages", view.Pages)}
	}
	first := (q.Page - 1) * q.Per
	view.Lines = slices.Clone(lines[first:min(first+q.Per, len(lines))])
	if view.Options, err = q.options(ctx); err != nil {
		return view, err
	}
	if view.Tags, err = people.Tags(ctx, q.Tx); err != nil {
		return view, err
	}
	for i := range view.Lines {
		line := &view.Lines[i]
		if line.Tags, err = people.TagsOf(ctx, q.Tx, line.Account, line.UID); err != nil {
			return view, err
		}
		line.Change = view.ref.change(line.In(view.Coin).Commission, totalIn(line.Before, view.Coin).Commission)
	}
	return view, nil
}

// inviteeList is the whole list in its order, and all that is said above it.
func (q *question) inviteeList(ctx context.Context) (view InviteeList, lines []InviteeLine, err error) {
	view = InviteeList{Query: q.Query, Choices: map[string]int{}}
	roster, err := q.rosterOf(ctx)
	if err != nil {
		return view, nil, err
	}
	if err := q.inviteeCoverage(ctx, &view, roster.first); err != nil {
		return view, nil, err
	}
	if lines, err = q.inviteeLines(ctx, roster); err != nil {
		return view, nil, err
	}
	view.All = len(lines)
	lines = view.choose(lines, q.State)
	view.Count = len(lines)
	view.total(lines)
	if view.Count == 0 {
		view.Empty = q.emptyInvitees(view.All > 0 || q.Filtered() && len(roster.lines) > 0, view.Listed)
	}
	return view, lines, orderInvitees(lines, q.Sort, view.Coin)
}

// inviteeCoverage tells how far the figures and the list itself are collected.
func (q *question) inviteeCoverage(ctx context.Context, view *InviteeList, first affiliate.Day) error {
	ever := affiliate.Days{First: first, Last: q.Today}
	cover, err := q.coverage(ctx, affiliate.Commissions, affiliate.Days{First: min(first, q.Days.First), Last: max(q.Today, q.Days.Last)})
	if err != nil {
		return err
	}
	view.Since, view.Coverage, view.Lifetime = first, cover.summary(q.Days), cover.summary(ever)
	days, asked := q.Compare.Days(q.Days)
	view.ref = reference{asked: asked, open: q.open(), totals: map[affiliate.Coin]Totals{}}
	if asked {
		before, err := q.coverage(ctx, affiliate.Commissions, days)
		if err != nil {
			return err
		}
		view.ref.known = before.summary(days).Complete()
	}
	if view.Coverage.LastRun, err = q.lastRun(ctx); err != nil {
		return err
	}
	view.Listed, err = q.listed(ctx)
	return err
}

// choose keeps the invitees of a choice and counts those of each.
func (view *InviteeList) choose(lines []InviteeLine, choice string) []InviteeLine {
	kept := lines[:0]
	for _, line := range lines {
		view.Choices[string(line.State)]++
		if line.Status != records.InviteeListed {
			view.Choices[string(line.Status)]++
		}
		if line.risky {
			view.Choices[ChoiceAtRisk]++
		}
		if choice == "" || choice == ChoiceAtRisk && line.risky || choice == string(line.State) || choice == string(line.Status) {
			kept = append(kept, line)
		}
	}
	return kept
}

// total adds the lines up and settles the coin that they are shown in.
func (view *InviteeList) total(lines []InviteeLine) {
	add := func(of func(*InviteeLine) []Totals) []Totals { return totalsOfLines(lines, of) }
	inRange := add(func(l *InviteeLine) []Totals { return l.InRange })
	view.Ever = add(func(l *InviteeLine) []Totals { return l.Lifetime })
	if view.Coin = mainCoin(view.Query.Coin, inRange); view.Coin == "" {
		view.Coin = mainCoin(view.Query.Coin, view.Ever)
	}
	view.AtRisk = map[affiliate.Coin]decimal.Decimal{}
	for i := range lines {
		for _, amount := range lines[i].AtRisk {
			view.AtRisk[amount.Coin] = view.AtRisk[amount.Coin].Add(amount.Value)
		}
	}
	for _, t := range add(func(l *InviteeLine) []Totals { return l.Before }) {
		view.ref.totals[t.Coin] = t
	}
	view.Totals, view.Volume = coinCards(inRange, view.ref), view.ref.volume(inRange)
}

func totalsOfLines(lines []InviteeLine, of func(*InviteeLine) []Totals) []Totals {
	sums := coinTotals{}
	for i := range lines {
		sums.add(of(&lines[i]))
	}
	return sums.totals()
}

// lists reports whether the question is about an invitee, whatever its state.
func (q *question) lists(i *rosterLine) bool {
	contains := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) }
	kyc := string(i.KYC)
	if kyc == "" {
		kyc = KYCUnknown
	}
	return (q.Account == "" || i.Account == q.Account) &&
		(q.KYC == "" || q.KYC == kyc) &&
		affiliate.AsksForAnyCase(q.Code, i.InviteCode) &&
		(q.Text == "" || contains(string(i.UID)) || contains(i.InviteCode))
}

// emptyInvitees tells why there is nobody to list.
func (q *question) emptyInvitees(narrowed bool, listed Coverage) EmptyKind {
	if narrowed {
		return EmptyFiltered
	}
	for _, gap := range listed.Gaps {
		if gap.Reason != "" {
			return EmptyFailed
		}
	}
	if listed.Complete() {
		return EmptyTruly
	}
	return q.unread()
}
