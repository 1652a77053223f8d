package collection

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Report says how much has been read from the exchange.
type Report struct {
	Streams []coverage.StreamCoverage // by account, in the order in which streams are collected
	Refused []payments.Refusal        // streams that the exchange does not give, or not for all days
	LastRun coverage.RunLine

	Quarantine []records.QuarantineLine // records that could not be read, and fields that were left out; the newest days first
}

// mostQuarantineLines limits the lines of the quarantine: an exchange can send a whole list in a form
// that is not known.
const mostQuarantineLines = 500

// Make makes the report.
func Make(ctx context.Context, q *snapshot.Snapshot) (Report, error) {
	var err error
	if q.Days.First, err = sums.FirstDay(ctx, q.Tx, q.Today); err != nil {
		return Report{}, err
	}
	var report Report
	if report.LastRun, err = q.NewestRun(ctx); err != nil {
		return report, err
	}
	if report.Refused, err = q.Refusals(ctx); err != nil {
		return report, err
	}
	for line, err := range records.QuarantineLines(ctx, q.Tx, records.QuarantineFilter{}) {
		if err != nil {
			return report, err
		}
		if report.Quarantine = append(report.Quarantine, line); len(report.Quarantine) == mostQuarantineLines {
			break
		}
	}
	for _, kind := range affiliate.StreamKinds() {
		cover, err := q.ReadCoverage(ctx, kind, q.Days)
		if err != nil {
			return report, err
		}
		for _, stream := range cover.Streams {
			report.Streams = append(report.Streams, cover.OfStream(stream).StreamCoverage(stream, q.Days))
		}
	}
	return report, nil
}
