package delivery

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/delivery/carrier"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// morning is when the tests look at their data: 2 September 2026, 08:00 UTC.
var (
	morning = time.Date(2026, time.September, 2, 8, 0, 0, 0, time.UTC)
	first   = affiliate.NewDay(2026, time.September, 1) // a Tuesday
	someone = audit.Line{Actor: "anna", Via: "session"}
)

// fixture is a service over a real database and a folder, with a clock that is set by hand.
type fixture struct {
	testing.TB
	*Service
	clock *time.Time
	dir   string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	d := &fixture{TB: t, dir: t.TempDir(), clock: new(time.Time)}
	*d.clock = morning
	d.open(storetest.Empty(t))
	return d
}

func (d *fixture) open(path string) {
	d.Helper()
	clock := func() time.Time { return *d.clock }
	st := storetest.OpenAt(d, path, store.Options{Now: clock, AuditKey: []byte("0123456789abcdef0123456789abcdef")})
	d.Service = New(Options{Store: st, Reports: reports.New(st, clock), Now: clock, Log: slog.New(slog.DiscardHandler)})
}

// collect stores what a run of the collector reads of some days, now.
func (d *fixture) collect(days affiliate.Days, factor int) {
	d.Helper()
	run, err := records.StartRun(d.Context(), d.store, "main", "test")
	if err != nil {
		d.Fatal(err)
	}
	now := *d.clock
	for _, stream := range affiliate.Streams() {
		slice := records.Slice{Account: "main", Stream: stream, Days: days, Started: now, Through: affiliate.MillisOf(now)}
		switch stream.Kind {
		case affiliate.Commissions:
			_, err = records.ReplaceCommissions(d.Context(), d.store, slice, programme(days, stream.Product, now, factor))
		case affiliate.Invitees:
			_, err = records.ReplaceInvitees(d.Context(), d.store, slice, nil)
		case affiliate.SpotBills, affiliate.FundingBills, affiliate.Transfers:
			storetest.ReadWallet(d, d.store, slice)
		default:
			_, err = records.ReplaceSubAffiliateDays(d.Context(), d.store, slice, nil)
		}
		if err != nil {
			d.Fatal(err)
		}
	}
	if err := records.FinishRun(d.Context(), d.store, run, 1, 1, ""); err != nil {
		d.Fatal(err)
	}
}

// programme returns three records a day up to now, with amounts that no float can hold.
func programme(days affiliate.Days, product affiliate.Product, now time.Time, factor int) (list []affiliate.Commission) {
	for day := days.First; day <= days.Last; day++ {
		for i := range 3 {
			at := day.Start(time.UTC).Add(time.Duration(i+1) * time.Hour)
			if at.After(now) {
				break
			}
			list = append(list, affiliate.Commission{DealTime: affiliate.MillisOf(at), UID: affiliate.UID(fmt.Sprint(4667776800 + i)), Product: product, Symbol: "BTCUSDT",
				Source: affiliate.Direct, Coin: "USDT", TakerAmount: "1000", MakerAmount: "500", Fee: "10.000000001", Rate: "0.1",
				Commission: affiliate.Number(fmt.Sprintf("%d.123456789012345678", factor*(int(day)%7+i)))})
		}
	}
	return list
}

// collected returns a fixture with five weeks of data up to now.
func collected(t testing.TB) *fixture {
	t.Helper()
	d := newFixture(t)
	d.backfill()
	return d
}

func (d *fixture) backfill() {
	d.Helper()
	days := affiliate.Days{First: first - 40, Last: first + 1}
	if err := d.store.WantFrom(d.Context(), "main", days.First); err != nil {
		d.Fatal(err)
	}
	d.collect(days, 1)
}

// add stores a daily delivery of commissions to the folder, due since a number of days.
func (d *fixture) add(since int, change func(*outbox.Delivery)) outbox.Delivery {
	d.Helper()
	one := outbox.Delivery{Name: "warehouse", Kind: "commissions", Format: "csv", Every: DayPeriods, Hour: 6, To: "file://" + d.dir, Deadline: DefaultWait}
	if change != nil {
		change(&one)
	}
	now := *d.clock
	*d.clock = now.AddDate(0, 0, -since)
	id, err := d.Save(d.Context(), one, someone)
	if *d.clock = now; err != nil {
		d.Fatal(err)
	}
	return d.stored(id)
}

