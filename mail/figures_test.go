package mail

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/reports/overview"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// In any zone and with any filter, a summary agrees with the page, the file, and the
// figures used for corrections, which would otherwise be sent without a change.
func TestFiguresInAnotherZone(t *testing.T) {
	changes := map[string]func(*outbox.Subscription){
		"all":     func(*outbox.Subscription) {},
		"coin":    func(s *outbox.Subscription) { s.Coin = "BTC" },
		"product": func(s *outbox.Subscription) { s.Product = affiliate.Spot },
		"code":    func(s *outbox.Subscription) { s.Code = "vip" },
		"account": func(s *outbox.Subscription) { s.Account = "second" },
		"nothing": func(s *outbox.Subscription) { s.Coin = "XRP" },
	}
	t.Parallel()
	for name, filters := range map[string][]string{"Asia/Kathmandu": {"all", "coin", "product", "code", "account", "nothing"}, "America/Los_Angeles": {"all"}} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		d := fixtureIn(t, zone)
		for _, filter := range filters {
			periods := []dispatch.Every{dispatch.Daily, dispatch.Weekly, dispatch.Monthly}
			if filter != "all" {
				periods = periods[1:2] // no period is filtered in a way of its own
			}
			for _, every := range periods {
				sc := planned(t, func(s *outbox.Subscription) { s.Every, s.AttachCSV = string(every), true; changes[filter](s) })
				p := every.Of(first - 5)
				sum, err := d.summary(t.Context(), sc, p)
				if err != nil {
					t.Fatal(err)
				}
				page, err := reports.Ask(t.Context(), d.reports, pageQuery(t, d, sum.Link), overview.Make)
				if err != nil {
					t.Fatal(err)
				}
				files, err := d.attachments(t.Context(), sc, sum.Query)
				if err != nil {
					t.Fatal(err)
				}
				exported := sumsOf(t, files[0].Content)
				measured, err := d.Service.totals(t.Context(), sc, p)
				if err != nil || len(movesOf(sum.Totals, measured)) != 0 {
					t.Errorf("%s %s %s: reported %v, measured %v, %v", name, filter, every, sum.Totals, measured, err)
				}
				if len(sum.Totals) != len(page.Cards) || len(exported) != len(page.Cards) || (filter == "nothing") != (len(page.Cards) == 0) {
					t.Fatalf("%s %s %s: %v, on the page %d coins, in the file %v", name, filter, every, sum.Totals, len(page.Cards), exported)
				}
				for i, total := range sum.Totals {
					if c := page.Cards[i]; c.Coin != total.Coin || c.Commission.Amount.Value.String() != string(total.Commission) || exported[string(c.Coin)] != string(total.Commission) ||
						!slices.Contains(sum.Tables[0].Rows[i], string(total.Commission)) {
						t.Errorf("%s %s %s: reported %v, the page %s, the file %s", name, filter, every, total, c.Commission.Amount, exported[string(c.Coin)])
					}
				}
			}
		}
	}
}

// fixtureIn returns a fixture in a reporting zone, with two accounts.
func fixtureIn(t *testing.T, zone *time.Location) *fixture {
	t.Helper()
	d := &fixture{TB: t, now: morning}
	clock := func() time.Time { return d.now }
	st, err := store.Open(t.Context(), storetest.Empty(t), store.Options{Now: clock, Zone: zone, AuditKey: []byte("0123456789abcdef0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	d.Service = New(Options{Store: st, Reports: reports.New(st, clock), From: sender, PublicURL: "https://desk.example.com", Key: []byte("key"), Now: clock, Log: slog.New(slog.DiscardHandler)})
	days := daysOf(first-70, first+1)
	for i, account := range []affiliate.Account{"main", "second"} {
		if err := st.WantFrom(t.Context(), account, days.First); err != nil {
			t.Fatal(err)
		}
		records := programme(days)[i*7:]
		d.collectOf(account, days, records...)
	}
	return d
}

// A summary of an invite code states which records it leaves out because their invitee
// is unknown.
func TestRecordsOfUnknownCodes(t *testing.T) {
	d := collected(t, mailer.Server{})
	stranger := affiliate.Commission{DealTime: affiliate.MillisOf(first.Start(time.UTC)), UID: "99", Product: affiliate.Spot, Symbol: "BTCUSDT", Source: affiliate.Direct,
		Coin: "USDT", TakerAmount: "1", MakerAmount: "1", Fee: "1", Rate: "0.1", Commission: "7"}
	d.collect(daysOf(first-40, first+1), append(programme(daysOf(first-40, first)), stranger)...)
	for code, said := range map[string]bool{"vip": true, "": false} {
		sum, err := d.summary(t.Context(), planned(t, func(s *outbox.Subscription) { s.Code = code }), dispatch.Daily.Of(first))
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(sum.Notes, "Not among them: 1 record of invitees whose invite code is not known.") != said {
			t.Errorf("code %q: %q", code, sum.Notes)
		}
	}
}
