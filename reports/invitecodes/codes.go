package invitecodes

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Report sums commission by invite code. The exchange names the code of an invitee, not
// of a record. Records of invitees with an unknown code have a separate line, so that
// the lines add up to all commission.
type Report struct {
	Query    query.Query
	Coverage coverage.Coverage // of the commissions of the range
	Listed   coverage.Coverage // of the invitees that the exchange lists, who determine which codes are known
	Known    CodeKnowledge
	Empty    coverage.EmptyKind // not "" when there are no lines
	Coin     affiliate.Coin     // of all amounts except Cards: the requested coin, otherwise that of most records; empty: nothing was earned
	Coins    []affiliate.Coin
	Cards    []figures.CoinCard // per coin, over all lines
	Volume   figures.Figure     // of all coins together, see [figures.VolumeOf]
	People   invitees.Cards
	Lines    []CodeLine // one page, in the order of the query
	Total    CodeLine   // over all lines
	Count    int        // of lines
	Unnamed  int        // of these, without a known code: at most one per account
	Pages    int        // at least 1
	Top      []CodeLine // by commission, at most ten
	Others   CodeLine   // all lines that are not in Top
	Daily    figures.DailySeries
	Options  snapshot.Options

	lines []CodeLine // all of them, in the order of the query
}

// Make answers the query for one page of invite codes. Query.Text is part of a code.
// Product, coin, source and symbol narrow the commission of codes and not the registrations
// with them.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	view, err := codes(ctx, q)
	if err != nil {
		return view, err
	}
	view.Pages = max(1, (view.Count+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	if view.Options, err = q.Options(ctx); err != nil || view.Count == 0 {
		return view, err
	}
	first := (q.Page - 1) * q.Per
	view.Lines = view.lines[first:min(first+q.Per, view.Count)]
	if err := addPresences(ctx, q, view.Lines); err != nil {
		return view, err
	}
	view.Top, view.Others = topCodes(view.lines, view.Coin)
	if view.Daily, err = codeDays(ctx, q, view); err != nil {
		return view, err
	}
	view.Daily.Annotations, err = q.Annotations(ctx)
	return view, err
}

// codes makes the whole list, in its order, and the figures above it.
func codes(ctx context.Context, q *snapshot.Snapshot) (view Report, err error) {
	view = Report{Query: q.Query}
	if view.Coverage, view.Listed, err = codeCoverage(ctx, q); err != nil {
		return view, err
	}
	books, err := readBooks(ctx, q)
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
	if err := knowCodes(ctx, q, &view, books); err != nil {
		return view, err
	}
	if view.Coin = figures.MainCoin(q.Coin, view.Total.InRange); view.Coin == "" {
		view.Coin = figures.MainCoin(q.Coin, view.Total.OfRegistered)
	}
	for _, t := range view.Total.InRange {
		view.Coins = append(view.Coins, t.Coin)
	}
	if err := compareCodes(ctx, q, &view, books); err != nil {
		return view, err
	}
	sortCodes(view.lines, q.Sort, view.Coin)
	if view.Count == 0 {
		view.Empty, err = emptyCodes(ctx, q, view.Coverage.With(view.Listed))
	}
	return view, err
}

// codeCoverage returns how far the commissions of the range are collected, and the invitees
// from whom their codes are known.
func codeCoverage(ctx context.Context, q *snapshot.Snapshot) (commissions, listed coverage.Coverage, err error) {
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, q.Days)
	if err != nil {
		return commissions, listed, err
	}
	commissions = cover.Summary(q.Days)
	if listed, err = q.ListedCoverage(ctx); err != nil {
		return commissions, listed, err
	}
	commissions.LastRun = listed.LastRun
	return commissions, listed, nil
}

// emptyCodes returns why there are no codes.
func emptyCodes(ctx context.Context, q *snapshot.Snapshot, covered coverage.Coverage) (coverage.EmptyKind, error) {
	if q.Filtered() {
		all := *q
		all.Query = q.WithoutFilters()
		books, err := readBooks(ctx, &all)
		if err != nil {
			return "", fmt.Errorf("looking without filters: %w", err)
		}
		if len(books.of) > 0 {
			return coverage.EmptyFiltered, nil
		}
	}
	return q.WhyNothing(ctx, covered)
}

// compareCodes compares the lines and their total with the compared period.
func compareCodes(ctx context.Context, q *snapshot.Snapshot, view *Report, books *codeBooks) error {
	ref := figures.Reference{Totals: map[affiliate.Coin]figures.Totals{}}
	days, asked := q.Compare.Days(q.Days)
	if asked {
		cover, err := q.ReadCoverage(ctx, affiliate.Commissions, days)
		if err != nil {
			return fmt.Errorf("the compared period: %w", err)
		}
		ref.Asked, ref.Open, ref.Days = true, q.Open(), days
		ref.Known = cover.Summary(days).Complete() && view.Listed.Complete()
		for _, t := range books.before.Totals() {
			ref.Totals[t.Coin] = t
		}
	}
	view.Cards, view.Volume = figures.CoinCards(view.Total.InRange, ref), ref.Volume(view.Total.InRange)
	for i := range view.lines {
		view.lines[i].compare(ref, view.Coin)
	}
	view.Total.Before = books.before.Totals()
	view.Total.compare(ref, view.Coin)
	shareOut(view.lines, &view.Total, view.Coin)
	return comparePeople(ctx, q, view, books, ref)
}

// addPresences says of lines in which periods their codes had commission.
func addPresences(ctx context.Context, q *snapshot.Snapshot, lines []CodeLine) error {
	days, asked := q.Compare.Days(q.Days)
	if !asked {
		return nil
	}
	narrow := *q
	narrow.Text = "" // it decides which codes are listed, not which records count
	codes, err := q.InviteeCodes(ctx)
	if err != nil {
		return err
	}
	periods, err := invitees.ReadTwoPeriods(ctx, &narrow, days)
	if err != nil {
		return err
	}
	keys := make([]codeKey, len(lines))
	for i, line := range lines {
		keys[i] = codeKey{line.Account, line.Code}
	}
	of, err := invitees.PresencesOf(ctx, periods, keys, func(key sums.InviteeKey) codeKey { return codeKey{key.Account, codes.Of(key)} })
	for i, key := range keys {
		if key.code != "" && len(lines[i].InRange) > 0 {
			lines[i].Presence = of[key]
		}
	}
	return err
}

// compare sets the change of a line.
func (l *CodeLine) compare(ref figures.Reference, coin affiliate.Coin) {
	l.Change = ref.Change(coin, l.In(coin).Commission, figures.TotalIn(l.Before, coin).Commission)
}
