package collector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/soak"
	"rebatedesk/store/records"
)

// listPath is a list of the exchange, with the name of its list and the time of its records.
type listPath struct {
	kind       affiliate.StreamKind
	path, list string
	time       []string // the names of its time
}

var listPaths = []listPath{
	{affiliate.Commissions, commissionPath, "channelCommissionInfoItems", []string{"dealTime"}},
	{affiliate.Invitees, "/api/v2/rebate/affiliate/getAffiliateUIDs", "channelUserInfoItemList", []string{"registerTime"}},
	{affiliate.SubAffiliates, subAffiliatePath, "records", []string{"date"}},
	{affiliate.SpotBills, "/api/v2/account/bills", "data", []string{"cTime"}},
	{affiliate.FundingBills, "/api/v2/account/fundingBills", "items", []string{"cTime"}},
	{affiliate.Transfers, "/api/v2/account/transferRecords", "data", []string{"tradeTime"}},
}

// damaged answers as the simulator does, but changes the records of a list in its answers.
func (d *fixture) damaged(of listPath, damage func(row map[string]json.RawMessage)) {
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != of.path {
			return false
		}
		recorder := httptest.NewRecorder()
		d.sim.ServeHTTP(recorder, r)
		body := recorder.Body.Bytes()
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(body, &answer); err == nil {
			body = mustJSON(d, damagedIn(d, answer, of.list, damage))
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(recorder.Code)
		if _, err := w.Write(body); err != nil {
			d.Log(err) // the client sees what is missing
		}
		return true
	})
}

func damagedIn(t testing.TB, object map[string]json.RawMessage, list string, damage func(map[string]json.RawMessage)) map[string]json.RawMessage {
	t.Helper()
	for name, value := range object {
		var inner map[string]json.RawMessage
		var rows []map[string]json.RawMessage
		switch {
		case name == list && json.Unmarshal(value, &rows) == nil:
			for _, row := range rows {
				damage(row)
			}
			object[name] = mustJSON(t, rows)
		case name == "data" && json.Unmarshal(value, &inner) == nil:
			object[name] = mustJSON(t, damagedIn(t, inner, list, damage))
		}
	}
	return object
}

