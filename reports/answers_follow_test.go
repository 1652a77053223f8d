package reports_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/pivot"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/records"
)

// Cache returns reports of many kinds, as a service gives them.
func Cache(t *testing.T, d *fixture, s *reports.Service) map[string]any {
	t.Helper()
	asking := *d
	asking.Service = s
	given := map[string]any{}
	for _, query := range []string{"range=30d&compare=previous", "range=all", "range=30d&code=vip"} {
		given["overview "+query] = asking.overview(query)
		given["codes "+query] = asking.codes(query)
		given["invitees "+query] = asking.list(query)
		given["cohorts "+query] = asking.cohorts(query)
		given["restatements "+query] = asking.restatements(query)
		if query != "range=30d&code=vip" { // sub-affiliates have no code
			given["sub-affiliates "+query] = asking.subAffiliates(query)
		}
	}
	for name, ask := range map[string]func() (any, error){
		"attention": func() (any, error) { return s.Attention(t.Context(), d.ask("")) },
		"drivers": func() (any, error) {
			return reports.Ask(t.Context(), s, d.queryOf("range=14d&by=symbol", drivers.Accepted), drivers.Make)
		},
		"pivot": func() (any, error) {
			return reports.Ask(t.Context(), s, d.queryOf("range=30d&by=tag&across=symbol&show=change", pivot.Accepted), pivot.Make)
		},
		"pivot of codes": func() (any, error) {
			return reports.Ask(t.Context(), s, d.queryOf("range=all&by=code&across=month", pivot.Accepted), pivot.Make)
		},
		"pivot of invitees": func() (any, error) {
			return reports.Ask(t.Context(), s, d.queryOf("range=14d&by=invitee&across=coin&show=row-share", pivot.Accepted), pivot.Make)
		},
		"collection":  func() (any, error) { return s.Collection(t.Context()) },
		"calendar":    func() (any, error) { return s.Calendar(t.Context(), "") },
		"commissions": func() (any, error) { return reports.Ask(t.Context(), s, d.ask("range=30d"), commissions.Make) },
		"payments": func() (any, error) {
			return reports.Ask(t.Context(), s, d.queryOf("range=all", payments.Accepted), payments.Make)
		},
		"views": func() (any, error) { return s.Views(t.Context(), "ada") },
		"basis": func() (any, error) { return s.Basis(t.Context()) },
		"invitee": func() (any, error) {
			return reports.Ask(t.Context(), s, d.ask("range=30d&uid=4667776800"), invitees.MakeOne)
		},
	} {
		var err error
		if given[name], err = ask(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return given
}

// After any write by any process, a service with cached answers gives the same answers as
// a new one. Each answer is requested twice, which also proves that no report changes a
// value that others share.
func TestAnswersFollowWhatIsWritten(t *testing.T) {
	t.Parallel()
	d := crowd(t, 40, 60)
	agree := func(after string) {
		t.Helper()
		for range 2 {
			got, want := Cache(t, d, d.Service), Cache(t, d, reports.New(d.store, func() time.Time { return d.now }))
			for name := range want {
				if !reflect.DeepEqual(got[name], want[name]) {
					t.Errorf("after %s, %s differs from the store", after, name)
				}
			}
		}
	}
	agree("nothing")
	d.read("main", spot, days(-3, -3), trade(today-3, spot, 1, "1234.5"))
	agree("a restatement")
	subs := affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}
	for _, paid := range []affiliate.Number{"12.5", "13"} {
		day := affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: today - 3, PaidCommission: paid}
		_, err := records.ReplaceSubAffiliateDays(t.Context(), d.store, d.slice("main", subs, days(-3, -3)), []affiliate.SubAffiliateDay{day})
		if err != nil {
			t.Fatal(err)
		}
		agree("a day of a sub-affiliate that was paid " + string(paid))
	}
	if err := d.AddTag(t.Context(), "main", "4667776800", "vip", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	agree("a tag")
	if err := d.SaveView(t.Context(), identity.View{Owner: "ada", Name: "week", Path: "/codes", Query: "range=7d"}); err != nil {
		t.Fatal(err)
	}
	agree("a view")
	d.sample("BTC", "89214.01")
	agree("a price")
	random := rand.New(rand.NewPCG(5, 6))
	d.fillWallets(random, 0)
	agree("bills and notes")
	d.fillWallets(random, 1)
	agree("other bills and a payout rule")
	d.read("main", spot, days(-9, -9), trade(today-9, spot, 1, "4321.5"))
	agree("a restatement of what was paid")
	d.fail(futures, days(-1, -1), "HTTP 502")
	agree("a failed read")
	d.readInvitees("main", days(-60, 0), affiliate.Invitee{UID: "4667776800", RegisterTime: midnight(today - 60), InviteCode: "vip", KYC: "true"})
	agree("invitees that the exchange lists no more")
	d.now = d.now.Add(time.Minute)
	agree("a minute")
	d.now = d.now.Add(36 * time.Hour)
	agree("a day without a read")
	other, err := store.Open(t.Context(), d.path, store.Options{Zone: d.zone, Now: func() time.Time { return d.now }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = records.ReplaceCommissions(t.Context(), other, d.slice("main", spot, days(-2, -2)), []affiliate.Commission{trade(today-2, spot, 2, "77")})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	agree("a write of another process")
}
