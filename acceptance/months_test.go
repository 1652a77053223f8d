package acceptance_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/web"
)

// closingSite is a site over a programme whose records the simulator can change.
type closingSite struct {
	*site
	exchange *pipeline
}

// openClosing opens a site whose programme was collected over all of October.
func openClosing(t *testing.T) *closingSite {
	t.Helper()
	return openClosingOf(t, simulator.Options{Seed: 7, Days: 55, Invitees: 30, Records: 700})
}

// openClosingOf opens a site over any programme, collected up to now.
func openClosingOf(t *testing.T, options simulator.Options) *closingSite {
	t.Helper()
	path := copied(t, fmt.Sprintf("closing %+v", options), func(t testing.TB, path string) {
		f, end := openPipelineAt(t, path, time.UTC, options)
		f.collect()
		end()
	})
	f, end := openPipelineAt(t, path, time.UTC, options)
	t.Cleanup(end)
	o := &site{TB: t, clock: &clock{at: now}, path: path}
	key := secret.NewKey()
	var err error
	if o.store, err = store.Open(context.Background(), path, store.Options{AuditKey: key.Derive("audit"), Zone: time.UTC, Now: o.now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.store.Close(); err != nil {
			t.Error(err)
		}
	})
	o.access = access.NewForTests(access.Options{Store: o.store, Box: key.Box(), Now: o.now})
	service := reports.New(o.store, o.now)
	o.address, o.server = serve(t, web.Options{Reports: service, Desk: service, Access: o.access, Collect: nothing})
	return &closingSite{o, f}
}

// restate lets the exchange list a record of October late, change one and take one back, and
// collects again an hour later.
func (s *closingSite) restate() {
	s.Helper()
	sim := s.exchange.sim
	list := slices.DeleteFunc(sim.Ledger().Commissions, func(c affiliate.Commission) bool { return !inOctober(c) || c.Coin != "USDT" })
	late := list[0]
	late.DealTime, late.Fee, late.Commission = late.DealTime+60_000, "7.3", "1.000000000000000001"
	if !sim.Remove(list[1]) || sim.Revise(func(c affiliate.Commission) bool { return c == list[2] }, func(c *affiliate.Commission) { c.Commission = "0.000000000000000003" }) != 1 {
		s.Fatal("the exchange did not change")
	}
	sim.Insert(late)
	s.collectAgain()
}

func (s *closingSite) collectAgain() {
	s.Helper()
	s.pass(time.Hour)
	s.exchange.clock.Store(s.now().UnixMilli())
	s.exchange.collect()
	s.pass(time.Minute)
	s.exchange.clock.Store(s.now().UnixMilli())
}

func inOctober(c affiliate.Commission) bool {
	return closed.Contains(affiliate.DayOf(c.DealTime.Time(), time.UTC))
}

var closed = affiliate.Days{First: affiliate.NewDay(2026, 10, 1), Last: affiliate.NewDay(2026, 10, 31)}

// earned adds up the commission that the exchange has for October, by coin.
func (s *closingSite) earned() map[string]*big.Rat {
	s.Helper()
	sums := map[string]*big.Rat{}
	for _, c := range s.exchange.sim.Ledger().Commissions {
		if !inOctober(c) {
			continue
		}
		value, ok := new(big.Rat).SetString(string(c.Commission))
		if !ok {
			s.Fatalf("%q is no number", c.Commission)
		}
		if sums[string(c.Coin)] == nil {
			sums[string(c.Coin)] = new(big.Rat)
		}
		sums[string(c.Coin)].Add(sums[string(c.Coin)], value)
	}
	return sums
}

// alike compares sums by coin; a coin that is missing is 0.
func alike(t *testing.T, what string, got, want map[string]*big.Rat) {
	t.Helper()
	for _, sums := range []map[string]*big.Rat{got, want} {
		for coin := range sums {
			a, b := got[coin], want[coin]
			if a == nil || b == nil || a.Cmp(b) != 0 {
				t.Errorf("%s: %s is %v, want %v", what, coin, a, b)
			}
		}
	}
	if len(want) == 0 {
		t.Errorf("%s: no coin", what)
	}
}