func (d *fixture) stored(id int64) outbox.Delivery {
	d.Helper()
	one, err := d.Delivery(d.Context(), id)
	if err != nil {
		d.Fatal(err)
	}
	return one
}

// deliver does what the service does every half minute.
func (d *fixture) deliver() {
	d.Helper()
	err := d.look(d.Context())
	d.workers.Wait()
	if err != nil {
		d.Fatal(err)
	}
}

func (d *fixture) log(id int64) []outbox.File {
	d.Helper()
	list, err := d.Files(d.Context(), id, 0, 1000)
	if err != nil {
		d.Fatal(err)
	}
	return list
}

// files lists the folder, without manifests.
func (d *fixture) files() string {
	d.Helper()
	list, err := os.ReadDir(d.dir)
	if err != nil {
		d.Fatal(err)
	}
	var names []string
	for _, entry := range list {
		if !strings.HasSuffix(entry.Name(), ".manifest.json") {
			names = append(names, entry.Name())
		}
	}
	return strings.Join(names, " ")
}

func (d *fixture) content(name string) []byte {
	d.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, name))
	if err != nil {
		d.Fatal(err)
	}
	return text
}

// proved checks a delivered file: it has the bytes of an export of the same range and state, and
// log and manifest say what it is.
func (d *fixture) proved(of outbox.Delivery, one outbox.File) {
	d.Helper()
	text := d.content(one.File)
	sum := sha256.Sum256(text)
	if one.SHA256 != hex.EncodeToString(sum[:]) || one.Bytes != int64(len(text)) {
		d.Errorf("%s: the log has another hash", one.File)
	}
	var m reports.ExportManifest
	if err := json.Unmarshal(d.content(ManifestName(one.File)), &struct {
		*reports.ExportManifest
		Sums []map[string]any `json:"sums"`
	}{ExportManifest: &m}); err != nil {
		d.Fatal(err)
	}
	if m.SHA256 != one.SHA256 || m.Rows != one.Rows || m.Complete != one.Complete || m.Kind != of.Kind {
		d.Errorf("%s: the manifest is %+v, the log %+v", one.File, m, one)
	}
	basis, err := d.reports.Basis(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	basis.Sorts, basis.Order = commissions.Sorts, query.Sort{Field: "time"}
	q, err := query.Parse(map[string][]string{"from": {m.From}, "to": {m.To}}, basis)
	if err != nil {
		d.Fatal(err)
	}
	q.AsOf = one.AsOf.Time().UTC()
	if of.Kind == "changes" {
		q.AsOf, q.Since, q.Until = time.Time{}, one.Since.Time().UTC(), one.AsOf.Time().UTC()
	}
	kind, err := reports.ExportNamed(of.Kind)
	if err != nil {
		d.Fatal(err)
	}
	e, err := d.reports.OpenExport(d.Context(), kind, q)
	if err != nil {
		d.Fatal(err)
	}
	var again bytes.Buffer
	_, err = e.Write(d.Context(), &again, export.Format(of.Format))
	if err = errors.Join(err, e.Close()); err != nil {
		d.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), text) {
		d.Errorf("%s is not what an export of the same state has: %d bytes, want %d", one.File, len(text), again.Len())
	}
}

// A delivered file is the export of the day before, in every format, also after the figures have
// changed.
func TestDeliveredFileIsTheExport(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "the bytes of a file", testDeliveredFileIsTheExport)
}

