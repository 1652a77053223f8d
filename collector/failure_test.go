package collector_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

const (
	commissionPath   = "/api/v2/rebate/affiliate/getAffiliateCommission"
	subAffiliatePath = "/api/v2/rebate/affiliate/querySubChannelTransactions"
)

// streamOf is the stream that a line of the report is about.
func streamOf(line collector.Incomplete) string {
	return affiliate.Stream{Kind: line.Stream, Product: line.Product}.String()
}

func fail(w http.ResponseWriter) bool {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = w.Write([]byte(`{"code":"40015","msg":"System is abnormal"}`)) // the client sees what is missing
	return true
}

func TestWrongCredentialsStoreNothing(t *testing.T) {
	for name, c := range map[string]struct {
		options simulator.Options
		change  func(*exchange.Config)
		class   exchange.Class
		mend    string
	}{
		"key":           {change: func(c *exchange.Config) { c.Key = "not-the-right-key" }, class: exchange.ClassAuth, mend: "API_KEY"},
		"secret":        {change: func(c *exchange.Config) { c.Secret = "not-the-right-secret" }, class: exchange.ClassAuth, mend: "API_SECRET"},
		"passphrase":    {change: func(c *exchange.Config) { c.Passphrase = "not-the-right-phrase" }, class: exchange.ClassAuth, mend: "API_PASSPHRASE"},
		"not affiliate": {options: simulator.Options{NotAffiliate: true}, class: exchange.ClassPermission, mend: "affiliate"},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.options
			o.Seed, o.Days, o.Invitees, o.Records = 1, 20, 50, 200
			d := newFixture(t, o)
			d.Collector = d.collector(d.store, d.dial(c.change))
			report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
			failure, ok := errors.AsType[*exchange.Error](err)
			if !ok || failure.Class != c.class || !strings.Contains(failure.Hint, c.mend) {
				t.Fatalf("got %v, want class %s with a mend about %s", err, c.class, c.mend)
			}
			if strings.Contains(err.Error(), "not-the-right") {
				t.Errorf("the error contains a secret: %v", err)
			}
			if report.Complete || len(report.Incomplete) == 0 || report.Slices != 0 {
				t.Errorf("report %+v", report)
			}
			if n := len(d.commissions(0)) + len(d.invitees()) + len(d.subAffiliateDays()); n != 0 {
				t.Errorf("%d rows were written", n)
			}
			words := "T" + c.class.Words()[1:] + "."
			tried := d.coverage()
			if len(tried) == 0 {
				t.Error("the days that were asked for count as not tried")
			}
			for _, day := range tried {
				if !day.Failed.Known() || day.Through.Known() || !strings.HasPrefix(day.Error, words+" ") || !strings.HasSuffix(day.Error, "\n"+err.Error()) {
					t.Fatalf("a day that was asked for in vain is %+v", day)
				}
			}
			if run := d.lastRun(); !strings.HasPrefix(run.Error, words+" ") || !strings.HasSuffix(run.Error, "\n"+err.Error()) || !run.Finished.Known() || run.Cause != "test" {
				t.Errorf("the log of the run is %+v", run)
			}
			if p := d.Progress(); p.Running || len(p.Failures) != 1 || p.Failures[0].Error == "" {
				t.Errorf("progress %+v", p)
			}
		})
	}
}

// contains reports whether a request for commissions of the product covers the
// instant.
func contains(r *http.Request, product affiliate.Product, at time.Time) bool {
	q := r.URL.Query()
	from, err1 := strconv.ParseInt(q.Get("startTime"), 10, 64)
	to, err2 := strconv.ParseInt(q.Get("endTime"), 10, 64)
	return r.URL.Path == commissionPath && q.Get("productType") == string(product) &&
		err1 == nil && err2 == nil && from <= at.UnixMilli() && at.UnixMilli() < to
}

// One window that cannot be read is named and prevents no other read; the next run repairs
// it.
func TestOneBadWindow(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 200, Invitees: 300, Records: sized(6000)})
	bad := start.Add(-60 * day)
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		return contains(r, affiliate.Spot, bad) && fail(w)
	})
	report, err := d.Collect(t.Context(), collector.RunRequest{})
	if err != nil || report.Complete || len(report.Incomplete) != 1 {
		t.Fatalf("report %+v (%v)", report, err)
	}
	line, badDay := report.Incomplete[0], affiliate.DayOf(bad, time.UTC)
	if line.Stream != affiliate.Commissions || line.Product != affiliate.Spot || line.From > badDay.String() || line.To < badDay.String() || line.Account != "main" || line.Error == "" {
		t.Errorf("incomplete is %+v", line)
	}
	failed := 0
	for _, c := range d.coverage() {
		inLine := c.Stream.String() == streamOf(line) && c.Day.String() >= line.From && c.Day.String() <= line.To
		if c.Failed.Known() != inLine || (c.Error != "") != inLine || c.Through.Known() == inLine {
			t.Fatalf("coverage of %s %s is %+v", c.Stream, c.Day, c)
		}
		if inLine {
			failed++
		}
	}
	if failed == 0 {
		t.Error("coverage does not know of the failure")
	}
	if run := d.lastRun(); run.Failed != 1 || run.Slices != report.Slices {
		t.Errorf("the log of the run is %+v", run)
	}

	d.answers(nil)
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
	for _, c := range d.coverage() {
		if c.Failed.Known() || c.Error != "" {
			t.Errorf("after the repair coverage of %s %s is %+v", c.Stream, c.Day, c)
		}
	}
}

