package changes

import (
	"context"
	"iter"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
)

// The columns of the export are fixed, because other programs read them.
var columns = []export.Column[*records.Difference]{
	export.TimeColumn("noticed_utc", func(d **records.Difference) affiliate.Millis { return (*d).Noticed }).Means("When the change became known, UTC."),
	export.TextColumn("change", func(d **records.Difference) commissions.RestatementKind { return KindOf(*d) }).Means("new, late, changed, removed or zeroed."),
	export.TextColumn("account", func(d **records.Difference) affiliate.Account { return (*d).Account }),
	export.TimeColumn("deal_time_utc", func(d **records.Difference) affiliate.Millis { return (*d).Record().DealTime }),
	export.UIDColumn("uid", func(d **records.Difference) affiliate.UID { return (*d).Record().UID }),
	export.TextColumn("invite_code", func(d **records.Difference) string { return (*d).InviteCode }),
	export.TextColumn("product_type", func(d **records.Difference) affiliate.Product { return (*d).Record().Product }),
	export.TextColumn("symbol", func(d **records.Difference) string { return (*d).Record().Symbol }),
	export.TextColumn("source_type", func(d **records.Difference) affiliate.Source { return (*d).Record().Source }),
	export.CoinColumn("coin", func(d **records.Difference) affiliate.Coin { return (*d).Record().Coin }),
	export.AmountColumn("commission_before", func(d **records.Difference) affiliate.Number { return Before(*d) }).Means("Commission as of since, in coin; null: it was not there."),
	export.AmountColumn("commission_after", func(d **records.Difference) affiliate.Number { return After(*d) }).Means("Commission as of until, in coin; null: it is gone."),
	export.AmountColumn("difference", func(d **records.Difference) affiliate.Number {
		change := DifferenceOf(*d)
		return affiliate.Number(change.String())
	}),
}

// File is the file of changes between two states.
var File = &export.Kind{Name: "changes", Title: "Changes", Stream: affiliate.Commissions,
	About:   "What became known between two instants. The differences per coin add up to the change of the sum.",
	Settled: true, Between: true, Table: table, Columns: export.Infos(columns), Covered: covered, Foreign: []string{"as_of"},
}

// table has a row for each line of the page, in its order. Its memory does not grow with
// their number: those of another order than that of time are sorted in a file.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	if q.Since.IsZero() {
		return export.Table{}, &query.ParamError{Param: "since", Problem: "is missing: give the instant since which changes are wanted"}
	}
	q, _, err := settled(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	lines := asked(q.Query, differences(ctx, q))
	if q.Sort.Field == "time" && !q.Sort.Descending {
		return export.TableOf(columns, lines), nil
	}
	return export.TableOf(columns, inOrder(lines, orderOf(q.Sort), runLines)), nil
}

// asked leaves out the lines of kinds that the query does not ask for.
func asked(q query.Query, lines iter.Seq2[*records.Difference, error]) iter.Seq2[*records.Difference, error] {
	return func(yield func(*records.Difference, error) bool) {
		for one, err := range lines {
			if (err != nil || asks(q, KindOf(one))) && !yield(one, err) {
				return
			}
		}
	}
}
