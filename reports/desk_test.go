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

// noon is when the tests look at their data: 15 September 2026, 12:00 UTC.
var (
	noon  = time.Date(2026, time.September, 15, 12, 0, 0, 0, time.UTC)
	today = affiliate.NewDay(2026, time.September, 15)

	spot    = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	futures = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}
	users   = affiliate.Stream{Kind: affiliate.Invitees}
)

// desk is a service over a real database, with a clock that stands.
type desk struct {
	testing.TB
	*reports.Service
	store *store.Store
	path  string
	now   time.Time
	zone  *time.Location
}

func newDesk(t testing.TB, zone string) *desk {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{TB: t, path: storetest.Empty(t), now: noon, zone: loc}
	clock := func() time.Time { return d.now }
	d.store, err = store.Open(t.Context(), d.path, store.Options{Zone: loc, Now: clock})
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

// days is a stretch counted from today: days(-6, 0) is a week.
func days(first, last int) affiliate.Days {
	return affiliate.Days{First: today + affiliate.Day(first), Last: today + affiliate.Day(last)}
}

// slice is a read of whole UTC days, as far as they had passed by now.
func (d *desk) slice(account affiliate.Account, stream affiliate.Stream, span affiliate.Days) records.Slice {
	return records.Slice{
		Account: account, Stream: stream, Days: span, Started: d.now,
		Through: affiliate.MillisOf(d.now),
	}
}

// want notes, as the collector does, from which day on an account is collected.
func (d *desk) want(account affiliate.Account, first affiliate.Day) {
	d.Helper()
	if err := d.store.WantFrom(d.Context(), account, first); err != nil {
		d.Fatal(err)
	}
}

// read stores a read of one of the streams of commissions.
func (d *desk) read(account affiliate.Account, stream affiliate.Stream, span affiliate.Days, rows ...affiliate.Commission) {
	d.Helper()
	if _, err := records.ReplaceCommissions(d.Context(), d.store, d.slice(account, stream, span), rows); err != nil {
		d.Fatal(err)
	}
}

// readEmpty stores that both products were read and had nothing.
func (d *desk) readEmpty(span affiliate.Days) {
	d.Helper()
	d.read("main", spot, span)
	d.read("main", futures, span)
}

func (d *desk) readInvitees(account affiliate.Account, span affiliate.Days, invitees ...affiliate.Invitee) {
	d.Helper()
	if _, err := records.ReplaceInvitees(d.Context(), d.store, d.slice(account, users, span), invitees); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) fail(stream affiliate.Stream, span affiliate.Days, cause string) {
	d.Helper()
	if err := records.FailSlice(d.Context(), d.store, d.slice("main", stream, span), cause); err != nil {
		d.Fatal(err)
	}
}

// ask reads a query string as the pages do.
func (d *desk) ask(text string) query.Query {
	d.Helper()
	values, err := url.ParseQuery(text)
	if err != nil {
		d.Fatal(err)
	}
	basis, err := d.Basis(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	basis.Sorts, basis.Order = commissions.Sorts, query.Sort{Field: "time", Descending: true}
	q, err := query.ParseQuery(values, basis)
	if err != nil {
		d.Fatal(err)
	}
	return q
}

func (d *desk) overview(query string) overview.Report {
	d.Helper()
	view, err := d.Overview(d.Context(), d.ask(query))
	if err != nil {
		d.Fatal(err)
	}
	return view
}

// export writes a whole export and gives its text.
func (d *desk) export(kind reports.ExportKind, format export.Format, q query.Query) (string, export.RowTally) {
	d.Helper()
	e := d.open(kind, q)
	defer func() {
		if err := e.Close(); err != nil {
			d.Error(err)
		}
	}()
	var text bytes.Buffer
	summary, err := e.Write(d.Context(), &text, format)
	if err != nil {
		d.Fatal(err)
	}
	return text.String(), summary
}

func (d *desk) open(kind reports.ExportKind, q query.Query) *reports.Export {
	d.Helper()
	e, err := d.OpenExport(d.Context(), kind, q)
	if err != nil {
		d.Fatal(err)
	}
	return e
}

// trade is a record with a commission in USDT, an hour after the day began.
func trade(day affiliate.Day, stream affiliate.Stream, uid int, commission affiliate.Number) affiliate.Commission {
	return affiliate.Commission{
		DealTime: affiliate.MillisOf(day.Start(time.UTC).Add(time.Hour)),
		UID:      affiliate.UID(fmt.Sprint(4667776800 + uid)), Product: stream.Product, Symbol: "BTCUSDT", Source: affiliate.Direct,
		Coin: "USDT", TakerAmount: "100", MakerAmount: "50", Fee: "1", Rate: "0.1", Commission: commission,
	}
}

// rat is the value of a decimal by arithmetic that is not ours; unknown is 0.
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
