package reporttest

import (
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/store/records"
)

// Rows returns the rows of an export by their headings.
func (d *Fixture) Rows(kind *export.Kind, text string) []map[string]string {
	d.Helper()
	content, _ := d.Export(kind, export.CSV, d.AskFor(kind, text))
	lines, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil {
		d.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// Stored returns the open records of an account and product.
func (d *Fixture) Stored(account affiliate.Account, product affiliate.Product) (list []affiliate.Commission, err error) {
	r, err := d.DB.Read(d.Context())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	f := records.CommissionFilter{Days: affiliate.Days{First: Span.First - 1, Last: Span.Last + 1}, Account: account, Product: product}
	for row, err := range records.Commissions(d.Context(), r, f, records.CommissionOrder{Column: "time"}, 0, 0) {
		if err != nil {
			return nil, err
		}
		list = append(list, row.Commission)
	}
	return list, nil
}

func (d *Fixture) Restatements(asked string) commissions.RestatementsReport {
	d.Helper()
	report, err := reports.Ask(d.Context(), d.Service, d.Ask(asked), commissions.MakeRestatements)
	if err != nil {
		d.Fatal(err)
	}
	return report
}

func SameLines(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}
