package mexc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange"
	"rebatedesk/exchange/mexc"
	"rebatedesk/exchange/mexc/simulator"
	"rebatedesk/exchange/simulated"
	"rebatedesk/store/records"
)

// asked counts the calls of lists.
func asked(sim *collectortest.Scripted) (n int) {
	for _, call := range sim.Calls() {
		if strings.HasPrefix(call, "/api/v3/rebate/") {
			n++
		}
	}
	return n
}

// The code in the body decides, not the status; a refused key is asked with once, and a refused time twice.
func TestRefusals(t *testing.T) {
	t.Parallel()
	calls := map[exchange.Class]int{exchange.ClassAuth: 1, exchange.ClassPermission: 1, exchange.ClassValidation: 1, exchange.ClassClock: 2, exchange.ClassRateLimit: 5}
	for class, codes := range map[exchange.Class]string{
		exchange.ClassAuth: "400 401 602 10072 700001 700002", exchange.ClassClock: "10073 700003", exchange.ClassPermission: "403 700006 700007",
		exchange.ClassValidation: "601 33333 44444 700005 700008 730002", exchange.ClassRateLimit: "429",
	} {
		for _, code := range strings.Fields(codes) {
			for _, status := range []int{http.StatusOK, http.StatusBadRequest, http.StatusForbidden} {
				sim := scripted(func(*http.Request) collectortest.Reply {
					return collectortest.Reply{Status: status, Body: `{"code":` + code + `,"msg":"refused"}`}
				})
				err := collectortest.New(t, collectortest.NewClock(start), sim, mexc.New).Client.TestKey(t.Context())
				var refused *exchange.Error
				if !errors.As(err, &refused) || refused.Class != class || asked(sim) != calls[class] {
					t.Errorf("%s with status %d: %v after %d calls", code, status, err, asked(sim))
				} else if strings.Contains(strings.ToLower(refused.Hint), "passphrase") {
					t.Errorf("%s advises %q, but keys have no passphrase", code, refused.Hint)
				}
			}
		}
	}
}

// What is no answer of the exchange is asked for five times, whatever its status, and is never an empty list.
func TestBadAnswers(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]collectortest.Reply{
		"web page": {Body: "<html></html>"}, "refusing page": {Status: 403, Body: "<html></html>"}, "login page": {Status: 401, Body: "<html></html>"},
		"not found": {Status: 404, Body: `{"timestamp":"now","path":"/"}`}, "bad gateway": {Status: 502}, "error": {Status: 500, Body: `{"code":500,"msg":"oops"}`},
		"cut": {Header: map[string]string{"Content-Length": "500"}, Body: listed(0, 0)}, "too many": {Status: 429, Header: map[string]string{"Retry-After": "0"}}, "teapot": {Status: 418, Body: "<html></html>"},
	} {
		sim := scripted(func(*http.Request) collectortest.Reply { return reply })
		got, err := collectortest.New(t, collectortest.NewClock(start), sim, mexc.New).Client.Collect(t.Context(), window(affiliate.Commissions))
		class := exchange.ClassOf(err)
		if err == nil || class == exchange.ClassAuth || class == exchange.ClassPermission || class == exchange.ClassValidation || asked(sim) != 5 || got.Commissions.Len() > 0 {
			t.Errorf("%s: %v after %d calls", name, err, asked(sim))
		}
		if limited := reply.Status == 429 || reply.Status == 418; limited != (class == exchange.ClassRateLimit) {
			t.Errorf("%s is of class %s", name, class)
		}
	}
}

// A refusal for too many calls is followed by the wait that it asks for; during a long ban nothing is sent.
func TestWaits(t *testing.T) {
	for status, wait := range map[int]time.Duration{429: 150 * time.Millisecond, 418: 200 * time.Millisecond} {
		var at []time.Time
		sim := scripted(func(*http.Request) collectortest.Reply {
			if at = append(at, time.Now()); len(at) == 1 {
				return collectortest.Reply{Status: status, Header: map[string]string{"Retry-After": fmt.Sprint(wait.Seconds())}, Body: `{"code":429}`}
			}
			return collectortest.Reply{Body: listed(0, 0)}
		})
		if err := collectortest.New(t, collectortest.NewClock(start), sim, mexc.New).Client.TestKey(t.Context()); err != nil || len(at) != 2 || at[1].Sub(at[0]) < wait {
			t.Errorf("%d: %v, called at %v", status, err, at)
		}
	}
	sim := scripted(func(*http.Request) collectortest.Reply {
		return collectortest.Reply{Status: 418, Header: map[string]string{"Retry-After": "259200"}, Body: `{"code":418}`}
	})
	clock := collectortest.NewClock(start)
	d := collectortest.New(t, clock, sim, mexc.New)
	for range 3 {
		clock.Advance(time.Hour)
		report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
		if report.Complete || err == nil && len(report.Incomplete) == 0 {
			t.Errorf("during a ban: %v, %+v", err, report)
		}
	}
	if asked(sim) != 1 {
		t.Errorf("a ban of three days was called %d times", asked(sim))
	}
}

