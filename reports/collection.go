package reports

import (
	"context"

	"rebatedesk/affiliate"
)

// CollectionReport says what has been read from the exchange and what has not.
type CollectionReport struct {
	Streams []StreamCoverage // by account, in the order streams are collected
	LastRun RunLine
}

// StreamCoverage is how far one stream of one account is collected, out of all
// that was ever to be collected.
type StreamCoverage struct {
	Account    affiliate.Account
	Stream     affiliate.Stream
	Days       affiliate.Days // reporting days
	Coverage   Coverage
	OutOfReach int // of these days, those that the exchange gives no more and that were never read
}

// makeCollection makes the report of [Service.Collection].
func makeCollection(ctx context.Context, q *question) (CollectionReport, error) {
	var err error
	if q.Days.First, err = q.FirstDay(ctx, q.Today); err != nil {
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

// only is the coverer of one of its streams.
func (c *coverer) only(stream accountStream) *coverer {
	one := *c
	one.streams = []accountStream{stream}
	return &one
}

func (c *coverer) streamCoverage(stream accountStream, days affiliate.Days) StreamCoverage {
	sum := c.summary(days)
	return StreamCoverage{Account: stream.account, Stream: stream.stream, Days: days, Coverage: sum, OutOfReach: sum.Beyond}
}
