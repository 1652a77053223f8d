package money_test

import (
	"encoding/csv"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
)

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

// A manager closes a month by the form. What the exchange changes later stands beside what was
// closed, on the pages and in the files, and adds up to the last digit. The month is reopened only
// with a reason and can be closed again. A viewer only reads.
func TestMonthsAreClosed(t *testing.T) {
	t.Parallel()
	s := site.OpenClosing(t)
	manager, viewer := s.As("mia", access.Manager), s.As("vera", access.Viewer)
	const october = "/months/2026-10"
	for path, want := range map[string]string{"/months": "and can be closed: all 31 days", october: "Close October 2026"} {
		if page := site.Words(manager.Get(path).Body); !strings.Contains(page, want) {
			t.Errorf("%s does not say %q: %s", path, want, page)
		}
	}
	if page := viewer.Get(october).Body; strings.Contains(page, october+"/close") {
		t.Error("a viewer sees the form")
	}
	viewer.Token = manager.Token
	for _, verb := range []string{"/close", "/reopen"} {
		if a := viewer.Post(october+verb, "reason", "x"); a.StatusCode != 403 {
			t.Errorf("a viewer posts %s: status %d", verb, a.StatusCode)
		}
	}
	if a := manager.Post("/months/2026-11/close", "reason", "x", "incomplete", "yes"); a.StatusCode != 409 && a.StatusCode != 400 && a.StatusCode != 422 || !strings.Contains(site.Words(a.Body), "November 2026 is not over") {
		t.Errorf("a month that is not over: status %d: %s", a.StatusCode, site.Words(a.Body))
	}
	before := s.Earned()
	if to := manager.AtOnce(4, 409, october+"/close", "reason", "").Header.Get("Location"); to != october+"?done=closed" {
		t.Fatalf("close: to %s", to)
	}
	if a := manager.Post(october+"/close", "reason", ""); a.StatusCode != 409 && a.StatusCode != 400 || !strings.Contains(site.Words(a.Body), "October 2026 is closed already") {
		t.Errorf("closed twice: status %d: %s", a.StatusCode, site.Words(a.Body))
	}
	page := site.Words(manager.Get(october + "?done=closed").Body)
	for _, want := range []string{"The month is closed.", "October 2026 is closed at", "its sums have not changed since.", "Closed 20 Nov 2026", "by mia", "All 31 days of October 2026 are collected and settled.", "No record of the month has changed since."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %s", want, page)
		}
	}
	if line := s.Audit()[0]; line.Actor != "mia" || !strings.Contains(line.Action, "month") {
		t.Errorf("the audit log says %+v", line)
	}

	s.Restate()
	after, change := s.Earned(), map[string]*big.Rat{}
	for coin, sum := range after {
		if change[coin] = new(big.Rat).Set(sum); before[coin] != nil {
			change[coin].Sub(sum, before[coin])
		}
	}
	for path, file := range map[string]string{"/months.csv": onlyOf(t, manager.Get("/months.csv").Body, "2026-10"), october + ".csv": manager.Get(october + ".csv").Body} {
		alike(t, path+" as closed", columnSums(t, file, "commission_closed"), before)
		alike(t, path+" now", columnSums(t, file, "commission_now"), after)
		alike(t, path+" after close", columnSums(t, file, "after_close"), change)
	}
	var list []monthFile
	var one monthFile
	s.File(manager, "/months.json", &list)
	s.File(manager, october+".json", &one)
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
		if a := manager.Get(path); a.StatusCode != 200 || !slices.ContainsFunc(sheetRows(t, a.Body), func(row []string) bool { return slices.Contains(row, "Commission as closed") }) {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
	}

	// The list offers the files of a month: the workbook of each, the pack of a closed one.
	months := manager.Get("/months").Body
	for _, link := range []string{`href="` + october + `.xlsx`, `href="` + october + `.zip"`, `href="/months/2026-11.xlsx`} {
		if !strings.Contains(months, link) {
			t.Errorf("the list of months has no %s", link)
		}
	}
	if strings.Contains(months, "/months/2026-11.zip") {
		t.Error("the list offers a pack of a month that is not closed")
	}

	since := affiliate.Amount{Value: affiliate.Number(strings.TrimRight(change["USDT"].FloatString(18), "0")).Decimal(), Coin: "USDT"}.String()
	page = site.Words(manager.Get(october).Body)
	for _, want := range []string{"since then it changed by", strings.TrimPrefix(since, "-"), "3 records changed", " late 1 Oct", " changed 1 Oct", " removed 1 Oct"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q: %s", want, page)
		}
	}
	const range_ = "from=2026-10-01&to=2026-10-31"
	then := url.QueryEscape(one.Closing.Known)
	for _, path := range []string{"/", "/commissions"} {
		a := manager.Get(path + "?" + range_)
		if line := site.Said(a.Body, "closed"); !strings.Contains(line, "Closed 20 Nov 2026") || !strings.Contains(line, strings.TrimPrefix(since, "-")) {
			t.Errorf("%s says of the closed month %q", path, line)
		}
		if !regexp.MustCompile(`href="[^"]*as_of=` + regexp.QuoteMeta(then)).MatchString(html.UnescapeString(a.Body)) {
			t.Errorf("%s does not lead to the state %s", path, then)
		}
		if a := manager.Get(path + "?" + range_ + "&as_of=" + then); a.StatusCode != 200 || !strings.Contains(site.Words(a.Body), "It is the state in which October 2026 was closed.") {
			t.Errorf("%s as closed: status %d, %s", path, a.StatusCode, site.Words(a.Body))
		}
	}
	alike(t, "records as closed", columnSums(t, manager.Get("/commissions.csv?"+range_+"&as_of="+then).Body, "commission"), before)

	for _, reason := range []string{"", " ", "a\x1bb"} {
		if a := manager.Post(october+"/reopen", "reason", reason); a.StatusCode != 400 && a.StatusCode != 422 || !strings.Contains(site.Words(a.Body), "reason") {
			t.Errorf("reopened because of %q: status %d, %s", reason, a.StatusCode, site.Words(a.Body))
		}
	}
	if a := manager.Post(october+"/reopen", "reason", "the exchange <corrected> it"); a.StatusCode != 303 || a.Header.Get("Location") != october+"?done=reopened" {
		t.Fatalf("reopen: status %d: %s", a.StatusCode, site.Words(a.Body))
	}
	page = site.Words(manager.Get(october + "?done=reopened").Body)
	for _, want := range []string{"The month is open again.", "the exchange <corrected> it", "Reopened"} {
		if !strings.Contains(page, want) {
			t.Errorf("after reopening the page lacks %q: %s", want, page)
		}
	}
	if line := site.Said(manager.Get("/?"+range_).Body, "closed"); line != "" {
		t.Errorf("the overview still says %q", line)
	}
	// The changed days must be confirmed by another reading before the month is complete.
	if a := manager.Post(october+"/close", "reason", ""); a.StatusCode == 303 || !strings.Contains(site.Words(a.Body), "changed in the last reading") {
		t.Errorf("closed with days that changed: status %d: %s", a.StatusCode, site.Words(a.Body))
	}
	s.CollectAgain()
	if a := manager.Post(october+"/close", "reason", "with the correction"); a.StatusCode != 303 {
		t.Fatalf("close again: status %d: %s", a.StatusCode, site.Words(a.Body))
	}
	s.File(manager, october+".json", &one)
	if len(one.History) != 2 || one.State != "closed" || one.Closing.Reopened != "" {
		t.Errorf("after the second closing: %+v", one)
	}
	alike(t, "closed again", columnSums(t, manager.Get(october+".csv").Body, "commission_closed"), after)
	for path, status := range map[string]int{
		"/months?range=30d": 400, october + "?coin=USDT": 400, "/months/2026-13": 404, "/months/2027-01": 404, "/months/x": 404,
	} {
		if a := manager.Get(path); a.StatusCode != status {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, status)
		}
	}
}
