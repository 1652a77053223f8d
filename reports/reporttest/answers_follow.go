package reporttest

import (
	"testing"

	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/pivot"
)

// Cache returns reports of many kinds, as a service gives them.
func Cache(t *testing.T, d *Fixture, s *reports.Service) map[string]any {
	t.Helper()
	asking := *d
	asking.Service = s
	given := map[string]any{}
	for _, query := range []string{"range=30d&compare=previous", "range=all", "range=30d&code=vip"} {
		given["overview "+query] = asking.Overview(query)
		given["codes "+query] = asking.Codes(query)
		given["invitees "+query] = asking.List(query)
		given["cohorts "+query] = asking.Cohorts(query)
		given["restatements "+query] = asking.Restatements(query)
		if query != "range=30d&code=vip" { // sub-affiliates have no code
			given["sub-affiliates "+query] = asking.SubAffiliates(query)
		}
	}
	for name, ask := range map[string]func() (any, error){
		"attention": func() (any, error) { return s.Attention(t.Context(), d.Ask("")) },
		"drivers": func() (any, error) {
			return reports.Ask(t.Context(), s, d.QueryOf("range=14d&by=symbol", drivers.Accepted), drivers.Make)
		},
		"pivot": func() (any, error) {
			return reports.Ask(t.Context(), s, d.QueryOf("range=30d&by=tag&across=symbol&show=change", pivot.Accepted), pivot.Make)
		},
		"pivot of codes": func() (any, error) {
			return reports.Ask(t.Context(), s, d.QueryOf("range=all&by=code&across=month", pivot.Accepted), pivot.Make)
		},
		"pivot of invitees": func() (any, error) {
			return reports.Ask(t.Context(), s, d.QueryOf("range=14d&by=invitee&across=coin&show=row-share", pivot.Accepted), pivot.Make)
		},
		"collection":  func() (any, error) { return s.Collection(t.Context()) },
		"calendar":    func() (any, error) { return s.Calendar(t.Context(), "") },
		"commissions": func() (any, error) { return reports.Ask(t.Context(), s, d.Ask("range=30d"), commissions.Make) },
		"payments": func() (any, error) {
			return reports.Ask(t.Context(), s, d.QueryOf("range=all", payments.Accepted), payments.Make)
		},
		"views": func() (any, error) { return s.Views(t.Context(), "ada") },
		"basis": func() (any, error) { return s.Basis(t.Context()) },
		"invitee": func() (any, error) {
			return reports.Ask(t.Context(), s, d.Ask("range=30d&uid=4667776800"), invitees.MakeOne)
		},
	} {
		var err error
		if given[name], err = ask(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return given
}