func testDeliveredFileIsTheExport(t *testing.T) {
	d := collected(t)
	var all []outbox.Delivery
	for _, format := range Formats() {
		all = append(all, d.add(1, func(s *outbox.Delivery) { s.Name, s.Format = format, format }))
	}
	all = append(all, d.add(20, func(s *outbox.Delivery) {
		s.Name, s.Kind, s.Every, s.Format = "month", "daily", MonthPeriods, "xlsx"
	}),
		d.add(1, func(s *outbox.Delivery) { s.Name, s.Kind, s.Content = "whole", "daily", Whole }))
	d.deliver()
	*d.clock = d.clock.Add(time.Hour)
	d.collect(affiliate.Days{First: first - 10, Last: first + 1}, 9)
	want := "commissions_2026-09-01_2026-09-01_UTC.csv commissions_2026-09-01_2026-09-01_UTC.jsonl" +
		" commissions_2026-09-01_2026-09-01_UTC.parquet commissions_2026-09-01_2026-09-01_UTC.xlsx daily_2026-07-23_2026-09-01_UTC.csv daily_2026-08-01_2026-08-31_UTC.xlsx"
	if got := d.files(); got != want {
		t.Errorf("the folder has\n%s, want\n%s", got, want)
	}
	for _, of := range all {
		log := d.log(of.ID)
		if len(log) != 1 || log[0].State != outbox.Sent || log[0].Tries != 1 || log[0].Rows == 0 {
			t.Errorf("%s: %+v", of.Name, log)
			continue
		}
		d.proved(of, log[0])
	}
	d.deliver()
	if got := d.files(); got != want {
		t.Errorf("the second time, the folder has %s", got)
	}
	lines := storetest.AuditLines(t, d.store, audit.LogQuery{Limit: 100})
	if len(lines) != len(all) || lines[0].Action != "scheduled delivery added" {
		t.Errorf("the audit log has %d lines", len(lines))
	}
}

// A period that is not collected is waited for until the deadline; then the incomplete file goes
// out, and the complete one later in its place.
func TestIncompleteUntilCollected(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	*d.clock = morning.Add(-24 * time.Hour)
	d.backfill() // up to 1 September, 08:00
	*d.clock = morning
	of := d.add(1, nil)
	d.deliver()
	if got := d.files(); got != "" {
		t.Errorf("before the deadline the folder has %s", got)
	}
	*d.clock = morning.Add(11 * time.Hour)
	d.deliver()
	incomplete := "incomplete-commissions_2026-09-01_2026-09-01_UTC.csv"
	if got := d.files(); got != incomplete {
		t.Fatalf("after the deadline the folder has %s", got)
	}
	d.proved(of, d.log(of.ID)[0])
	*d.clock = d.clock.Add(time.Hour)
	d.deliver()
	if got := d.files(); got != incomplete {
		t.Errorf("an hour later the folder has %s", got)
	}
	d.collect(affiliate.Days{First: first, Last: first + 1}, 2)
	*d.clock = d.clock.Add(completeEvery)
	d.deliver()
	if got := d.files(); got != "commissions_2026-09-01_2026-09-01_UTC.csv" {
		t.Errorf("once it is collected the folder has %s", got)
	}
	log := d.log(of.ID)
	if len(log) != 2 || log[0].State != outbox.Sent || log[0].Number != 2 || log[1].State != outbox.Incomplete {
		t.Fatalf("the log has %+v", log)
	}
	d.proved(of, log[0])
	if _, err := os.Stat(filepath.Join(d.dir, ManifestName(incomplete))); err == nil {
		t.Error("the manifest of the incomplete file is still there")
	}
}

// After a downtime each missed period is delivered once, the oldest first, and those that are too
// old are in the log. A clock that is set back or runs ahead sends nothing twice.
func TestMissedPeriods(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about periods", testMissedPeriods)
}

