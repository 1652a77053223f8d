package reports

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// covered is the coverage of the query's days by commissions. Which of them
// belong to an invite code is known from the invitees, so a query for a code
// rests on all of those too.
func (q *question) covered(ctx context.Context) (*coverer, Coverage, error) {
	cover, err := q.coverage(ctx, affiliate.Commissions, q.Days)
	if err != nil {
		return nil, Coverage{}, err
	}
	sum := cover.summary(q.Days)
	if q.Code != "" {
		reach := q.reach()
		invitees, err := q.coverage(ctx, affiliate.Invitees, reach)
		if err != nil {
			return nil, Coverage{}, err
		}
		sum = sum.With(invitees.summary(reach))
	}
	sum.LastRun, err = q.lastRun(ctx)
	return cover, sum, err
}

// coverage reads how far the days are collected in the streams of the given
// kind that the query is about.
func (q *question) coverage(ctx context.Context, kind affiliate.StreamKind, days affiliate.Days) (*coverer, error) {
	utc := utcDays(days.Range(q.Zone))
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
	var streams []accountStream
	for _, account := range q.accounts {
		for _, stream := range affiliate.Streams() {
			if stream.Kind == kind && (stream.Product == "" || affiliate.AsksFor(q.Product, stream.Product)) {
				streams = append(streams, accountStream{account, stream})
			}
		}
	}
	return newCoverer(streams, list, begins, q.now, q.Zone), nil
}

// coverQuestion is what coverage is asked for. The present one is read of all
// kinds at once.
type coverQuestion struct {
	kind    affiliate.StreamKind // empty: of all
	account affiliate.Account
	days    affiliate.Days // UTC
	asOf    affiliate.Millis
}

// coverageOf is the coverage at the time of the question. What a page says of
// several figures rests on the same days, so they are read once.
func (q *question) coverageOf(ctx context.Context, kind affiliate.StreamKind, utc affiliate.Days) (list []records.CoverageDay, err error) {
	asked := coverQuestion{account: q.Account, days: utc, asOf: q.asOfMillis()}
	if !q.AsOf.IsZero() {
		asked.kind = kind
	}
	if list, ok := q.covering[asked]; ok {
		return list, nil
	}
	if q.AsOf.IsZero() {
		list, err = records.Coverage(ctx, q.Tx, q.Account, utc)
	} else {
		list, err = records.CoverageAt(ctx, q.Tx, kind, q.Account, utc, q.asOfMillis())
	}
	if err == nil {
		q.covering[asked] = list
	}
	return list, err
}

// lastRun is the newest run as a line.
func (q *question) lastRun(ctx context.Context) (RunLine, error) {
	run, err := records.LastRun(ctx, q.Tx, q.Account)
	return RunLine{Started: run.Started, Finished: run.Finished, Records: run.Records, Error: run.Error}, err
}

// reach are the reporting days of which the exchange listed all registrations,
// at the time of the question.
func (q *question) reach() affiliate.Days {
	today := affiliate.DayOf(q.now, q.Zone)
	return affiliate.Days{First: today - yearReach, Last: today}
}

// listed is how far the invitees are collected that the exchange still lists.
func (q *question) listed(ctx context.Context) (Coverage, error) {
	reach := q.reach()
	cover, err := q.coverage(ctx, affiliate.Invitees, reach)
	if err != nil {
		return Coverage{}, err
	}
	sum := cover.summary(reach)
	sum.LastRun, err = q.lastRun(ctx)
	return sum, err
}

// nothing tells why there are no records where no filter is the reason.
func (q *question) nothing(ctx context.Context, coverage Coverage) (EmptyKind, error) {
	first, err := sums.FirstDay(ctx, q.Tx, q.Today)
	switch {
	case err != nil:
		return "", err
	case q.Days.First > q.Today:
		return EmptyFuture, nil
	case coverage.Complete():
		return EmptyTruly, nil
	case first < q.Today && q.Days.Last < first: // else nothing is known at all
		return EmptyBefore, nil
	}
	for _, gap := range coverage.Gaps {
		if gap.Reason != "" {
			return EmptyFailed, nil
		}
	}
	return q.unread(), nil
}

// empty tells why there are no records, asking once more without filters when
// that may be the reason.
func (q *question) empty(ctx context.Context, coverage Coverage) (EmptyKind, error) {
	if q.Filtered() {
		rows, err := sums.ByDay(ctx, q.Tx, filterOf(q.WithoutFilters()))
		if err != nil {
			return "", fmt.Errorf("looking without filters: %w", err)
		}
		if len(rows) > 0 {
			return EmptyFiltered, nil
		}
	}
	return q.nothing(ctx, coverage)
}

// unread is why nothing is known of days that are not read: no collection mends
// it where the question is about an earlier instant.
func (q *question) unread() EmptyKind {
	if q.past() {
		return EmptyThen
	}
	return EmptyNotCollected
}
