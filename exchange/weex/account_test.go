package weex

import (
	"rebatedesk/exchange"

	"testing"
)

func TestBills(t *testing.T) {
	ask := func(c *Client) ([]Bill, error) {
		return only(c.Bills(background, BillQuery{CoinID: "2", Type: AgentReward, From: 1756000000000, To: 1756103438804, Limit: 50}))
	}
	endpointTest[[]Bill]{
		section: "4.14", ask: ask, sent: `{"coinId":2,"bizType":"rr_agent_reward","after":1756000000000,"before":1756103438804,"limit":50}`,
		answers: map[string]string{
			"documented": wrap(`[{"billId":"9007199254740993","coinId":2,"coinName":"USDT","bizType":"rr_agent_reward","fillSize":"0","fillValue":"0","deltaAmount":"12.5","afterAmount":"98765432109876.00000003","fees":"0","cTime":"1756103438804"}]`),
			"oddities":   wrap(`[{"billId":9007199254740993,"coinId":"2","coinName":"USDT","bizType":"rr_agent_reward","fillSize":0,"fillValue":0,"deltaAmount":12.5,"afterAmount":98765432109876.00000003,"fees":0,"cTime":1756103438804,"new":[{}]}]`),
		},
		want: []Bill{{above, "2", "USDT", AgentReward, "0", "0", "12.5", "98765432109876.00000003", "0", 1756103438804}},
	}.check(t)
	endpointTest[[]Bill]{
		section: "4.14", ask: func(c *Client) ([]Bill, error) { return only(c.Bills(background, BillQuery{})) }, sent: `{"limit":100}`,
		answers: map[string]string{"short": wrap(`[{"billId":"1","coinName":"USDT","bizType":"of_tomorrow","deltaAmount":"-1","fees":null,"fillSize":"","cTime":1756103438804}]`)},
		want:    []Bill{{BillID: "1", CoinName: "USDT", Type: "of_tomorrow", DeltaAmount: "-1", Created: 1756103438804}},
	}.check(t)
	row := map[string]any{}
	const good = `{"billId":"1","coinName":"USDT","bizType":"deposit","deltaAmount":"1","cTime":1756103438804}`
	bad := map[string]string{wrap(`"none"`): "data"}
	for _, field := range []string{"billId", "coinName", "bizType", "deltaAmount", "cTime"} {
		clear(row)
		row[field] = nil
		bad[wrap(`[`+with(t, good, row)+`]`)] = field
	}
	malformed(t, ask, bad)
	bills := func(q BillQuery) func(*Client) error {
		return func(c *Client) error { _, err := c.Bills(background, q); return err }
	}
	refuses(t, map[string]func(*Client) error{
		`coinId = "USDT"`: bills(BillQuery{CoinID: "USDT"}), `bizType = "c2c_buy"`: bills(BillQuery{Type: "c2c_buy"}), `limit = "101"`: bills(BillQuery{Limit: 101}),
		`limit = "-1"`: bills(BillQuery{Limit: -1}), `after = "5"`: bills(BillQuery{From: 5}), `begins before it ends`: bills(BillQuery{From: 1756000000001, To: 1756000000000}),
	})
	if len(BillTypes()) != 16 || len(FundingBillTypes()) != 21 {
		t.Errorf("%d and %d types of bills, the document has 16 and 21", len(BillTypes()), len(FundingBillTypes()))
	}
}