func testMissedPeriods(t *testing.T) {
	d := collected(t)
	of := d.add(35, nil)
	whole := d.add(35, func(s *outbox.Delivery) { s.Name, s.Kind, s.Content = "whole", "daily", Whole })
	d.deliver()
	log := d.log(of.ID)
	sent := map[affiliate.Day]bool{}
	skipped := 0
	for i, one := range log {
		switch {
		case one.State == outbox.Skipped:
			skipped++
		case one.State != outbox.Sent || sent[one.Days.Last] || one.Days.Last != first-affiliate.Day(i):
			t.Errorf("%+v", one)
		default:
			sent[one.Days.Last] = true
			if i > 0 && log[i-1].State == outbox.Sent && one.AsOf > log[i-1].AsOf {
				t.Errorf("%s was delivered after %s", one.File, log[i-1].File)
			}
		}
	}
	if len(sent) != mostBehind || skipped != 4 || strings.Count(d.files(), "commissions_") != mostBehind {
		t.Errorf("%d are sent and %d skipped", len(sent), skipped)
	}
	if log := d.log(whole.ID); log[0].State != outbox.Sent || strings.Count(d.files(), "daily_") != 1 || log[1].State != outbox.Skipped {
		t.Errorf("of whole files: %+v", log)
	}
	for _, shift := range []time.Duration{-50 * 24 * time.Hour, 0, 3 * 24 * time.Hour, 0} {
		*d.clock = morning.Add(shift)
		d.deliver()
	}
	counts := map[affiliate.Day]int{}
	for _, one := range d.log(of.ID) {
		if one.State == outbox.Sent {
			counts[one.Days.Last]++
		}
		if counts[one.Days.Last] > 1 {
			t.Errorf("%s was delivered twice", one.Days.Last)
		}
	}
	// What a clock that ran ahead left waiting is delivered when its days are collected.
	*d.clock = morning.Add(3 * 24 * time.Hour)
	d.collect(affiliate.Days{First: first - 1, Last: first + 4}, 1)
	d.deliver()
	if got := d.files(); !strings.Contains(got, "commissions_2026-09-04_2026-09-04_UTC.csv") || strings.Contains(got, "incomplete-commissions_2026-09-0") {
		t.Errorf("the folder has %s", got)
	}
}

// A destination that fails is tried again with growing pauses, and is one finding; nothing is
// lost, and the earlier file stays.
func TestFailuresPause(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about destinations", testFailuresPause)
}

func testFailuresPause(t *testing.T) {
	d := collected(t)
	of := d.add(2, nil)
	d.settings.Disk = fullFor(t, "commissions_2026-09-01_2026-09-01_UTC.csv")
	other := d.add(1, func(s *outbox.Delivery) {
		s.Name, s.Kind, s.To = "gone", "daily", "file://"+filepath.Join(d.dir, "none")
	})
	waits := []time.Duration{}
	for range 12 {
		d.deliver()
		now := d.stored(other.ID)
		waits = append(waits, now.Next.Time().Sub(*d.clock))
		d.deliver() // within the pause nothing is tried
		if after := d.stored(other.ID); after.Failures != now.Failures {
			t.Errorf("a try within the pause: %d failures", after.Failures)
		}
		*d.clock = now.Next.Time()
	}
	if waits[0] != time.Minute || waits[1] != 2*time.Minute || waits[11] != 2*time.Hour {
		t.Errorf("the pauses are %v", waits)
	}
	if log := d.log(other.ID); len(log) != 1 || log[0].State != outbox.Waiting || log[0].Tries != 12 || !strings.Contains(log[0].Answer, "make it, or mount its disk") {
		t.Errorf("the log has %+v", log)
	}
	if got := d.files(); !strings.Contains(got, " commissions_2026-08-31_2026-08-31_UTC.csv") && !strings.HasPrefix(got, "commissions_2026-08-31") {
		t.Errorf("the other period is held up: %s", got)
	}
	state, err := outbox.ReadDeliveryHealth(t.Context(), storetest.Reader(t, d.store))
	if err != nil || state.Failing != 2 || state.Waiting != 2 || state.Answer == "" {
		t.Errorf("the state is %+v, %v", state, err)
	}
	for _, dir := range []string{filepath.Join(d.dir, "none")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d.settings.Disk = nil
	*d.clock = d.clock.Add(2 * time.Hour)
	d.deliver()
	for _, one := range []outbox.Delivery{d.stored(of.ID), d.stored(other.ID)} {
		if log := d.log(one.ID); one.Failures != 0 || log[0].State != outbox.Sent {
			t.Errorf("%s: %+v, %+v", one.Name, one, log)
		}
	}
}

// A period that is run by hand has the state of now, also if an earlier try of it failed and had
// chosen another one.
func TestRunByHandHasTheStateOfNow(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "states of the past", testRunByHandHasTheStateOfNow)
}

