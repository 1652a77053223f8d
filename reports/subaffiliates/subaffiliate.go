package subaffiliates

import (
	"context"
	"fmt"
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

// Detail is one sub-affiliate, over all accounts that know it. Its days are UTC days, as in
// [Report].
type Detail struct {
	Query    query.Query // with the UID
	Zone     *time.Location
	Coverage coverage.Coverage
	Known    bool               // it has a record on any day
	Ever     affiliate.Days     // its first and last record, if it is known
	Stored   affiliate.Days     // the first and last record of any sub-affiliate
	Any      bool               // any sub-affiliate has a record
	Empty    coverage.EmptyKind // not "" when there is no record in the range
	Cards    Cards
	Share    figures.Ratio // of the payments to all sub-affiliates, under the same filters
	Span     sums.SubAffiliateSpan
	Daily    figures.DailySeries
	Rows     []records.SubAffiliateRow // one page, in the order of the query
	Total    Figures                   // over all rows
	Pages    int                       // at least 1
	Changes  []DayChange               // for days of the range, newest notice first; the first changesShown
	Changed  int                       // total number of changes
	Options  snapshot.Options
}

// DayChange is a day that changed after it had been collected.
type DayChange struct {
	Noticed affiliate.Millis
	Kind    commissions.RestatementKind
	Account affiliate.Account
	Day     affiliate.Day
	Product affiliate.Product
	Was     Figures // Records is 0 if there was no record
	Became  Figures // Records is 0 if there is no record any more
}

// DaySorts lists the columns by which the days of one sub-affiliate can be
// sorted.
var DaySorts = []string{"date", "account", "product", "volume", "fee", "paid"}

// changesShown is the number of changes that a page lists.
const changesShown = 100

// MakeOne answers the query, which names a UID, for its page.
func MakeOne(ctx context.Context, q *snapshot.Snapshot) (Detail, error) {
	if err := takes(q.Query); err != nil {
		return Detail{}, err
	}
	view := Detail{Zone: q.Zone}
	q = inUTC(q)
	view.Query = q.Query
	var err error
	if view.Options, err = Options(ctx, q); err != nil {
		return view, err
	}
	if err := everKnown(ctx, q, &view); err != nil || !view.Known {
		return view, err
	}
	if err := subAffiliateFigures(ctx, q, &view); err != nil {
		return view, err
	}
	if err := subAffiliateChanges(ctx, q, &view); err != nil {
		return view, err
	}
	view.Pages = max(1, int((view.Total.Records+int64(q.Per)-1)/int64(q.Per)))
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	if view.Total.Records == 0 {
		view.Empty, err = emptySubAffiliate(ctx, q, view.Coverage)
		return view, err
	}
	order := records.SubAffiliateOrder{Column: q.Sort.Field, Descending: q.Sort.Descending}
	for row, err := range records.SortedSubAffiliateDays(ctx, q.Tx, subAffiliateFilter(q.Query), order, q.Per, (q.Page-1)*q.Per) {
		if err != nil {
			return view, err
		}
		view.Rows = append(view.Rows, row)
	}
	return view, nil
}

// everKnown finds the days with records of the UID, and of all sub-affiliates, in all
// accounts.
func everKnown(ctx context.Context, q *snapshot.Snapshot, view *Detail) (err error) {
	if view.Stored, view.Any, err = sums.SubAffiliateReach(ctx, q.Tx, q.AsOfMillis()); err != nil {
		return err
	}
	spans, err := sums.SubAffiliateSpans(ctx, q.Tx, records.SubAffiliateFilter{Days: snapshot.AllDays, UID: q.UID, AsOf: q.AsOfMillis()})
	for i, span := range spans {
		if i == 0 || span.First < view.Ever.First {
			view.Ever.First = span.First
		}
		view.Ever.Last = max(view.Ever.Last, span.Last)
	}
	view.Known = len(spans) > 0
	return err
}

func subAffiliateFigures(ctx context.Context, q *snapshot.Snapshot, view *Detail) error {
	period, err := readPeriod(ctx, q, q.Days, false)
	if err != nil {
		return err
	}
	ref, err := readReference(ctx, q)
	if err != nil {
		return err
	}
	view.Coverage = period.coverage
	if view.Coverage.LastRun, err = q.NewestRun(ctx); err != nil {
		return err
	}
	total := totalLine(period.lines(ref), ref)
	view.Total, view.Cards = total.Figures, cardsOf(total.Figures, ref)
	view.Daily = period.series()
	ref.line(&view.Daily)
	everybody := *q
	everybody.UID = ""
	all, err := readPeriod(ctx, &everybody, q.Days, false)
	if err != nil {
		return err
	}
	view.Share = shareOfRest(all.lines(ref), period.lines(ref))
	days := map[affiliate.Day]bool{}
	for _, d := range period.Daily {
		days[d.Day] = true
	}
	view.Span = sums.SubAffiliateSpan{UID: q.UID, Days: int64(len(days)), First: total.First, Last: total.Last}
	return nil
}

func subAffiliateChanges(ctx context.Context, q *snapshot.Snapshot, view *Detail) error {
	changes, err := records.SubAffiliateChanges(ctx, q.Tx, subAffiliateFilter(q.Query))
	view.Changed = len(changes)
	for _, c := range changes[:min(len(changes), changesShown)] {
		view.Changes = append(view.Changes, subAffiliateChangeOf(c))
	}
	return err
}

func subAffiliateChangeOf(c records.SubAffiliateChange) DayChange {
	day := c.Day()
	change := DayChange{Noticed: c.Noticed, Account: c.Account, Day: day.Date, Product: day.Product, Kind: commissions.RestatedChanged}
	change.Was, change.Became = subAffiliateDayFigures(c.Was), subAffiliateDayFigures(c.Became)
	switch {
	case c.Was == nil:
		change.Kind = commissions.RestatedLate
	case c.Became == nil:
		change.Kind = commissions.RestatedRemoved
	case c.Became.PaidCommission.IsZero() && !c.Was.PaidCommission.IsZero():
		change.Kind = commissions.RestatedZeroed
	}
	return change
}

func subAffiliateDayFigures(d *affiliate.SubAffiliateDay) Figures {
	if d == nil {
		return Figures{}
	}
	return Figures{1, d.TradingVolume, d.NetTradingFee, d.PaidCommission}
}

// emptySubAffiliate returns why a known sub-affiliate has no record in the range.
func emptySubAffiliate(ctx context.Context, q *snapshot.Snapshot, covered coverage.Coverage) (coverage.EmptyKind, error) {
	bare := subAffiliateFilter(q.WithoutFilters())
	bare.UID = q.UID
	list, err := sums.BySubAffiliateDay(ctx, q.Tx, bare)
	if err != nil {
		return "", fmt.Errorf("looking without filters: %w", err)
	}
	if len(list) > 0 {
		return coverage.EmptyFiltered, nil
	}
	return q.WhyNothing(ctx, covered)
}
