package bitget_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange"
	"rebatedesk/exchange/bitget"
	"rebatedesk/exchange/bitget/simulator"
	"rebatedesk/exchange/simulated"
)

// scripted answers each call with what a test says, behind a positive envelope.
type scripted struct {
	mu     sync.Mutex
	calls  []string
	body   string // of the last call
	query  string // of the last call
	status int
	answer func(path, cursor string) string // a whole body
}

func (s *scripted) Credentials() (key, secret, passphrase string) { return "key", "secret", "phrase" }

func (s *scripted) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		body, _ := io.ReadAll(r.Body) // a call that is cut has the wrong body
		s.body, s.query = string(body), r.URL.RawQuery
		w.Header().Set("Content-Type", "application/json")
		s.calls = append(s.calls, r.URL.Path)
		if s.status != 0 && !strings.HasSuffix(r.URL.Path, "/time") {
			w.WriteHeader(s.status)
		}
		_, _ = fmt.Fprint(w, s.answer(r.URL.Path, r.URL.Query().Get("idLessThan"))) // a client that is gone
	})
}

func positive(data string) string {
	return `{"code":"00000","msg":"success","requestTime":1782864000123,"data":` + data + `}`
}

// read reads ten days of a stream from an exchange that sends these pages of a list, each by the cursor of the one before.
func read(t *testing.T, kind affiliate.StreamKind, pages ...string) (exchange.Records, error) {
	t.Helper()
	sim := &scripted{answer: func(_, cursor string) string {
		at := 0
		if cursor != "" {
			_, _ = fmt.Sscan(cursor, &at)
		}
		return positive(pages[min(at, len(pages)-1)])
	}}
	d := collectortest.New(t, collectortest.NewClock(start), sim, bitget.New)
	return d.Client.Collect(t.Context(), exchange.Window{Stream: affiliate.Stream{Kind: kind}, Now: start,
		Days: affiliate.Days{First: affiliate.NewDay(2026, 6, 25), Last: affiliate.NewDay(2026, 6, 30)}})
}

const row = `{"uid":987654321987654321,"date":1782662400000,"coin":"USDT","symbol":"BTCUSDT","productType":"USDT-FUTURES","dealAmount":"1000.10","fee":"9","feePaid":0.600000000000000001,"rebateAmount":"-0.123456789012345678","totalRebateAmount":"77"}`

// Digits stay as they stand, equal rows are two, and a row that cannot be read is kept apart.
func TestRows(t *testing.T) {
	got, err := read(t, affiliate.Commissions,
		`{"endId":"1","commissionList":[`+row+`]}`,
		`{"endId":2,"commissionList":[`+row+`,`+strings.Replace(row, `"-0.123456789012345678"`, `"much"`, 1)+`,`+strings.Replace(row, "987654321987654321", "null", 1)+`]}`,
		`{"endId":"2","commissionList":[]}`)
	c := got.Commissions
	if err != nil || len(c.Records) != 2 || len(c.Quarantined) != 2 {
		t.Fatalf("%d records, %d apart, %v", len(c.Records), len(c.Quarantined), err)
	}
	if c.Records[0] != c.Records[1] {
		t.Errorf("equal rows differ: %+v", c.Records)
	}
	r := c.Records[0]
	if r.UID != "987654321987654321" || r.Commission != "-0.123456789012345678" || r.Fee != "0.600000000000000001" || r.TakerAmount.Canonical() != "1000.1" ||
		r.MakerAmount != "" || r.Rate != "" || r.Source != affiliate.Direct || r.Product != "USDT-FUTURES" || r.DealTime.String() != "2026-06-28T16:00:00.000Z" {
		t.Errorf("the row is %+v", r)
	}
}

// A list ends where the exchange says so, in each form; what is no list is an error and never empty.
func TestEnds(t *testing.T) {
	for name, last := range map[string]string{"empty": `{"endId":"1","commissionList":[]}`, "null": `{"endId":null,"commissionList":null}`, "absent": `{}`, "nothing": `null`} {
		got, err := read(t, affiliate.Commissions, `{"endId":"1","commissionList":[`+row+`]}`, last)
		if err != nil || len(got.Commissions.Records) != 1 {
			t.Errorf("%s: %d records, %v", name, len(got.Commissions.Records), err)
		}
	}
	for name, end := range map[string]string{"no cursor": "", "empty cursor": `"endId":"",`, "null cursor": `"endId":null,`} {
		got, err := read(t, affiliate.Commissions, `{`+end+`"commissionList":[`+row+`]}`)
		if err != nil || len(got.Commissions.Records) != 1 {
			t.Errorf("%s: %d records, %v", name, len(got.Commissions.Records), err)
		}
	}
	for name, wrong := range map[string]string{"text": `{"endId":"1","commissionList":"none"}`, "other text": `"none"`} {
		if got, err := read(t, affiliate.Commissions, `{"endId":"1","commissionList":[`+row+`]}`, wrong); err == nil {
			t.Errorf("%s is read as %d records", name, len(got.Commissions.Records))
		}
	}
}

