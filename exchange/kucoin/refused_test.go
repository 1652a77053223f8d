package kucoin_test

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
	"rebatedesk/exchange/kucoin"
	"rebatedesk/exchange/kucoin/simulator"
	"rebatedesk/exchange/simulated"
)

// asked counts the calls of lists.
func asked(sim *collectortest.Scripted) (n int) {
	for _, call := range sim.Calls() {
		if strings.HasPrefix(call, "/api/v2/affiliate/") {
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
		exchange.ClassAuth: "400001 400003 400004 400005", exchange.ClassClock: "400002", exchange.ClassPermission: "400006 400007 411100",
		exchange.ClassValidation: "400100", exchange.ClassRateLimit: "429000",
	} {
		for _, code := range strings.Fields(codes) {
			for _, status := range []int{http.StatusOK, http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests} {
				sim := scripted(func(*http.Request) collectortest.Reply {
					return collectortest.Reply{Status: status, Body: `{"code":"` + code + `","msg":"refused"}`}
				})
				err := collectortest.New(t, collectortest.NewClock(start), sim, kucoin.New).Client.TestKey(t.Context())
				var refused *exchange.Error
				if !errors.As(err, &refused) || refused.Class != class || asked(sim) != calls[class] {
					t.Errorf("%s with status %d: %v after %d calls", code, status, err, asked(sim))
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
		"not found": {Status: 404, Body: `{"timestamp":"now","path":"/"}`}, "not found by code": {Status: 404, Body: `{"code":"404","msg":"Not Found"}`}, "bad gateway": {Status: 502},
		"error": {Status: 500, Body: `{"code":"500000","msg":"oops"}`}, "error with success": {Body: `{"code":"500000","data":{"items":[]}}`}, "wrong status": {Status: 500, Body: positive(`[]`)},
		"cut": {Header: map[string]string{"Content-Length": "500"}, Body: positive(`[]`)}, "too many": {Status: 429}, "other code": {Status: 429, Body: `{"code":"1015","msg":"slow down"}`},
	} {
		sim := scripted(func(*http.Request) collectortest.Reply { return reply })
		got, err := collectortest.New(t, collectortest.NewClock(start), sim, kucoin.New).Client.Collect(t.Context(), window(affiliate.Commissions))
		class := exchange.ClassOf(err)
		if err == nil || class == exchange.ClassAuth || class == exchange.ClassPermission || class == exchange.ClassValidation || asked(sim) != 5 || got.Commissions.Len() > 0 {
			t.Errorf("%s: %v after %d calls", name, err, asked(sim))
		}
		if (reply.Status == 429) != (class == exchange.ClassRateLimit) {
			t.Errorf("%s is of class %s", name, class)
		}
	}
}

// A refusal for too many calls is followed by the wait of its headers, and so is an answer after which none is left.
func TestWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first collectortest.Reply
		wait  time.Duration
	}{
		"refused":           {collectortest.Reply{Status: 429, Header: map[string]string{"gw-ratelimit-reset": "250"}, Body: `{"code":"429000"}`}, 250 * time.Millisecond},
		"refused otherwise": {collectortest.Reply{Status: 429, Header: map[string]string{"Retry-After": "0.25"}}, 250 * time.Millisecond},
		"none left":         {collectortest.Reply{Header: map[string]string{"gw-ratelimit-remaining": "0", "gw-ratelimit-reset": "600"}, Body: positive(`{"items":[` + row + `],"lastId":"1"}`)}, 600 * time.Millisecond},
	} {
		var at []time.Time
		sim := scripted(func(*http.Request) collectortest.Reply {
			if at = append(at, time.Now()); len(at) == 1 {
				return c.first
			}
			return collectortest.Reply{Body: positive(`[]`)}
		})
		d := collectortest.New(t, collectortest.NewClock(start), sim, func(cfg exchange.Config) (*kucoin.Client, error) {
			cfg.Unpaced = false
			return kucoin.New(cfg)
		})
		if _, err := d.Client.Collect(t.Context(), window(affiliate.Commissions)); err != nil || len(at) != 2 || at[1].Sub(at[0]) < c.wait {
			t.Errorf("%s: %v, called at %v", name, err, at)
		}
	}
}

// A wrong clock is set by the exchange's, and the refused call is made once more.
func TestClock(t *testing.T) {
	n := 0
	sim := scripted(func(r *http.Request) collectortest.Reply {
		ms, _ := strconv.ParseInt(r.Header.Get("KC-API-TIMESTAMP"), 10, 64)
		if n++; n == 1 || time.UnixMilli(ms).Sub(start).Abs() > time.Second {
			return collectortest.Reply{Status: http.StatusBadRequest, Body: `{"code":"400002","msg":"KC-API-TIMESTAMP Invalid"}`}
		}
		return collectortest.Reply{Body: positive(`[]`)}
	})
	d := collectortest.New(t, collectortest.NewClock(start.Add(-3*time.Hour)), sim, kucoin.New)
	if err := d.Client.TestKey(t.Context()); err != nil || n != 2 || len(sim.Calls()) != 4 {
		t.Errorf("%v after %v", err, sim.Calls())
	}
}

// Each call has its parameters in their order: both products, at most 30 days up to now, and all sites.
func TestCalls(t *testing.T) {
	t.Parallel()
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Short: 60, Options: simulated.Options{Seed: 3, Days: 30, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, kucoin.New)
	if report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Since: collectortest.Day(2026, 3, 1)}); err != nil || !report.Complete {
		t.Fatalf("%v, %+v", err, report)
	}
	d.SameAsLedger()
	form := regexp.MustCompile(`^/api/v2/affiliate/(?:queryTransactionByTime\?tradeType=(?:SPOT|FEATURE)&tradeStartAt=(\d{13})&tradeEndAt=(\d{13})&pageSize=500(?:&lastId=\d+&direction=NEXT)?` +
		`|queryInvitees\?page=\d+&pageSize=500|queryMyCommission\?siteType=all&rebateType=0&rebateStartAt=(\d{13})&rebateEndAt=(\d{13})&page=\d+&pageSize=500)$`)
	seen := map[string]int{}
	for _, request := range sim.Requests() {
		if request == "/api/v1/timestamp" {
			continue
		}
		m := form.FindStringSubmatch(request)
		if m == nil {
			t.Fatalf("asked was %s", request)
		}
		from, _ := strconv.ParseInt(m[1]+m[3], 10, 64)
		to, _ := strconv.ParseInt(m[2]+m[4], 10, 64)
		if to-from > 30*24*time.Hour.Milliseconds() || to > start.UnixMilli() || from > to {
			t.Errorf("asked was %s", request)
		}
		seen[request[:strings.IndexAny(request, "&")]]++
	}
	if len(seen) != 4 || seen["/api/v2/affiliate/queryTransactionByTime?tradeType=SPOT"] < 5 || seen["/api/v2/affiliate/queryTransactionByTime?tradeType=FEATURE"] < 5 {
		t.Errorf("asked was %v", seen)
	}
}

