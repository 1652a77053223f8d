package subaffiliates

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Report lists the sub-affiliates with their volume, fees and payments.
//
// Its days are UTC days, as the exchange counts them (4.19), and so its Query is in UTC.
// The exchange names no unit for these amounts: they are added only to each other, and
// never to the commission of our own records.
type Report struct {
	Query    query.Query
	Zone     *time.Location     // of the reporting days of the other reports
	Coverage coverage.Coverage  // of the stream of sub-affiliates
	Empty    coverage.EmptyKind // not "" when there are no lines
	Cards    Cards
	Lines    []ListLine          // one page, in the order of the query
	Total    ListLine            // over all lines; its UID is empty
	Count    int                 // of lines
	Pages    int                 // at least 1
	Top      []ListLine          // by paid commission, at most ten
	Others   ListLine            // all lines that are not in Top; its UID is empty
	Daily    figures.DailySeries // paid commission by product
	Check    CrossCheck
	Options  snapshot.Options
}

// Sorts lists the columns by which sub-affiliates can be sorted.
var Sorts = []string{
	"paid", "uid", "account", "volume", "fee", "spot", "futures", "ratio", "share", "change", "days", "first", "last",
}

// Foreign lists the parameters by which sub-affiliate days cannot be narrowed: their
// records lack these fields.
var Foreign = []string{"coin", "symbol", "source", "code", "segment"}

// Make answers the query for one page of sub-affiliates.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	if err := takes(q.Query); err != nil {
		return Report{}, err
	}
	view := Report{Zone: q.Zone}
	q = inUTC(q)
	view.Query = q.Query
	var err error
	if view.Options, err = Options(ctx, q); err != nil {
		return view, err
	}
	period, err := readPeriod(ctx, q, q.Days, true)
	if err != nil {
		return view, err
	}
	ref, err := readReference(ctx, q)
	if err != nil {
		return view, err
	}
	view.Coverage, view.Daily = period.coverage, period.series()
	view.Coverage.LastRun, err = q.NewestRun(ctx)
	if err != nil {
		return view, err
	}
	ref.line(&view.Daily)
	lines := period.lines(ref)
	view.Total, view.Count = totalLine(lines, ref), len(lines)
	view.Cards = cardsOf(view.Total.Figures, ref)
	view.Pages = max(1, (len(lines)+q.Per-1)/q.Per)
	if q.Page > view.Pages {
		return view, query.BeyondPages(q.Page, view.Pages)
	}
	if view.Check, err = checkSubAffiliates(ctx, q, view.Zone, period); err != nil {
		return view, err
	}
	if len(lines) == 0 {
		view.Empty, err = emptySubAffiliates(ctx, q, view.Coverage)
		return view, err
	}
	view.Top, view.Others = topLines(lines, ref)
	sortLines(lines, q.Sort)
	first := (q.Page - 1) * q.Per
	view.Lines = lines[first:min(first+q.Per, len(lines))]
	period.trends(view.Lines)
	return view, nil
}

// takes rejects a query with a filter that does not apply to sub-affiliates.
func takes(q query.Query) error {
	return q.Refuse(Foreign, "cannot be used here: the exchange reports sub-affiliates without it")
}

// inUTC returns the query in UTC days.
func inUTC(q *snapshot.Snapshot) *snapshot.Snapshot {
	utc := *q
	utc.Zone = time.UTC
	return &utc
}

func subAffiliateFilter(q query.Query) records.SubAffiliateFilter {
	return records.SubAffiliateFilter{Days: q.Days, Account: q.Account, Product: q.Product, UID: q.UID, Text: q.Text, Named: q.Names.Find(q.Text), AsOf: q.AsOfMillis()}
}

// emptySubAffiliates returns why there are no sub-affiliates.
func emptySubAffiliates(ctx context.Context, q *snapshot.Snapshot, covered coverage.Coverage) (coverage.EmptyKind, error) {
	if q.Filtered() {
		totals, err := sums.BySubAffiliateDay(ctx, q.Tx, subAffiliateFilter(q.WithoutFilters()))
		if err != nil {
			return "", fmt.Errorf("looking without filters: %w", err)
		}
		if len(totals) > 0 {
			return coverage.EmptyFiltered, nil
		}
	}
	return q.WhyNothing(ctx, covered)
}

// subAffiliatePeriod holds the sums of a range of days.
type subAffiliatePeriod struct {
	days     affiliate.Days
	cover    *coverage.Map
	coverage coverage.Coverage
	sums.SubAffiliatePeriod
}

// readPeriod reads the sums of days; paid says whether trends are needed.
func readPeriod(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days, paid bool) (p subAffiliatePeriod, err error) {
	f := subAffiliateFilter(q.Query)
	f.Days, p.days = days, days
	if p.cover, err = q.ReadCoverage(ctx, affiliate.SubAffiliates, days); err != nil {
		return p, err
	}
	p.coverage = p.cover.Summary(days)
	p.SubAffiliatePeriod, err = readSums(ctx, q, f, paid)
	return p, err
}

// readSums reads the sums of a filter. The caller must not change them: they are kept until
// sub-affiliate days are read again.
func readSums(ctx context.Context, q *snapshot.Snapshot, f records.SubAffiliateFilter, paid bool) (sums.SubAffiliatePeriod, error) {
	if f.AsOf.Known() {
		return sums.ReadSubAffiliates(ctx, q.Tx, f, paid)
	}
	read, err := sums.LastSubAffiliateRead(ctx, q.Tx)
	if err != nil {
		return sums.SubAffiliatePeriod{}, err
	}
	type asked struct {
		records.SubAffiliateFilter
		paid bool
	}
	return snapshot.Lasting(ctx, q, "sub-affiliate days", asked{f, paid}, read, func(ctx context.Context) (sums.SubAffiliatePeriod, error) {
		return sums.ReadSubAffiliates(ctx, q.Tx, f, paid)
	})
}

// series arranges the paid commission by day and product.
func (p subAffiliatePeriod) series() figures.DailySeries {
	var list []sums.DaySums
	for _, d := range p.Daily {
		if !d.PaidCommission.Known() {
			continue
		}
		list = append(list, sums.DaySums{Day: d.Day, Product: d.Product, Sums: sums.CommissionOf(d.Records, d.PaidCommission)})
	}
	series := figures.SeriesOf(p.days, "", list, p.cover, figures.ByProduct, figures.ShowCommission)
	series.Of = "Paid commission"
	return series
}

// subAffiliateReference holds the sums of the compared period.
type subAffiliateReference struct {
	subAffiliatePeriod
	asked bool
	known bool // collected completely
	total Figures
	of    map[subAffiliateKey]Figures
}

func readReference(ctx context.Context, q *snapshot.Snapshot) (ref subAffiliateReference, err error) {
	days, asked := q.Compare.Days(q.Days)
	if !asked {
		return ref, nil
	}
	if ref.subAffiliatePeriod, err = readPeriod(ctx, q, days, false); err != nil {
		return ref, fmt.Errorf("the compared period: %w", err)
	}
	ref.asked, ref.known = true, ref.coverage.Complete()
	ref.of = map[subAffiliateKey]Figures{}
	var whole figureSums
	for key, sums := range ref.bySubAffiliate() {
		ref.of[key] = sums.figures()
		whole.join(sums.figureSums)
	}
	ref.total = whole.figures()
	return ref, nil
}

// line adds the compared period to a series, day by day.
func (r subAffiliateReference) line(series *figures.DailySeries) {
	if r.asked {
		series.Compare(r.series())
	}
}