func TestFundingBills(t *testing.T) {
	ask := func(c *Client) (exchange.Page[FundingBill], error) {
		return c.FundingBills(background, FundingBillQuery{CoinID: "2", From: 1756000000000, To: 1756103438804, PageIndex: 3, PageSize: 10})
	}
	endpointTest[exchange.Page[FundingBill]]{
		section: "4.15", ask: ask, sent: `{"coinId":2,"startTime":1756000000000,"endTime":1756103438804,"pageIndex":3,"pageSize":10}`,
		answers: map[string]string{
			"documented": wrap(`{"total":21,"page":3,"pageSize":10,"hasNextPage":false,"items":[{"billId":"9007199254740993","coinId":2,"coinName":"USDT","bizType":"transfer_in","deltaAmount":"5","afterAmount":"15","fees":"0","cTime":"1756103438804"}]}`),
			"oddities":   wrap(`{"total":"21","page":"3","pageSize":"10","hasNextPage":"false","items":[{"billId":9007199254740993,"coinId":"2","coinName":"USDT","bizType":"transfer_in","deltaAmount":5,"afterAmount":15,"fees":0,"cTime":1756103438804}]}`),
		},
		want: exchange.Page[FundingBill]{
			Pages: -1, PageSize: 10, Total: 21, Next: no,
			Records: []FundingBill{{above, "2", "USDT", "transfer_in", "5", "15", "0", 1756103438804}},
		},
	}.check(t)
	endpointTest[exchange.Page[FundingBill]]{
		section: "4.15", sent: `{"pageIndex":1,"pageSize":100}`,
		ask: func(c *Client) (exchange.Page[FundingBill], error) {
			return c.FundingBills(background, FundingBillQuery{})
		},
		answers: map[string]string{"without a change": wrap(`{"items":[{"billId":"1","coinName":"USDT","bizType":"new_kind","cTime":1756103438804}],"hasNextPage":true}`)},
		want: exchange.Page[FundingBill]{
			Pages: -1, PageSize: -1, Total: -1, Next: yes,
			Records: []FundingBill{{BillID: "1", CoinName: "USDT", Type: "new_kind", Created: 1756103438804}},
		},
	}.check(t)
	const good = `{"billId":"1","coinName":"USDT","bizType":"deposit","cTime":1756103438804}`
	bad := map[string]string{wrap(`{"total":1000,"items":null}`): "items", wrap(`{"items":5}`): "items"}
	for _, field := range []string{"billId", "coinName", "bizType", "cTime"} {
		bad[wrap(`{"items":[`+with(t, good, map[string]any{field: nil})+`]}`)] = field
	}
	malformed(t, ask, bad)
	bills := func(q FundingBillQuery) func(*Client) error {
		return func(c *Client) error { _, err := c.FundingBills(background, q); return err }
	}
	refuses(t, map[string]func(*Client) error{
		`coinId = "-1"`: bills(FundingBillQuery{CoinID: "-1"}), `pageIndex = "-1"`: bills(FundingBillQuery{PageIndex: -1}), `pageSize = "101"`: bills(FundingBillQuery{PageSize: 101}),
		`endTime = "1"`: bills(FundingBillQuery{To: 1}), `startTime = "1"`: bills(FundingBillQuery{From: 1}),
	})
}

func TestTransfers(t *testing.T) {
	ask := func(c *Client) ([]Transfer, error) {
		return only(c.Transfers(background, TransferQuery{CoinID: "2", FromType: "SPOT & more", From: 1756000000000, To: 1756103438804, Limit: 500}))
	}
	endpointTest[[]Transfer]{
		// The names are reversed: after selects the records before it.
		section: "4.16", ask: ask, sent: `coinId=2&fromType=SPOT+%26+more&after=1756103438804&before=1756000000000&limit=500`,
		answers: map[string]string{
			"documented": wrap(`[{"coinName":"USDT","status":"Successful","toType":"spot","toSymbol":"","fromType":"futures","fromSymbol":"cmt_btcusdt","amount":"1000.50","tradeTime":"1756103438804"}]`),
			"oddities":   wrap(`[{"coinName":"USDT","status":"Successful","toType":"spot","toSymbol":null,"fromType":"futures","fromSymbol":"cmt_btcusdt","amount":1000.50,"tradeTime":1756103438804,"id":1}]`),
		},
		want: []Transfer{{"USDT", "Successful", "spot", "", "futures", "cmt_btcusdt", "1000.50", 1756103438804}},
	}.check(t)
	endpointTest[[]Transfer]{
		section: "4.16", ask: func(c *Client) ([]Transfer, error) { return only(c.Transfers(background, TransferQuery{})) }, sent: "limit=500",
		answers: map[string]string{"none": wrap(`[]`)},
	}.check(t)
	const good = `{"coinName":"USDT","amount":"1","tradeTime":1756103438804}`
	bad := map[string]string{wrap(`"none"`): "data"}
	for _, field := range []string{"coinName", "amount", "tradeTime"} {
		bad[wrap(`[`+with(t, good, map[string]any{field: nil})+`]`)] = field
	}
	malformed(t, ask, bad)
	transfers := func(q TransferQuery) func(*Client) error {
		return func(c *Client) error { _, err := c.Transfers(background, q); return err }
	}
	refuses(t, map[string]func(*Client) error{
		`coinId = "0"`: transfers(TransferQuery{CoinID: "0"}), `limit = "501"`: transfers(TransferQuery{Limit: 501}), `after = "7"`: transfers(TransferQuery{To: 7}),
		`before = "7"`: transfers(TransferQuery{From: 7}), `begins before it ends`: transfers(TransferQuery{From: 1756000000001, To: 1756000000000}),
	})
}