// A wrong clock is set by the exchange's, and the refused call is made once more.
func TestClock(t *testing.T) {
	n := 0
	sim := scripted(func(r *http.Request) collectortest.Reply {
		ms, _ := strconv.ParseInt(r.URL.Query().Get("timestamp"), 10, 64)
		if n++; n == 1 || ms < start.UnixMilli()-1000 || ms > start.UnixMilli()+1000 {
			return collectortest.Reply{Body: `{"code":700003,"msg":"Timestamp for this request is outside of the recvWindow."}`}
		}
		return collectortest.Reply{Body: listed(0, 0)}
	})
	d := collectortest.New(t, collectortest.NewClock(start.Add(-3*time.Hour)), sim, mexc.New)
	if err := d.Client.TestKey(t.Context()); err != nil || n != 2 || len(sim.Calls()) != 4 {
		t.Errorf("%v after %v", err, sim.Calls())
	}
}

// Each call has its parameters in their order, both times, at most 30 days up to now, and the signature last.
func TestCalls(t *testing.T) {
	t.Parallel()
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Short: 30, Options: simulated.Options{Seed: 3, Days: 60, Invitees: 40, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, mexc.New)
	if report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Since: collectortest.Day(2026, 3, 1)}); err != nil || !report.Complete {
		t.Fatalf("%v, %+v", err, report)
	}
	d.SameAsLedger()
	form := regexp.MustCompile(`^/api/v3/rebate/affiliate/commission(/detail)?\?startTime=(\d{13})&endTime=(\d{13})&page=(\d+)&pageSize=100&recvWindow=5000&timestamp=\d{13}&signature=[0-9a-f]{64}$`)
	last := map[string]int{}
	for _, request := range sim.Requests() {
		m := form.FindStringSubmatch(request)
		if m == nil {
			t.Fatalf("asked was %s", request)
		}
		from, _ := strconv.ParseInt(m[2], 10, 64)
		to, _ := strconv.ParseInt(m[3], 10, 64)
		page, _ := strconv.Atoi(m[4])
		if span := m[1] + m[2] + m[3]; page != last[span]+1 && page != 1 {
			t.Errorf("page %d comes after %d: %s", page, last[span], request)
		} else {
			last[span] = page
		}
		if to-from > 30*24*time.Hour.Milliseconds() || from >= to || to > start.UnixMilli() {
			t.Errorf("asked was %s", request)
		}
	}
	if len(last) < 8 {
		t.Errorf("windows were %v", last)
	}
}

// Calls stay below the limit, one at a time.
func TestPace(t *testing.T) {
	t.Parallel()
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Limit: 500, Short: 10, Options: simulated.Options{Seed: 3, Days: 8, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, func(cfg exchange.Config) (*mexc.Client, error) {
		cfg.Unpaced = false
		return mexc.New(cfg)
	})
	began := time.Now()
	d.Collected()
	calls := len(sim.Requests())
	if took := time.Since(began); sim.Refused() > 0 || calls < 12 || took < time.Duration(calls-4)*25*time.Millisecond {
		t.Errorf("%d calls in %s, %d of them refused", calls, took, sim.Refused())
	}
}

// A run that ends early, at whichever call, leaves nothing half stored: the next one makes it whole.
func TestCancelledRuns(t *testing.T) {
	for _, call := range []int{2, 4, 6, 9} {
		clock := collectortest.NewClock(start)
		ctx, cancel := context.WithCancel(t.Context())
		sim := simulator.New(simulator.Options{Short: 20, Options: simulated.Options{Seed: 3, Days: 12, Now: clock.Now}})
		d := collectortest.New(t, clock, collectortest.Cancelled(sim, call, cancel), mexc.New)
		if report, err := d.Collect(ctx, collector.RunRequest{Cause: "test"}); err == nil && report.Complete {
			t.Fatalf("the run was complete before call %d", call)
		}
		d.Collected()
		d.SameAsLedger()
		d.Verified()
	}
}