// An exchange that is down is not called for ever: the run ends and names everything that
// it did not read.
func TestExchangeGoesDown(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 200, Invitees: 300, Records: 3000})
	var requests atomic.Int64
	d.answers(func(w http.ResponseWriter, _ *http.Request) bool {
		return requests.Add(1) > 20 && fail(w)
	})
	report, err := d.Collect(t.Context(), collector.RunRequest{})
	if exchange.ClassOf(err) != exchange.ClassUpstream || report.Complete {
		t.Fatalf("report %+v (%v)", report, err)
	}
	if got := requests.Load(); got != 20+3*5 {
		t.Errorf("%d requests, want those of three windows after the first failure", got)
	}
	d.accountsForEveryDay(report)
	p := d.Progress()
	if p.Running || p.Done >= p.Wanted || len(p.Failures) != 1 {
		t.Fatalf("progress %+v", p)
	}
	first := p.Failures[0]
	if first.Account != "main" || first.Class != exchange.ClassUpstream || first.Error == "" || first.Since.IsZero() || first.ReadTo.IsZero() {
		t.Errorf("the failure is %+v", first)
	}
	d.clock.advance(time.Hour)
	requests.Store(20)
	if _, err := d.Collect(t.Context(), collector.RunRequest{}); err == nil {
		t.Error("the exchange is down, and the run succeeds")
	}
	if p := d.Progress(); len(p.Failures) != 1 || !p.Failures[0].Since.Equal(first.Since) || !p.Failures[0].ReadTo.Equal(first.ReadTo) {
		t.Errorf("an hour later the failure is %+v, it was %+v", p.Failures, first)
	}
	d.answers(nil)
	d.run(collector.RunRequest{})
	if p := d.Progress(); len(p.Failures) != 0 {
		t.Errorf("after a good run there is still %+v", p.Failures)
	}
	d.holdsTheTruth()
}

// accountsForEveryDay checks that each day of each stream was either read or is named as
// incomplete, and never both.
func (d *fixture) accountsForEveryDay(report collector.RunReport) {
	d.Helper()
	read := map[string]int{}
	for _, c := range d.coverage() {
		if c.Through.Known() {
			read[c.Stream.String()+" "+c.Day.String()]++
		}
	}
	for _, line := range report.Incomplete {
		first, err1 := affiliate.ParseDay(line.From)
		last, err2 := affiliate.ParseDay(line.To)
		if err1 != nil || err2 != nil || line.Error == "" {
			d.Fatalf("incomplete %+v", line)
		}
		for day := first; day <= last; day++ {
			read[streamOf(line)+" "+day.String()]++
		}
	}
	today := affiliate.DayOf(d.clock.now(), time.UTC)
	for _, stream := range affiliate.Streams() {
		for day := affiliate.DayOf(d.clock.now().Add(-d.history), time.UTC); day <= today; day++ {
			if n := read[stream.String()+" "+day.String()]; n != 1 {
				d.Errorf("%s %s is accounted for %d times", stream, day, n)
			}
		}
	}
}

func TestExchangeIsDownFromTheStart(t *testing.T) {
	d := newFixture(t, simulator.Options{Days: 10, Invitees: 10, Records: 10})
	d.answers(func(w http.ResponseWriter, _ *http.Request) bool { return fail(w) })
	report, err := d.Collect(t.Context(), collector.RunRequest{})
	if exchange.ClassOf(err) != exchange.ClassUpstream || report.Complete || report.Requests == 0 || report.Incomplete == nil {
		t.Errorf("report %+v (%v)", report, err)
	}
	if n := len(d.coverage()); n != 0 {
		t.Errorf("%d days of coverage", n)
	}
	if p := d.Progress(); p.Running || len(p.Failures) != 1 || p.Failures[0].Error == "" {
		t.Errorf("progress %+v", p)
	}
}

