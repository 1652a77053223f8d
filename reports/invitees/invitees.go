package invitees

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// List is one page of invitees with their commission. The range of the query
// applies to [InviteeLine.InRange]; everything else covers all time.
type List struct {
	Query    query.Query
	Coverage coverage.Coverage                  // of the commissions in range
	Lifetime coverage.Coverage                  // of all commissions ever to be collected
	Since    affiliate.Day                      // when these begin
	Listed   coverage.Coverage                  // of the invitees that the exchange lists
	Empty    coverage.EmptyKind                 // not "" when there are no lines
	Lines    []ListLine                         // of the page
	Count    int                                // over all pages
	Pages    int                                // at least 1
	Choices  map[string]int                     // for each name of [StateChoices], the invitees of the query if it were chosen
	All      int                                // the invitees of the query if no state were chosen
	Coin     affiliate.Coin                     // for showing and ordering commissions: the requested coin, otherwise that of most records
	Totals   []figures.CoinCard                 // of the range, per coin, over all pages
	Volume   figures.Figure                     // of the range and all coins together, see [figures.VolumeOf]
	Ever     []figures.Totals                   // of all time, per coin, over all pages
	AtRisk   map[affiliate.Coin]decimal.Decimal // per coin, over all pages
	Tags     []people.TagCount
	Options  snapshot.Options

	ref figures.Reference // the compared period, all listed invitees together
}

// ListLine is one invitee.
type ListLine struct {
	affiliate.Invitee
	OurCode   bool // the exchange tells no invite code, and this one is ours
	Account   affiliate.Account
	Status    records.InviteeStatus
	State     State
	FirstSeen affiliate.Millis // as in [History], like the two below
	LastSeen  affiliate.Millis
	Vanished  affiliate.Millis

	// LastTradeDay is the reporting day of the last trade reported by the exchange or
	// evident from commission, whichever is later; 0 = none is known.
	LastTradeDay affiliate.Day
	SilentDays   int              // from that day to today
	UsualGap     figures.HalfDays // median of days between days with commission, of the last 180 days

	// AtRisk is, per coin, the mean commission per thirty days while the invitee traded,
	// over all products, sources and pairs. It is set only for an invitee that is silent by
	// its own usual gap, and only if every day since is collected.
	AtRisk []affiliate.Amount
	risky  bool // enough at risk for a look

	InRange  []figures.Totals // per coin, most records first
	Before   []figures.Totals // in the compared period, if one is requested
	Lifetime []figures.Totals
	Change   figures.Change   // of the commission in range, in the coin of the list
	Presence figures.Presence // only for the lines of a page that is compared, and has commission
	Tags     []string         // only for the lines of a page
	Trend    figures.Trend    // commission per day of the range; only for the lines of a page that shows it
}

// In returns the totals of the invitee in the range in one coin.
func (l ListLine) In(coin affiliate.Coin) figures.Totals { return figures.TotalIn(l.InRange, coin) }

// Was returns the totals of the invitee in the compared period in one coin.
func (l ListLine) Was(coin affiliate.Coin) figures.Totals { return figures.TotalIn(l.Before, coin) }

// Volume returns the volume of the range, over all coins.
func (l ListLine) Volume() decimal.Decimal { return figures.VolumeOf(l.InRange) }

// Risk returns the amount at risk in one coin, or zero.
func (l ListLine) Risk(coin affiliate.Coin) decimal.Decimal {
	for _, amount := range l.AtRisk {
		if amount.Coin == coin {
			return amount.Value
		}
	}
	return decimal.Zero
}

// Ever returns the totals of the invitee in its lifetime in one coin.
func (l ListLine) Ever(coin affiliate.Coin) figures.Totals {
	return figures.TotalIn(l.Lifetime, coin)
}

// ChoiceTraded is the value of Query.State that selects the invitees with at least one commission
// record in the range: those whom cards and codes count as active traders.
const ChoiceTraded = "traded"

// StateChoices lists the values of Query.State: a state, [ChoiceTraded], [ChoiceAtRisk], or a
// status other than listed.
func StateChoices() []string {
	var names []string
	for _, state := range States() {
		names = append(names, string(state))
	}
	names = append(names, ChoiceTraded, ChoiceAtRisk)
	for _, status := range records.InviteeStatuses() {
		if status != records.InviteeListed {
			names = append(names, string(status))
		}
	}
	return names
}