// A run that ends early, at whichever call, leaves nothing half stored: the next one makes it whole.
func TestCancelledRuns(t *testing.T) {
	t.Parallel()
	for _, call := range []int{2, 4, 7, 12} {
		clock := collectortest.NewClock(start)
		ctx, cancel := context.WithCancel(t.Context())
		sim := simulator.New(simulator.Options{Short: 20, Options: simulated.Options{Seed: 3, Days: 12, Now: clock.Now}})
		d := collectortest.New(t, clock, collectortest.Cancelled(sim, call, cancel), kucoin.New)
		if report, err := d.Collect(ctx, collector.RunRequest{Cause: "test"}); err == nil && report.Complete {
			t.Fatalf("the run was complete before call %d", call)
		}
		d.Collected()
		d.SameAsLedger()
		d.Verified()
	}
}

// A trade that cannot be read leaves the others, makes its day incomplete, and is whole when the exchange sends it right.
func TestTradeThatCannotBeRead(t *testing.T) {
	clock := collectortest.NewClock(start)
	bad := changed(row, "uid", "6", "commission", `"x"`)
	sim := scripted(func(r *http.Request) collectortest.Reply {
		if r.URL.Query().Get("tradeType") != "FEATURE" {
			return collectortest.Reply{Body: positive(`[]`)}
		}
		return collectortest.Reply{Body: positive(`{"items":[` + row + `,` + bad + `]}`)}
	})
	d := collectortest.New(t, clock, sim, kucoin.New)
	report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
	if err != nil || report.Complete || len(report.Incomplete) != 1 || report.Incomplete[0].From != "2026-06-28" || len(d.Rows()) != 1 {
		t.Fatalf("%v, %+v; rows are %v", err, report, d.Rows())
	}
	bad = changed(row, "uid", "6")
	d.Collected()
	if got := d.Rows(); len(got) != 2 || !strings.Contains(fmt.Sprint(got), ",6,FUTURES") {
		t.Errorf("rows are %v", got)
	}
	d.Verified()
}
