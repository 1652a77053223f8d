package snapshot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Covered returns the coverage of the query's days by commissions. Which of them belong to
// an invite code is known from the invitees, so a query for a code depends on all of those
// too.
func (q *Snapshot) Covered(ctx context.Context) (*coverage.Map, coverage.Coverage, error) {
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, q.Days)
	if err != nil {
		return nil, coverage.Coverage{}, err
	}
	sum := cover.Summary(q.Days)
	if q.Code != "" {
		reach := q.Listable()
		invitees, err := q.ReadCoverage(ctx, affiliate.Invitees, reach)
		if err != nil {
			return nil, coverage.Coverage{}, err
		}
		sum = sum.With(invitees.Summary(reach))
	}
	sum.LastRun, err = q.NewestRun(ctx)
	return cover, sum, err
}

// ReadCoverage reads how far the days are collected in the streams of the given kind that
// the query concerns.
func (q *Snapshot) ReadCoverage(ctx context.Context, kind affiliate.StreamKind, days affiliate.Days) (*coverage.Map, error) {
	utc := coverage.UTCDays(days.Range(q.Zone))
	list, err := q.coverageOf(ctx, kind, utc)
	if err != nil {
		return nil, err
	}
	var begins time.Time
	if wanted, ok, err := sums.WantedFrom(ctx, q.Tx); err != nil {
		return nil, err
	} else if ok {
		begins = wanted.Start(time.UTC)
	}
	var streams []coverage.AccountStream
	for _, account := range q.Accounts {
		for _, stream := range q.Streams(account) {
			if stream.Kind == kind && (stream.Product == "" || affiliate.AsksFor(q.Product, stream.Product)) {
				streams = append(streams, coverage.AccountStream{Account: account, Stream: stream})
			}
		}
	}
	cover := coverage.NewMap(streams, list, begins, q.Now, q.Zone)
	cover.Sheets = q.sheets
	if kind.Money() {
		cover.Refused, err = q.refused(ctx)
	}
	return cover, err
}

// FirstCollection returns when a kind of streams of the query's accounts was read first, and when the
// first collection was over, of the account that came last; unknown if nothing was ever read.
func (q *Snapshot) FirstCollection(ctx context.Context, kind affiliate.StreamKind) (first, over affiliate.Millis, err error) {
	for _, account := range q.Accounts {
		if account == "" {
			continue // no account may be seen
		}
		began, err := records.FirstReadOf(ctx, q.Tx, kind, account)
		if err != nil {
			return 0, 0, err
		}
		ended, err := records.FirstCollectedOf(ctx, q.Tx, kind, account)
		if err != nil {
			return 0, 0, err
		}
		if began.Known() && (!first.Known() || began < first) {
			first = began
		}
		over = max(over, ended)
	}
	return first, over, nil
}

// Refusals lists the streams of the query's accounts that the exchange does not give, or not
// for all days. They are the present ones; those that began after the instant of the query
// are left out.
func (q *Snapshot) Refusals(ctx context.Context) (list []payments.Refusal, err error) {
	all, err := Part(ctx, q, "refusals", nil, func(ctx context.Context) ([]payments.Refusal, error) {
		return payments.Refusals(ctx, q.Tx)
	})
	for _, f := range all {
		if slices.Contains(q.Accounts, f.Account) && (q.AsOf.IsZero() || f.Since <= q.AsOfMillis()) {
			list = append(list, f)
		}
	}
	return list, err
}

// refused is [Snapshot.Refusals] for a map of coverage.
func (q *Snapshot) refused(ctx context.Context) (map[coverage.AccountStream]affiliate.Day, error) {
	list, err := q.Refusals(ctx)
	days := map[coverage.AccountStream]affiliate.Day{}
	for _, f := range list {
		days[coverage.AccountStream{Account: f.Account, Stream: affiliate.Stream{Kind: f.Stream}}] = f.FirstDay
	}
	return days, err
}

// coverQuestion identifies requested coverage. The present one is that of all kinds
// together.
type coverQuestion struct {
	kind    affiliate.StreamKind // empty: all kinds
	account affiliate.Account
	days    affiliate.Days // UTC
	asOf    affiliate.Millis
}

// coverageOf returns the coverage at the time of the query. Several figures of a page
// depend on the same days, so those are looked up once.
func (q *Snapshot) coverageOf(ctx context.Context, kind affiliate.StreamKind, utc affiliate.Days) (list []records.CoverageDay, err error) {
	asked := coverQuestion{account: q.Account, days: utc, asOf: q.AsOfMillis()}
	if !q.AsOf.IsZero() {
		asked.kind = kind
	}
	if list, ok := q.covering[asked]; ok {
		return list, nil
	}
	if q.AsOf.IsZero() {
		list, err = q.presentCoverage(ctx, utc)
	} else {
		list, err = records.CoverageAt(ctx, q.Tx, kind, q.Account, utc, q.AsOfMillis())
	}
	if q.Limited() {
		list = anonymous(list)
	}
	if err == nil {
		q.covering[asked] = list
	}
	return list, err
}