// What a row does not tell is unknown, and never zero.
func TestUnknownStaysEmpty(t *testing.T) {
	for _, one := range []string{
		`{"uid":"5","date":"2026-06-29","coin":"USDT","rebateAmount":"1.50"}`,
		`{"uid":"5","date":"2026-06-29","coin":"USDT","symbol":null,"productType":null,"dealAmount":null,"feePaid":null,"rebateAmount":1.50}`,
		`{"uid":5,"date":"1782662400000","coin":"USDT","symbol":"","productType":"","dealAmount":"","feePaid":"","rebateAmount":"1.50"}`,
	} {
		got, err := read(t, affiliate.Commissions, `{"endId":"","commissionList":[`+one+`]}`)
		c := got.Commissions
		if err != nil || len(c.Records) != 1 {
			t.Fatalf("%s: %d records, %d apart, %v", one, len(c.Records), len(c.Quarantined), err)
		}
		r := c.Records[0]
		if r.TakerAmount != "" || r.MakerAmount != "" || r.Fee != "" || r.Rate != "" || r.Symbol != "" || r.Product != "" || r.UID != "5" || r.Commission.Canonical() != "1.5" {
			t.Errorf("%s is read as %+v", one, r)
		}
	}
}

// Only what is settled is paid, added up to the last digit by period, coin and kind; a state that is not known is kept apart.
func TestSettlements(t *testing.T) {
	one := func(status, direct, sub string) string {
		return fmt.Sprintf(`{"uid":"1","coin":"USDT","directCommission":%q,"subCommission":%q,"status":%q,"startCalculationTime":"1782576000000","endCalculationTime":"1782662400000"}`, direct, sub, status)
	}
	got, err := read(t, affiliate.Payouts, `{"endId":"1","commissionList":[`+strings.Join([]string{one("settled", "0.100000000000000001", "2"), one("settled", "0.2", "0.5"),
		one("unsettled", "50", "50"), one("notIssued", "60", ""), one("unsettled", "", ""), one("", "70", "0"), one("paused", "80", "0")}, ",")+`]}`, `{"endId":"1","commissionList":[]}`)
	var bills []string
	for _, b := range got.Bills.Records {
		bills = append(bills, strings.Join([]string{b.ID, string(b.Wallet), b.Business, string(b.Amount), b.Created.String()}, " "))
	}
	const period = "/2026-06-27T16:00:00.000Z/2026-06-28T16:00:00.000Z/USDT payouts "
	want := []string{"direct" + period + "direct 0.300000000000000001 2026-06-28T16:00:00.000Z", "sub" + period + "sub 2.5 2026-06-28T16:00:00.000Z"}
	if err != nil || !slices.Equal(bills, want) || len(got.Bills.Quarantined) != 2 {
		t.Errorf("%v, %d apart:\n%s", err, len(got.Bills.Quarantined), strings.Join(bills, "\n"))
	}
}

// The code in the body decides, not the status, and a refused key is asked with once.
func TestRefusals(t *testing.T) {
	classes := map[exchange.Class]string{
		exchange.ClassAuth: "40001 40002 40003 40006 40009 40011 40012 40037", exchange.ClassPermission: "40013 40014 40018 70102",
		exchange.ClassValidation: "40017 40020", exchange.ClassRateLimit: "429 30007", exchange.ClassClock: "40004 40005 40008",
	}
	for class, codes := range classes {
		for _, code := range strings.Fields(codes) {
			for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
				sim := &scripted{status: status, answer: func(path, _ string) string {
					if strings.HasSuffix(path, "/time") {
						return positive(fmt.Sprintf(`{"serverTime":"%d"}`, start.UnixMilli()))
					}
					return `{"code":"` + code + `","msg":"refused","data":null}`
				}}
				d := collectortest.New(t, collectortest.NewClock(start), sim, bitget.New)
				err := d.Client.TestKey(t.Context())
				var refused *exchange.Error
				if !errors.As(err, &refused) || refused.Class != class {
					t.Errorf("%s with status %d: %v", code, status, err)
				}
				asked := len(slices.DeleteFunc(sim.calls, func(path string) bool { return strings.HasSuffix(path, "/time") }))
				if once := class == exchange.ClassAuth || class == exchange.ClassPermission || class == exchange.ClassValidation; once && asked != 1 || class == exchange.ClassClock && asked != 2 {
					t.Errorf("%s with status %d: asked %d times", code, status, asked)
				}
			}
		}
	}
}

