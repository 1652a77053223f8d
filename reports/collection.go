package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// CollectionReport says what has been read from the exchange and what has not.
type CollectionReport struct {
	Streams []StreamCoverage // by account, in the order streams are collected
	LastRun RunLine
}

// makeCollection makes the report of [Service.Collection].
func makeCollection(ctx context.Context, q *question) (CollectionReport, error) {
	var err error
	if q.Days.First, err = sums.FirstDay(ctx, q.Tx, q.Today); err != nil {
		return CollectionReport{}, err
	}
	var report CollectionReport
	if report.LastRun, err = q.lastRun(ctx); err != nil {
		return report, err
	}
	for _, kind := range affiliate.StreamKinds() {
		cover, err := q.coverage(ctx, kind, q.Days)
		if err != nil {
			return report, err
		}
		for _, stream := range cover.streams {
			report.Streams = append(report.Streams, cover.only(stream).streamCoverage(stream, q.Days))
		}
	}
	return report, nil
}
