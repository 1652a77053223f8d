package collector_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
)

// An exchange that announces one page too many, and gives no list on it, has given all records that
// its total promises: the windows are complete.
func TestEmptyPageWithoutListBeyondTheEnd(t *testing.T) {
	for _, without := range []simulator.Fault{simulator.NoList, simulator.NullList} {
		t.Run(string(without), func(t *testing.T) {
			d := newFixture(t, simulator.Options{Seed: 3, Days: 40, Invitees: 250, Records: 2500,
				Rules: []simulator.FaultRule{{Fault: simulator.WrongPages, Probability: 1}, {Fault: without, Probability: 1}}})
			d.run(collector.RunRequest{})
			d.holdsTheTruth()
		})
	}
}

// A first page in a positive envelope without a list and without any count is empty if a second
// answer says the same, and what that says otherwise.
func TestEmptyPageWithoutCounts(t *testing.T) {
	for name, c := range map[string]struct {
		answers  []string // the last one again and again
		complete bool
		records  int
	}{
		"twice empty":        {[]string{`{"code":"200","data":{}}`}, true, 0},
		"null twice":         {[]string{`{"code":"00000","data":null}`}, true, 0},
		"then a record":      {[]string{`{"code":"200","data":{}}`, `{"code":"200","data":{"pages":1,"pageSize":100,"total":1,"channelUserInfoItemList":[{"uid":"1"}]}}`}, true, 1},
		"then promised":      {[]string{`{"code":"200","data":{}}`, `{"code":"200","data":{"total":7}}`}, false, 0},
		"no envelope":        {[]string{`{"channelUserInfoItemList":null}`}, false, 0},
		"an error, HTTP 200": {[]string{`{"code":"40015","msg":"system","data":null}`}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t, simulator.Options{Seed: 1, Days: 5, Invitees: 20, Records: 50})
			var asked atomic.Int64
			d.answers(func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/getAffiliateUIDs") {
					return false
				}
				n := min(int(asked.Add(1)), len(c.answers))
				w.Header().Set("Content-Type", "application/json")
				if _, err := w.Write([]byte(c.answers[n-1])); err != nil {
					t.Log(err)
				}
				return true
			})
			report, _ := d.Collect(t.Context(), collector.RunRequest{Kinds: []affiliate.StreamKind{affiliate.Invitees}})
			if report.Complete != c.complete || len(d.invitees()) != c.records || asked.Load() < 2 {
				t.Errorf("complete %v with %d invitees after %d requests: %+v", report.Complete, len(d.invitees()), asked.Load(), report.Incomplete)
			}
		})
	}
}