// vanished counts the stored invitees who are said to be listed no longer.
func vanished(d *collectortest.Desk) (n int) {
	r, err := d.Store.Read(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	defer r.Close()
	for i, err := range records.Invitees(d.Context(), r, records.InviteeFilter{}) {
		if err != nil {
			d.Fatal(err)
		}
		if i.Vanished.Known() {
			n++
		}
	}
	return n
}

// Whether those are listed who had no commission in a time is a guess: nobody is taken for lost whom the window of
// that one's own registration leaves out.
func TestInviteeWithoutCommissionAtFirst(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := &collectortest.Scripted{Answer: func(r *http.Request) collectortest.Reply {
		to, _ := strconv.ParseInt(r.URL.Query().Get("endTime"), 10, 64)
		switch {
		case r.URL.Path == "/api/v3/time":
			return collectortest.Reply{Body: fmt.Sprintf(`{"serverTime":%d}`, clock.Now().UnixMilli())}
		case !strings.HasSuffix(r.URL.Path, "detail") && to == clock.Now().UnixMilli():
			return collectortest.Reply{Body: listed(1, 1, fmt.Sprintf(`{"uid":"7","inviteCode":"a","inviteTime":%d}`, start.AddDate(0, 0, -36).Unix()))}
		}
		return collectortest.Reply{Body: listed(0, 0)}
	}}
	d := collectortest.New(t, clock, sim, mexc.New)
	for range 3 {
		d.Collected()
		if len(d.Invitees()) != 1 || vanished(d) > 0 {
			t.Errorf("stored are %v, %d vanished", d.Invitees(), vanished(d))
		}
		clock.Advance(24 * time.Hour)
	}
	d.Verified()
}

// So it is with a programme of such a list, whose times are milliseconds.
func TestInviteesWithCommission(t *testing.T) {
	clock := collectortest.NewClock(start)
	d := collectortest.New(t, clock, simulator.New(simulator.Options{Active: true, Millis: true, Options: simulated.Options{Seed: 3, Days: 30, Now: clock.Now}}), mexc.New)
	d.Collected()
	if got := d.Invitees(); len(got) < 10 || vanished(d) > 0 {
		t.Errorf("%d invitees, %d vanished", len(got), vanished(d))
	}
	d.SameAsLedger()
	d.Verified()
}

// A record of an invitee who joined long ago and cannot be read does not end the run: it is incomplete, and whole when
// the exchange sends the record right.
func TestOldInviteeThatCannotBeRead(t *testing.T) {
	clock := collectortest.NewClock(start)
	uid := "null"
	sim := scripted(func(r *http.Request) collectortest.Reply {
		if strings.HasSuffix(r.URL.Path, "detail") {
			return collectortest.Reply{Body: listed(1, 1, row)}
		}
		return collectortest.Reply{Body: listed(2, 1, `{"uid":`+uid+`,"inviteTime":1600000000}`, `{"uid":"7","inviteTime":1782432000}`)}
	})
	d := collectortest.New(t, clock, sim, mexc.New)
	report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
	if err != nil || report.Complete || len(d.Rows()) != 1 || len(d.Invitees()) != 1 {
		t.Fatalf("%v, %+v; %d rows, %d invitees", err, report, len(d.Rows()), len(d.Invitees()))
	}
	uid = `"8"`
	d.Collected()
	if got := d.Invitees(); len(got) != 2 {
		t.Errorf("stored are %v", got)
	}
	d.Verified()
}

// Names of people are not kept, not even in answers that are kept.
func TestNamesAreNotKept(t *testing.T) {
	sim := scripted(func(*http.Request) collectortest.Reply {
		return collectortest.Reply{Body: listed(1, 1, `{"uid":"1","nickName":"Ann","inviteTime":1782432000}`)}
	})
	d := collectortest.New(t, collectortest.NewClock(start), sim, mexc.New)
	var kept []string
	ctx := exchange.WithAnswers(t.Context(), func(a exchange.RawAnswer) { kept = append(kept, string(a.Body)) })
	if _, err := d.Client.Collect(ctx, window(affiliate.Invitees)); err != nil || len(kept) != 1 || strings.Contains(kept[0], "Ann") || !strings.Contains(kept[0], `"uid":"1","nickName":""`) {
		t.Errorf("%v, kept is %v", err, kept)
	}
}
