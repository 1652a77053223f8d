package web_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/simulator"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web"
)

// frontDoor is the whole path of the data: a simulated exchange behind HTTP, a
// collector, a database, the reports and the pages.
type frontDoor struct {
	testing.TB
	*way
}

// way is the part behind the door.
type way struct {
	clock     atomic.Int64 // milliseconds
	sim       *simulator.Simulator
	store     *store.Store
	collector *collector.Collector
	service   *reports.Service
	address   string
	days      int // of the programme
}

const simulatedDays = 24

// usual is the programme of the tests that need no other.
var usual = simulator.Options{Seed: 7, Days: simulatedDays, Invitees: 40, Records: 800}

func openFrontDoor(t testing.TB, zone *time.Location) *frontDoor {
	t.Helper()
	return openProgramme(t, zone, usual)
}

// openPartners is a programme with so many clients that several sub-affiliates
// have brought some.
func openPartners(t testing.TB, zone *time.Location) *frontDoor {
	t.Helper()
	return openProgramme(t, zone, simulator.Options{Seed: 7, Days: simulatedDays, Invitees: 150, Records: 2000})
}

// openProgramme is the way of the data of another programme, collected to now.
func openProgramme(t testing.TB, zone *time.Location, options simulator.Options) *frontDoor {
	t.Helper()
	path := copied(t, fmt.Sprintf("%v %+v", zone, options), func(t testing.TB, path string) {
		f, end := openWay(t, path, zone, options)
		f.collect()
		end()
	})
	f, end := openWay(t, path, zone, options)
	t.Cleanup(end)
	f.address, _ = serve(t, web.Options{Reports: f.service, Zone: zone})
	return f
}

// known is a user whom tests may name.
const known = affiliate.UID("4667776811")

// openKnown is the usual programme with that invitee, without pages.
func openKnown(t testing.TB) *frontDoor {
	t.Helper()
	path := copied(t, "known", func(t testing.TB, path string) {
		f, end := openWay(t, path, time.UTC, usual)
		f.sim.InsertInvitee(affiliate.Invitee{UID: known, RegisterTime: affiliate.MillisOf(affiliate.NewDay(2026, 11, 1).Start(time.UTC))})
		f.collect()
		end()
	})
	f, end := openWay(t, path, time.UTC, usual)
	t.Cleanup(end)
	return f
}

// openWay is the way of the data over a database, without pages.
func openWay(t testing.TB, path string, zone *time.Location, options simulator.Options) (f *frontDoor, end func()) {
	t.Helper()
	f = &frontDoor{TB: t, way: &way{days: options.Days}}
	f.clock.Store(now.UnixMilli())
	clock := func() time.Time { return time.UnixMilli(f.clock.Load()).UTC() }
	options.Now, options.RateLimit = clock, -1
	f.sim = simulator.New(options)
	exchangeServer := httptest.NewServer(f.sim)
	keys := f.sim.Credentials()
	client, err := exchange.New(exchange.Config{BaseURL: exchangeServer.URL, Key: keys.APIKey, Secret: keys.APISecret,
		Passphrase: keys.APIPassphrase, Budget: exchange.NewBudget(1_000_000), Now: clock, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if f.store, err = store.Open(context.Background(), path, store.Options{Zone: zone, Now: clock}); err != nil {
		t.Fatal(err)
	}
	f.collector = collector.New(collector.Options{Store: f.store, Accounts: []collector.Target{{Name: "main", Client: client}},
		History: time.Duration(options.Days) * 24 * time.Hour, Now: clock})
	f.service = reports.New(f.store, clock)
	return f, func() {
		client.Close()
		exchangeServer.Close()
		if err := f.store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// collect reads everything there is, whatever is covered.
func (f *frontDoor) collect() {
	f.Helper()
	since := affiliate.DayOf(time.UnixMilli(f.clock.Load()), time.UTC) - affiliate.Day(f.days)
	report, err := f.collector.Collect(context.Background(), collector.RunRequest{Cause: "command", Since: since})
	if err != nil || !report.Complete {
		f.Fatalf("the run is not complete: %+v (%v)", report, err)
	}
}
