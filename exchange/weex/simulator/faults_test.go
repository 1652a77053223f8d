package simulator

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

func TestCarefulClientEndsEqualToTheLedger(t *testing.T) {
	var mu sync.Mutex
	seen := map[Fault]int{}
	t.Run("seeds", func(t *testing.T) {
		for seed := range int64(3) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				faults := collectTwice(t, seed)
				mu.Lock()
				defer mu.Unlock()
				for fault, n := range faults {
					seen[fault] += n
				}
			})
		}
	})
	for _, rule := range profile(FaultsHarsh, seeded.Rand(0, "any")) {
		if rule.Path == "" && seen[rule.Fault] == 0 {
			t.Errorf("%s never happened", rule.Fault)
		}
	}
}

// collectTwice reads everything twice, the second time in other windows, and compares
// both readings with the ledger, which may not have changed in between.
func collectTwice(t *testing.T, seed int64) map[Fault]int {
	t.Helper()
	s := listen(t, Options{Seed: seed, Days: 380, Invitees: 1000, Records: 4_000, Faults: FaultsHarsh, RateLimit: -1, Now: frozen})
	client := &careful{s: s}
	compare(t, client.everything(t, 380, 44), s.Ledger())

	before := s.Ledger()
	again := client.everything(t, 380, 75)
	compare(t, again, before)
	compare(t, again, s.Ledger())
	stats := s.Stats()
	if n := stats.Faults[RateLimited]; n > 4 {
		t.Errorf("%d injected 429, want 4 at most", n)
	}
	if stats.Exceeded != 0 {
		t.Errorf("%d refusals although the limit is off", stats.Exceeded)
	}
	return stats.Faults
}

func compare(t *testing.T, got, want Ledger) {
	t.Helper()
	differ(t, "commissions", keysOf(got.Commissions), keysOf(want.Commissions))
	differ(t, "sub-affiliate days", got.SubAffiliateDays, want.SubAffiliateDays)
	differ(t, "invitees", reachable(got.Invitees, instant), reachable(want.Invitees, instant))
}

func keysOf(all []affiliate.Commission) []affiliate.Commission {
	keys := make([]affiliate.Commission, len(all))
	for i, c := range all {
		keys[i] = c.Key()
	}
	return keys
}

func TestTransportFaults(t *testing.T) {
	for _, test := range []struct {
		fault  Fault
		status int
		shows  func(status int, body string, err error) bool
	}{
		{fault: RateLimited, shows: func(status int, body string, err error) bool {
			return err == nil && status == 429 && strings.Contains(body, `"429"`)
		}},
		{fault: ServerError, shows: func(status int, body string, err error) bool {
			return err == nil && status >= 500 && (body == "" || strings.Contains(body, `"40015"`))
		}},
		{fault: HTMLOK, shows: func(status int, body string, err error) bool {
			return err == nil && status == 200 && strings.Contains(body, "<html>")
		}},
		{fault: HTMLError, shows: func(status int, body string, err error) bool {
			return err == nil && status == 502 && strings.Contains(body, "<html>")
		}},
		{fault: Truncated, shows: func(status int, body string, err error) bool {
			_, bad := parse(status, []byte(body))
			return status == 200 && (errors.Is(err, io.ErrUnexpectedEOF) || err == nil && bad != nil)
		}},
		{fault: Reset, shows: func(status int, _ string, err error) bool { return err != nil && status == 0 }},
		{fault: Slow, shows: func(status int, body string, err error) bool {
			_, bad := parse(status, []byte(body))
			return err == nil && bad == nil
		}},
	} {
		t.Run(string(test.fault), func(t *testing.T) {
			s := listen(t, Options{Seed: 3, Days: 5, Records: 200, Now: frozen, Rules: []FaultRule{
				{Fault: test.fault, Every: 2, After: 1, Limit: 3, Path: "Commission"},
			}})
			for n := 1; n <= 8; n++ {
				status, body, err := send(t, s)
				faulty := n%2 == 1 && n < 6
				if faulty && !test.shows(status, body, err) {
					t.Errorf("request %d: %d %.80s %v", n, status, body, err)
				}
				if _, bad := parse(status, []byte(body)); !faulty && (err != nil || bad != nil) {
					t.Errorf("request %d should be clean: %d %v %v", n, status, err, bad)
				}
			}
			if n := s.Stats().Faults[test.fault]; n != 3 {
				t.Errorf("%d faults counted, want 3", n)
			}
		})
	}
}

// send requests commissions over the network, on a separate connection so that net/http
// does not repeat the request.
func send(t *testing.T, s *Server) (int, string, error) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	response, err := transport.RoundTrip(signed(t, s.Credentials(), s.BaseURL, "GET", commissionPath, "", instant))
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

