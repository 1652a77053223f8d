// Package reporttest holds what the tests of reports share: a store that is written as a collection
// writes it, records drawn at random, and sums by other arithmetic than that of the reports.
// It is for tests only.
package reporttest

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"
	"net/url"
	"runtime/debug"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/memdir"
	"rebatedesk/internal/soak"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

func init() {
	debug.SetGCPercent(400) // memory is there, and collecting it takes a tenth of the time
	if err := cmp.Or(memdir.Use(), soak.Draws(30)); err != nil {
		panic(err)
	}
}

// Noon is the present of the tests: 15 September 2026, 12:00 UTC.
var (
	Noon  = time.Date(2026, time.September, 15, 12, 0, 0, 0, time.UTC)
	Today = affiliate.NewDay(2026, time.September, 15)

	Spot    = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	Futures = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	Users   = affiliate.Stream{Kind: affiliate.Invitees}
)

// Fixture is a service over a real database with a clock that stands still.
type Fixture struct {
	testing.TB
	*reports.Service
	DB   *store.Store
	Path string
	Now  time.Time
	Zone *time.Location
}

func NewFixture(t testing.TB, zone string) *Fixture {
	t.Helper()
	return NewFixtureAt(t, zone, storetest.Empty(t))
}

// NewFixtureAt is newFixture on a new database at a place.
func NewFixtureAt(t testing.TB, zone, place string) *Fixture {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	d := &Fixture{TB: t, Path: place, Now: Noon, Zone: loc}
	clock := func() time.Time { return d.Now }
	d.DB, err = store.Open(t.Context(), d.Path, store.Options{Zone: loc, Now: clock, AuditKey: storetest.AuditKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.DB.Close(); err != nil {
			t.Error(err)
		}
	})
	d.Service = reports.New(d.DB, clock)
	return d
}

// Days returns days counted from today: days(-6, 0) is a week.
func Days(first, last int) affiliate.Days {
	return affiliate.Days{First: Today + affiliate.Day(first), Last: Today + affiliate.Day(last)}
}

// Slice returns a reading of whole UTC days, up to now.
func (d *Fixture) Slice(account affiliate.Account, stream affiliate.Stream, span affiliate.Days) records.Slice {
	return records.Slice{
		Account: account, Stream: stream, Days: span, Started: d.Now,
		Through: affiliate.MillisOf(d.Now),
	}
}

// Want stores, as the collector does, from which day on an account is collected.
func (d *Fixture) Want(account affiliate.Account, first affiliate.Day) {
	d.Helper()
	if err := d.DB.WantFrom(d.Context(), account, first); err != nil {
		d.Fatal(err)
	}
}

// Read stores a reading of one of the streams of commissions.
func (d *Fixture) Read(account affiliate.Account, stream affiliate.Stream, span affiliate.Days, rows ...affiliate.Commission) {
	d.Helper()
	if _, err := records.ReplaceCommissions(d.Context(), d.DB, d.Slice(account, stream, span), rows); err != nil {
		d.Fatal(err)
	}
}

// ReadEmpty stores an empty reading of both products.
func (d *Fixture) ReadEmpty(span affiliate.Days) {
	d.Helper()
	d.Read("main", Spot, span)
	d.Read("main", Futures, span)
}

func (d *Fixture) ReadInvitees(account affiliate.Account, span affiliate.Days, invitees ...affiliate.Invitee) {
	d.Helper()
	if _, err := records.ReplaceInvitees(d.Context(), d.DB, d.Slice(account, Users, span), invitees); err != nil {
		d.Fatal(err)
	}
}

func (d *Fixture) FailRead(stream affiliate.Stream, span affiliate.Days, cause string) {
	d.Helper()
	if err := records.FailSlice(d.Context(), d.DB, d.Slice("main", stream, span), cause); err != nil {
		d.Fatal(err)
	}
}

// Ask parses a query string as the page of commissions does.
func (d *Fixture) Ask(text string) query.Query {
	d.Helper()
	return d.QueryOf(text, query.AcceptedParams{Sorts: commissions.Sorts, Order: query.Sort{Field: "time", Descending: true}})
}

// QueryOf parses a query string as a page does that accepts these parameters.
func (d *Fixture) QueryOf(text string, accepted query.AcceptedParams) query.Query {
	d.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		d.Fatal(err)
	}
	basis, err := d.Basis(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	basis.AcceptedParams = accepted
	q, err := query.Parse(values, basis)
	if err != nil {
		d.Fatal(err)
	}
	return q
}

func (d *Fixture) Overview(query string) overview.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.Ask(query), overview.Make)
	if err != nil {
		d.Fatal(err)
	}
	return view
}

// Export writes a complete export and returns its text.
func (d *Fixture) Export(kind *export.Kind, format export.Format, q query.Query) (string, export.RowTally) {
	d.Helper()
	e := d.Open(kind, q)
	defer func() {
		if err := e.Close(); err != nil {
			d.Error(err)
		}
	}()
	var text bytes.Buffer
	var summary export.RowTally
	storetest.ReadsReported(d, d.DB, func() {
		var err error
		if summary, err = e.Write(d.Context(), &text, format); err != nil {
			d.Fatal(err)
		}
	})
	return text.String(), summary
}

func (d *Fixture) Open(kind *export.Kind, q query.Query) *reports.Export {
	d.Helper()
	var e *reports.Export
	storetest.ReadsReported(d, d.DB, func() {
		var err error
		if e, err = d.OpenExport(d.Context(), kind, q); err != nil {
			d.Fatal(err)
		}
	})
	return e
}

// Trade returns a record with a commission in USDT, one hour after the day begins.
func Trade(day affiliate.Day, stream affiliate.Stream, uid int, commission affiliate.Number) affiliate.Commission {
	return affiliate.Commission{
		DealTime: affiliate.MillisOf(day.Start(time.UTC).Add(time.Hour)),
		UID:      affiliate.UID(fmt.Sprint(4667776800 + uid)), Product: stream.Product, Symbol: "BTCUSDT", Source: affiliate.Direct,
		Coin: "USDT", TakerAmount: "100", MakerAmount: "50", Fee: "1", Rate: "0.1", Commission: commission,
	}
}

// Rat returns the value of a decimal, computed independently of the program; unknown is
// 0.
func Rat(t testing.TB, text string) *big.Rat {
	t.Helper()
	if text == "" {
		return new(big.Rat)
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("%q is not a number", text)
	}
	return r
}

func At(t testing.TB, text string) time.Time {
	t.Helper()
	instant, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return instant
}
