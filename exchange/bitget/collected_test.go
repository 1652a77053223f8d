package bitget_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/collector"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange"
	"rebatedesk/exchange/bitget"
	"rebatedesk/exchange/bitget/simulator"
	"rebatedesk/exchange/simulated"
)

var start = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// Calls keep below the limit, whatever the budget allows.
func TestPace(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Limit: true, Options: simulated.Options{Seed: 3, Days: 12, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, func(cfg exchange.Config) (*bitget.Client, error) {
		cfg.Unpaced = false
		return bitget.New(cfg)
	})
	d.Collected()
	if sim.Refused() > 0 || len(sim.Requests()) < 8 {
		t.Errorf("%d of %d calls came too fast", sim.Refused(), len(sim.Requests()))
	}
}

// Every row of a day is stored once, in each form and with faults between, and after days that passed
// the days are as the exchange lists them now.
func TestCollectedIsTheLedger(t *testing.T) {
	for name, o := range map[string]simulator.Options{
		"instants":       {},
		"no last cursor": {End: 1},
		"same cursor":    {End: 2, Short: 70},
		"same page":      {End: 3, Short: 70},
		"dates":          {Dates: true, Empty: 1, Short: 90},
		"nothing absent": {Empty: 2},
		"faults":         {Faults: 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := collectortest.NewClock(start)
			o.Options = simulated.Options{Seed: 3, Days: 12, Now: clock.Now, Begin: start.AddDate(0, 0, -12).Truncate(24 * time.Hour)}
			sim := simulator.New(o)
			d := collectortest.New(t, clock, sim, bitget.New)
			d.Collected()
			d.SameAsLedger()
			if len(d.Rows()) < 200 {
				t.Errorf("%d rows are stored", len(d.Rows()))
			}
			clock.Advance(5 * 24 * time.Hour)
			d.Collected()
			d.SameAsLedger()
			d.Verified()
			if got := d.Invitees(); len(got) != 12 {
				t.Errorf("the invitees are\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

// Days older than the exchange lists are neither collected nor missing, and nothing is asked that it refuses.
func TestReach(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Options: simulated.Options{Seed: 3, Days: 120, Invitees: 3, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, bitget.New)
	report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Since: collectortest.Day(2026, 1, 1)})
	if err != nil || !report.Complete {
		t.Fatalf("%v, %+v", err, report)
	}
	rows := d.Rows()
	if len(rows) == 0 || !strings.HasPrefix(rows[0], "2026-04-02T16:00") {
		t.Errorf("the oldest row is %v", rows[:min(1, len(rows))])
	}
}

// What was settled is added up by day, coin and kind; what is not settled is not paid.
func TestSettledIsPaid(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Options: simulated.Options{Seed: 5, Days: 20, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, bitget.New)
	d.Collected()
	bills := d.Bills()
	sums := map[string]bool{}
	for _, bill := range bills {
		cells := strings.Split(bill, ",")
		if cells[1] != "payouts" || cells[2] != "direct" || sums[cells[0]+cells[3]] || cells[0] > "2026-06-29T12" || !strings.Contains(cells[0], "T16:00:00") {
			t.Errorf("a bill is %s", bill)
		}
		sums[cells[0]+cells[3]] = true
	}
	if len(bills) < 20 {
		t.Errorf("%d bills", len(bills))
	}
}

// An invitee that cannot be read does not make the list, which is given whole, be read day by day.
func TestAnInviteeThatCannotBeRead(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Options: simulated.Options{Seed: 3, Days: 3, Now: clock.Now}})
	d := collectortest.New(t, clock, badInvitee{sim}, bitget.New)
	report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
	if err != nil || report.Complete || len(sim.Requests()) > 30 || len(d.Invitees()) != 11 {
		t.Errorf("%v, complete %t after %d requests, with %d invitees", err, report.Complete, len(sim.Requests()), len(d.Invitees()))
	}
}

// badInvitee sends no UID of one invitee.
type badInvitee struct{ *simulator.Server }

func (b badInvitee) Handler() http.Handler {
	inner := b.Server.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "customer-list") {
			inner.ServeHTTP(w, r)
			return
		}
		got := httptest.NewRecorder()
		inner.ServeHTTP(got, r)
		body := regexp.MustCompile(`"registerTime":"\d+","uid":\d+`).ReplaceAllStringFunc(got.Body.String(), func() func(string) string {
			first := true
			return func(s string) string {
				if first {
					first = false
					return `"registerTime":"soon","uid":null`
				}
				return s
			}
		}())
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body)) // a client that is gone
	})
}
