package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
)

// CodesReport is what each invite code brought. A code is known of an invitee,
// not of a record: the records of invitees whose code nobody knows are a line
// of their own, so that the lines add up to all commission.
type CodesReport struct {
	Query    Query
	Coverage Coverage // of the commissions of the range
	Listed   Coverage // of the invitees that the exchange lists: by them codes are known
	Known    CodeKnowledge
	Empty    EmptyKind      // not "" when there are no lines
	Coin     affiliate.Coin // of all amounts but Cards: asked for, else that of most records; empty: nothing was earned
	Coins    []affiliate.Coin
	Cards    []CoinCard // per coin, over all lines
	Volume   Figure     // of all coins together, see [volumeOf]
	People   InviteeCards
	Lines    []CodeLine // one page, in the order of the query
	Total    CodeLine   // over all lines
	Count    int        // of lines
	Unnamed  int        // of these, without a known code: one of each account at most
	Pages    int        // at least 1
	Top      []CodeLine // by commission, at most ten
	Others   CodeLine   // all that are not in Top
	Daily    DailySeries
	Options  Options

	lines []CodeLine // all of them, in the order of the query
}

// makeCodes makes the report of [Service.Codes].
func makeCodes(ctx context.Context, q *question) (CodesReport, error) {
	view, err := q.codes(ctx)
	if err != nil {
		return view, err
	}
	view.Pages = max(1, (view.Count+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, &ParamError{"page", fmt.Sprint(q.Page), fmt.Sprintf("there are %d pages", view.Pages)}
	}
	if view.Options, err = q.options(ctx); err != nil || view.Count == 0 {
		return view, err
	}
	first := (q.Page - 1) * q.Per
	view.Lines = view.lines[first:min(first+q.Per, view.Count)]
	view.Top, view.Others = topCodes(view.lines, view.Coin)
	view.Daily, err = q.codeDays(ctx, view)
	return view, err
}

// codes is the whole list in its order and what is said above it.
func (q *question) codes(ctx context.Context) (view CodesReport, err error) {
	view = CodesReport{Query: q.Query}
	if view.Coverage, view.Listed, err = q.codeCoverage(ctx); err != nil {
		return view, err
	}
	books, err := q.codeBooks(ctx)
	if err != nil {
		return view, err
	}
	view.lines = books.lines()
	view.Count = len(view.lines)
	for _, l := range view.lines {
		if l.Code == "" {
			view.Unnamed++
		}
	}
	view.Total = sumOfCodes(view.lines)
	if err := q.knowCodes(ctx, &view, books); err != nil {
		return view, err
	}
	if view.Coin = mainCoin(q.Coin, view.Total.InRange); view.Coin == "" {
		view.Coin = mainCoin(q.Coin, view.Total.OfRegistered)
	}
	for _, t := range view.Total.InRange {
		view.Coins = append(view.Coins, t.Coin)
	}
	if err := q.compareCodes(ctx, &view, books); err != nil {
		return view, err
	}
	sortCodes(view.lines, q.Sort, view.Coin)
	if view.Count == 0 {
		view.Empty, err = q.emptyCodes(ctx, view.Coverage.With(view.Listed))
	}
	return view, err
}

// codeCoverage is how far the commissions of the range are collected, and the
// invitees by whom their codes are known.
func (q *question) codeCoverage(ctx context.Context) (commissions, listed Coverage, err error) {
	cover, err := q.coverage(ctx, affiliate.Commissions, q.Days)
	if err != nil {
		return commissions, listed, err
	}
	commissions = cover.summary(q.Days)
	if listed, err = q.listed(ctx); err != nil {
		return commissions, listed, err
	}
	commissions.LastRun = listed.LastRun
	return commissions, listed, nil
}

// emptyCodes tells why there are none.
func (q *question) emptyCodes(ctx context.Context, coverage Coverage) (EmptyKind, error) {
	if q.Filtered() {
		all := *q
		all.Query = q.WithoutFilters()
		books, err := all.codeBooks(ctx)
		if err != nil {
			return "", fmt.Errorf("looking without filters: %w", err)
		}
		if len(books.of) > 0 {
			return EmptyFiltered, nil
		}
	}
	return q.nothing(ctx, coverage)
}

// compareCodes sets the lines and their total beside the compared period.
func (q *question) compareCodes(ctx context.Context, view *CodesReport, books *codeBooks) error {
	ref := reference{totals: map[affiliate.Coin]Totals{}}
	days, asked := q.Compare.Days(q.Days)
	if asked {
		cover, err := q.coverage(ctx, affiliate.Commissions, days)
		if err != nil {
			return fmt.Errorf("the compared period: %w", err)
		}
		ref.asked, ref.open, ref.days = true, q.open(), days
		ref.known = cover.summary(days).Complete() && view.Listed.Complete()
		for _, t := range books.before.totals() {
			ref.totals[t.Coin] = t
		}
	}
	view.Cards, view.Volume = coinCards(view.Total.InRange, ref), ref.volume(view.Total.InRange)
	for i := range view.lines {
		view.lines[i].compare(ref, view.Coin, view.Total)
	}
	view.Total.Before = books.before.totals()
	view.Total.compare(ref, view.Coin, view.Total)
	return q.comparePeople(ctx, view, books, ref)
}

// compare settles the share of a line and how it has changed.
func (l *CodeLine) compare(ref reference, coin affiliate.Coin, total CodeLine) {
	l.Share = shareOf(l.In(coin).Commission, total.In(coin).Commission)
	l.Change = ref.change(l.In(coin).Commission, totalIn(l.Before, coin).Commission)
}
