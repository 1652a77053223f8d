package reports_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// After any write by any process, a service with cached answers gives the same answers as
// a new one. Each answer is requested twice, which also proves that no report changes a
// value that others share.
func TestAnswersFollowWhatIsWritten(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "the stamps by which answers are kept", testAnswersFollowWhatIsWritten)
}

func testAnswersFollowWhatIsWritten(t *testing.T) {
	d := reporttest.Crowd(t, 40, 60)
	agree := func(after string) {
		t.Helper()
		for range 2 {
			got, want := reporttest.Cache(t, d, d.Service), reporttest.Cache(t, d, reports.New(d.DB, func() time.Time { return d.Now }))
			for name := range want {
				if !reflect.DeepEqual(got[name], want[name]) {
					t.Errorf("after %s, %s differs from the store", after, name)
				}
			}
		}
	}
	agree("nothing")
	d.Read("main", reporttest.Spot, reporttest.Days(-3, -3), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "1234.5"))
	agree("a restatement")
	subs := affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}
	for _, paid := range []affiliate.Number{"12.5", "13"} {
		day := affiliate.SubAffiliateDay{UID: "7", Product: affiliate.Spot, Date: reporttest.Today - 3, PaidCommission: paid}
		_, err := records.ReplaceSubAffiliateDays(t.Context(), d.DB, d.Slice("main", subs, reporttest.Days(-3, -3)), []affiliate.SubAffiliateDay{day})
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
	d.Sample("BTC", "89214.01")
	agree("a price")
	random := rand.New(rand.NewPCG(5, 6))
	d.FillWallets(random, 0)
	agree("bills and notes")
	d.FillWallets(random, 1)
	agree("other bills and a payout rule")
	d.Read("main", reporttest.Spot, reporttest.Days(-9, -9), reporttest.Trade(reporttest.Today-9, reporttest.Spot, 1, "4321.5"))
	agree("a restatement of what was paid")
	d.FailRead(reporttest.Futures, reporttest.Days(-1, -1), "HTTP 502")
	agree("a failed read")
	d.ReadInvitees("main", reporttest.Days(-60, 0), affiliate.Invitee{UID: "4667776800", RegisterTime: reporttest.Midnight(reporttest.Today - 60), InviteCode: "vip", KYC: "true"})
	agree("invitees that the exchange lists no more")
	d.Now = d.Now.Add(time.Minute)
	agree("a minute")
	d.Now = d.Now.Add(36 * time.Hour)
	agree("a day without a read")
	other, err := store.Open(t.Context(), d.Path, store.Options{Zone: d.Zone, Now: func() time.Time { return d.Now }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = records.ReplaceCommissions(t.Context(), other, d.Slice("main", reporttest.Spot, reporttest.Days(-2, -2)), []affiliate.Commission{reporttest.Trade(reporttest.Today-2, reporttest.Spot, 2, "77")})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	agree("a write of another process")
}