func TestWording(t *testing.T) {
	always := func(faults ...Fault) []FaultRule {
		var rules []FaultRule
		for _, f := range faults {
			rules = append(rules, FaultRule{Fault: f, Every: 1})
		}
		return rules
	}
	for _, test := range []struct {
		rules     []FaultRule
		path      string
		has, lack []string
	}{
		{nil, commissionPath, []string{`{"code":"200","data":{"pages":`, `"dealTime":"17`, `"sourceType":1`, `"total":50,`, `"uid":"`, `"fee":"`}, []string{"productType", "null"}},
		{always(DateField), commissionPath, []string{`"date":"17`}, []string{"dealTime"}},
		{always(OtherTypes), commissionPath, []string{`"code":200`, `"dealTime":17`, `"sourceType":"1"`, `"total":"50"`, `"fee":0.`}, nil},
		{always(ProductField), commissionPath, []string{`"productType":"SPOT"`}, nil},
		{always(NullFields), commissionPath, []string{`"productType":null`}, nil},
		{always(RequestTimeText), commissionPath, []string{`"timestamp":"17`}, nil},
		{always(OldEnvelope), commissionPath, []string{`{"code":"200","total":50,"list":[{`, `],"timestamp":17`}, []string{`"pages"`, `"data"`}},
		{nil, inviteePath, []string{`"channelUserInfoItemList":[{"uid":"`, `"kycResult":true`}, []string{"null", `""`}},
		{always(NullFields), inviteePath, []string{`"firstTrade":null`}, nil},
		{always(NullFields, OtherTypes), inviteePath, []string{`"firstTrade":""`, `"kycResult":"true"`, `"uid":`}, []string{`"uid":"`}},
		{always(RequestTimeText), timePath, []string{`"requestTime":"17`, `"data":"17`}, nil},
		{nil, strings.Replace(commissionPath, "v2", "v3", 1), []string{`{"pages":1,"pageSize":100,"total":50,"channelCommissionInfoItems":[{`}, []string{"code", "timestamp"}},
	} {
		s := New(Options{Seed: 5, Days: 1, Invitees: 400, Now: frozen, Rules: test.rules})
		for n := range 50 {
			s.Insert(affiliate.Commission{
				DealTime: affiliate.MillisOf(instant) - affiliate.Millis(n*1000), UID: "4667776811", Product: affiliate.Spot, Coin: "USDT",
				Symbol: "BTCUSDT_SPBL", Source: affiliate.Direct, TakerAmount: "10", MakerAmount: "0", Fee: "0.01", Rate: "0.1", Commission: "0.001",
			})
		}
		body := call(t, s, "GET", test.path, "").Body.String()
		for _, part := range test.has {
			if !strings.Contains(body, part) {
				t.Errorf("%v: no %s in %.300s", test.rules, part, body)
			}
		}
		for _, part := range test.lack {
			if strings.Contains(body, part) {
				t.Errorf("%v: %s in %.300s", test.rules, part, body)
			}
		}
		for _, rule := range test.rules {
			if s.Stats().Faults[rule.Fault] != 1 {
				t.Errorf("%s counted %d times", rule.Fault, s.Stats().Faults[rule.Fault])
			}
		}
	}
}

// pagesSeen reads a listing of 550 rows three times and returns the answers.
func pagesSeen(t *testing.T, s *Simulator) (readings [3][]page) {
	t.Helper()
	for i := range readings {
		for n := 1; n <= 6; n++ {
			readings[i] = append(readings[i], ask(t, s, "GET", commissionPath, fmt.Sprintf("startTime=%d&page=%d", instant.UnixMilli()-60*day, n)))
		}
	}
	return readings
}

func withRows(t *testing.T, fault Fault) *Simulator {
	t.Helper()
	s := New(Options{Seed: 11, Days: 50, RateLimit: -1, Now: frozen, Rules: []FaultRule{{Fault: fault, Every: 1}}})
	for n := range 550 {
		s.Insert(affiliate.Commission{
			DealTime: affiliate.MillisOf(instant) - affiliate.Millis(int64(n+3)*hour), UID: affiliate.UID(fmt.Sprint(1000000000 + n)),
			Product: affiliate.Spot, Coin: "USDT", Fee: "1", Rate: "0.1", Commission: "0.1",
		})
	}
	return s
}

func TestWrongTotals(t *testing.T) {
	for _, fault := range []Fault{TotalLow, TotalHigh, TotalChanging, WrongPages} {
		t.Run(string(fault), func(t *testing.T) {
			s := withRows(t, fault)
			readings := pagesSeen(t, s)
			for i, pages := range readings {
				rows, totals := 0, map[int]bool{}
				for _, p := range pages {
					rows += len(p.rows)
					totals[p.total] = true
					right := p.total == 550
					if fault == WrongPages && (!right || p.pages == 6) || fault != WrongPages && right {
						t.Errorf("reading %d has total %d, pages %d", i, p.total, p.pages)
					}
					if fault == TotalLow && p.total > 550 || fault == TotalHigh && p.total < 550 {
						t.Errorf("total %d is wrong the other way", p.total)
					}
				}
				if rows != 550 {
					t.Errorf("reading %d has %d rows", i, rows)
				}
				if changes := len(totals) > 1; changes != (fault == TotalChanging && i < 2) {
					t.Errorf("reading %d has totals %v", i, totals)
				}
			}
			if n := s.Stats().Faults[fault]; n != 18 {
				t.Errorf("counted %d times, want 18", n)
			}
		})
	}
}

