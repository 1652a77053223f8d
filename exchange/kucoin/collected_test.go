package kucoin_test

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/collector"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange"
	"rebatedesk/exchange/kucoin"
	"rebatedesk/exchange/kucoin/simulator"
	"rebatedesk/exchange/simulated"
)

var start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// Calls keep below the limit, whatever the budget allows; the call for the time is one of them.
func TestPace(t *testing.T) {
	t.Parallel()
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Limit: true, Options: simulated.Options{Seed: 3, Days: 12, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, func(cfg exchange.Config) (*kucoin.Client, error) {
		cfg.Unpaced = false
		return kucoin.New(cfg)
	})
	d.Collected()
	if sim.Refused() > 0 || len(sim.Requests()) < 8 {
		t.Errorf("%d of %d calls came too fast", sim.Refused(), len(sim.Requests()))
	}
}

// Every trade is stored once, in each shape of the lists and with faults between, and after days that
// passed what came late is there and what vanished is not.
func TestCollectedIsTheLedger(t *testing.T) {
	for name, o := range map[string]simulator.Options{
		"objects":        {},
		"bare lists":     {Bare: true, Empty: 1},
		"bare and short": {Bare: true, Short: 70, End: 1},
		"nothing absent": {Empty: 2, Short: 150},
		"newest first":   {Newest: true, Short: 70, End: 1},
		"same cursor":    {Short: 70, End: 2},
		"same page":      {Short: 70, End: 3},
		"moving":         {Short: 4, Moving: 2},
		"faults":         {Faults: 5, Short: 90},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := collectortest.NewClock(start)
			o.Options = simulated.Options{Seed: 3, Days: 12, Now: clock.Now, Begin: start.AddDate(0, 0, -12).Truncate(24 * time.Hour)}
			sim := simulator.New(o)
			d := collectortest.New(t, clock, sim, kucoin.New)
			d.Collected()
			d.SameAsLedger()
			if len(d.Rows()) < 200 {
				t.Errorf("%d rows are stored", len(d.Rows()))
			}
			clock.Advance(5 * 24 * time.Hour)
			d.Collected()
			d.SameAsLedger()
			d.Verified()
			if got := d.Invitees(); len(got) != 10 || !strings.Contains(strings.Join(got, "\n"), ",vip,") {
				t.Errorf("the invitees are\n%s", strings.Join(got, "\n"))
			}
			for _, request := range sim.Requests() {
				if strings.Contains(request, "queryMyCommission") && !strings.Contains(request, "siteType=all&rebateType=0") {
					t.Errorf("payouts of a part are asked for: %s", request)
				}
			}
		})
	}
}

// What the exchange says it has paid closes the books of its days.
func TestPayoutsAreBills(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Options: simulated.Options{Seed: 5, Days: 20, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, kucoin.New)
	d.Collected()
	bills := d.Bills()
	var want []string
	for _, p := range sim.Payouts() {
		if !p.Paid.After(clock.Now()) {
			want = append(want, p.Paid.UTC().Format("2006-01-02T15:04:05.000Z")+",payouts,"+map[int]string{1: "direct", 2: "sub"}[p.Kind]+","+p.Coin+","+p.Commission.String())
		}
	}
	if !strings.Contains(strings.Join(want, "\n"), ",sub,") || len(want) < 20 || len(bills) != len(want) {
		t.Fatalf("%d bills of %d payouts", len(bills), len(want))
	}
	for _, w := range want {
		if !strings.Contains(strings.Join(bills, "\n"), w) {
			t.Errorf("no bill is %s; the bills are\n%s", w, strings.Join(bills, "\n"))
		}
	}
}

// A wrong key ends the run; nothing is taken for empty.
func TestWrongKey(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Options: simulated.Options{Seed: 3, Days: 3, Now: clock.Now}})
	d := collectortest.New(t, clock, badKey{sim}, kucoin.New)
	report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
	if err == nil || report.Complete || len(d.Rows()) > 0 || len(sim.Requests()) != 2 { // one for the time
		t.Errorf("%v, %+v after %d requests", err, report, len(sim.Requests()))
	}
}

type badKey struct{ *simulator.Server }

func (b badKey) Credentials() (key, secret, passphrase string) {
	key, secret, _ = b.Server.Credentials()
	return key, secret, "another phrase"
}

// A server in front whose clock differs does not set ours: no call is refused for its time.
func TestDateOfAnotherServer(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Options: simulated.Options{Seed: 3, Days: 3, Now: func() time.Time { return clock.Now().Add(time.Hour) }, Begin: start.AddDate(0, 0, -3)}})
	d := collectortest.New(t, clock, sim, kucoin.New) // whose Date is that of the clock, an hour behind
	d.Collected()
	d.SameAsLedger()
	if asked := len(sim.Requests()); asked > 12 {
		t.Errorf("%d calls were made", asked)
	}
}
