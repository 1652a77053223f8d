package weex

import (
	"rebatedesk/exchange"

	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rebatedesk/affiliate"
)

var goodCommission = affiliate.Commission{
	DealTime: 1755687731913, UID: "4667776811", Product: affiliate.Spot, Symbol: "cmt_btcusdt", Source: affiliate.Direct,
	Coin: "USDT", TakerAmount: "1137.619", MakerAmount: "0", Fee: "0.682571", Rate: "0.1", Commission: "0.0682571",
}

// This test decodes every known envelope around the same record.
func TestEnvelopes(t *testing.T) {
	inner := `"pages":3,"pageSize":100,"total":1014,"channelCommissionInfoItems":[` + goodRow + `]`
	for name, test := range map[string]struct {
		body                   string
		pages, pageSize, total int
	}{
		"standard":             {`{"code":"00000","msg":"success","requestTime":1756103438804,"data":{` + inner + `}}`, 3, 100, 1014},
		"standard, text time":  {`{"code":"00000","msg":"success","requestTime":"1756103438804","data":{` + inner + `}}`, 3, 100, 1014},
		"code behind the data": {`{"data":{` + inner + `},"msg":"success","requestTime":1,"code":"00000"}`, 3, 100, 1014},
		"affiliate":            {`{"code":"200","data":{` + inner + `},"timestamp":1756103438804}`, 3, 100, 1014},
		"code 200 as number":   {`{"code":200,"data":{` + inner + `}}`, 3, 100, 1014},
		"code 0 as number":     {`{"code":0,"data":{` + inner + `}}`, 3, 100, 1014},
		"code 0 as text":       {`{"code":"0","data":{` + inner + `}}`, 3, 100, 1014},
		"code null":            {`{"code":null,"data":{` + inner + `}}`, 3, 100, 1014},
		"list outermost":       {`{"code":"200","total":7,"list":[` + goodRow + `],"timestamp":1756103438804}`, -1, -1, 7},
		"bare":                 {`{` + inner + `}`, 3, 100, 1014},
		"bare records":         {`{"records":[` + goodRow + `],"total":1,"size":50,"current":1,"pages":1}`, 1, 50, 1},
		"counts as text":       {`{"code":"200","data":{"pages":"3","pageSize":"100","total":"1014","list":[` + goodRow + `]}}`, 3, 100, 1014},
		"counts absent":        {`{"code":"200","data":{"pages":null,"total":"","channelCommissionInfoItems":[` + goodRow + `]}}`, -1, -1, -1},
		"unknown fields":       {`{"a":[1,{"list":[]}],"code":"200","data":{"data":{"list":[]},"x":{"y":null},` + inner + `}}`, 3, 100, 1014},
		"white space":          {"\n\t " + `{ "data" : {` + inner + "} }\r\n", 3, 100, 1014},
		"escaped names":        {`{"c\u006fde":"200","d\u0061ta":{` + inner + `}}`, 3, 100, 1014},
	} {
		t.Run(name, func(t *testing.T) {
			c := dial(t, serve(t, says(200, test.body)))
			got, err := c.Commissions(t.Context(), CommissionQuery{})
			if err != nil {
				t.Fatal(err)
			}
			want := exchange.Page[affiliate.Commission]{Records: []affiliate.Commission{goodCommission}, Pages: test.pages, PageSize: test.pageSize, Total: test.total}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Each of the three lists is empty if the exchange says so.
func TestPositivelyEmpty(t *testing.T) {
	for _, body := range []string{
		`{"code":"200","data":{"pages":0,"pageSize":100,"total":0,"KEY":[]}}`,
		`{"code":"200","total":0,"list":[]}`, `{"records":[],"total":0}`, `{"KEY":[]}`,
	} {
		for _, call := range calls {
			c := dial(t, serve(t, says(200, strings.ReplaceAll(body, "KEY", call.list))))
			if n, err := call.do(c); err != nil || n != 0 {
				t.Errorf("%s: %s: %d records, %v", call.name, body, n, err)
			}
		}
	}
}

// In a successful envelope, a page that is empty by its counts may omit its list.
func TestEmptyPageWithoutAList(t *testing.T) {
	for _, test := range []struct {
		body string
		from int // the first empty page; 0: no page is empty
	}{
		{`{"code":"200","data":{"pages":0,"pageSize":100,"total":0,"KEY":null}}`, 1},
		{`{"code":"200","data":{"pages":1,"pageSize":100,"total":0}}`, 1},
		{`{"code":200,"data":{"total":"0"},"timestamp":1756103438804}`, 1},
		{`{"code":"00000","msg":"success","requestTime":1,"data":{"total":0,"size":10,"current":1,"pages":0,"records":null}}`, 1},
		{`{"data":{"total":250},"code":"00000"}`, 4},
		{`{"code":"00000","data":{"pages":3}}`, 4},
		{`{"code":"00000","data":{"pages":3,"total":250,"pageSize":100}}`, 4},
		{`{"code":"00000","data":{"pages":4,"total":250,"pageSize":100,"KEY":null}}`, 4},
		{`{"code":"00000","data":{"total":250,"pageSize":50}}`, 6},
		{`{"code":"00000","data":{"total":250,"pageSize":1000}}`, 4},
		{`{"code":"200","total":0,"list":null,"timestamp":1756103438804}`, 1},
		{`{"code":"200","total":0,"timestamp":1756103438804}`, 1},
		{`{"code":"200","total":100,"list":null}`, 2},
		{`{"code":"00000","total":0,"data":null}`, 1},
		{`{"pages":0,"pageSize":100,"total":0,"KEY":null}`, 1},
		{`{"pages":0,"pageSize":100,"total":0}`, 1},
		{`{"records":null,"total":101,"size":100,"current":3,"pages":2}`, 3},
		{`{"code":"00000","data":{"pages":9,"total":250,"pageSize":100}}`, 4}, // the total decides
		{`{"code":"00000","data":{"pages":9,"total":0}}`, 1},
		{`{"pageSize":100,"KEY":null}`, 0},
		{`{"code":"00000","data":{"total":0,"hasNextPage":true}}`, 0},
	} {
		var body string
		c := dial(t, serve(t, func(w http.ResponseWriter, r *http.Request) { says(200, body)(w, r) }), func(cfg *exchange.Config) { cfg.Tries = 1 })
		for page := 1; page < 8; page++ {
			for name, ask := range map[string]func() (int, error){
				commissionList: func() (int, error) {
					p, err := c.Commissions(background, CommissionQuery{Page: page})
					return len(p.Records), err
				},
				inviteeList: func() (int, error) {
					p, err := c.Invitees(background, InviteeQuery{Page: page})
					return len(p.Records), err
				},
				subAffiliateList: func() (int, error) {
					p, err := c.SubAffiliateDays(background, SubAffiliateQuery{Page: page})
					return len(p.Records), err
				},
				fundingBillList: func() (int, error) {
					p, err := c.FundingBills(background, FundingBillQuery{PageIndex: page})
					return len(p.Records), err
				},
				fillList: func() (int, error) {
					p, err := c.Fills(background, FillQuery{Symbol: "BTCUSDT_SPBL", PageIndex: page - 1})
					return len(p.Records), err
				},
			} {
				body = strings.ReplaceAll(test.body, "KEY", name)
				n, err := ask()
				empty := test.from > 0 && page >= test.from
				if name == fillList { // of orders and fills, the number of pages is believed too
					for pages := range 10 {
						empty = empty && (page > pages || !strings.Contains(test.body, fmt.Sprintf(`"pages":%d`, pages)) || pages == 1)
					}
				}
				if empty && (err != nil || n != 0) || !empty && exchange.ClassOf(err) != exchange.ClassMalformed {
					t.Errorf("%s page %d: %s: %d records, %v", name, page, test.body, n, err)
				}
			}
		}
	}
}

// calls holds the three affiliate endpoints as functions of one type.
var calls = []struct {
	name, list, Row string
	do              func(*Client) (int, error)
}{
	{"commissions", commissionList, goodRow, func(c *Client) (int, error) {
		p, err := c.Commissions(background, CommissionQuery{})
		return len(p.Records), err
	}},
	{"invitees", inviteeList, `{"uid":"1"}`, func(c *Client) (int, error) {
		p, err := c.Invitees(background, InviteeQuery{})
		return len(p.Records), err
	}},
	{
		"sub-affiliate days", subAffiliateList,
		`{"subAffiliateUid":"1","date":"2025-08-20","tradingVolume":"1","netTradingFee":"1","paidCommission":"1"}`,
		func(c *Client) (int, error) {
			p, err := c.SubAffiliateDays(background, SubAffiliateQuery{})
			return len(p.Records), err
		},
	},
}

// Every endpoint returns an error of the given class unless the answer is explicitly
// empty.
func TestNeverSilentlyEmpty(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		class  exchange.Class
	}{
		"data text":            {200, `{"code":"200","data":"[]"}`, exchange.ClassMalformed},
		"list null, no code":   {200, `{"list":null}`, exchange.ClassMalformed},
		"data null, no code":   {200, `{"msg":"success","data":null}`, exchange.ClassMalformed},
		"list null, records":   {200, `{"code":"200","data":{"total":1,"list":null}}`, exchange.ClassMalformed},
		"list absent, records": {200, `{"code":"200","data":{"total":1}}`, exchange.ClassMalformed},
		"absent, one page":     {200, `{"code":"200","data":{"pages":1,"pageSize":100}}`, exchange.ClassMalformed},
		"absent, pages":        {200, `{"code":"200","data":{"pages":2}}`, exchange.ClassMalformed},
		"absent, another page": {200, `{"code":"00000","data":{"total":0,"hasNextPage":true}}`, exchange.ClassMalformed},
		"data null, records":   {200, `{"code":"00000","total":3,"data":null}`, exchange.ClassMalformed},
		"data text, total 0":   {200, `{"code":"00000","total":0,"data":"none"}`, exchange.ClassMalformed},
		"other list, total 0":  {200, `{"code":"200","data":{"total":0,"items":[{}]}}`, exchange.ClassMalformed},
		"only a total":         {200, `{"total":0}`, exchange.ClassMalformed},
		"only a page size":     {200, `{"pageSize":100,"pages":0}`, exchange.ClassMalformed},
		"404 with a total":     {404, `{"total":0,"pageSize":100,"list":null}`, exchange.ClassMalformed},
		"error with a total":   {200, `{"code":"40020","msg":"no","data":{"total":0,"list":null}}`, exchange.ClassValidation},
		"list an object":       {200, `{"code":"200","data":{"total":0,"list":{}}}`, exchange.ClassMalformed},
		"list of another name": {200, `{"code":"200","data":{"total":5,"items":[]}}`, exchange.ClassMalformed},
		"list of other case":   {200, `{"code":"200","data":{"total":5,"List":[]}}`, exchange.ClassMalformed},
		"two lists":            {200, `{"code":"200","list":[],"data":{"list":[]}}`, exchange.ClassMalformed},
		"list of null":         {200, `{"code":"200","list":[null]}`, exchange.ClassMalformed},
		"list of text":         {200, `{"code":"200","list":["a"]}`, exchange.ClassMalformed},
		"empty object":         {200, `{}`, exchange.ClassMalformed},
		"array":                {200, `[]`, exchange.ClassMalformed},
		"array of objects":     {200, `[{}]`, exchange.ClassMalformed},
		"null":                 {200, `null`, exchange.ClassMalformed},
		"text":                 {200, `"ok"`, exchange.ClassMalformed},
		"no body":              {200, ``, exchange.ClassMalformed},
		"no content":           {204, ``, exchange.ClassMalformed},
		"web page":             {200, "<!DOCTYPE html><html>list</html>", exchange.ClassMalformed},
		"cut off":              {200, `{"code":"200","data":{"list":[]`, exchange.ClassMalformed},
		"cut off error":        {200, `{"code":"40020","msg":"Para`, exchange.ClassMalformed},
		"something behind":     {200, `{"code":"200","list":[]} {}`, exchange.ClassMalformed},
		"garbage behind":       {200, `{"code":"200","list":[]} x`, exchange.ClassMalformed},
		"code an object":       {200, `{"code":{},"list":[]}`, exchange.ClassMalformed},
		"code a boolean":       {200, `{"code":true,"list":[]}`, exchange.ClassMalformed},
		"code a fraction":      {200, `{"code":2e2,"list":[]}`, exchange.ClassMalformed},
		"total not a number":   {200, `{"total":"many","list":[]}`, exchange.ClassMalformed},
		"total negative":       {200, `{"total":-1,"list":[]}`, exchange.ClassMalformed},
		"total a fraction":     {200, `{"total":1.5,"list":[]}`, exchange.ClassMalformed},
		"total nested":         {200, `{"total":[1],"list":[]}`, exchange.ClassMalformed},
		"total beyond reason":  {200, `{"total":99999999999999,"list":[]}`, exchange.ClassMalformed},
		"unknown path":         {404, `{"timestamp":"2025-08-20T00:00:00Z","status":404,"error":"Not Found","path":"/api"}`, exchange.ClassMalformed},
		"web page not found":   {404, `<html>`, exchange.ClassMalformed},
		"list with an error":   {200, `{"code":"40020","msg":"Parameter is invalid","list":[]}`, exchange.ClassValidation},
		"list with status 500": {500, `{"code":"200","list":[]}`, exchange.ClassUpstream},
		"list with status 400": {400, `{"list":[]}`, exchange.ClassMalformed},
	} {
		for _, call := range calls {
			c := dial(t, serve(t, says(test.status, test.body)), func(cfg *exchange.Config) { cfg.Tries = 1 })
			n, err := call.do(c)
			if exchange.ClassOf(err) != test.class || n != 0 {
				t.Errorf("%s: %s: %d records, class %q: %v", call.name, name, n, exchange.ClassOf(err), err)
			}
		}
	}
}

// An answer in a successful envelope that has neither a list nor a count is empty if a second
// one says the same; otherwise the second one counts.
func TestEmptyWithoutCountsIsAskedTwice(t *testing.T) {
	for _, body := range []string{
		`{"code":"00000","msg":"success","data":null}`, `{"code":"00000","msg":"success"}`, `{"code":"200","data":{}}`, `{"code":"200","data":[]}`,
		`{"code":"200","data":{"list":null}}`, `{"code":"00000","data":{"pageSize":100}}`,
	} {
		for _, call := range calls {
			for second, want := range map[string]struct {
				records int
				class   exchange.Class
			}{
				body: {}, `{"code":"200","data":{"total":1,"KEY":[` + call.Row + `]}}`: {records: 1}, `{"code":"200","data":{"total":1}}`: {class: exchange.ClassMalformed},
			} {
				f := serve(t, says(200, body), says(200, strings.ReplaceAll(second, "KEY", call.list)))
				n, err := call.do(dial(t, f, func(cfg *exchange.Config) { cfg.Tries = 1 }))
				if n != want.records || exchange.ClassOf(err) != want.class || len(f.seen()) != 2 {
					t.Errorf("%s: %s, then %s: %d records in %d requests, %v", call.name, body, second, n, len(f.seen()), err)
				}
			}
		}
	}
}

func TestQueries(t *testing.T) {
	f := serve(t, says(200, `{"list":[]}`))
	ctx := t.Context()
	for _, version := range []string{"v2", "v3"} {
		c := dial(t, f, func(cfg *exchange.Config) { cfg.APIVersion = version })
		for _, send := range []func() error{
			func() error { _, err := c.Commissions(ctx, CommissionQuery{}); return err },
			func() error {
				_, err := c.Commissions(ctx, CommissionQuery{UID: "42", Start: 1755648000000, End: 1756103438000, Product: affiliate.Futures, Page: 3, PageSize: 50})
				return err
			},
			func() error { _, err := c.Invitees(ctx, InviteeQuery{}); return err },
			func() error {
				_, err := c.Invitees(ctx, InviteeQuery{UID: "42", Start: 1755648000000, End: 1756103438000, Page: 3})
				return err
			},
			func() error { _, err := c.SubAffiliateDays(ctx, SubAffiliateQuery{}); return err },
			func() error {
				_, err := c.SubAffiliateDays(ctx, SubAffiliateQuery{UID: "42", Start: 1755648000000, End: 1756103438000, Product: affiliate.Futures, Page: 3, PageSize: 50})
				return err
			},
		} {
			if err := send(); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	for _, r := range f.seen() {
		got = append(got, r.method+" "+r.path+" "+r.query+r.body)
	}
	var want []string
	for _, version := range []string{"v2", "v3"} {
		root := "/api/" + version + "/rebate/affiliate/"
		want = append(want,
			"GET "+root+"getAffiliateCommission productType=SPOT&page=1&pageSize=100",
			"GET "+root+"getAffiliateCommission uid=42&productType=FUTURES&startTime=1755648000000&endTime=1756103438000&page=3&pageSize=50",
			"GET "+root+"getAffiliateUIDs page=1&pageSize=100",
			"GET "+root+"getAffiliateUIDs uid=42&startTime=1755648000000&endTime=1756103438000&page=3&pageSize=100",
			"POST "+root+`querySubChannelTransactions {"productType":"SPOT","pageNum":1,"pageSize":100}`,
			"POST "+root+`querySubChannelTransactions {"subUid":42,"startTime":1755648000000,"endTime":1756103438000,"productType":"FUTURES","pageNum":3,"pageSize":50}`,
		)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An invalid query is refused without a request.
func TestRefusedBeforeSending(t *testing.T) {
	f := serve(t, says(200, goodPage))
	c := dial(t, f)
	for _, uid := range []affiliate.UID{"x", "1,2", `1}`, "-1", "007", "12345678901234567890"} {
		_, err := c.SubAffiliateDays(t.Context(), SubAffiliateQuery{UID: uid})
		if exchange.ClassOf(err) != exchange.ClassRequest {
			t.Errorf("user %q: %v", uid, err)
		}
	}
	for _, err := range []error{
		second(c.Commissions(t.Context(), CommissionQuery{Product: "SPOT&x=1"})),
		second(c.SubAffiliateDays(t.Context(), SubAffiliateQuery{Product: "spot"})),
		second(c.Commissions(t.Context(), CommissionQuery{Start: 2, End: 1})),
		second(c.Invitees(t.Context(), InviteeQuery{Start: 2, End: 1})),
	} {
		if exchange.ClassOf(err) != exchange.ClassRequest {
			t.Error(err)
		}
	}
	if _, err := c.Invitees(t.Context(), InviteeQuery{Page: -1}); exchange.ClassOf(err) != exchange.ClassRequest {
		t.Errorf("page -1: %v", err)
	}
	for _, change := range []func(*exchange.Config){
		func(cfg *exchange.Config) { cfg.Key = "" }, func(cfg *exchange.Config) { cfg.Secret = "" }, func(cfg *exchange.Config) { cfg.Passphrase = "" },
	} {
		_, err := dial(t, f, change).Commissions(t.Context(), CommissionQuery{})
		if exchange.ClassOf(err) != exchange.ClassAuth || !strings.Contains(err.Error(), "REBATEDESK_API_KEY") {
			t.Errorf("without credentials: %v", err)
		}
	}
	if n := len(f.seen()); n != 0 || c.Usage() != (exchange.Usage{}) {
		t.Errorf("%d requests, %+v", n, c.Usage())
	}
}

// rows returns a client of a server that answers one page with the given records.
func rows(t *testing.T, list string, records ...string) *Client {
	t.Helper()
	return dial(t, serve(t, says(http.StatusOK, fmt.Sprintf(`{"code":"200","data":{%q:[%s]}}`, list, strings.Join(records, ",")))),
		func(cfg *exchange.Config) { cfg.Tries = 1 })
}

// with returns a record with changed fields; nil removes a field.
func with(t *testing.T, row string, changes map[string]any) string {
	t.Helper()
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(row), &fields); err != nil {
		t.Fatal(err)
	}
	for name, value := range changes {
		if value == nil {
			delete(fields, name)
			continue
		}
		fields[name] = json.RawMessage(value.(string))
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Queries with invalid times are not sent: times in seconds instead of milliseconds, and
// ranges longer than section 8 allows.
func TestTimesOfAffiliateQueries(t *testing.T) {
	const now, year = affiliate.Millis(1756103438000), affiliate.Millis(365 * 24 * 3_600_000)
	commissions := func(start, end affiliate.Millis) func(*Client) error {
		return func(c *Client) error {
			_, err := c.Commissions(background, CommissionQuery{Start: start, End: end})
			return err
		}
	}
	invitees := func(start, end affiliate.Millis) func(*Client) error {
		return func(c *Client) error {
			_, err := c.Invitees(background, InviteeQuery{Start: start, End: end})
			return err
		}
	}
	refuses(t, map[string]func(*Client) error{
		`startTime = "1755648000"`: commissions(1755648000, now), `startTime = "-5"`: commissions(-5, now),
		`at most 92 days`: commissions(now-year, now), `at most 90 days`: invitees(now-year/4, now),
		`begins before it ends`: commissions(now, now-1), `endTime = "1756103438"`: invitees(now-5, 1756103438),
	})
}