func mustJSON(t testing.TB, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// quarantine reads what is in quarantine.
func (d *fixture) quarantine() (lines []records.QuarantineLine) {
	d.Helper()
	r := d.reader()
	defer r.Close()
	for line, err := range records.QuarantineLines(context.Background(), r, records.QuarantineFilter{}) {
		if err != nil {
			d.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// storedOf has a text for each record of a stream that is stored.
func (d *fixture) storedOf(kind affiliate.StreamKind) count[string] {
	d.Helper()
	all := count[string]{}
	switch kind {
	case affiliate.Commissions:
		for c, n := range d.commissions(0) {
			all[fmt.Sprintf("%+v", c)] = n
		}
	case affiliate.Invitees:
		for i, n := range d.invitees() {
			all[fmt.Sprintf("%+v", i)] = n
		}
	case affiliate.SubAffiliates:
		for s, n := range d.subAffiliateDays() {
			all[fmt.Sprintf("%+v", s)] = n
		}
	case affiliate.Transfers:
		for t, n := range d.transfers() {
			all[fmt.Sprintf("%+v", t)] = n
		}
	default:
		for b, n := range d.bills(0) {
			if kindOf(b.Wallet) == kind {
				all[fmt.Sprintf("%+v", b)] = n
			}
		}
	}
	return all
}

// wrongValues are what a field can wrongly be, as JSON.
var wrongValues = []string{`"abc"`, `{"value":"1"}`, `[1]`, `true`, `"NaN"`, `"1E1000000000"`, `"0.1234567890123456789"`, `"` + strings.Repeat("9", 300) + `"`, `"a\u0000b"`}

// Each field of each list, made unreadable in one record by each kind of wrong value, costs this
// record alone: all others are stored, it is named with field, value and reason, its day is
// incomplete and no other, and it heals as soon as the exchange sends it right.
func TestSoakOneBadRecordHidesNoOther(t *testing.T) {
	onlyAtFullSize(t)
	fields := map[affiliate.StreamKind][]string{
		affiliate.Commissions:   {"uid", "dealTime", "symbol", "sourceType", "coin", "takerAmount", "makerAmount", "fee", "rate", "commission"},
		affiliate.Invitees:      {"uid", "registerTime", "kycResult", "inviteCode", "firstDeposit", "firstTrade"},
		affiliate.SubAffiliates: {"subAffiliateUid", "productType", "date", "tradingVolume", "netTradingFee", "paidCommission"},
		affiliate.SpotBills:     {"billId", "bizType", "deltaAmount", "cTime"},
		affiliate.FundingBills:  {"billId", "bizType", "deltaAmount", "cTime"},
		affiliate.Transfers:     {"coinName", "amount", "tradeTime"},
	}
	for _, of := range listPaths {
		for n, field := range fields[of.kind] {
			for m, wrong := range wrongValues {
				if !soak.Long() && (n+m)%5 != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%.20s", of.kind, field, wrong), func(t *testing.T) { badRecord(t, of, field, wrong) })
			}
		}
	}
}

func badRecord(t *testing.T, of listPath, field, wrong string) {
	d := newFixture(t, simulator.Options{Seed: 5, Days: 6, Invitees: 60, Records: 300})
	d.run(collector.RunRequest{})
	truth := d.storedOf(of.kind)
	if len(truth) < 3 {
		t.Fatal("the simulator has too few records of this kind to damage one")
	}

	e := newFixture(t, simulator.Options{Seed: 5, Days: 6, Invitees: 60, Records: 300})
	var victim string // its time, as received
	id := ""
	e.damaged(of, func(row map[string]json.RawMessage) {
		if _, has := row[field]; !has {
			return
		}
		whole := string(mustJSON(t, row))
		if id == "" {
			id, victim = whole, strings.Trim(string(row[of.time[0]]), `"`)
		}
		if whole == id {
			row[field] = json.RawMessage(wrong)
		}
	})
	report, err := e.Collect(t.Context(), collector.RunRequest{})
	if id == "" {
		t.Fatal("no record has the field")
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.DeleteFunc(e.quarantine(), func(l records.QuarantineLine) bool { return l.Spared })
	if field == "date" && len(lines) == 2 {
		// A day of sub-affiliates is asked for with its neighbours: a record without a day may be
		// of either.
		if lines[0].Day != lines[1].Day+1 || lines[0].Field != field {
			t.Errorf("in quarantine: %+v", lines)
		}
		e.answers(nil)
		e.run(collector.RunRequest{})
		equal(t, "after the exchange sent it right", e.storedOf(of.kind), truth)
		return
	}
	if len(lines) == 0 {
		// The value can be read in this field, such as any word for a pair.
		if !report.Complete {
			t.Fatalf("nothing is in quarantine, and the run is %+v", report)
		}
		return
	}
	day := dayOfTime(t, victim)
	if len(lines) != 1 || lines[0].Field != field || lines[0].Value != affiliate.Shortened(wrong, affiliate.MostOfValue) ||
		lines[0].Reason == "" || lines[0].Day != day || !strings.Contains(lines[0].Record, `"`+field+`"`) {
		t.Fatalf("in quarantine: %+v, want %s of %s", lines, field, day)
	}
	if report.Complete || len(report.Incomplete) != 1 || report.Incomplete[0].From != day.String() || report.Incomplete[0].To != day.String() || !strings.Contains(report.Incomplete[0].Error, field) {
		t.Errorf("incomplete: %+v, want %s", report.Incomplete, day)
	}
	if run := e.lastRun(); run.Quarantined != 1 {
		t.Errorf("the run has %d records in quarantine", run.Quarantined)
	}
	got := e.storedOf(of.kind)
	missing, extra := 0, 0
	for record, n := range truth {
		missing += max(0, n-got[record])
	}
	for record, n := range got {
		extra += max(0, n-truth[record])
	}
	if missing != 1 || extra != 0 {
		t.Errorf("%d good records are missing and %d are wrong", missing-1, extra)
	}
	for _, c := range e.coverage() {
		if bad := c.Stream.Kind == of.kind && c.Day == day && c.Stream.Product == lines[0].Stream.Product; bad != (c.Quarantined > 0) || bad && (c.Whole() || c.Error == "") {
			t.Errorf("coverage of %s %s: %+v", c.Stream, c.Day, c)
		}
	}

	e.answers(nil)
	e.run(collector.RunRequest{})
	equal(t, "after the exchange sent it right", e.storedOf(of.kind), truth)
	if lines := e.quarantine(); len(lines) != 0 {
		t.Errorf("still in quarantine: %+v", lines)
	}
	for _, c := range e.coverage() {
		if c.Quarantined > 0 {
			t.Errorf("coverage of %s %s: %+v", c.Stream, c.Day, c)
		}
	}
}

func dayOfTime(t *testing.T, text string) affiliate.Day {
	t.Helper()
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return affiliate.DayOf(affiliate.Millis(ms).Time(), time.UTC)
	}
	day, err := affiliate.ParseDay(text)
	if err != nil {
		t.Fatal(err)
	}
	return day
}

// A field that no figure needs costs nothing: the record counts, no day is incomplete, what was
// known of the field stays, and the field is named.
func TestSparedFieldsCostNothing(t *testing.T) {
	onlyAtFullSize(t)
	for _, c := range []struct {
		kind  affiliate.StreamKind
		field string
	}{
		{affiliate.Invitees, "lastTrade"}, {affiliate.Invitees, "lastDeposit"},
		{affiliate.SpotBills, "afterAmount"}, {affiliate.SpotBills, "fees"}, {affiliate.FundingBills, "afterAmount"}, {affiliate.FundingBills, "fees"},
	} {
		t.Run(string(c.kind)+" "+c.field, func(t *testing.T) {
			d := newFixture(t, simulator.Options{Seed: 5, Days: 6, Invitees: 60, Records: 300})
			d.run(collector.RunRequest{})
			before := d.invitees()
			of := listPaths[slices.IndexFunc(listPaths, func(l listPath) bool { return l.kind == c.kind })]
			d.damaged(of, func(row map[string]json.RawMessage) {
				if _, has := row[c.field]; has {
					row[c.field] = json.RawMessage(`"0.1234567890123456789"`)
				}
			})
			d.clock.advance(time.Hour)
			d.run(collector.RunRequest{Since: everything.First})
			lines := d.quarantine()
			if len(lines) == 0 || slices.ContainsFunc(lines, func(l records.QuarantineLine) bool { return !l.Spared || l.Field != c.field }) {
				t.Errorf("in quarantine: %+v", lines)
			}
			if c.kind == affiliate.Invitees {
				for i := range before {
					if d.invitees()[i] == 0 && (c.field == "lastTrade" && i.LastTrade.Known() || c.field == "lastDeposit" && i.LastDeposit.Known()) {
						t.Fatalf("what was known of %+v is gone", i)
					}
				}
			}
		})
	}
}

// What was known of a record stays while the exchange sends it unreadable: an unreadable answer
// closes no row.
func TestUnreadableAnswerKeepsTheLastGoodState(t *testing.T) {
	onlyAtFullSize(t)
	for _, of := range listPaths {
		for _, field := range map[affiliate.StreamKind][]string{
			affiliate.Commissions: {"commission", "uid", "dealTime"}, affiliate.Invitees: {"kycResult", "uid"}, affiliate.SubAffiliates: {"paidCommission", "date"},
			affiliate.SpotBills: {"deltaAmount", "billId", "cTime"}, affiliate.FundingBills: {"deltaAmount"}, affiliate.Transfers: {"amount"},
		}[of.kind] {
			t.Run(string(of.kind)+" "+field, func(t *testing.T) {
				d := newFixture(t, simulator.Options{Seed: 5, Days: 6, Invitees: 60, Records: 300})
				d.run(collector.RunRequest{})
				truth := d.storedOf(of.kind)
				id := ""
				d.damaged(of, func(row map[string]json.RawMessage) {
					whole := string(mustJSON(t, row))
					if _, has := row[field]; has && id == "" {
						id = whole
					}
					if whole == id {
						row[field] = json.RawMessage(`{"not":"this"}`)
					}
				})
				report, err := d.Collect(t.Context(), collector.RunRequest{Since: affiliate.DayOf(start, time.UTC) - 5, Kinds: []affiliate.StreamKind{of.kind}})
				if err != nil || report.Complete || report.Closed != 0 {
					t.Errorf("report %+v (%v)", report, err)
				}
				if got := d.storedOf(of.kind); !maps.Equal(got, truth) {
					equal(t, "with an unreadable record", got, truth)
				}
				if lines := d.quarantine(); len(lines) == 0 || len(lines) > 1 && field != "date" || lines[0].Field != field {
					t.Errorf("in quarantine: %+v", lines)
				}
			})
		}
	}
}

// A whole list in a form that is not known fills neither memory nor database: of each day the first
// records are kept, the others are counted. The run and the coverage say of each day how many they are.
func TestQuarantineIsBounded(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 3, Invitees: 200, Records: 4000})
	d.damaged(listPaths[0], func(row map[string]json.RawMessage) { row["fee"] = json.RawMessage(`"1,5"`) })
	report, err := d.Collect(t.Context(), collector.RunRequest{Kinds: []affiliate.StreamKind{affiliate.Commissions}})
	if err != nil || report.Complete || len(d.commissions(0)) != 0 {
		t.Fatalf("report %+v (%v)", report, err)
	}
	truth, all := map[string]int{}, d.sim.Ledger().Commissions
	name := func(product affiliate.Product, day string) string { return string(product) + " " + day }
	for _, c := range all {
		truth[name(c.Product, affiliate.DayOf(c.DealTime.Time(), time.UTC).String())]++
	}
	kept, counted := map[string]int{}, map[string]int{}
	for _, l := range d.quarantine() {
		kept[name(l.Stream.Product, l.Day.String())]++
		counted[name(l.Stream.Product, l.Day.String())] += l.Copies
	}
	for day, lines := range kept {
		if lines > 51 {
			t.Errorf("%s has %d lines", day, lines)
		}
	}
	if !maps.Equal(counted, truth) || d.lastRun().Quarantined != int64(len(all)) {
		t.Errorf("%v are in quarantine and %d in the run, want %v, %d in all", counted, d.lastRun().Quarantined, truth, len(all))
	}
	words := func(day string) string {
		return fmt.Sprintf("%d records could not be read, one of them since fee ", truth[day])
	}
	for _, i := range report.Incomplete {
		if day := name(i.Product, i.From); i.From != i.To || !strings.HasPrefix(i.Error, words(day)) {
			t.Errorf("the run says of %s: %+v, want %q", day, i, words(day))
		}
	}
	if len(report.Incomplete) != len(truth) {
		t.Errorf("%d days are incomplete, want %d", len(report.Incomplete), len(truth))
	}
	for _, c := range d.coverage() {
		if day := name(c.Stream.Product, c.Day.String()); c.Quarantined != truth[day] || c.Quarantined > 0 && !strings.HasPrefix(c.Error, words(day)) {
			t.Errorf("the coverage of %s has %d: %q, want %q", day, c.Quarantined, c.Error, words(day))
		}
	}
}

// tiedAnswer serves n records of one instant from one list, in an order that differs by page or by
// call.
type tiedAnswer struct {
	of     listPath
	rows   []string
	at     int64
	order  func(page int, rows []string)
	served int
}

func (a *tiedAnswer) answer(t testing.TB, w http.ResponseWriter, r *http.Request) bool {
	if r.URL.Path != a.of.path {
		return false
	}
	ask := map[string]int64{}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	var given map[string]any
	if len(body) > 0 {
		if err := json.Unmarshal(body, &given); err != nil {
			t.Error(err)
		}
	}
	for name, values := range r.URL.Query() {
		given = maps.Clone(given)
		if given == nil {
			given = map[string]any{}
		}
		given[name] = values[0]
	}
	for name, value := range given {
		ask[name], _ = strconv.ParseInt(fmt.Sprintf("%.0f", number(value)), 10, 64)
	}
	rows := slices.Clone(a.rows)
	if a.at < ask["startTime"] || a.at > ask["endTime"] || given["productType"] == "FUTURES" {
		rows = nil
	}
	page := int(max(ask["page"], ask["pageNum"], ask["pageIndex"], 1))
	size := min(int(max(ask["pageSize"], 1)), 100)
	a.order(page, rows)
	a.served++
	total := len(rows)
	rows = rows[min((page-1)*size, total):min(page*size, total)]
	w.Header().Set("Content-Type", "application/json")
	if _, err := fmt.Fprintf(w, `{"code":"200","timestamp":%d,"data":{"pages":%d,"pageSize":%d,"total":%d,%q:[%s]}}`, start.UnixMilli(), (total+size-1)/size, size, total, a.of.list, strings.Join(rows, ",")); err != nil {
		t.Log(err)
	}
	return true
}

func number(value any) float64 {
	switch v := value.(type) {
	case float64:
		return v
	case string:
		n, _ := strconv.ParseFloat(v, 64)
		return n
	}
	return 0
}

// 250 records of one time on each list with pages, ordered differently on odd and even pages, or at
// each call: what is called complete is right.
func TestTiedRecordsAreNeverLostOrDoubled(t *testing.T) {
	at := start.Add(-36 * time.Hour).UnixMilli()
	rows := map[affiliate.StreamKind]func(i int) string{
		affiliate.Commissions: func(i int) string {
			return fmt.Sprintf(`{"uid":"%d","dealTime":"%d","coin":"USDT","fee":"1","commission":"0.1","symbol":"BTCUSDT","sourceType":1}`, 1000+i, at)
		},
		affiliate.Invitees: func(i int) string {
			return fmt.Sprintf(`{"uid":"%d","registerTime":"%d","inviteCode":"a"}`, 1000+i, at)
		},
		affiliate.SubAffiliates: func(i int) string {
			return fmt.Sprintf(`{"subAffiliateUid":"%d","productType":"SPOT","date":"%s","tradingVolume":"1","netTradingFee":"1","paidCommission":"0.1"}`, 1000+i, time.UnixMilli(at).UTC().Format(time.DateOnly))
		},
		affiliate.FundingBills: func(i int) string {
			return fmt.Sprintf(`{"billId":"%d","coinId":"2","coinName":"USDT","bizType":"transfer_in","deltaAmount":"1","afterAmount":"1","fees":"0","cTime":"%d"}`, 1000+i, at)
		},
	}
	for _, of := range listPaths {
		row, paged := rows[of.kind]
		if !paged {
			continue
		}
		for name, order := range map[string]func(page int, rows []string){
			"opposite on even pages": func(page int, rows []string) {
				if page%2 == 0 {
					slices.Reverse(rows)
				}
			},
			"turned by page": func(page int, rows []string) {
				if n := len(rows); n > 0 {
					by := (page - 1) * 60 % n
					copy(rows, slices.Concat(rows[by:], rows[:by]))
				}
			},
		} {
			t.Run(string(of.kind)+" "+name, func(t *testing.T) {
				d := newFixture(t, simulator.Options{Seed: 1, Days: 5, Invitees: 20, Records: 50})
				a := &tiedAnswer{of: of, at: at, order: order}
				if of.kind == affiliate.SubAffiliates {
					a.at = affiliate.DayOf(time.UnixMilli(at), time.UTC).Start(time.UTC).UnixMilli()
				}
				for i := range 250 {
					a.rows = append(a.rows, row(i))
				}
				d.answers(func(w http.ResponseWriter, r *http.Request) bool { return a.answer(t, w, r) })
				report, err := d.Collect(t.Context(), collector.RunRequest{Kinds: []affiliate.StreamKind{of.kind}})
				if err != nil {
					t.Fatal(err)
				}
				stored := d.storedOf(of.kind)
				total := 0
				for _, n := range stored {
					total += n
				}
				t.Logf("complete %v with %d records, %d distinct, in %d requests", report.Complete, total, len(stored), a.served)
				if report.Complete && (total != 250 || len(stored) != 250) {
					t.Errorf("complete with %d records, %d distinct, want 250", total, len(stored))
				}
				if !report.Complete {
					day := time.UnixMilli(at).UTC().Format(time.DateOnly)
					if total != 0 || len(report.Incomplete) != 1 || report.Incomplete[0].From != day || report.Incomplete[0].To != day || !strings.Contains(report.Incomplete[0].Error, "differently from page to page") {
						t.Errorf("incomplete with %d records: %+v", total, report.Incomplete)
					}
				}
				if name == "opposite on even pages" && !report.Complete {
					t.Error("other page sizes prove all of them, and it is not complete")
				}
			})
		}
	}
}
