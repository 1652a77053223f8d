package acceptance_test

import (
	"bytes"
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

// pipeline is the complete pipeline: a simulated exchange behind HTTP, a collector, a
// database, the reports and the pages.
type pipeline struct {
	testing.TB
	*pipelineParts
}

// pipelineParts holds the parts that several tests can share.
type pipelineParts struct {
	clock     atomic.Int64 // in milliseconds
	sim       *simulator.Simulator
	exchange  *overheard
	store     *store.Store
	collector *collector.Collector
	service   *reports.Service
	address   string
	days      int // length of the programme
}

const simulatedDays = 24

// usual is the programme of the tests without special needs.
var usual = simulator.Options{Seed: 7, Days: simulatedDays, Invitees: 40, Records: 800}

func openPipeline(t testing.TB, zone *time.Location) *pipeline {
	t.Helper()
	return openProgramme(t, zone, usual)
}

// openPartners opens a programme with enough clients for several sub-affiliates to have
// invited some.
func openPartners(t testing.TB, zone *time.Location) *pipeline {
	t.Helper()
	return openProgramme(t, zone, simulator.Options{Seed: 7, Days: simulatedDays, Invitees: 150, Records: 2000})
}

// openProgramme opens the pipeline of a programme that is collected up to now.
func openProgramme(t testing.TB, zone *time.Location, options simulator.Options) *pipeline {
	t.Helper()
	path := copied(t, fmt.Sprintf("%v %+v", zone, options), func(t testing.TB, path string) {
		f, end := openPipelineAt(t, path, zone, options)
		f.collect()
		end()
	})
	f, end := openPipelineAt(t, path, zone, options)
	t.Cleanup(end)
	f.address, _ = serve(t, web.Options{Reports: f.service, Zone: zone})
	return f
}

// known is an invitee whose UID tests can use.
const known = affiliate.UID("4667776811")

// openKnown opens the usual programme with the known invitee and without pages.
func openKnown(t testing.TB) *pipeline {
	t.Helper()
	path := copied(t, "known", func(t testing.TB, path string) {
		f, end := openPipelineAt(t, path, time.UTC, usual)
		f.sim.InsertInvitee(affiliate.Invitee{UID: known, RegisterTime: affiliate.MillisOf(affiliate.NewDay(2026, 11, 1).Start(time.UTC))})
		f.collect()
		end()
	})
	f, end := openPipelineAt(t, path, time.UTC, usual)
	t.Cleanup(end)
	return f
}

// openPipelineAt opens the pipeline on a database, without pages.
func openPipelineAt(t testing.TB, path string, zone *time.Location, options simulator.Options) (f *pipeline, end func()) {
	t.Helper()
	f = &pipeline{TB: t, pipelineParts: &pipelineParts{days: options.Days}}
	f.clock.Store(now.UnixMilli())
	clock := func() time.Time { return time.UnixMilli(f.clock.Load()).UTC() }
	options.Now, options.RateLimit = clock, -1
	f.sim = simulator.New(options)
	f.exchange = &overheard{Handler: f.sim}
	exchangeServer := httptest.NewServer(f.exchange)
	keys := f.sim.Credentials()
	client, err := exchange.New(exchange.Config{BaseURL: exchangeServer.URL, Key: keys.APIKey, Secret: keys.APISecret,
		Passphrase: keys.APIPassphrase, Budget: exchange.NewBudget(1_000_000), Now: clock, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if f.store, err = store.Open(context.Background(), path, store.Options{Zone: zone, Now: clock, AuditKey: bytes.Repeat([]byte{7}, 32)}); err != nil {
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

// collect reads the whole programme, including days that are already covered.
func (f *pipeline) collect() {
	f.Helper()
	since := affiliate.DayOf(time.UnixMilli(f.clock.Load()), time.UTC) - affiliate.Day(f.days)
	report, err := f.collector.Collect(context.Background(), collector.RunRequest{Cause: "command", Since: since})
	if err != nil || !report.Complete {
		f.Fatalf("the run is not complete: %+v (%v)", report, err)
	}
}