// The list of invitees ends with an empty page, however short the others are. UIDs are numbers there, and one whom
// a moving list shows twice is one.
func TestInvitees(t *testing.T) {
	var bodies []string
	pages := []string{`[{"uid":987654321987654321,"registerTime":"1767225600000"}]`, `[{"uid":987654321987654321,"registerTime":"1767225600000"},{"uid":5512345678,"registerTime":"1767225600001"}]`, `[{"uid":77,"registerTime":null}]`, `[]`}
	clock := collectortest.NewClock(start)
	sim := &scripted{}
	sim.answer = func(path, _ string) string {
		switch {
		case strings.HasSuffix(path, "/time"):
			return positive(fmt.Sprintf(`{"serverTime":"%d"}`, clock.Now().UnixMilli()))
		case strings.HasSuffix(path, "customer-list"):
			bodies = append(bodies, sim.body)
			return positive(pages[min(len(bodies), len(pages))-1])
		}
		return positive(`{"endId":null,"commissionList":[]}`)
	}
	d := collectortest.New(t, clock, sim, bitget.New)
	d.Collected()
	if want := []string{"5512345678,,2026-01-01T00:00:00.001Z,", "77,,,", "987654321987654321,,2026-01-01T00:00:00.000Z,"}; !slices.Equal(d.Invitees(), want) {
		t.Errorf("stored are %q", d.Invitees())
	}
	if len(bodies) != 4 || bodies[3] != `{"pageNo":"4","pageSize":"100"}` {
		t.Errorf("asked were %q", bodies)
	}
}

// The oldest days of payouts are asked for with the whole day before them, at any hour: reach cuts off no part of it.
func TestOldestPayoutsAreWhole(t *testing.T) {
	for hour := range 24 {
		now := start.Truncate(24 * time.Hour).Add(time.Duration(hour) * time.Hour)
		var oldest time.Time
		sim := &scripted{}
		sim.answer = func(path, _ string) string {
			switch {
			case strings.HasSuffix(path, "/time"):
				return positive(fmt.Sprintf(`{"serverTime":"%d"}`, now.UnixMilli()))
			case strings.HasSuffix(path, "customer-list"):
				return positive(`[]`)
			case strings.HasSuffix(path, "agent-commission"):
				var from, to int64
				if _, err := fmt.Sscanf(sim.query, "startTime=%d&endTime=%d", &from, &to); err != nil || to-from > (7*24*time.Hour).Milliseconds() {
					t.Errorf("asked was %s: %v", sim.query, err)
				}
				if at := time.UnixMilli(from).UTC(); oldest.IsZero() || at.Before(oldest) {
					oldest = at
				}
			}
			return positive(`{"endId":null,"commissionList":[]}`)
		}
		d := collectortest.New(t, collectortest.NewClock(now), sim, bitget.New)
		if report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Since: collectortest.Day(2026, 1, 1)}); err != nil || !report.Complete {
			t.Fatalf("at %s: %v, %+v", now, err, report.Incomplete)
		}
		if !oldest.Equal(oldest.Truncate(24*time.Hour)) || now.Sub(oldest) >= 90*24*time.Hour || now.Sub(oldest) < 88*24*time.Hour {
			t.Errorf("at %s the oldest is from %s", now, oldest)
		}
	}
}

// The oldest day that a run has planned is still asked for from the row's instant when its turn comes minutes later.
func TestOldestDayStaysInReach(t *testing.T) {
	sim := &scripted{answer: func(string, string) string { return positive(`{"endId":null,"commissionList":[]}`) }}
	d := collectortest.New(t, collectortest.NewClock(start), sim, bitget.New)
	day := affiliate.NewDay(2026, 4, 2)
	now := time.Date(2026, 7, 1, 15, 55, 0, 0, time.UTC).Add(3 * time.Minute) // planned at 15:55, when the day was in reach
	if _, err := d.Client.Collect(t.Context(), exchange.Window{Stream: affiliate.Stream{Kind: affiliate.Commissions}, Now: now, Days: affiliate.Days{First: day, Last: day}}); err != nil {
		t.Fatal(err)
	}
	var from int64
	if _, err := fmt.Sscanf(sim.query, "startTime=%d&", &from); err != nil {
		t.Fatal(err)
	}
	row, edge := time.Date(2026, 4, 2, 16, 0, 0, 0, time.UTC), now.Add(-90*24*time.Hour)
	if at := time.UnixMilli(from); at.After(row) || at.Before(edge.Add(30*time.Second)) {
		t.Errorf("asked from %s", at.UTC())
	}
}