// anonymous leaves out what could not be read of the records in quarantine, and how many they are: they may
// be of other invitees than the reader may see.
func anonymous(list []records.CoverageDay) []records.CoverageDay {
	list = slices.Clone(list)
	for i := range list {
		if c := &list[i]; c.Quarantined > 0 {
			if c.Quarantined = 1; !c.Failed.Known() {
				c.Error = "something of the day could not be read"
			}
		}
	}
	return list
}

// presentCoverage picks the days from those of all time, which all reports share: a page
// needs several overlapping ranges.
func (q *Snapshot) presentCoverage(ctx context.Context, utc affiliate.Days) ([]records.CoverageDay, error) {
	all, err := Part(ctx, q, "coverage", nil, func(ctx context.Context) ([]records.CoverageDay, error) {
		return records.Coverage(ctx, q.Tx, "", AllDays)
	})
	var list []records.CoverageDay
	for i := range all {
		if utc.Contains(all[i].Day) && (q.Account == "" || all[i].Account == q.Account) {
			list = append(list, all[i])
		}
	}
	return list, err
}

// NewestRun returns the newest run as a line.
func (q *Snapshot) NewestRun(ctx context.Context) (coverage.RunLine, error) {
	if q.Limited() {
		return q.newestOwnRun(ctx)
	}
	run, err := records.LastRun(ctx, q.Tx, q.Account)
	return lineOf(run), err
}

// newestOwnRun is [Snapshot.NewestRun] of the accounts that the caller may see, without the
// number of records, which are those of everybody.
func (q *Snapshot) newestOwnRun(ctx context.Context) (newest coverage.RunLine, err error) {
	for _, account := range q.Accounts {
		if account == "" {
			continue // no account may be seen
		}
		run, err := records.LastRun(ctx, q.Tx, account)
		if err != nil {
			return newest, err
		}
		if run.Started >= newest.Started {
			newest = lineOf(run)
			newest.Records = 0
		}
	}
	return newest, nil
}

func lineOf(run records.Run) coverage.RunLine {
	line := coverage.RunLine{Started: run.Started, Finished: run.Finished, Records: run.Records, Error: run.Error}
	if run.Error == records.RunStopped {
		line.Error, line.Stopped = "", true
	}
	return line
}

// Listable returns the reporting days for which the exchange listed all registrations, at
// the time of the query.
func (q *Snapshot) Listable() affiliate.Days {
	today := affiliate.DayOf(q.Now, q.Zone)
	return affiliate.Days{First: today - coverage.YearReach, Last: today}
}

// ListedCoverage returns how far the invitees that the exchange still lists are collected.
func (q *Snapshot) ListedCoverage(ctx context.Context) (coverage.Coverage, error) {
	reach := q.Listable()
	cover, err := q.ReadCoverage(ctx, affiliate.Invitees, reach)
	if err != nil {
		return coverage.Coverage{}, err
	}
	sum := cover.Summary(reach)
	sum.LastRun, err = q.NewestRun(ctx)
	return sum, err
}

// WhyNothing returns why there are no records when no filter is the reason.
func (q *Snapshot) WhyNothing(ctx context.Context, covered coverage.Coverage) (coverage.EmptyKind, error) {
	first, err := sums.FirstDay(ctx, q.Tx, q.Today)
	switch {
	case err != nil:
		return "", err
	case q.Days.First > q.Today:
		return coverage.EmptyFuture, nil
	case covered.Complete():
		return coverage.EmptyTruly, nil
	case first < q.Today && q.Days.Last < first: // otherwise nothing is known
		return coverage.EmptyBefore, nil
	}
	for _, gap := range covered.Gaps {
		if gap.Reason != "" {
			return coverage.EmptyFailed, nil
		}
	}
	return q.WhyUnread(), nil
}

// WhyEmpty returns why there are no records. It repeats the query without filters if they
// may be the reason.
func (q *Snapshot) WhyEmpty(ctx context.Context, covered coverage.Coverage) (coverage.EmptyKind, error) {
	if q.Filtered() {
		rows, err := sums.ByDay(ctx, q.Tx, FilterOf(q.Unfiltered()))
		if err != nil {
			return "", fmt.Errorf("looking without filters: %w", err)
		}
		if len(rows) > 0 {
			return coverage.EmptyFiltered, nil
		}
	}
	return q.WhyNothing(ctx, covered)
}

// WhyUnread returns why nothing is known of unread days: collection cannot change it if the
// query is about a past instant.
func (q *Snapshot) WhyUnread() coverage.EmptyKind {
	if q.past() {
		return coverage.EmptyThen
	}
	return coverage.EmptyNotCollected
}
