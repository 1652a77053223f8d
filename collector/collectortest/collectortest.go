// Package collectortest collects from simulated exchanges in tests: over HTTP, into a database of its own.
package collectortest

import (
	"encoding/csv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/simulated"
	"rebatedesk/store"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// Account is the name of the account.
const Account affiliate.Account = "main"

// Clock is the time of the exchange and of the collector.
type Clock struct{ ms atomic.Int64 }

// NewClock returns a clock that stands at an instant.
func NewClock(at time.Time) *Clock {
	c := &Clock{}
	c.ms.Store(at.UnixMilli())
	return c
}

// Now is the time of the clock.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.ms.Load()).UTC() }

// Advance sets the clock forward.
func (c *Clock) Advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// Desk is a collector of one account with its environment.
type Desk struct {
	testing.TB
	Clock  *Clock
	URL    string
	Store  *store.Store
	Client exchange.Client
	*collector.Collector
}

// New returns a desk whose history is 40 days. open makes the client.
func New[C exchange.Client](t testing.TB, clock *Clock, sim simulated.Exchange, open func(exchange.Config) (C, error)) *Desk {
	t.Helper()
	handler := sim.Handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", clock.Now().Format(http.TimeFormat)) // the client learns the time from it too
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	d := &Desk{TB: t, Clock: clock, URL: server.URL, Store: storetest.Open(t, store.Options{Now: clock.Now})}
	key, secret, passphrase := sim.Credentials()
	client, err := open(exchange.Config{BaseURL: server.URL, Key: exchange.Secret(key), Secret: exchange.Secret(secret), Passphrase: exchange.Secret(passphrase),
		Now: clock.Now, Unpaced: true, BanWait: 5 * time.Millisecond, Backoff: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	d.Client = client
	d.Collector = collector.New(collector.Options{Store: d.Store, Accounts: []collector.Target{{Name: Account, Source: client}}, History: 40 * 24 * time.Hour, Now: clock.Now})
	return d
}

// Collected makes a run that must be complete.
func (d *Desk) Collected() collector.RunReport {
	d.Helper()
	report, err := d.Collect(d.Context(), collector.RunRequest{Cause: "test"})
	if err != nil || len(report.Incomplete) > 0 {
		d.Fatalf("the run is not complete: %v, %v", err, report.Incomplete)
	}
	return report
}

// Rows are the stored records of commission, in the columns of the ledger without account and invite
// code, sorted.
func (d *Desk) Rows() (rows []string) {
	d.Helper()
	r, err := d.Store.Read(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	defer r.Close()
	all := records.CommissionFilter{Days: affiliate.Days{First: affiliate.NewDay(2020, 1, 1), Last: affiliate.NewDay(2030, 1, 1)}}
	for c, err := range records.Commissions(d.Context(), r, all, records.CommissionOrder{Column: "time"}, 0, 0) {
		if err != nil {
			d.Fatal(err)
		}
		rows = append(rows, strings.Join([]string{c.DealTime.String(), string(c.UID), string(c.Product), c.Symbol, string(c.Source), string(c.Coin),
			plain(c.TakerAmount), plain(c.MakerAmount), plain(c.Fee), plain(c.Rate), plain(c.Commission.Commission)}, ","))
	}
	slices.Sort(rows)
	return rows
}

// plain is a number without zeros at its end.
func plain(n affiliate.Number) string { return string(n.Canonical()) }

// Ledger are the rows of the exchange's truth, as [Desk.Rows] has them.
func (d *Desk) Ledger() (rows []string) {
	d.Helper()
	for _, row := range d.ledger("commissions") {
		rows = append(rows, strings.Join([]string{row["deal_time_utc"], row["uid"], row["product_type"], row["symbol"], row["source_type"], row["coin"],
			plain(affiliate.Number(row["taker_amount"])), plain(affiliate.Number(row["maker_amount"])), plain(affiliate.Number(row["fee"])),
			plain(affiliate.Number(row["rate"])), plain(affiliate.Number(row["commission"]))}, ","))
	}
	slices.Sort(rows)
	return rows
}

// ledger reads a table of the exchange's truth.
func (d *Desk) ledger(name string) (rows []map[string]string) {
	d.Helper()
	resp, err := http.Get(d.URL + "/ledger/" + name + ".csv")
	if err != nil {
		d.Fatal(err)
	}
	defer resp.Body.Close()
	table, err := csv.NewReader(resp.Body).ReadAll()
	if err != nil || len(table) == 0 {
		d.Fatalf("the ledger of %s has %d lines: %v", name, len(table), err)
	}
	for _, line := range table[1:] {
		row := map[string]string{}
		for i, column := range table[0] {
			row[column] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// SameAsLedger compares what is stored with the exchange's truth, as multisets.
func (d *Desk) SameAsLedger() {
	d.Helper()
	got, want := d.Rows(), d.Ledger()
	if slices.Equal(got, want) {
		return
	}
	for _, row := range want {
		if i := slices.Index(got, row); i >= 0 {
			got = slices.Delete(got, i, i+1)
		} else {
			d.Errorf("not stored: %s", row)
		}
	}
	for _, row := range got {
		d.Errorf("stored, but not in the ledger: %s", row)
	}
}

// Invitees are the stored invitees as uid, code, register time and KYC, sorted.
func (d *Desk) Invitees() (rows []string) {
	d.Helper()
	r, err := d.Store.Read(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	defer r.Close()
	for i, err := range records.Invitees(d.Context(), r, records.InviteeFilter{}) {
		if err != nil {
			d.Fatal(err)
		}
		rows = append(rows, strings.Join([]string{string(i.UID), i.InviteCode, i.RegisterTime.String(), string(i.KYC)}, ","))
	}
	slices.Sort(rows)
	return rows
}

// Bills are the stored bills as time, wallet, business type, coin and amount, sorted.
func (d *Desk) Bills() (rows []string) {
	d.Helper()
	r, err := d.Store.Read(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	defer r.Close()
	for b, err := range payments.Bills(d.Context(), r, payments.BillFilter{Days: affiliate.Days{First: affiliate.NewDay(2020, 1, 1), Last: affiliate.NewDay(2030, 1, 1)}}) {
		if err != nil {
			d.Fatal(err)
		}
		rows = append(rows, strings.Join([]string{b.Created.String(), string(b.Wallet), b.Business, string(b.Coin), string(b.Amount)}, ","))
	}
	slices.Sort(rows)
	return rows
}

// Day returns a UTC day.
func Day(year int, month time.Month, day int) affiliate.Day {
	return affiliate.NewDay(year, month, day)
}

// Verified checks the database as webapp verify does.
func (d *Desk) Verified() {
	d.Helper()
	for result, err := range upkeep.Verify(d.Context(), d.Store) {
		if err != nil {
			d.Fatal(err)
		}
		for _, problem := range result.Faults {
			d.Errorf("%s: %s", result.Check, problem)
		}
	}
}
