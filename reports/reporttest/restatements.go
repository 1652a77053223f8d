package reporttest

import (
	"slices"
	"testing"

	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
)

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