// Rows that come late are stored and those that vanish are dropped, within the days that are read again.
func TestLateAndVanished(t *testing.T) {
	clock := collectortest.NewClock(start)
	rows := []string{row, strings.Replace(row, "BTCUSDT", "ETHUSDT", 1)}
	sim := &scripted{answer: func(path, cursor string) string {
		switch {
		case strings.HasSuffix(path, "/time"):
			return positive(fmt.Sprintf(`{"serverTime":"%d"}`, clock.Now().UnixMilli()))
		case strings.HasSuffix(path, "customer-commissions") && cursor == "":
			return positive(`{"endId":"1","commissionList":[` + strings.Join(rows, ",") + `]}`)
		case strings.HasSuffix(path, "customer-list"):
			return positive(`[]`)
		}
		return positive(`{"endId":null,"commissionList":[]}`)
	}}
	d := collectortest.New(t, clock, sim, bitget.New)
	d.Collected()
	if got := d.Rows(); len(got) != 2 {
		t.Fatalf("stored at first:\n%s", strings.Join(got, "\n"))
	}
	sim.mu.Lock()
	rows = []string{rows[1], rows[1], strings.Replace(row, "BTCUSDT", "SOLUSDT", 1)}
	sim.mu.Unlock()
	clock.Advance(48 * time.Hour)
	d.Collected()
	got := strings.Join(d.Rows(), "\n")
	if strings.Contains(got, "BTCUSDT") || strings.Count(got, "ETHUSDT") != 2 || strings.Count(got, "SOLUSDT") != 1 {
		t.Errorf("stored after that:\n%s", got)
	}
	d.Verified()
}

// What is settled of a period later is added to its payment, which stays one.
func TestSettledLater(t *testing.T) {
	clock := collectortest.NewClock(start)
	const one = `{"uid":"1","coin":"USDT","directCommission":"1.1","subCommission":"0","status":"settled","startCalculationTime":"1782576000000","endCalculationTime":"1782662400000"}`
	status := "unsettled"
	sim := &scripted{}
	sim.answer = func(path, cursor string) string {
		switch {
		case strings.HasSuffix(path, "/time"):
			return positive(fmt.Sprintf(`{"serverTime":"%d"}`, clock.Now().UnixMilli()))
		case strings.HasSuffix(path, "customer-list"):
			return positive(`[]`)
		case strings.HasSuffix(path, "agent-commission") && cursor == "":
			return positive(`{"endId":"1","commissionList":[` + one + `,` + strings.Replace(one, `"settled"`, `"`+status+`"`, 1) + `]}`)
		}
		return positive(`{"endId":"1","commissionList":[]}`)
	}
	d := collectortest.New(t, clock, sim, bitget.New)
	d.Collected()
	if got, want := d.Bills(), []string{"2026-06-28T16:00:00.000Z,payouts,direct,USDT,1.1"}; !slices.Equal(got, want) {
		t.Errorf("paid at first is %q", got)
	}
	sim.mu.Lock()
	status = "settled"
	sim.mu.Unlock()
	clock.Advance(48 * time.Hour)
	d.Collected()
	if got, want := d.Bills(), []string{"2026-06-28T16:00:00.000Z,payouts,direct,USDT,2.2"}; !slices.Equal(got, want) {
		t.Errorf("paid after that is %q", got)
	}
	d.Verified()
}

// A run that ends early leaves nothing half stored: the next one makes it whole.
func TestCancelledRun(t *testing.T) {
	clock := collectortest.NewClock(start)
	inner := simulator.New(simulator.Options{Short: 20, Options: simulated.Options{Seed: 3, Days: 12, Now: clock.Now}})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sim := &cancelling{Server: inner, after: 4, cancel: cancel}
	d := collectortest.New(t, clock, sim, bitget.New)
	if report, err := d.Collect(ctx, collector.RunRequest{Cause: "test"}); err == nil && report.Complete {
		t.Fatal("the run was complete before it was cancelled")
	}
	d.Collected()
	d.SameAsLedger()
	d.Verified()
}

// cancelling ends a run with one of its calls.
type cancelling struct {
	*simulator.Server
	after  int
	cancel func()
	mu     sync.Mutex
	calls  int
}

func (c *cancelling) Handler() http.Handler {
	h := c.Server.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		if c.calls++; c.calls == c.after {
			c.cancel()
		}
		c.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}
