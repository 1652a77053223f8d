package mail

import (
	"context"
	"fmt"
	"log/slog"
	"net/mail"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/safehttp"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// morning is when the tests look at their data: 2 September 2026, 08:00 UTC.
var (
	morning = time.Date(2026, time.September, 2, 8, 0, 0, 0, time.UTC)
	monday  = affiliate.NewDay(2026, time.August, 24)
	first   = affiliate.NewDay(2026, time.September, 1) // a Tuesday
	someone = audit.Line{Actor: "anna", Via: "session"}
	sender  = &mail.Address{Name: "Rebatedesk – Büro", Address: "desk@example.com"}
)

// fixture is a service over a real database, with a clock that is set by hand.
type fixture struct {
	testing.TB
	*Service
	now  time.Time
	path string // of the database
}

func newFixture(t testing.TB, server mailer.Server) *fixture {
	t.Helper()
	d := &fixture{TB: t, now: morning}
	d.open(storetest.Empty(t), server)
	return d
}

// open opens the database and makes the service, as after a start.
func (d *fixture) open(path string, server mailer.Server) {
	d.Helper()
	d.path = path
	clock := func() time.Time { return d.now }
	st, err := store.Open(d.Context(), path, store.Options{Now: clock, AuditKey: []byte("0123456789abcdef0123456789abcdef")})
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() {
		if err := st.Close(); err != nil {
			d.Error(err)
		}
	})
	d.Service = New(Options{Store: st, Reports: reports.New(st, clock), Server: server, From: sender, PublicURL: "https://desk.example.com",
		Key: []byte("key"), Reach: safehttp.Reach{Private: true}, Now: clock, Log: slog.New(slog.DiscardHandler)})
}

// collect stores what a run of the collector reads of some days, now.
func (d *fixture) collect(days affiliate.Days, records ...affiliate.Commission) {
	d.Helper()
	d.collectOf("main", days, records...)
}

// collectOf is collect of an account.
func (d *fixture) collectOf(account affiliate.Account, days affiliate.Days, rows ...affiliate.Commission) {
	d.Helper()
	ctx := d.Context()
	run, err := records.StartRun(ctx, d.store, account, "test")
	if err != nil {
		d.Fatal(err)
	}
	for _, stream := range affiliate.Streams() {
		slice := records.Slice{Account: account, Stream: stream, Days: days, Started: d.now, Through: affiliate.MillisOf(d.now)}
		switch stream.Kind {
		case affiliate.Commissions:
			var own []affiliate.Commission
			for _, r := range rows {
				if r.Product == stream.Product {
					own = append(own, r)
				}
			}
			_, err = records.ReplaceCommissions(ctx, d.store, slice, own)
		case affiliate.Invitees:
			_, err = records.ReplaceInvitees(ctx, d.store, slice, threeInvitees(days))
		case affiliate.SpotBills, affiliate.FundingBills, affiliate.Transfers:
			storetest.ReadWallet(d, d.store, slice)
		default:
			_, err = records.ReplaceSubAffiliateDays(ctx, d.store, slice, []affiliate.SubAffiliateDay{
				{UID: "900001", Product: stream.Product, Date: max(days.First, days.Last-4), TradingVolume: "1000", NetTradingFee: "10", PaidCommission: "3.5"}})
		}
		if err != nil {
			d.Fatal(err)
		}
	}
	if err := records.FinishRun(ctx, d.store, run, 1, 1, ""); err != nil {
		d.Fatal(err)
	}
}

// threeInvitees are three invitees of the first day.
func threeInvitees(days affiliate.Days) (list []affiliate.Invitee) {
	for i := range 3 {
		at := affiliate.MillisOf(days.First.Start(time.UTC).Add(time.Hour))
		list = append(list, affiliate.Invitee{UID: uid(i), InviteCode: []string{"vip", "<b>&amp;", "vip"}[i], RegisterTime: at, KYC: "true", FirstDeposit: at, FirstTrade: at})
	}
	return list
}

func uid(i int) affiliate.UID { return affiliate.UID(fmt.Sprint(4667776800 + i)) }

