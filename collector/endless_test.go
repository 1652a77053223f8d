package collector_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/listing"
	"rebatedesk/exchange/weex/simulator"
)

// endlessDay answers for one day of FUTURES commissions with a new record on
// every page, without a word about how many there are.
type endlessDay struct {
	day      affiliate.Day
	requests int // for windows that hold the day
	alone    int // of these, for nothing but the day
}

func (e *endlessDay) answer(w http.ResponseWriter, r *http.Request) bool {
	q := r.URL.Query()
	if !strings.HasSuffix(r.URL.Path, "/getAffiliateCommission") || q.Get("productType") != string(affiliate.Futures) {
		return false
	}
	from, errFrom := strconv.ParseInt(q.Get("startTime"), 10, 64)
	to, errTo := strconv.ParseInt(q.Get("endTime"), 10, 64)
	span := e.day.Range(time.UTC)
	if errFrom != nil || errTo != nil || from >= span.To.UnixMilli()-1 || to <= span.From.UnixMilli() {
		return false
	}
	e.requests++
	if to-from <= day.Milliseconds()+1 {
		e.alone++
	}
	_, err := fmt.Fprintf(w, `{"code":"200","data":{"channelCommissionInfoItems":[{"uid":"1","dealTime":"%d","symbol":"cmt_btcusdt","sourceType":1,
		"coin":"USDT","takerAmount":"1","makerAmount":"0","fee":"%d","rate":"0.1","commission":"1"}]},"timestamp":%d}`,
		span.From.UnixMilli(), e.requests, span.From.UnixMilli())
	return err == nil
}

// A list without an end is split down to the day that causes it. Only that day is given up,
// after one reading of bounded length and with nothing stored, and the next run collects
// it.
func TestEndlessDayCostsOnlyItself(t *testing.T) {
	const bound = 90
	before := listing.MaxPages
	listing.MaxPages = bound
	t.Cleanup(func() { listing.MaxPages = before })
	d := newFixture(t, simulator.Options{Seed: 14, Days: 30, Invitees: 60, Records: 600})
	endless := &endlessDay{day: affiliate.DayOf(start, time.UTC) - 17}
	d.answers(endless.answer)
	report, err := d.Collect(context.Background(), collector.RunRequest{})
	if err != nil || report.Complete || len(report.Incomplete) != 1 {
		t.Fatalf("the run: %+v (%v)", report, err)
	}
	missing := report.Incomplete[0]
	if missing.Stream != affiliate.Commissions || missing.Product != affiliate.Futures || missing.From != endless.day.String() || missing.To != missing.From || !strings.Contains(missing.Error, "does not end within 90 pages") {
		t.Errorf("not read: %+v, want the day %s", missing, endless.day)
	}
	if endless.alone != bound || endless.requests > 7*bound {
		t.Errorf("%d requests for the day alone and %d in all, want %d", endless.alone, endless.requests, bound)
	}
	at := streamDay{affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures}, endless.day}
	if n := len(d.stored().commissions[at]); n != 0 {
		t.Errorf("%d records of the endless day are stored", n)
	}
	d.answers(nil)
	d.run(collector.RunRequest{})
	d.holdsTheTruth()
}