func testRunByHandHasTheStateOfNow(t *testing.T) {
	d := collected(t)
	to := filepath.Join(d.dir, "later")
	of := d.add(1, func(s *outbox.Delivery) { s.To = "file://" + to })
	d.deliver()
	failed := d.log(of.ID)[0]
	if failed.State != outbox.Waiting || !failed.AsOf.Known() {
		t.Fatalf("the first try is %+v", failed)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	*d.clock = d.clock.Add(time.Hour)
	d.collect(affiliate.Days{First: first - 10, Last: first + 1}, 9)
	if _, cause, err := d.DeliverNow(t.Context(), d.stored(of.ID), failed.Days, audit.Line{Actor: "mia"}); err != nil || cause != nil {
		t.Fatal(cause, err)
	}
	log := d.log(of.ID)
	done := log[0]
	if len(log) != 1 || done.State != outbox.Sent || done.AsOf <= failed.AsOf {
		t.Fatalf("by hand: %+v; the failed try had the state of %s", log, failed.AsOf.Time())
	}
	d.dir = to
	d.proved(of, done)
}

// Of changes since the last delivery nothing is left out and nothing is delivered twice.
func TestIncrementalChanges(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "states of the past", testIncrementalChanges)
}

func testIncrementalChanges(t *testing.T) {
	d := collected(t)
	of := d.add(1, func(s *outbox.Delivery) { s.Name, s.Kind, s.Content = "changes", "changes", Incremental })
	daily := d.add(0, func(s *outbox.Delivery) {
		s.Name, s.Kind, s.To = "changes of days", "changes", "file://"+d.TB.(*testing.T).TempDir()
	})
	rows := int64(0)
	for i := range 4 {
		*d.clock = morning.AddDate(0, 0, i)
		d.collect(affiliate.Days{First: first - 2, Last: first + 1 + affiliate.Day(i)}, i+2)
		d.deliver()
		if i == 2 { // by hand, twice at the same instant
			for range 2 {
				if _, failed, err := d.DeliverNow(t.Context(), of, d.NewestPeriod(of), someone); err != nil || failed != nil {
					t.Fatal(failed, err)
				}
			}
		}
	}
	log := d.log(of.ID)
	names := map[string]bool{}
	for i, one := range log {
		d.proved(of, one)
		rows += one.Rows
		names[one.File] = true
		if i+1 < len(log) && one.Since != log[i+1].AsOf && one.Since != one.AsOf-1 {
			t.Errorf("%s begins at %s, the one before ends at %s", one.File, one.Since, log[i+1].AsOf)
		}
	}
	if len(log) != 6 || rows == 0 {
		t.Errorf("%d files with %d rows", len(log), rows)
	}
	if len(names) < 5 {
		t.Errorf("files replace each other: %v", names)
	}
	d.dir = strings.TrimPrefix(daily.To, "file://")
	days := d.log(daily.ID)
	for i, one := range days {
		d.proved(daily, one)
		if i > 0 && one.AsOf != days[i-1].Since {
			t.Errorf("%s ends at %s, the next one begins at %s", one.File, one.AsOf, days[i-1].Since)
		}
	}
	if len(days) != 3 || days[0].File != "changes_2026-09-04_2026-09-04_UTC.csv" || days[0].Rows == 0 {
		t.Errorf("by days: %+v", days)
	}
}

// Two services share a database: each file is delivered once.
func TestTwoServices(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "two writers of a row", testTwoServices)
}

