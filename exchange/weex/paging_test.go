package weex

import (
	"rebatedesk/exchange"

	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
)

// collect reads an iterator completely and returns the error with which it ended.
func collect[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for v, e := range seq {
		if e != nil {
			return all, e
		}
		all = append(all, v)
	}
	return all, nil
}

// numbered is a server of numbered records in pages. Its function write encodes a page
// from the page number, the records and whether more follow.
type numbered struct {
	first  int // number of the first page
	size   int // most records of a page
	n      int // number of records
	asked  []int
	repeat bool // every page is the first one
	write  func(page []int, more bool) string
}

func (l *numbered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct{ PageNo, PageIndex, Limit, PageSize *int }
	raw, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(raw, &body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	page, size := body.PageNo, body.Limit
	if page == nil {
		page, size = body.PageIndex, body.PageSize
	}
	l.asked = append(l.asked, *page)
	begin := (*page - l.first) * min(*size, l.size)
	if l.repeat {
		begin = 0
	}
	var rows []int
	for i := begin; i < min(l.n, begin+min(*size, l.size)); i++ {
		rows = append(rows, i+1)
	}
	says(200, wrap(l.write(rows, begin+len(rows) < l.n)))(w, r)
}

// rowsOf encodes rows by a format and joins them.
func rowsOf(format string, rows []int) string {
	var all []string
	for _, id := range rows {
		all = append(all, fmt.Sprintf(format, id))
	}
	return "[" + strings.Join(all, ",") + "]"
}

const (
	openRow    = `{"orderId":"%d","symbol":"BTCUSDT_SPBL","side":"buy","quantity":"1"}`
	fillRow    = `{"orderId":"1","fillId":"%d","symbol":"BTCUSDT_SPBL","side":"buy","fillQuantity":"1","cTime":1756103438804}`
	fundingRow = `{"billId":"%d","coinName":"USDT","bizType":"deposit","cTime":1756103438804}`
)

// Every record is returned once, in order, whatever totals the answers report. No page is
// requested unnecessarily except the one that shows the end.
func TestPaging(t *testing.T) {
	open := func(c *Client) (ids []string, err error) {
		all, err := collect(c.AllOpenOrders(background, OpenOrderQuery{Symbol: pair, Limit: 10, PageNo: 7}))
		for _, o := range all {
			ids = append(ids, o.OrderID)
		}
		return ids, err
	}
	fills := func(c *Client) (ids []string, err error) {
		all, err := collect(c.AllFills(background, FillQuery{Symbol: pair, PageSize: 10}))
		for _, v := range all {
			ids = append(ids, v.FillID)
		}
		return ids, err
	}
	funding := func(c *Client) (ids []string, err error) {
		all, err := collect(c.AllFundingBills(background, FundingBillQuery{PageSize: 10}))
		for _, v := range all {
			ids = append(ids, v.BillID)
		}
		return ids, err
	}
	for name, test := range map[string]struct {
		ask   func(*Client) ([]string, error)
		l     numbered
		asked []int
	}{
		"open orders, nothing said": {open, numbered{n: 25, size: 10, write: func(rows []int, _ bool) string {
			return `{"orderInfoResultList":` + rowsOf(openRow, rows) + `,"nextPage":null,"totals":null}`
		}}, []int{0, 1, 2, 0, 1, 2}},
		"open orders, a full last page": {open, numbered{n: 20, size: 10, write: func(rows []int, _ bool) string {
			return `{"orderInfoResultList":` + rowsOf(openRow, rows) + `}`
		}}, []int{0, 1, 2, 0, 1, 2}},
		"open orders, none": {open, numbered{n: 0, size: 10, write: func([]int, bool) string {
			return `{"orderInfoResultList":[],"nextPage":null,"totals":null}`
		}}, []int{0}},
		"fills, total 0": {fills, numbered{n: 25, size: 10, write: func(rows []int, more bool) string {
			return fmt.Sprintf(`{"fillsOrderResultList":%s,"nextPage":%v,"totals":0}`, rowsOf(fillRow, rows), more)
		}}, []int{0, 1, 2}},
		"fills, never another page": {fills, numbered{n: 25, size: 10, write: func(rows []int, _ bool) string {
			return `{"fillsOrderResultList":` + rowsOf(fillRow, rows) + `,"nextPage":false,"totals":0}`
		}}, []int{0, 1, 2}},
		"fills, short pages": {fills, numbered{n: 7, size: 3, write: func(rows []int, more bool) string {
			return fmt.Sprintf(`{"fillsOrderResultList":%s,"nextPage":%v,"totals":0}`, rowsOf(fillRow, rows), more)
		}}, []int{0, 1, 2}},
		"funding": {funding, numbered{first: 1, n: 25, size: 10, write: func(rows []int, more bool) string {
			return fmt.Sprintf(`{"total":25,"page":1,"pageSize":10,"hasNextPage":%v,"items":%s}`, more, rowsOf(fundingRow, rows))
		}}, []int{1, 2, 3}},
		"funding, smaller pages than asked for": {funding, numbered{first: 1, n: 9, size: 4, write: func(rows []int, _ bool) string {
			return `{"pageSize":4,"items":` + rowsOf(fundingRow, rows) + `}`
		}}, []int{1, 2, 3}},
		"funding, only the total tells": {funding, numbered{first: 1, n: 9, size: 4, write: func(rows []int, _ bool) string {
			return `{"total":9,"items":` + rowsOf(fundingRow, rows) + `}`
		}}, []int{1, 2, 3}},
		"fills, the last page for ever": {fills, numbered{n: 10, size: 10, repeat: true, write: func(rows []int, _ bool) string {
			return `{"fillsOrderResultList":` + rowsOf(fillRow, rows) + `,"nextPage":false}`
		}}, []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			l := test.l
			f := serve(t, l.ServeHTTP)
			f.Config.Handler = &l
			got, err := test.ask(dial(t, f))
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for i := range l.n {
				want = append(want, fmt.Sprint(i+1))
			}
			if !slices.Equal(got, want) || !slices.Equal(l.asked, test.asked) {
				t.Errorf("got %v, requested the pages %v, want %v", got, l.asked, test.asked)
			}
		})
	}
}

