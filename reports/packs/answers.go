package packs

import (
	"cmp"
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/received"
)

var answerColumns = []export.Column[received.SliceLine]{
	export.TextColumn("account", func(l *received.SliceLine) affiliate.Account { return l.Account }),
	export.TextColumn("stream", func(l *received.SliceLine) affiliate.StreamKind { return l.Stream.Kind }),
	export.TextColumn("product_type", func(l *received.SliceLine) affiliate.Product { return l.Stream.Product }),
	export.DayColumn("first_day_utc", func(l *received.SliceLine) affiliate.Day { return l.Days.First }),
	export.DayColumn("last_day_utc", func(l *received.SliceLine) affiliate.Day { return l.Days.Last }),
	export.TimeColumn("written_utc", func(l *received.SliceLine) affiliate.Millis { return l.Written }),
	export.TextColumn("sha256", func(l *received.SliceLine) string { return l.SHA256 }),
	export.IntegerColumn("answers", func(l *received.SliceLine) int64 { return l.Answers }),
	export.IntegerColumn("bytes", func(l *received.SliceLine) int64 { return l.Bytes }),
	export.TextColumn("first_request", func(l *received.SliceLine) string { return l.Request }),
	export.TimeColumn("first_answer_utc", func(l *received.SliceLine) affiliate.Millis { return l.First }),
	export.TimeColumn("last_answer_utc", func(l *received.SliceLine) affiliate.Millis { return l.Last }),
	export.TimeColumn("first_answer_exchange_clock_utc", func(l *received.SliceLine) affiliate.Millis { return l.ExchangeFirst }),
	export.TimeColumn("last_answer_exchange_clock_utc", func(l *received.SliceLine) affiliate.Millis { return l.ExchangeLast }),
	export.IntegerColumn("records", func(l *received.SliceLine) int64 { return l.Records }),
	export.IntegerColumn("records_added", func(l *received.SliceLine) int64 { return l.Opened }),
	export.IntegerColumn("records_removed", func(l *received.SliceLine) int64 { return l.Closed }),
	export.IntegerColumn("reading", func(l *received.SliceLine) int64 { return l.Slice }),
}

// AnswersTable has a row for each reading of the exchange's interface that the records of the
// question's days were read from, as known at its instant: the newest of each day, and each that
// changed something. Readings of bills are added if they are wanted.
func AnswersTable(ctx context.Context, q *snapshot.Snapshot, bills bool) (export.Table, error) {
	kinds := []affiliate.StreamKind{affiliate.Commissions}
	if bills {
		kinds = append(kinds, affiliate.BillKinds()...)
	}
	var list []received.SliceLine
	for _, kind := range kinds {
		lines, err := received.Telling(ctx, q.Tx, received.SliceFilter{
			Account: q.Account, Kind: kind, Product: q.Product, Days: coverage.UTCDays(q.Days.Range(q.Zone)), AsOf: q.AsOfMillis()})
		if err != nil {
			return export.Table{}, err
		}
		list = append(list, lines...)
	}
	slices.SortStableFunc(list, func(a, b received.SliceLine) int { return cmp.Compare(a.Slice, b.Slice) })
	return export.TableOf(answerColumns, export.Each(list)), nil
}
