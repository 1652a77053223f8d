package site

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
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web"
)

// Pipeline is the complete pipeline: a simulated exchange behind HTTP, a collector, a
// database, the reports and the pages.
type Pipeline struct {
	testing.TB
	*PipelineParts
}

// PipelineParts holds the parts that several tests can share.
type PipelineParts struct {
	Clock     atomic.Int64 // in milliseconds
	Sim       *simulator.Simulator
	Exchange  *overheard
	Store     *store.Store
	Collector *collector.Collector
	Service   *reports.Service
	Address   string
	Days      int // length of the programme
}

const SimulatedDays = 24

// usual is the programme of the tests without special needs.
var usual = simulator.Options{Seed: 7, Days: SimulatedDays, Invitees: 40, Records: 800}

func OpenPipeline(t testing.TB, zone *time.Location) *Pipeline {
	t.Helper()
	return OpenProgramme(t, zone, usual)
}

// OpenProgramme opens the pipeline of a programme that is collected up to now.
func OpenProgramme(t testing.TB, zone *time.Location, options simulator.Options) *Pipeline {
	t.Helper()
	path := Copied(t, fmt.Sprintf("%v %+v", zone, options), func(t testing.TB, path string) {
		f, end := openPipelineAt(t, path, zone, options)
		f.Collect()
		end()
	})
	f, end := openPipelineAt(t, path, zone, options)
	t.Cleanup(end)
	f.Address, _ = Serve(t, web.Options{Reports: f.Service, Zone: zone})
	return f
}

// Known is an invitee whose UID tests can use.
const Known = affiliate.UID("4667776811")

// OpenKnown opens the usual programme with the known invitee and without pages.
func OpenKnown(t testing.TB) *Pipeline {
	t.Helper()
	path := Copied(t, "known", func(t testing.TB, path string) {
		f, end := openPipelineAt(t, path, time.UTC, usual)
		f.Sim.InsertInvitee(affiliate.Invitee{UID: Known, RegisterTime: affiliate.MillisOf(affiliate.NewDay(2026, 11, 1).Start(time.UTC))})
		f.Collect()
		end()
	})
	f, end := openPipelineAt(t, path, time.UTC, usual)
	t.Cleanup(end)
	return f
}

// openPipelineAt opens the pipeline on a database, without pages.
func openPipelineAt(t testing.TB, path string, zone *time.Location, options simulator.Options) (f *Pipeline, end func()) {
	t.Helper()
	f = &Pipeline{TB: t, PipelineParts: &PipelineParts{Days: options.Days}}
	f.Clock.Store(Now.UnixMilli())
	clock := func() time.Time { return time.UnixMilli(f.Clock.Load()).UTC() }
	options.Now, options.RateLimit = clock, -1
	f.Sim = simulator.New(options)
	f.Exchange = &overheard{Handler: f.Sim}
	exchangeServer := httptest.NewServer(f.Exchange)
	keys := f.Sim.Credentials()
	client, err := weex.New(exchange.Config{BaseURL: exchangeServer.URL, Key: keys.APIKey, Secret: keys.APISecret,
		Passphrase: keys.APIPassphrase, Budget: exchange.NewBudget(1_000_000), Now: clock, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if f.Store, err = store.Open(context.Background(), path, store.Options{Zone: zone, Now: clock, AuditKey: bytes.Repeat([]byte{7}, 32)}); err != nil {
		t.Fatal(err)
	}
	f.Collector = collector.New(collector.Options{Store: f.Store, Accounts: []collector.Target{{Name: "main", Source: client}},
		History: time.Duration(options.Days) * 24 * time.Hour, Now: clock})
	f.Service = reports.New(f.Store, clock)
	return f, func() {
		client.Close()
		exchangeServer.Close()
		if err := f.Store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Collect reads the whole programme, including days that are already covered.
func (f *Pipeline) Collect() {
	f.Helper()
	since := affiliate.DayOf(time.UnixMilli(f.Clock.Load()), time.UTC) - affiliate.Day(f.Days)
	report, err := f.Collector.Collect(context.Background(), collector.RunRequest{Cause: "command", Since: since})
	if err != nil || !report.Complete {
		f.Fatalf("the run is not complete: %+v (%v)", report, err)
	}
}