// MakeList lists invitees: those the exchange ever listed and those known from commission
// only. Query.Text is part of a UID or an invite code. The product, coin, source and symbol
// of the query narrow the invitees' commission, not the invitees.
func MakeList(ctx context.Context, q *snapshot.Snapshot) (List, error) {
	view, lines, err := inviteeList(ctx, q)
	if err != nil {
		return view, err
	}
	view.Pages = max(1, (len(lines)+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	first := (q.Page - 1) * q.Per
	view.Lines = slices.Clone(lines[first:min(first+q.Per, len(lines))])
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	if view.Tags, err = TagsInUse(ctx, q); err != nil {
		return view, err
	}
	for i := range view.Lines {
		line := &view.Lines[i]
		if line.Tags, err = people.TagsOf(ctx, q.Tx, line.UID); err != nil {
			return view, err
		}
		line.Change = view.ref.Change(view.Coin, line.In(view.Coin).Commission, figures.TotalIn(line.Before, view.Coin).Commission)
	}
	if err := addPresences(ctx, q, &view); err != nil {
		return view, err
	}
	return view, addTrends(ctx, q, &view)
}

// addPresences says of the lines of a page in which periods they had commission.
func addPresences(ctx context.Context, q *snapshot.Snapshot, view *List) error {
	days, asked := q.Compare.Days(q.Days)
	if !asked || !view.ref.Known {
		return nil
	}
	narrow := *q
	narrow.Text = "" // it decides who is listed, not which records count
	periods, err := ReadTwoPeriods(ctx, &narrow, days)
	if err != nil {
		return err
	}
	var keys []sums.InviteeKey
	for i := range view.Lines {
		keys = append(keys, sums.InviteeKey{Account: view.Lines[i].Account, UID: view.Lines[i].UID})
	}
	of, err := PresencesOf(ctx, periods, keys, func(key sums.InviteeKey) sums.InviteeKey { return key })
	for i, key := range keys {
		if line := &view.Lines[i]; len(line.InRange) > 0 {
			line.Presence = of[key]
		}
	}
	return err
}

// addTrends adds the days of the range to the lines of a page.
func addTrends(ctx context.Context, q *snapshot.Snapshot, view *List) error {
	if !q.Shows(TrendColumn, true) || view.Coin == "" || len(view.Lines) == 0 {
		return nil
	}
	keys := make([]sums.InviteeKey, len(view.Lines))
	for i := range view.Lines {
		keys[i] = sums.InviteeKey{Account: view.Lines[i].Account, UID: view.Lines[i].UID}
	}
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, q.Days)
	if err != nil {
		return err
	}
	f := q.Filter()
	f.Coin, f.Code, f.Text, f.Named = view.Coin, "", "", "" // code and text decide who is listed, as in ReadBrought
	days, err := snapshot.OfDaysOnce(ctx, q, fmt.Sprintf("trends of invitees %q", keys), f, sums.DaysOfInvitees(keys), sums.JoinDays)
	if err != nil {
		return err
	}
	for i, key := range keys {
		view.Lines[i].Trend = figures.TrendOf(q.Days, view.Coin, days[key], cover)
	}
	return nil
}

// TrendColumn is the column of the list whose values are read only for a page that shows it.
const TrendColumn = "trend"

// ReadLines returns all invitees of the query with their figures, in no order. They are those of
// the list, with all of its filters.
func ReadLines(ctx context.Context, q *snapshot.Snapshot) ([]ListLine, error) {
	snapshot, err := ReadSnapshot(ctx, q)
	if err != nil {
		return nil, err
	}
	lines, err := inviteeLines(ctx, q, snapshot)
	if err != nil {
		return nil, err
	}
	counted := List{Choices: map[string]int{}}
	return counted.choose(lines, q.State), nil
}

// inviteeList makes the whole list, in its order, and the figures above it.
func inviteeList(ctx context.Context, q *snapshot.Snapshot) (view List, lines []ListLine, err error) {
	view = List{Query: q.Query, Choices: map[string]int{}}
	snapshot, err := ReadSnapshot(ctx, q)
	if err != nil {
		return view, nil, err
	}
	if err := inviteeCoverage(ctx, q, &view, snapshot.first); err != nil {
		return view, nil, err
	}
	if lines, err = inviteeLines(ctx, q, snapshot); err != nil {
		return view, nil, err
	}
	view.All = len(lines)
	lines = view.choose(lines, q.State)
	view.Count = len(lines)
	view.total(lines)
	if view.Count == 0 {
		view.Empty = emptyInvitees(q, view.All > 0 || q.Filtered() && len(snapshot.Lines) > 0, view.Listed)
	}
	return view, lines, orderInvitees(lines, q.Sort, view.Coin)
}

// inviteeCoverage returns how far the figures and the list itself are collected.
func inviteeCoverage(ctx context.Context, q *snapshot.Snapshot, view *List, first affiliate.Day) error {
	ever := affiliate.Days{First: first, Last: q.Today}
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, affiliate.Days{First: min(first, q.Days.First), Last: max(q.Today, q.Days.Last)})
	if err != nil {
		return err
	}
	view.Since, view.Coverage, view.Lifetime = first, cover.Summary(q.Days), cover.Summary(ever)
	days, asked := q.Compare.Days(q.Days)
	view.ref = figures.Reference{Asked: asked, Open: q.Open(), Totals: map[affiliate.Coin]figures.Totals{}}
	if asked {
		before, err := q.ReadCoverage(ctx, affiliate.Commissions, days)
		if err != nil {
			return err
		}
		view.ref.Known = before.Summary(days).Complete()
	}
	if view.Coverage.LastRun, err = q.NewestRun(ctx); err != nil {
		return err
	}
	view.Listed, err = q.ListedCoverage(ctx)
	return err
}

