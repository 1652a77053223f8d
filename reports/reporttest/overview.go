package reporttest

import (
	"strings"

	"rebatedesk/reports"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
)

// EarnedWords returns the first line of the front page with its report.
func (d *Fixture) EarnedWords(text string) (string, *reports.Front) {
	d.Helper()
	front, err := reports.FrontPage(d.Context(), d.Service, d.QueryOf(text, overview.Accepted))
	if err != nil {
		d.Fatal(err)
	}
	var b strings.Builder
	for _, part := range phrase.Earned(phrase.EarnedFacts{Report: front.Report, Drivers: front.Drivers, Payments: front.Payments}) {
		b.WriteString(part.Text)
	}
	return b.String(), front
}