// If the server ignores the page number or promises pages that it does not have, the
// iteration ends with an error.
func TestEndlessPages(t *testing.T) {
	for name, write := range map[string]func([]int, bool) string{
		"the same page for ever": func(rows []int, _ bool) string { return `{"orderInfoResultList":` + rowsOf(openRow, rows) + `}` },
		"always another page": func(rows []int, _ bool) string {
			return `{"orderInfoResultList":` + rowsOf(openRow, rows) + `,"nextPage":true}`
		},
		"nothing, and more": func([]int, bool) string { return `{"orderInfoResultList":[],"nextPage":true}` },
		"a total too high": func(rows []int, _ bool) string {
			return `{"orderInfoResultList":` + rowsOf(openRow, rows) + `,"totals":1000}`
		},
	} {
		l := numbered{n: 10, size: 10, repeat: true, write: write}
		f := serve(t, l.ServeHTTP)
		f.Config.Handler = &l
		got, err := collect(dial(t, f).AllOpenOrders(background, OpenOrderQuery{Symbol: pair, Limit: 10}))
		if exchange.ClassOf(err) != exchange.ClassMalformed || strings.Contains(err.Error(), "not sent") || len(got) > 10 || len(l.asked) > 1+maxIdle {
			t.Errorf("%s: %d records, %d requests, %v", name, len(got), len(l.asked), err)
		}
	}
}

// A record that moves to the next page during the iteration is returned once.
func TestRecordsThatMove(t *testing.T) {
	pages := [][]int{{3, 2}, {2, 1}, {}}
	var answers []http.HandlerFunc
	for _, rows := range pages {
		answers = append(answers, says(200, wrap(`{"fillsOrderResultList":`+rowsOf(fillRow, rows)+`}`)))
	}
	got, err := collect(dial(t, serve(t, answers...)).AllFills(background, FillQuery{Symbol: pair, PageSize: 2}))
	if err != nil || len(got) != 3 {
		t.Errorf("%d fills, %v", len(got), err)
	}
}

// Errors pass through the iterators, and an iteration that stops early sends no further
// requests.
func TestIteratorsEnd(t *testing.T) {
	f := serve(t, says(400, `{"code":"40014"}`))
	c := dial(t, f)
	begin := affiliate.Millis(1756000000000)
	for name, err := range map[string]error{
		"open orders": second(collect(c.AllOpenOrders(background, OpenOrderQuery{Symbol: pair}))),
		"fills":       second(collect(c.AllFills(background, FillQuery{Symbol: pair}))),
		"funding":     second(collect(c.AllFundingBills(background, FundingBillQuery{}))),
		"bills":       second(collect(c.AllBills(background, BillQuery{}))),
		"transfers":   second(collect(c.AllTransfers(background, TransferQuery{}))),
	} {
		if exchange.ClassOf(err) != exchange.ClassPermission {
			t.Errorf("%s: %v", name, err)
		}
	}
	asked := len(f.seen())
	for name, err := range map[string]error{
		"open orders": second(collect(c.AllOpenOrders(background, OpenOrderQuery{}))),
		"fills":       second(collect(c.AllFills(background, FillQuery{Symbol: pair, PageSize: 1000}))),
		"bills":       second(collect(c.AllBills(background, BillQuery{From: begin + 1, To: begin}))),
		"transfers":   second(collect(c.AllTransfers(background, TransferQuery{From: -5}))),
	} {
		if exchange.ClassOf(err) != exchange.ClassRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(f.seen()) != asked {
		t.Error("a request was sent")
	}
	f = serve(t, says(200, wrap(`{"fillsOrderResultList":`+rowsOf(fillRow, []int{1, 2})+`,"nextPage":true}`)))
	for range dial(t, f).AllFills(background, FillQuery{Symbol: pair}) {
		break
	}
	f2 := serve(t, says(200, wrap(`[`+fmt.Sprintf(transferRow, 1, begin)+`]`)))
	for range dial(t, f2).AllTransfers(background, TransferQuery{}) {
		break
	}
	if len(f.seen()) != 1 || len(f2.seen()) != 1 {
		t.Errorf("%d and %d requests", len(f.seen()), len(f2.seen()))
	}
}

func second[T any](_ T, err error) error { return err }

// An order that is filled during the iteration moves the others forward. A second pass
// finds the order that the first one missed.
func TestOpenOrdersThatMove(t *testing.T) {
	open := make([]int, 25)
	for i := range open {
		open[i] = 100 + i
	}
	asked := 0
	f := serve(t, says(500, ""))
	f.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ PageNo int }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		if asked++; asked == 2 {
			open = open[1:] // filled after page 0 was read
		}
		from := min(q.PageNo*10, len(open))
		says(200, wrap(`{"orderInfoResultList":`+rowsOf(openRow, open[from:min(from+10, len(open))])+`,"totals":null}`))(w, r)
	})
	got, err := collect(dial(t, f).AllOpenOrders(background, OpenOrderQuery{Symbol: pair, Limit: 10}))
	if err != nil || len(got) != 24 {
		t.Fatalf("%d orders, %v", len(got), err)
	}
	for i, o := range got {
		if o.OrderID != fmt.Sprint(open[i]) {
			t.Errorf("order %d is %s, want %d", i, o.OrderID, open[i])
		}
	}
}