// onlyOf returns a file with the lines of one month only.
func onlyOf(t *testing.T, content, month string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%.300q: %v", content, err)
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	for i, row := range rows {
		if i == 0 || row[0] == month {
			if err := w.Write(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Flush()
	return out.String()
}

// sheetRows are the rows of all sheets of a workbook.
func sheetRows(t *testing.T, content string) (rows [][]string) {
	t.Helper()
	file, err := excelize.OpenReader(strings.NewReader(content))
	if err != nil {
		t.Fatalf("%.100q: %v", content, err)
	}
	for _, sheet := range file.GetSheetList() {
		of, err := file.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, of...)
	}
	return rows
}

// monthFile is what the JSON of a month says that the test compares.
type monthFile struct {
	Month, State string
	Closing      *struct {
		Known    string `json:"known_utc"`
		Actor    string `json:"closed_by"`
		Reopened string `json:"reopened_utc"`
	}
	Coins []struct {
		Coin, Commission string
		Closed           string `json:"commission_closed"`
		After            string `json:"after_close"`
	}
	History []any `json:"closings"`
}

func (s *closingSite) file(v *visitor, path string, into any) {
	s.Helper()
	a := v.get(path)
	if err := json.Unmarshal([]byte(a.body), into); err != nil || a.StatusCode != 200 {
		s.Fatalf("%s: status %d, %v: %.300s", path, a.StatusCode, err, a.body)
	}
}

// A manager closes a month by the form. What the exchange changes later stands beside what was
// closed, on the pages and in the files, and adds up to the last digit. The month is reopened only
// with a reason and can be closed again. A viewer only reads.
func TestMonthsAreClosed(t *testing.T) {
	t.Parallel()
	s := openClosing(t)
	manager, viewer := s.as("mia", access.Manager), s.as("vera", access.Viewer)
	const october = "/months/2026-10"
	for path, want := range map[string]string{"/months": "October 2026 can be closed", october: "Close October 2026"} {
		if page := words(manager.get(path).body); !strings.Contains(page, want) {
			t.Errorf("%s does not say %q: %s", path, want, page)
		}
	}
	if page := viewer.get(october).body; strings.Contains(page, october+"/close") {
		t.Error("a viewer sees the form")
	}
	viewer.token = manager.token
	for _, verb := range []string{"/close", "/reopen"} {
		if a := viewer.post(october+verb, "reason", "x"); a.StatusCode != 403 {
			t.Errorf("a viewer posts %s: status %d", verb, a.StatusCode)
		}
	}
	if a := manager.post("/months/2026-11/close", "reason", "x", "incomplete", "yes"); a.StatusCode != 409 && a.StatusCode != 400 && a.StatusCode != 422 || !strings.Contains(words(a.body), "November 2026 is not over") {
		t.Errorf("a month that is not over: status %d: %s", a.StatusCode, words(a.body))
	}
	before := s.earned()
	if to := manager.atOnce(4, 409, october+"/close", "reason", "").Header.Get("Location"); to != october+"?done=closed" {
		t.Fatalf("close: to %s", to)
	}
	if a := manager.post(october+"/close", "reason", ""); a.StatusCode != 409 && a.StatusCode != 400 || !strings.Contains(words(a.body), "October 2026 is closed already") {
		t.Errorf("closed twice: status %d: %s", a.StatusCode, words(a.body))
	}
	page := words(manager.get(october + "?done=closed").body)
	for _, want := range []string{"The month is closed.", "October 2026 is closed at", "its sums have not changed since.", "Closed 20 Nov 2026", "by mia", "All 31 days of October 2026 are collected and settled.", "No record of the month has changed since."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %s", want, page)
		}
	}
	if line := s.audit()[0]; line.Actor != "mia" || !strings.Contains(line.Action, "month") {
		t.Errorf("the audit log says %+v", line)
	}

	s.restate()
	after, change := s.earned(), map[string]*big.Rat{}
	for coin, sum := range after {
		if change[coin] = new(big.Rat).Set(sum); before[coin] != nil {
			change[coin].Sub(sum, before[coin])
		}
	}
	for path, file := range map[string]string{"/months.csv": onlyOf(t, manager.get("/months.csv").body, "2026-10"), october + ".csv": manager.get(october + ".csv").body} {
		alike(t, path+" as closed", columnSums(t, file, "commission_closed"), before)
		alike(t, path+" now", columnSums(t, file, "commission_now"), after)
		alike(t, path+" after close", columnSums(t, file, "after_close"), change)
	}
	var list []monthFile
	var one monthFile
	s.file(manager, "/months.json", &list)
	s.file(manager, october+".json", &one)
	for i := range list {
		if list[i].Month == "2026-10" {
			list[0] = list[i]
		}
	}
	for path, file := range map[string]monthFile{"/months.json": list[0], october + ".json": one} {
		got := [3]map[string]*big.Rat{{}, {}, {}}
		for _, coin := range file.Coins {
			for i, text := range []string{coin.Closed, coin.Commission, coin.After} {
				got[i][coin.Coin], _ = new(big.Rat).SetString(text)
			}
		}
		alike(t, path+" as closed", got[0], before)
		alike(t, path+" now", got[1], after)
		alike(t, path+" after close", got[2], change)
		if file.State != "closed" || file.Closing == nil || file.Closing.Actor != "mia" {
			t.Errorf("%s: %+v", path, file)
		}
	}
	for _, path := range []string{"/months.xlsx", october + ".xlsx"} {
		if a := manager.get(path); a.StatusCode != 200 || !slices.ContainsFunc(sheetRows(t, a.body), func(row []string) bool { return slices.Contains(row, "commission_closed") }) {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
	}

	// The list offers the files of a month: the workbook of each, the pack of a closed one.
	months := manager.get("/months").body
	for _, link := range []string{`href="` + october + `.xlsx`, `href="` + october + `.zip"`, `href="/months/2026-11.xlsx`} {
		if !strings.Contains(months, link) {
			t.Errorf("the list of months has no %s", link)
		}
	}
	if strings.Contains(months, "/months/2026-11.zip") {
		t.Error("the list offers a pack of a month that is not closed")
	}

	since := affiliate.Amount{Value: affiliate.Number(strings.TrimRight(change["USDT"].FloatString(18), "0")).Decimal(), Coin: "USDT"}.String()
	page = words(manager.get(october).body)
	for _, want := range []string{"since then it changed by", strings.TrimPrefix(since, "-"), "3 records changed", " late 1 Oct", " changed 1 Oct", " removed 1 Oct"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %s", want, page)
		}
	}
	const range_ = "from=2026-10-01&to=2026-10-31"
	then := url.QueryEscape(one.Closing.Known)
	for _, path := range []string{"/", "/commissions"} {
		a := manager.get(path + "?" + range_)
		if line := said(a.body, "closed"); !strings.Contains(line, "Closed 20 Nov 2026") || !strings.Contains(line, strings.TrimPrefix(since, "-")) {
			t.Errorf("%s says of the closed month %q", path, line)
		}
		if !regexp.MustCompile(`href="[^"]*as_of=` + regexp.QuoteMeta(then)).MatchString(html.UnescapeString(a.body)) {
			t.Errorf("%s does not lead to the state %s", path, then)
		}
		if a := manager.get(path + "?" + range_ + "&as_of=" + then); a.StatusCode != 200 || !strings.Contains(words(a.body), "It is the state in which October 2026 was closed.") {
			t.Errorf("%s as closed: status %d, %s", path, a.StatusCode, words(a.body))
		}
	}
	alike(t, "records as closed", columnSums(t, manager.get("/commissions.csv?"+range_+"&as_of="+then).body, "commission"), before)

	for _, reason := range []string{"", " ", "a\x1bb"} {
		if a := manager.post(october+"/reopen", "reason", reason); a.StatusCode != 400 && a.StatusCode != 422 || !strings.Contains(words(a.body), "reason") {
			t.Errorf("reopened because of %q: status %d, %s", reason, a.StatusCode, words(a.body))
		}
	}
	if a := manager.post(october+"/reopen", "reason", "the exchange <corrected> it"); a.StatusCode != 303 || a.Header.Get("Location") != october+"?done=reopened" {
		t.Fatalf("reopen: status %d: %s", a.StatusCode, words(a.body))
	}
	page = words(manager.get(october + "?done=reopened").body)
	for _, want := range []string{"The month is open again.", "the exchange <corrected> it", "Reopened"} {
		if !strings.Contains(page, want) {
			t.Errorf("after reopening the page lacks %q: %s", want, page)
		}
	}
	if line := said(manager.get("/?"+range_).body, "closed"); line != "" {
		t.Errorf("the overview still says %q", line)
	}
	// The changed days must be confirmed by another reading before the month is complete.
	if a := manager.post(october+"/close", "reason", ""); a.StatusCode == 303 || !strings.Contains(words(a.body), "changed in the last reading") {
		t.Errorf("closed with days that changed: status %d: %s", a.StatusCode, words(a.body))
	}
	s.collectAgain()
	if a := manager.post(october+"/close", "reason", "with the correction"); a.StatusCode != 303 {
		t.Fatalf("close again: status %d: %s", a.StatusCode, words(a.body))
	}
	s.file(manager, october+".json", &one)
	if len(one.History) != 2 || one.State != "closed" || one.Closing.Reopened != "" {
		t.Errorf("after the second closing: %+v", one)
	}
	alike(t, "closed again", columnSums(t, manager.get(october+".csv").body, "commission_closed"), after)
	for path, status := range map[string]int{
		"/months?range=30d": 400, october + "?coin=USDT": 400, "/months/2026-13": 404, "/months/2027-01": 404, "/months/x": 404,
	} {
		if a := manager.get(path); a.StatusCode != status {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, status)
		}
	}
}
