package reports_test

import (
	"bytes"
	"fmt"
	"math/big"
	"net/url"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// noon is the present of the tests: 15 September 2026, 12:00 UTC.
var (
	noon  = time.Date(2026, time.September, 15, 12, 0, 0, 0, time.UTC)
	today = affiliate.NewDay(2026, time.September, 15)

	spot    = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	futures = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	users   = affiliate.Stream{Kind: affiliate.Invitees}
)

// fixture is a service over a real database with a clock that stands still.
type fixture struct {
	testing.TB
	*reports.Service
	store *store.Store
	path  string
	now   time.Time
	zone  *time.Location
}

func newFixture(t testing.TB, zone string) *fixture {
	t.Helper()
	return newFixtureAt(t, zone, storetest.Empty(t))
}

// newFixtureAt is newFixture on a new database at a place.
func newFixtureAt(t testing.TB, zone, place string) *fixture {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	d := &fixture{TB: t, path: place, now: noon, zone: loc}
	clock := func() time.Time { return d.now }
	d.store, err = store.Open(t.Context(), d.path, store.Options{Zone: loc, Now: clock, AuditKey: storetest.AuditKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.store.Close(); err != nil {
			t.Error(err)
		}
	})
	d.Service = reports.New(d.store, clock)
	return d
}

// days returns days counted from today: days(-6, 0) is a week.
func days(first, last int) affiliate.Days {
	return affiliate.Days{First: today + affiliate.Day(first), Last: today + affiliate.Day(last)}
}

// slice returns a reading of whole UTC days, up to now.
func (d *fixture) slice(account affiliate.Account, stream affiliate.Stream, span affiliate.Days) records.Slice {
	return records.Slice{
		Account: account, Stream: stream, Days: span, Started: d.now,
		Through: affiliate.MillisOf(d.now),
	}
}

// want stores, as the collector does, from which day on an account is collected.
func (d *fixture) want(account affiliate.Account, first affiliate.Day) {
	d.Helper()
	if err := d.store.WantFrom(d.Context(), account, first); err != nil {
		d.Fatal(err)
	}
}

// read stores a reading of one of the streams of commissions.
func (d *fixture) read(account affiliate.Account, stream affiliate.Stream, span affiliate.Days, rows ...affiliate.Commission) {
	d.Helper()
	if _, err := records.ReplaceCommissions(d.Context(), d.store, d.slice(account, stream, span), rows); err != nil {
		d.Fatal(err)
	}
}

// readEmpty stores an empty reading of both products.
func (d *fixture) readEmpty(span affiliate.Days) {
	d.Helper()
	d.read("main", spot, span)
	d.read("main", futures, span)
}

func (d *fixture) readInvitees(account affiliate.Account, span affiliate.Days, invitees ...affiliate.Invitee) {
	d.Helper()
	if _, err := records.ReplaceInvitees(d.Context(), d.store, d.slice(account, users, span), invitees); err != nil {
		d.Fatal(err)
	}
}

func (d *fixture) fail(stream affiliate.Stream, span affiliate.Days, cause string) {
	d.Helper()
	if err := records.FailSlice(d.Context(), d.store, d.slice("main", stream, span), cause); err != nil {
		d.Fatal(err)
	}
}

// ask parses a query string as the page of commissions does.
func (d *fixture) ask(text string) query.Query {
	d.Helper()
	return d.queryOf(text, query.AcceptedParams{Sorts: commissions.Sorts, Order: query.Sort{Field: "time", Descending: true}})
}

// queryOf parses a query string as a page does that accepts these parameters.
func (d *fixture) queryOf(text string, accepted query.AcceptedParams) query.Query {
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

func (d *fixture) overview(query string) overview.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.ask(query), overview.Make)
	if err != nil {
		d.Fatal(err)
	}
	return view
}

// export writes a complete export and returns its text.
func (d *fixture) export(kind *export.Kind, format export.Format, q query.Query) (string, export.RowTally) {
	d.Helper()
	e := d.open(kind, q)
	defer func() {
		if err := e.Close(); err != nil {
			d.Error(err)
		}
	}()
	var text bytes.Buffer
	var summary export.RowTally
	storetest.ReadsReported(d, d.store, func() {
		var err error
		if summary, err = e.Write(d.Context(), &text, format); err != nil {
			d.Fatal(err)
		}
	})
	return text.String(), summary
}

func (d *fixture) open(kind *export.Kind, q query.Query) *reports.Export {
	d.Helper()
	var e *reports.Export
	storetest.ReadsReported(d, d.store, func() {
		var err error
		if e, err = d.OpenExport(d.Context(), kind, q); err != nil {
			d.Fatal(err)
		}
	})
	return e
}

// trade returns a record with a commission in USDT, one hour after the day begins.
func trade(day affiliate.Day, stream affiliate.Stream, uid int, commission affiliate.Number) affiliate.Commission {
	return affiliate.Commission{
		DealTime: affiliate.MillisOf(day.Start(time.UTC).Add(time.Hour)),
		UID:      affiliate.UID(fmt.Sprint(4667776800 + uid)), Product: stream.Product, Symbol: "BTCUSDT", Source: affiliate.Direct,
		Coin: "USDT", TakerAmount: "100", MakerAmount: "50", Fee: "1", Rate: "0.1", Commission: commission,
	}
}

// rat returns the value of a decimal, computed independently of the program; unknown is
// 0.
func rat(t testing.TB, text string) *big.Rat {
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