func testTwoServices(t *testing.T) {
	d := collected(t)
	d.add(20, nil)
	other := New(Options{Store: d.store, Reports: d.reports, Now: d.now, Log: d.Service.log})
	var work sync.WaitGroup
	for _, s := range []*Service{d.Service, other} {
		work.Go(func() {
			if err := s.look(t.Context()); err != nil {
				t.Error(err)
			}
			s.workers.Wait()
		})
	}
	work.Wait()
	d.deliver()
	list, err := d.Deliveries(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range d.log(list[0].ID) {
		if one.State != outbox.Sent || one.Tries != 1 {
			t.Errorf("%+v", one)
		}
	}
}

// Each fault of a new delivery is told at its field, and two deliveries cannot write the same files.
func TestRules(t *testing.T) {
	t.Parallel()
	d := collected(t)
	d.add(1, nil)
	for field, change := range map[string]func(*outbox.Delivery){
		"kind":     func(s *outbox.Delivery) { s.Kind = "money" },
		"format":   func(s *outbox.Delivery) { s.Kind, s.Content, s.Format = PeopleKind, "", "parquet" },
		"every":    func(s *outbox.Delivery) { s.Every = "hour" },
		"at":       func(s *outbox.Delivery) { s.Hour = 24 },
		"content":  func(s *outbox.Delivery) { s.Content = Incremental },
		"deadline": func(s *outbox.Delivery) { s.Deadline = 73 },
		"to":       func(s *outbox.Delivery) { s.To = "https://example.com" },
		"coin":     func(s *outbox.Delivery) { s.Kind, s.Filters = "invitees", "coin=USDT" },
		"product":  func(s *outbox.Delivery) { s.Filters = "product=OPTIONS" },
		"filters":  func(s *outbox.Delivery) { s.Filters = "q=x" },
		"name":     func(s *outbox.Delivery) { s.Name, s.To = "Warehouse", "file:///elsewhere" },
	} {
		one := outbox.Delivery{Name: "second", Kind: "commissions", Format: "csv", Every: DayPeriods, Hour: 6, To: "file:///elsewhere", Deadline: DefaultWait}
		change(&one)
		_, err := d.Save(t.Context(), one, someone)
		if rule, ok := errors.AsType[*store.RuleError](err); !ok || rule.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	_, err := d.Save(t.Context(), outbox.Delivery{Name: "same", Kind: "commissions", Format: "csv", Every: DayPeriods, Hour: 7, To: "file://" + d.dir + "/", Deadline: 1}, someone)
	if rule, ok := errors.AsType[*store.RuleError](err); !ok || rule.Field != "to" || !strings.Contains(rule.Problem, "warehouse") {
		t.Errorf("the same files: %v", err)
	}
	d.settings = carrier.Settings{Folders: []string{"/srv/exports"}}
	_, err = d.Save(t.Context(), outbox.Delivery{Name: "etc", Kind: "daily", Format: "csv", Every: DayPeriods, To: "file:///etc", Deadline: 1}, someone)
	if rule, ok := errors.AsType[*store.RuleError](err); !ok || !strings.Contains(rule.Problem, "DELIVERY_FOLDERS") {
		t.Errorf("a forbidden folder: %v", err)
	}
}

// Pausing skips what is due meanwhile, and a change of a version that someone else changed is
// refused.
func TestPauseAndVersions(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about destinations", testPauseAndVersions)
}

func testPauseAndVersions(t *testing.T) {
	d := collected(t)
	of := d.add(0, nil)
	if err := d.Pause(t.Context(), of, true, someone); err != nil {
		t.Fatal(err)
	}
	if err := d.Pause(t.Context(), of, true, someone); storetest.Broken(t, err) == nil {
		t.Error("an old version was changed")
	}
	*d.clock = morning.AddDate(0, 0, 2)
	d.deliver()
	if err := d.Pause(t.Context(), d.stored(of.ID), false, someone); err != nil {
		t.Fatal(err)
	}
	d.deliver()
	if got := d.files(); got != "" {
		t.Errorf("the folder has %s", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done, failed, err := d.DeliverNow(ctx, d.stored(of.ID), affiliate.Days{First: first, Last: first}, someone)
	if err != nil || failed != nil || done.File != "commissions_2026-09-01_2026-09-01_UTC.csv" {
		t.Errorf("by hand: %+v, %v, %v", done, failed, err)
	}
	if err := d.Remove(t.Context(), d.stored(of.ID), someone); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Delivery(t.Context(), of.ID); storetest.Broken(t, err) == nil {
		t.Error("it is still there")
	}
}
