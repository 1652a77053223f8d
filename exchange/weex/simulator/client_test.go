package simulator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

const (
	commissionPath = "/api/v2/rebate/affiliate/getAffiliateCommission"
	inviteePath    = "/api/v2/rebate/affiliate/getAffiliateUIDs"
	subPath        = "/api/v2/rebate/affiliate/querySubChannelTransactions"
)

// instant is the present of most tests.
var instant = time.Date(2026, 3, 11, 15, 4, 5, 0, time.UTC)

func frozen() time.Time { return instant }

// signed returns a signed request; for a POST, query is the body.
func signed(t testing.TB, c Credentials, base, method, path, query string, at time.Time) *http.Request {
	t.Helper()
	timestamp := strconv.FormatInt(at.UnixMilli(), 10)
	url, body := base+path, ""
	if method == http.MethodPost {
		body, query = query, ""
	} else if query != "" {
		url += "?" + query
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("ACCESS-KEY", c.APIKey.Reveal())
	r.Header.Set("ACCESS-PASSPHRASE", c.APIPassphrase.Reveal())
	r.Header.Set("ACCESS-TIMESTAMP", timestamp)
	r.Header.Set("ACCESS-SIGN", weex.Sign(c.APISecret, timestamp, method, path, query, body))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// call calls the handler directly, without a network.
func call(t testing.TB, s *Simulator, method, path, query string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, signed(t, s.Credentials(), "", method, path, query, s.options.Now()))
	return w
}

// page is a decoded answer in any wording.
type page struct {
	total, pages, size int
	rows               []any
}

// text returns the value of a field as text; absent, null and "" are equal.
func text(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

func number(v any) int {
	n, err := strconv.Atoi(text(v))
	if err != nil {
		return -1
	}
	return n
}

// parse decodes an answer; it returns an error if the answer is not a page.
func parse(status int, body []byte) (page, error) {
	var top map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&top); err != nil {
		return page{}, err
	}
	if _, err := d.Token(); err != io.EOF {
		return page{}, fmt.Errorf("more than one JSON value")
	}
	if code := text(top["code"]); status != http.StatusOK || code != "200" && code != "00000" && code != "" {
		return page{}, fmt.Errorf("status %d code %q msg %q", status, code, text(top["msg"]))
	}
	data := top
	if inner, ok := top["data"].(map[string]any); ok {
		data = inner
	}
	p := page{total: number(data["total"]), pages: number(data["pages"]), size: number(data["pageSize"])}
	if p.size < 0 {
		p.size = number(data["size"])
	}
	for _, name := range []string{"channelCommissionInfoItems", "channelUserInfoItemList", "records", "list"} {
		if rows, ok := data[name].([]any); ok {
			p.rows = rows
			return p, nil
		}
	}
	return page{}, fmt.Errorf("no list")
}

// ask makes a call whose answer must be a page.
func ask(t testing.TB, s *Simulator, method, path, query string) page {
	t.Helper()
	w := call(t, s, method, path, query)
	p, err := parse(w.Code, w.Body.Bytes())
	if err != nil {
		t.Fatalf("%s %s %s: %v\n%s", method, path, query, err, w.Body)
	}
	return p
}

func millis(v any) affiliate.Millis {
	n, err := strconv.ParseInt(text(v), 10, 64)
	if err != nil {
		return 0
	}
	return affiliate.Millis(n)
}

// commissionOf decodes a record of 4.17.
func commissionOf(row any, product affiliate.Product) affiliate.Commission {
	m := row.(map[string]any)
	at := m["dealTime"]
	if at == nil {
		at = m["date"]
	}
	c := affiliate.Commission{
		DealTime: millis(at), UID: affiliate.UID(text(m["uid"])), Product: product, Symbol: text(m["symbol"]),
		Source: affiliate.SourceOf(text(m["sourceType"])), Coin: affiliate.Coin(text(m["coin"])),
		TakerAmount: affiliate.Number(text(m["takerAmount"])), MakerAmount: affiliate.Number(text(m["makerAmount"])),
		Fee: affiliate.Number(text(m["fee"])), Rate: affiliate.Number(text(m["rate"])),
		Commission: affiliate.Number(text(m["commission"])),
	}
	for _, f := range affiliate.CommissionFields.After("commission") {
		*f.Target(&c).(*string) = text(m[camelCase(f.Column)])
	}
	return c
}

func inviteeOf(row any) affiliate.Invitee {
	m := row.(map[string]any)
	return affiliate.Invitee{
		UID: affiliate.UID(text(m["uid"])), InviteCode: text(m["inviteCode"]), RegisterTime: millis(m["registerTime"]),
		KYC: affiliate.Flag(text(m["kycResult"])), FirstDeposit: millis(m["firstDeposit"]), FirstTrade: millis(m["firstTrade"]),
		LastDeposit: millis(m["lastDeposit"]), LastTrade: millis(m["lastTrade"]),
	}
}

func subAffiliateDayOf(t testing.TB, row any) affiliate.SubAffiliateDay {
	t.Helper()
	m := row.(map[string]any)
	date, err := affiliate.ParseDay(text(m["date"]))
	if err != nil {
		t.Fatal(err)
	}
	return affiliate.SubAffiliateDay{
		UID: affiliate.UID(text(m["subAffiliateUid"])), Product: affiliate.Product(text(m["productType"])), Date: date,
		TradingVolume: affiliate.Number(text(m["tradingVolume"])), NetTradingFee: affiliate.Number(text(m["netTradingFee"])),
		PaidCommission: affiliate.Number(text(m["paidCommission"])),
	}
}

// counted returns the multiset of a list.
func counted[T comparable](all []T) map[T]int {
	m := map[T]int{}
	for _, v := range all {
		m[v]++
	}
	return m
}

// differ fails unless both lists are the same multiset.
func differ[T comparable](t testing.TB, what string, got, want []T) {
	t.Helper()
	left := counted(want)
	for _, v := range got {
		left[v]--
	}
	shown := 0
	for v, n := range left {
		if n != 0 && shown < 5 {
			t.Errorf("%s: %+d of %v", what, -n, v)
			shown++
		}
	}
	if shown > 0 {
		t.Fatalf("%s: got %d, want %d", what, len(got), len(want))
	}
}

// careful is a client that reads a window until the result is certain: all totals are
// equal and right, and no page was seen twice. Otherwise it reads until two readings
// agree.
type careful struct {
	s        *Server
	requests int
}

// fetch requests one page until it receives an answer.
func (c *careful) fetch(t testing.TB, method, path, query string) page {
	t.Helper()
	for range 20 {
		c.requests++
		response, err := http.DefaultClient.Do(signed(t, c.s.Credentials(), c.s.BaseURL, method, path, query, c.s.options.Now()))
		if err != nil {
			continue
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil {
			continue
		}
		if p, err := parse(response.StatusCode, body); err == nil {
			return p
		}
	}
	t.Fatalf("%s never answered", query)
	return page{}
}

// window reads all rows of a window. ask returns the query of a page.
func (c *careful) window(t testing.TB, method, path string, ask func(page int) string) []any {
	t.Helper()
	last := "none"
	for range 12 {
		rows, sure := c.reading(t, method, path, ask)
		written, err := json.Marshal(plain(rows))
		if err != nil {
			t.Fatal(err)
		}
		if sure || string(written) == last {
			return rows
		}
		last = string(written)
	}
	t.Fatalf("%s never settled", ask(1))
	return nil
}

func (c *careful) reading(t testing.TB, method, path string, ask func(page int) string) (rows []any, sure bool) {
	t.Helper()
	sure = true
	total, before := -1, ""
	for n := 1; ; n++ {
		p := c.fetch(t, method, path, ask(n))
		written, err := json.Marshal(plain(p.rows))
		if err != nil {
			t.Fatal(err)
		}
		if total >= 0 && p.total != total || len(p.rows) > 0 && string(written) == before {
			sure = false
		}
		total, before = p.total, string(written)
		rows = append(rows, p.rows...)
		if len(p.rows) < 100 {
			return rows, sure && len(rows) == total
		}
	}
}

// plain removes the differences of wording from rows, so that readings can be compared.
func plain(rows []any) []any {
	out := make([]any, len(rows))
	for i, row := range rows {
		m := map[string]string{}
		for name, value := range row.(map[string]any) {
			if name == "date" && len(text(value)) == 13 {
				name = "dealTime"
			}
			if name != "productType" && text(value) != "" {
				m[name] = text(value)
			}
		}
		out[i] = m
	}
	return out
}

// everything reads all streams of the last days, in windows of the given number of days.
func (c *careful) everything(t testing.TB, days, length int) Ledger {
	t.Helper()
	var all Ledger
	now := c.s.options.Now()
	today := now.UnixMilli() / day * day
	for from := today - int64(days-1)*day; from <= today; from += int64(length) * day {
		to := from + int64(length)*day
		start := max(from-1, now.UnixMilli()-365*day)
		for _, product := range affiliate.Products() {
			for _, row := range c.window(t, "GET", commissionPath, func(n int) string {
				return fmt.Sprintf("productType=%s&startTime=%d&endTime=%d&page=%d&pageSize=100", product, from-1, to, n)
			}) {
				if r := commissionOf(row, product); int64(r.DealTime) >= from && int64(r.DealTime) < to {
					all.Commissions = append(all.Commissions, r)
				}
			}
			for _, row := range c.window(t, "POST", subPath, func(n int) string {
				return fmt.Sprintf(`{"productType":%q,"startTime":%d,"endTime":%d,"pageNum":%d,"pageSize":100}`, product, from-1, to, n)
			}) {
				if r := subAffiliateDayOf(t, row); int64(r.Date)*day >= from && int64(r.Date)*day < to {
					all.SubAffiliateDays = append(all.SubAffiliateDays, r)
				}
			}
		}
		if start >= to {
			continue
		}
		for _, row := range c.window(t, "GET", inviteePath, func(n int) string {
			return fmt.Sprintf("startTime=%d&endTime=%d&page=%d&pageSize=100", start, to, n)
		}) {
			if r := inviteeOf(row); int64(r.RegisterTime) >= from && int64(r.RegisterTime) < to {
				all.Invitees = append(all.Invitees, r)
			}
		}
	}
	return all
}

// reachable returns the invitees that endpoint 4.18 still lists.
func reachable(all []affiliate.Invitee, now time.Time) []affiliate.Invitee {
	var some []affiliate.Invitee
	for _, u := range all {
		if int64(u.RegisterTime) > now.UnixMilli()-365*day {
			some = append(some, u)
		}
	}
	return some
}

// listen starts a server that ends with the test.
func listen(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// get requests an unsigned address.
func get(ctx context.Context, url string) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, body, err
}