func TestSpoiledPages(t *testing.T) {
	for _, fault := range []Fault{RepeatedPage, EmptyPage} {
		t.Run(string(fault), func(t *testing.T) {
			s := withRows(t, fault)
			spoiled := 0
			for i, pages := range pagesSeen(t, s) {
				for n, p := range pages {
					repeated := n > 0 && fmt.Sprint(p.rows) == fmt.Sprint(pages[n-1].rows)
					if repeated || len(p.rows) == 0 {
						spoiled++
						if i > 0 || repeated != (fault == RepeatedPage) {
							t.Errorf("reading %d page %d: %d rows, repeated %v", i, n+1, len(p.rows), repeated)
						}
					}
					if p.total != 550 {
						t.Errorf("total %d", p.total)
					}
				}
			}
			if spoiled != 1 || s.Stats().Faults[fault] != 1 {
				t.Errorf("%d pages spoiled, %d counted", spoiled, s.Stats().Faults[fault])
			}
		})
	}
}

// A change happens once, appears in the totals, and never affects rows that were already
// read.
func TestChangesWhileListing(t *testing.T) {
	for fault, delta := range map[Fault]int{Inserted: 1, Removed: -1, Revised: 1, Late: 1} {
		t.Run(string(fault), func(t *testing.T) {
			s := New(Options{Seed: 2, Days: 50, Invitees: 40, Records: 2500, RateLimit: -1, Now: frozen, Rules: []FaultRule{{Fault: fault, Every: 1}}})
			before := s.Ledger().Commissions
			query := func(n int) string {
				return fmt.Sprintf("productType=FUTURES&startTime=%d&page=%d", instant.UnixMilli()-60*day, n)
			}
			first := ask(t, s, "GET", commissionPath, query(1))
			last := first.total
			for range 2 {
				for n := 1; n <= first.pages; n++ {
					last = ask(t, s, "GET", commissionPath, query(n)).total
				}
			}
			if last != first.total+delta {
				t.Errorf("the total changed from %d to %d", first.total, last)
			}
			after := s.Ledger().Commissions
			left := counted(before)
			for _, c := range after {
				left[c]--
			}
			gone, come := 0, 0
			for c, n := range left {
				if n > 0 {
					gone += n
				} else {
					come -= n
				}
				if fault == Late && n != 0 && int64(c.DealTime) < instant.UnixMilli()-2*day-minute {
					t.Errorf("%v is not late", c)
				}
			}
			want := map[Fault][2]int{Inserted: {0, 1}, Removed: {1, 0}, Revised: {1, 2}, Late: {0, 1}}[fault]
			if [2]int{gone, come} != want {
				t.Errorf("%d rows removed and %d added, want %v", gone, come, want)
			}
			// A reading of the same days in other windows finds them settled.
			for n := 1; n <= first.pages; n++ {
				ask(t, s, "GET", commissionPath, query(n)+"&endTime="+fmt.Sprint(instant.UnixMilli()-1))
			}
			differ(t, "afterwards", s.Ledger().Commissions, after)
			if s.Stats().Faults[fault] != 1 {
				t.Errorf("counted %d times", s.Stats().Faults[fault])
			}
		})
	}
}

func TestSameRequestsMeetSameFaults(t *testing.T) {
	run := func() string {
		s := New(Options{Seed: 9, Days: 60, Invitees: 100, Records: 3000, RateLimit: -1, Faults: FaultsHarsh, Now: frozen})
		var all strings.Builder
		for n := range 60 {
			func() {
				defer func() {
					if p := recover(); p != nil {
						fmt.Fprint(&all, p)
					}
				}()
				w := call(t, s, "GET", commissionPath, fmt.Sprintf("startTime=%d&page=%d", instant.UnixMilli()-60*day, 1+n%7))
				fmt.Fprint(&all, w.Code, w.Body)
			}()
		}
		return all.String()
	}
	first, second := run(), run()
	if first != second {
		t.Error("two runs of the same requests differ")
	}
}

func TestNormalIsMild(t *testing.T) {
	s := New(Options{Seed: 4, Days: 30, Records: 500, RateLimit: -1, Faults: FaultsNormal, Now: frozen})
	clean := 0
	for range 300 {
		if _, err := parse(200, call(t, s, "GET", commissionPath, "pageSize=1").Body.Bytes()); err == nil {
			clean++
		}
	}
	faults := s.Stats().Faults
	if clean < 280 || faults[RateLimited] != 1 || faults[ServerError] == 0 || len(faults) > 3 {
		t.Errorf("%d of 300 clean, faults %v", clean, faults)
	}
}
