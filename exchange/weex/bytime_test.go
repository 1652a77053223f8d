package weex

import (
	"rebatedesk/exchange"

	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rebatedesk/affiliate"
)

const (
	transferRow = `{"coinName":"USDT","status":"ok","amount":"%d","tradeTime":%d}`
	billRow     = `{"billId":"%d","coinName":"USDT","bizType":"deposit","deltaAmount":"1","cTime":%d}`
)

// timeline is a server whose records can be queried only by time.
type timeline struct {
	times     []int64
	low, high bool   // whether the ends are included
	order     string // "newest", "oldest", "none"
	ignores   bool   // ignores the requested times
	transfers bool   // parameters and rows of 4.16, otherwise of 4.14
	asked     int
}

func (l *timeline) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.asked++
	after, before, limit := l.read(r)
	type row struct {
		id int
		at int64
	}
	var fit []row
	for id, at := range l.times {
		if !l.ignores && (after != 0 && at < after || before != 0 && at > before || at == after && !l.low || at == before && !l.high) {
			continue
		}
		fit = append(fit, row{id + 1, at})
	}
	switch l.order {
	case "newest":
		slices.SortStableFunc(fit, func(a, b row) int { return int(b.at - a.at) })
	case "oldest":
		slices.SortStableFunc(fit, func(a, b row) int { return int(a.at - b.at) })
	}
	format := billRow
	if l.transfers {
		format = transferRow
	}
	var rows []string
	for _, v := range fit[:min(len(fit), limit)] {
		rows = append(rows, fmt.Sprintf(format, v.id, v.at))
	}
	says(200, wrap("["+strings.Join(rows, ",")+"]"))(w, r)
}

// read returns the requested range. For transfers the names are reversed: "after" is the
// end and "before" the beginning.
func (l *timeline) read(r *http.Request) (after, before int64, limit int) {
	if l.transfers {
		number := func(name string) int64 {
			n, _ := strconv.ParseInt(r.URL.Query().Get(name), 10, 64) // 0 if absent
			return n
		}
		return number("before"), number("after"), int(number("limit"))
	}
	var body struct {
		After, Before int64
		Limit         int
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return 0, 0, 0
	}
	return body.After, body.Before, body.Limit
}

func (l *timeline) client(t *testing.T) *Client {
	f := serve(t, l.ServeHTTP)
	f.Config.Handler = l
	return dial(t, f)
}

// all returns the ids that the iterator yields, and their times.
func (l *timeline) all(c *Client, from, to affiliate.Millis, limit int) (ids []int, times []int64, err error) {
	if l.transfers {
		all, err := collect(c.AllTransfers(background, TransferQuery{From: from, To: to, Limit: limit}))
		for _, v := range all {
			id, _ := strconv.Atoi(string(v.Amount)) // written by the test
			ids, times = append(ids, id), append(times, int64(v.Time))
		}
		return ids, times, err
	}
	all, err := collect(c.AllBills(background, BillQuery{From: from, To: to, Limit: limit}))
	for _, v := range all {
		id, _ := strconv.Atoi(v.BillID)
		ids, times = append(ids, id), append(times, int64(v.Created))
	}
	return ids, times, err
}

// Each record of the range is returned exactly once, newest first, with few more requests
// than necessary. This holds for any order of the records, with and without included
// ends, and for any number of records in one millisecond.
func TestRecordsByTime(t *testing.T) {
	const begin = 1756000000000
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 11))
		l := &timeline{
			low: random.IntN(2) == 0, high: random.IntN(2) == 0, transfers: random.IntN(2) == 0,
			order: []string{"newest", "oldest", "none"}[random.IntN(3)],
		}
		spread := []int64{20, 200, 1_000_000_000}[random.IntN(3)]
		limit := 5 + random.IntN(20)
		perMilli := map[int64]int{}
		for range random.IntN(150) {
			at := begin + random.Int64N(spread)
			if perMilli[at]++; perMilli[at] < limit {
				l.times = append(l.times, at)
			}
		}
		var from, to affiliate.Millis
		if random.IntN(2) == 0 {
			from = begin + affiliate.Millis(random.Int64N(spread))
		}
		if random.IntN(2) == 0 {
			to = max(from, begin+affiliate.Millis(random.Int64N(spread)))
		}
		var want []int
		for i, at := range l.times {
			if (from == 0 || at >= int64(from)) && (to == 0 || at < int64(to)) {
				want = append(want, i+1)
			}
		}
		ids, times, err := l.all(l.client(t), from, to, limit)
		slices.Sort(ids)
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("seed %d: %+v: got %v, want %v: %v", seed, l, ids, want, err)
		}
		if !slices.IsSortedFunc(times, func(a, b int64) int { return int(b - a) }) {
			t.Errorf("seed %d: not newest first: %v", seed, times)
		}
		if most := 4 + 6*len(l.times)/limit; l.order != "none" && spread > 1000 && l.asked > most {
			t.Errorf("seed %d: %d requests for %d records with a limit of %d", seed, l.asked, len(l.times), limit)
		}
	}
}

// If the exchange ignores the requested times, or one millisecond holds more records than
// one answer can, the iteration ends with an error. It never loops and never omits
// records.
func TestRecordsByTimeErrors(t *testing.T) {
	for _, transfers := range []bool{false, true} {
		most := map[bool]int{false: maxBills, true: maxTransfers}[transfers]
		spread := make([]int64, most)
		for i := range spread {
			spread[i] = 1756000000000 + int64(i)
		}
		heedless := &timeline{times: spread, order: "newest", ignores: true, transfers: transfers}
		crowded := &timeline{times: slices.Repeat([]int64{1756000000000}, most), order: "newest", transfers: transfers}
		for _, l := range []*timeline{heedless, crowded} {
			_, _, err := l.all(l.client(t), 0, 0, 0)
			if exchange.ClassOf(err) != exchange.ClassMalformed || l.asked > 60 {
				t.Errorf("%d requests, %v", l.asked, err)
			}
		}
		// One record less fits, even if the caller sets a small limit.
		crowded.times = crowded.times[1:]
		ids, _, err := crowded.all(crowded.client(t), 0, 0, 7)
		if err != nil || len(ids) != most-1 {
			t.Errorf("%d records, %v", len(ids), err)
		}
	}
}