// choose keeps the invitees that match a choice and counts those of each.
func (view *List) choose(lines []ListLine, choice string) []ListLine {
	kept := lines[:0]
	for _, line := range lines {
		view.Choices[string(line.State)]++
		if line.Status != records.InviteeListed {
			view.Choices[string(line.Status)]++
		}
		traded := len(line.InRange) > 0
		if traded {
			view.Choices[ChoiceTraded]++
		}
		if line.risky {
			view.Choices[ChoiceAtRisk]++
		}
		if choice == "" || choice == ChoiceTraded && traded || choice == ChoiceAtRisk && line.risky || choice == string(line.State) || choice == string(line.Status) {
			kept = append(kept, line)
		}
	}
	return kept
}

// total adds up the lines and determines the coin in which they are shown.
func (view *List) total(lines []ListLine) {
	add := func(of func(*ListLine) []figures.Totals) []figures.Totals { return totalsOfLines(lines, of) }
	inRange := add(func(l *ListLine) []figures.Totals { return l.InRange })
	view.Ever = add(func(l *ListLine) []figures.Totals { return l.Lifetime })
	if view.Coin = figures.MainCoin(view.Query.Coin, inRange); view.Coin == "" {
		view.Coin = figures.MainCoin(view.Query.Coin, view.Ever)
	}
	view.AtRisk = map[affiliate.Coin]decimal.Decimal{}
	for i := range lines {
		for _, amount := range lines[i].AtRisk {
			view.AtRisk[amount.Coin] = view.AtRisk[amount.Coin].Add(amount.Value)
		}
	}
	for _, t := range add(func(l *ListLine) []figures.Totals { return l.Before }) {
		view.ref.Totals[t.Coin] = t
	}
	view.Totals, view.Volume = figures.CoinCards(inRange, view.ref), view.ref.Volume(inRange)
}

func totalsOfLines(lines []ListLine, of func(*ListLine) []figures.Totals) []figures.Totals {
	sums := figures.CoinTotals{}
	for i := range lines {
		sums.Add(of(&lines[i]))
	}
	return sums.Totals()
}

// lists reports whether the query covers an invitee, whatever its state.
func lists(q *snapshot.Snapshot, i *SnapshotLine) bool {
	contains := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(q.Text)) }
	kyc := string(i.KYC)
	if kyc == "" {
		kyc = query.KYCUnknown
	}
	return (q.Account == "" || i.Account == q.Account) &&
		(q.KYC == "" || q.KYC == kyc) &&
		affiliate.AsksFor(q.Code, i.InviteCode) &&
		(q.Text == "" || contains(string(i.UID)) || contains(i.InviteCode) || q.Names.Has(i.UID, q.Text))
}

// emptyInvitees returns why the list is empty.
func emptyInvitees(q *snapshot.Snapshot, narrowed bool, listed coverage.Coverage) coverage.EmptyKind {
	if narrowed {
		return coverage.EmptyFiltered
	}
	for _, gap := range listed.Gaps {
		if gap.Reason != "" {
			return coverage.EmptyFailed
		}
	}
	if listed.Complete() {
		return coverage.EmptyTruly
	}
	return q.WhyUnread()
}