// A page with more records than requested is refused: the page size limits the memory of a
// reading.
func TestOverfullPageIsRefused(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 30, Invitees: 100, Records: 500})
	at := strconv.FormatInt(start.Add(-day).UnixMilli(), 10)
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != commissionPath {
			return false
		}
		row := `{"uid":"1","dealTime":"` + at + `","coin":"USDT","fee":"1","commission":"1"}`
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"code":"200","data":{"channelCommissionInfoItems":[` + row + strings.Repeat(","+row, 100) + `]}}`)) // the client sees what is missing
		return true
	})
	report, _ := d.Collect(t.Context(), collector.RunRequest{Kinds: []affiliate.StreamKind{affiliate.Commissions}}) // ends early after three such answers
	if report.Complete || len(report.Incomplete) == 0 || !strings.Contains(report.Incomplete[0].Error, "a page has 101 records, 100 were asked for") {
		t.Errorf("report %+v", report)
	}
	if rows := d.commissions(0); len(rows) != 0 {
		t.Errorf("%d kinds of rows were stored", len(rows))
	}
}

// Records of a product other than the requested one would be counted twice.
func TestAnswerAboutAnotherProductIsRefused(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 30, Invitees: 100, Records: 500})
	at := strconv.FormatInt(start.Add(-day).UnixMilli(), 10)
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		body := ""
		switch {
		case r.URL.Path == commissionPath && r.URL.Query().Get("productType") == "FUTURES":
			body = `{"code":"200","data":{"pages":1,"pageSize":100,"total":1,"channelCommissionInfoItems":[
				{"uid":"1","dealTime":"` + at + `","coin":"USDT","fee":"1","commission":"1","productType":"SPOT"}]},"timestamp":` + at + `}`
		case r.URL.Path == subAffiliatePath:
			body = `{"code":"00000","data":{"pages":1,"size":100,"current":1,"total":1,"records":[{"subAffiliateUid":"1","productType":"FUTURES",
				"date":"2026-09-10","tradingVolume":"1","netTradingFee":"1","paidCommission":"1"}]}}`
		default:
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body)) // the client sees what is missing
		return true
	})
	report, err := d.Collect(t.Context(), collector.RunRequest{})
	if err != nil || report.Complete || len(report.Incomplete) != 2 {
		t.Fatalf("report %+v (%v)", report, err)
	}
	for _, line := range report.Incomplete {
		want := map[string]string{
			"commissions FUTURES": `1 record could not be read: productType "SPOT" is not FUTURES, which was asked for`,
			"sub-affiliates SPOT": `1 record could not be read: productType "FUTURES" is not SPOT, which was asked for`,
		}[streamOf(line)]
		if line.Error != want || line.From != line.To {
			t.Errorf("incomplete %+v", line)
		}
	}
	if len(d.commissions(0)) == 0 || len(d.subAffiliateDays()) == 0 {
		t.Error("nothing of the right products was stored")
	}
	for c := range d.commissions(0) {
		if c.Product != affiliate.Spot || c.UID == "1" {
			t.Fatalf("stored %v", c)
		}
	}
	for s := range d.subAffiliateDays() {
		if s.Product != affiliate.Futures {
			t.Fatalf("stored %v", s)
		}
	}
}

// A stopped run says so in its log, and the next one continues where it stopped.
func TestStoppedRunGoesOn(t *testing.T) {
	storetest.Engines(t, "a write that is stopped", testStoppedRunGoesOn)
}

func testStoppedRunGoesOn(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 200, Invitees: 300, Records: 3000})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var requests atomic.Int64
	d.answers(func(http.ResponseWriter, *http.Request) bool {
		if requests.Add(1) == 40 {
			cancel()
		}
		return false
	})
	report, err := d.Collect(ctx, collector.RunRequest{})
	if !errors.Is(err, context.Canceled) || report.Complete {
		t.Fatalf("report %+v (%v)", report, err)
	}
	d.accountsForEveryDay(report)
	run := d.lastRun()
	if run.Error != records.RunStopped || !run.Finished.Known() || run.Failed != 0 || run.Slices == 0 || run.Requests == 0 {
		t.Errorf("the log of the run is %+v", run)
	}
	for _, c := range d.coverage() {
		if c.Failed.Known() {
			t.Fatalf("coverage calls a stop a failure: %+v", c)
		}
	}
	half := len(d.commissions(0))
	second := d.run(collector.RunRequest{})
	d.holdsTheTruth()
	all := len(d.commissions(0)) + len(d.subAffiliateDays()) + len(d.invitees())
	if half < 300 || second.Records > int64(all-half/2) {
		t.Errorf("%d records were stored, and %d of %d were read afterwards", half, second.Records, all)
	}
}

func TestRunWithinALimitIsContinued(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 300, Invitees: 300, Records: sized(9000)})
	d.answers(func(http.ResponseWriter, *http.Request) bool {
		d.clock.advance(time.Second)
		return false
	})
	request := collector.RunRequest{Within: 20 * time.Second}
	runs := 0
	for {
		if runs++; runs > 50 {
			t.Fatal("does not come to an end")
		}
		before := d.clock.now()
		report, err := d.Collect(t.Context(), request)
		if err != nil || len(report.Incomplete) > 0 {
			t.Fatalf("report %+v (%v)", report, err)
		}
		if report.Complete == report.Postponed {
			t.Fatalf("complete is %v and postponed %v", report.Complete, report.Postponed)
		}
		if !report.Postponed {
			break
		}
		if took := d.clock.now().Sub(before); took < request.Within || took > request.Within+90*time.Second {
			t.Errorf("a run within %s took %s", request.Within, took)
		}
	}
	if runs < 3 {
		t.Errorf("only %d runs: the limit did nothing", runs)
	}
	d.holdsTheTruth()
}

func TestOneCollectorAtATime(t *testing.T) {
	storetest.Engines(t, "the lock of the collector", testOneCollectorAtATime)
}

func testOneCollectorAtATime(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 20, Invitees: 50, Records: 300})
	second := d.collector(d.open(nil), d.dial(nil)) // another process, as it were
	var tried atomic.Bool
	d.answers(func(http.ResponseWriter, *http.Request) bool {
		if tried.CompareAndSwap(false, true) {
			report, err := second.Collect(t.Context(), collector.RunRequest{})
			if !errors.Is(err, store.ErrLocked) || report.Complete || report.Requests != 0 {
				t.Errorf("the second collector: %+v (%v)", report, err)
			}
		}
		return false
	})
	d.run(collector.RunRequest{})
	if !tried.Load() {
		t.Fatal("no try was made")
	}
	if report, err := second.Collect(t.Context(), collector.RunRequest{}); err != nil || !report.Complete {
		t.Errorf("when the first is done: %+v (%v)", report, err)
	}
}

// One account without permission does not keep another from being collected.
func TestAccountsStandForThemselves(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 20, Invitees: 50, Records: 300})
	c := collector.New(collector.Options{Store: d.store, History: d.history, Now: d.clock.now, Accounts: []collector.Target{
		{Name: "wrong", Source: d.dial(func(c *exchange.Config) { c.Key = "another-key" })},
		{Name: "main", Source: d.client},
	}})
	report, err := c.Collect(t.Context(), collector.RunRequest{})
	if exchange.ClassOf(err) != exchange.ClassAuth || report.Complete {
		t.Fatalf("report %+v (%v)", report, err)
	}
	for _, line := range report.Incomplete {
		if line.Account != "wrong" {
			t.Errorf("incomplete %+v", line)
		}
	}
	d.holdsTheTruth()
	if report, err := c.Collect(t.Context(), collector.RunRequest{Account: "main"}); err != nil || !report.Complete {
		t.Errorf("the right one alone: %+v (%v)", report, err)
	}
}

// Windows with too many pages are split before they are read.
func TestDenseWindowsAreSplit(t *testing.T) {
	onlyAtFullSize(t)
	d := newFixture(t, simulator.Options{Seed: 1, Days: 8, Invitees: 100, Records: 20_000})
	longest := 0
	d.answers(func(_ http.ResponseWriter, r *http.Request) bool {
		if page, err := strconv.Atoi(r.URL.Query().Get("page")); err == nil {
			longest = max(longest, page)
		}
		return false
	})
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
	if longest > 81 {
		t.Errorf("a window was read to page %d", longest)
	}
}

// If an exchange refuses the length of a window, it gets shorter ones; if it refuses a
// single day, the day is incomplete.
func TestRefusedRangeIsSplit(t *testing.T) {
	d := newFixture(t, simulator.Options{Seed: 1, Days: 60, Invitees: 100, Records: sized(1000)})
	stubborn := affiliate.DayOf(start, time.UTC) - 50
	d.answers(func(w http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		from, _ := strconv.ParseInt(q.Get("startTime"), 10, 64)
		to, _ := strconv.ParseInt(q.Get("endTime"), 10, 64)
		noon := stubborn.Start(time.UTC).Add(12 * time.Hour)
		if to-from <= 20*day.Milliseconds() && !contains(r, affiliate.Spot, noon) {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"code":"40017","msg":"Parameter verification failed","requestTime":%d,"data":null}`, d.clock.now().UnixMilli())
		return true
	})
	report, err := d.Collect(t.Context(), collector.RunRequest{})
	if err != nil || len(report.Incomplete) != 1 {
		t.Fatalf("report %+v (%v)", report, err)
	}
	if line := report.Incomplete[0]; line.From != stubborn.String() || line.To != stubborn.String() || line.Stream != affiliate.Commissions || line.Product != affiliate.Spot {
		t.Errorf("incomplete %+v", line)
	}
	d.answers(nil)
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
}