// programme returns what three invitees brought on some days, in two coins, with
// amounts that no float can hold.
func programme(days affiliate.Days) (records []affiliate.Commission) {
	for day := days.First; day <= days.Last; day++ {
		for i := range 3 {
			at := affiliate.MillisOf(day.Start(time.UTC).Add(time.Duration(i+1) * time.Hour))
			n := int(day-days.First)*(3-i) + i + 1
			records = append(records,
				affiliate.Commission{DealTime: at, UID: uid(i), Product: affiliate.Spot, Symbol: "BTCUSDT", Source: affiliate.Direct, Coin: "USDT",
					TakerAmount: "1000", MakerAmount: "500", Fee: "10.000000001", Rate: "0.1", Commission: affiliate.Number(fmt.Sprintf("%d.123456789012345678", n))},
				affiliate.Commission{DealTime: at, UID: uid(i), Product: affiliate.Futures, Symbol: "BTCUSD", Source: affiliate.SubAgent, Coin: "BTC",
					TakerAmount: "1", MakerAmount: "1", Fee: "0.00000002", Rate: "0.1", Commission: affiliate.Number(fmt.Sprintf("0.%08d", n))},
				affiliate.Commission{DealTime: at, UID: uid(i), Product: affiliate.Futures, Symbol: "ETHUSDT", Source: affiliate.Direct, Coin: "USDT",
					TakerAmount: "10", MakerAmount: "5", Fee: "3", Rate: "0.1", Commission: "0.3"})
		}
	}
	return records
}

// collected returns a fixture with five weeks of data up to now.
func collected(t testing.TB, server mailer.Server) *fixture {
	t.Helper()
	d := newFixture(t, server)
	days := affiliate.Days{First: first - 40, Last: first + 1}
	if err := d.store.WantFrom(t.Context(), "main", days.First); err != nil {
		t.Fatal(err)
	}
	d.collect(days, programme(affiliate.Days{First: days.First, Last: first})...)
	return d
}

func (d *fixture) schedule(change func(*outbox.Subscription)) Schedule {
	d.Helper()
	raw := planned(d, func(s *outbox.Subscription) {
		s.Name, s.AttachCSV, s.AttachXLSX = "Morning", true, true
		if change != nil {
			change(s)
		}
	}).Subscription
	if err := d.Save(d.Context(), raw, someone); err != nil {
		d.Fatal(err)
	}
	return d.named(raw.Name)
}

// sendNow sends in the same way as the command line.
func (d *fixture) sendNow(sc Schedule, p dispatch.Period, to []string, o SendOptions) error {
	ready, err := d.Prepare(d.Context(), sc, p, to, o)
	if err != nil {
		return err
	}
	return ready.Send(d.Context())
}

// firstSchedule is the name of the first schedule of a fixture.
var firstSchedule = outbox.Ref{Kind: outbox.KindSchedule, Number: 1}

// pause pauses or resumes the subscription with a name.
func (d *fixture) pause(kind outbox.SubscriptionKind, name string, paused bool) error {
	sub, err := d.Named(d.Context(), kind, name)
	if err != nil {
		return err
	}
	return d.Pause(d.Context(), sub, paused, someone)
}

func (d *fixture) named(name string) Schedule {
	d.Helper()
	s, err := d.Schedule(d.Context(), name)
	if err != nil {
		d.Fatal(err)
	}
	return s
}

func (d *fixture) log() []outbox.Attempt {
	d.Helper()
	list, err := d.Deliveries(d.Context(), outbox.AttemptQuery{Limit: 10_000})
	if err != nil {
		d.Fatal(err)
	}
	return list
}

func (d *fixture) queueAll() {
	d.Helper()
	if err := d.Service.queueDue(d.Context()); err != nil {
		d.Fatal(err)
	}
}

// stored returns the message of a delivery.
func (d *fixture) stored(id int64) outbox.Summary {
	d.Helper()
	r, err := d.store.Read(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	defer r.Close()
	m, err := outbox.ReadSummary(d.Context(), r, id)
	if err != nil {
		d.Fatal(err)
	}
	return m
}

func daysOf(first, last affiliate.Day) affiliate.Days {
	return affiliate.Days{First: first, Last: last}
}

func contextOf(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
