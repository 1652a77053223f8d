package reporttest

import (
	"bytes"
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
)

// Exported returns the sum that an export states, after comparing it with its rows.
func (d *Fixture) Exported(ctx context.Context, kind *export.Kind, q query.Query) (int64, error) {
	e, err := d.OpenExport(ctx, kind, q)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	var text bytes.Buffer
	summary, err := e.Write(ctx, &text, export.CSV)
	if err != nil {
		return 0, err
	}
	said := summary.Sums[0].Of("commission").Decimal().IntPart()
	var sum int64
	for _, row := range Parse(d, export.CSV, text.String()) {
		sum += affiliate.Number(row["commission"]).Decimal().IntPart()
	}
	if sum != said {
		return 0, fmt.Errorf("%s: the rows add up to %d, the summary says %d", kind, sum, said)
	}
	return sum, nil
}

// Looked returns the sum of the overview, after comparing its parts.
func (d *Fixture) Looked(ctx context.Context, q query.Query) (int64, error) {
	view, err := reports.Ask(ctx, d.Service, q, overview.Make)
	if err != nil {
		return 0, err
	}
	card := view.Cards[0].Commission.Amount.Value.IntPart()
	var daily, top int64
	for i := range view.Daily.Days {
		daily += view.Daily.Total[i].IntPart()
	}
	for _, line := range view.Rankings[0].Lines {
		top += line.Commission.Amount.Value.IntPart()
	}
	if card != daily || card != top {
		return 0, fmt.Errorf("the card says %d, the chart %d, the ranking %d", card, daily, top)
	}
	return card, nil
}

// Listed returns the total of the table, after comparing it with its rows.
func (d *Fixture) Listed(ctx context.Context, q query.Query) (int64, error) {
	view, err := reports.Ask(ctx, d.Service, q, commissions.Make)
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, row := range view.Rows {
		sum += row.Commission.Commission.Decimal().IntPart()
	}
	if total := view.Totals[0].Commission.IntPart(); total != sum || view.Records != int64(len(view.Rows)) {
		return 0, fmt.Errorf("%d rows add up to %d, the total is %d of %d records", len(view.Rows), sum, total, view.Records)
	}
	return sum, nil
}
