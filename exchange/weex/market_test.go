package weex

import (
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

const (
	yes affiliate.Flag = "true"
	no  affiliate.Flag = "false"
)

func TestPairs(t *testing.T) {
	ask := func(c *Client) ([]TradingPair, error) {
		return only(c.Pairs(background, PairQuery{Symbol: "BTCUSDT_SPBL"}))
	}
	endpointTest[[]TradingPair]{
		section: "4.1", ask: ask, sent: "symbol=BTCUSDT_SPBL",
		answers: map[string]string{
			"documented": wrap(`[{"symbol":"BTCUSDT_SPBL","baseCoin":"BTC","quoteCoin":"USDT","tickSize":"0.1","stepSize":"0.00001","minTradeAmount":"0.0001","maxTradeAmount":"1000",
				"takerFeeRate":"0.001","makerFeeRate":"0.0008","buyLimitPriceRatio":"0.05","sellLimitPriceRatio":"0.05","marketBuyLimitSize":"100","marketSellLimitSize":"90","marketFallbackPriceRatio":"0.02",
				"enableTrade":true,"enableDisplay":true,"displayDigitMerge":"0.1,1,10","displayNew":false,"displayHot":true,"supportTracing":false,"supportPlanMarket":true}]`),
			"oddities": `{"data":[{"later":{"x":[1]},"symbol":"BTCUSDT_SPBL","baseCoin":"BTC","quoteCoin":"USDT","tickSize":0.1,"stepSize":1E-5,"minTradeAmount":0.0001,"maxTradeAmount":1000,
				"takerFeeRate":0.001,"makerFeeRate":0.0008,"buyLimitPriceRatio":0.05,"sellLimitPriceRatio":0.05,"marketBuyLimitSize":100,"marketSellLimitSize":90,"marketFallbackPriceRatio":0.02,
				"enableTrade":"true","enableDisplay":"TRUE","displayDigitMerge":"0.1,1,10","displayNew":"false","displayHot":1,"supportTracing":0,"supportPlanMarket":"true"}],"requestTime":"1756103438804","code":0}`,
		},
		want: []TradingPair{{
			Symbol: "BTCUSDT_SPBL", BaseCoin: "BTC", QuoteCoin: "USDT", TickSize: "0.1", StepSize: "0.00001", MinTradeAmount: "0.0001", MaxTradeAmount: "1000",
			TakerFeeRate: "0.001", MakerFeeRate: "0.0008", BuyLimitPriceRatio: "0.05", SellLimitPriceRatio: "0.05", MarketBuyLimitSize: "100", MarketSellLimitSize: "90", MarketFallbackPriceRatio: "0.02",
			EnableTrade: yes, EnableDisplay: yes, DisplayDigitMerge: "0.1,1,10", DisplayNew: no, DisplayHot: yes, SupportTracing: no, SupportPlanMarket: yes,
		}},
	}.check(t)
	// A value that is missing for a pair is unknown, never zero or false.
	endpointTest[[]TradingPair]{
		section: "4.1", sent: "symbols=BTCUSDT_SPBL%2C1INCHUSDT_SPBL",
		ask: func(c *Client) ([]TradingPair, error) {
			return only(c.Pairs(background, PairQuery{Symbols: []string{"BTCUSDT_SPBL", "1INCHUSDT_SPBL"}}))
		},
		answers: map[string]string{"short": wrap(`[{"symbol":"A","baseCoin":"B","quoteCoin":"C","tickSize":null,"displayDigitMerge":"","enableTrade":null}]`)},
		want:    []TradingPair{{Symbol: "A", BaseCoin: "B", QuoteCoin: "C"}},
	}.check(t)
	endpointTest[[]TradingPair]{
		section: "4.1", ask: func(c *Client) ([]TradingPair, error) { return only(c.Pairs(background, PairQuery{})) },
		answers: map[string]string{"none": wrap(`[]`)},
	}.check(t)
	malformed(t, ask, map[string]string{
		wrap(`null`): "data", wrap(`{}`): "data", `{"code":"00000"}`: "data", `[]`: "data", wrap(`[{"symbol":"A","baseCoin":"B"}]`): "quoteCoin",
		wrap(`[{"baseCoin":"B","quoteCoin":"C"}]`): "symbol", wrap(`[{"symbol":"A","quoteCoin":"C"}]`): "baseCoin",
		wrap(`[{"symbol":"A","baseCoin":"B","quoteCoin":"C","enableTrade":"perhaps"}]`): "enableTrade",
		wrap(`[{"symbol":"A","baseCoin":"B","quoteCoin":"C","tickSize":"NaN"}]`):        "tickSize",
	})
	pairs := func(q PairQuery) func(*Client) error {
		return func(c *Client) error { _, err := c.Pairs(background, q); return err }
	}
	refuses(t, map[string]func(*Client) error{
		`symbol = "BTCUSDT"`:                pairs(PairQuery{Symbol: "BTCUSDT"}),
		`symbol = "btcusdt_SPBL"`:           pairs(PairQuery{Symbol: "btcusdt_SPBL"}),
		`symbol = "_SPBL"`:                  pairs(PairQuery{Symbol: "_SPBL"}),
		`symbol = "A&B_SPBL"`:               pairs(PairQuery{Symbol: "A&B_SPBL"}),
		`symbols = "BTCUSDT_SPBL,"`:         pairs(PairQuery{Symbols: []string{"BTCUSDT_SPBL", ""}}),
		`symbols = "A_SPBL"`:                pairs(PairQuery{Symbol: "B_SPBL", Symbols: []string{"A_SPBL"}}),
		`it is a spot pair like BTCUSDT_SP`: pairs(PairQuery{Symbol: strings.Repeat("A", 5000) + "_SPBL"}),
	})
}

func TestCurrencies(t *testing.T) {
	ask := func(c *Client) ([]Currency, error) { return only(c.Currencies(background)) }
	endpointTest[[]Currency]{
		section: "4.2", ask: ask,
		answers: map[string]string{
			"documented": wrap(`[{"coinId":"1","coinName":"BTC","transfer":"true","chains":[
				{"chain":null,"needTag":"false","withdrawAble":"true","rechargeAble":"true","withdrawFee":"0.005","depositConfirm":"1","withdrawConfirm":"5","minDepositAmount":"0.001","minWithdrawAmount":"0.01","browserUrl":"https://example.com/tx/"},
				{"chain":"","needTag":"true","contractAddress":""}]},{"coinId":"2","coinName":"USDT","transfer":"false","chains":[]}]`),
			"oddities": wrap(`[{"coinId":1,"coinName":"BTC","transfer":true,"chains":[
				{"needTag":false,"withdrawAble":true,"rechargeAble":1,"withdrawFee":0.005,"depositConfirm":1,"withdrawConfirm":5,"minDepositAmount":0.001,"minWithdrawAmount":0.01,"browserUrl":"https://example.com/tx/","contractAddress":null},
				{"chain":"","needTag":"true","contractAddress":"","new":[]}]},{"coinId":"2","coinName":"USDT","transfer":"false","chains":null}]`),
		},
		want: []Currency{{
			CoinID: "1", CoinName: "BTC", Transfer: yes, Chains: []Chain{
				{
					NeedTag: no, WithdrawAble: yes, RechargeAble: yes, WithdrawFee: "0.005", DepositConfirm: "1", WithdrawConfirm: "5",
					MinDepositAmount: "0.001", MinWithdrawAmount: "0.01", BrowserURL: "https://example.com/tx/",
				},
				{Chain: wire.Text{Value: "", Given: true}, NeedTag: yes, ContractAddress: wire.Text{Value: "", Given: true}},
			},
		}, {CoinID: "2", CoinName: "USDT", Transfer: no}},
	}.check(t)
	malformed(t, ask, map[string]string{
		wrap(`[{"coinName":"BTC"}]`): "coinId", wrap(`[{"coinId":"1"}]`): "coinName",
	})
	for _, chains := range []string{`{}`, `[1]`, `[{"chain":[]}]`} {
		p, err := dial(t, serve(t, says(200, wrap(`[{"coinId":"1","coinName":"BTC","chains":`+chains+`}]`)))).Currencies(background)
		if err != nil || len(p.Records) != 1 || len(p.Spared) != 1 || p.Spared[0].Field != "chains" || p.Spared[0].Value != chains {
			t.Errorf("chains %s: %+v, %v", chains, p, err)
		}
	}
	if got := (wire.Text{Value: "TRC20", Given: true}).String(); got != "TRC20" {
		t.Errorf("the chain is %q", got)
	}
}

func TestTickers(t *testing.T) {
	ask := func(c *Client) ([]Ticker, error) { return only(c.Tickers(background)) }
	endpointTest[[]Ticker]{
		section: "4.3", ask: ask,
		answers: map[string]string{
			"documented": wrap(`[{"symbol":"BTCUSDT_SPBL","priceChange":"-12.5","priceChangePercent":"-0.0123","trades":98765432101,"size":"1234.5","value":"98765432109876.00000003","high":"65000","low":"63000","open":"64000","close":"63987.5",
				"highTime":1756103430000,"lowTime":1756103431000,"startTime":1756017038804,"endTime":1756103438804,"lastPrice":"63987.5","openInterest":"0","ts":1756103438804}]`),
			"oddities": wrap(`[{"symbol":"BTCUSDT_SPBL","priceChange":-12.5,"priceChangePercent":-0.0123,"trades":"98765432101","size":1234.5,"value":98765432109876.00000003,"high":65000,"low":63000,"open":64000,"close":63987.5,
				"highTime":"1756103430000","lowTime":"1756103431000","startTime":"1756017038804","endTime":"1756103438804","lastPrice":63987.5,"openInterest":0,"ts":"1756103438804"}]`),
		},
		want: []Ticker{{
			Symbol: "BTCUSDT_SPBL", PriceChange: "-12.5", PriceChangePercent: "-0.0123", Trades: 98765432101, Size: "1234.5", Value: "98765432109876.00000003",
			High: "65000", Low: "63000", Open: "64000", Close: "63987.5", HighTime: 1756103430000, LowTime: 1756103431000,
			StartTime: 1756017038804, EndTime: 1756103438804, LastPrice: "63987.5", OpenInterest: "0", Time: 1756103438804,
		}},
	}.check(t)
	endpointTest[[]Ticker]{
		section: "4.3", ask: ask,
		answers: map[string]string{"quiet": wrap(`[{"symbol":"A","trades":null,"highTime":0,"lowTime":"","high":""}]`)},
		want:    []Ticker{{Symbol: "A", Trades: -1}},
	}.check(t)
	malformed(t, ask, map[string]string{
		wrap(`[{"lastPrice":"1"}]`): "symbol", wrap(`[{"symbol":"A","ts":1756103438}]`): "ts", wrap(`[{"symbol":"A","lastPrice":"1E1000000000"}]`): "lastPrice",
	})
	// A dirty ticker costs no other, and a field that no figure needs not even its own.
	c := dial(t, serve(t, says(200, wrap(`[{"symbol":"A","lastPrice":"1E1000000000"},{"symbol":"B","lastPrice":"2","trades":1.5,"openInterest":"NaN"},{"symbol":"C","lastPrice":"3"}]`))))
	p, err := c.Tickers(background)
	if err != nil || len(p.Records) != 2 || p.Records[0].LastPrice != "2" || p.Records[0].Trades != -1 || p.Records[1].Symbol != "C" || len(p.Spared) != 2 ||
		len(p.Quarantined) != 1 || p.Quarantined[0].Record.Symbol != "A" || p.Quarantined[0].Field != "lastPrice" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestTrades(t *testing.T) {
	ask := func(c *Client) ([]Trade, error) {
		return only(c.Trades(background, TradeQuery{Symbol: "BTCUSDT_SPBL", Limit: 1000}))
	}
	endpointTest[[]Trade]{
		section: "4.4", ask: ask, sent: "symbol=BTCUSDT_SPBL&limit=1000",
		answers: map[string]string{
			"documented": wrap(`[{"symbol":"BTCUSDT_SPBL","tradeId":"9007199254740993","fillTime":1756103438804,"fillPrice":"64000.1","fillQuantity":"0.5","tradeValue":"32000.05","bestMatch":true,"buyerMaker":false}]`),
			"oddities":   wrap(`[{"symbol":"BTCUSDT_SPBL","tradeId":9007199254740993,"fillTime":"1756103438804","fillPrice":64000.1,"fillQuantity":5e-1,"tradeValue":32000.05,"bestMatch":"true","buyerMaker":"false"}]`),
		},
		want: []Trade{{"BTCUSDT_SPBL", "9007199254740993", 1756103438804, "64000.1", "0.5", "32000.05", yes, no}},
	}.check(t)
	malformed(t, ask, map[string]string{
		wrap(`[{"fillTime":1756103438804,"fillPrice":"1","fillQuantity":"1"}]`): "tradeId",
		wrap(`[{"tradeId":"1","fillPrice":"1","fillQuantity":"1"}]`):            "fillTime",
		wrap(`[{"tradeId":"1","fillTime":1756103438804,"fillQuantity":"1"}]`):   "fillPrice",
		wrap(`[{"tradeId":"1","fillTime":1756103438804,"fillPrice":"1"}]`):      "fillQuantity",
	})
	trades := func(q TradeQuery) func(*Client) error {
		return func(c *Client) error { _, err := c.Trades(background, q); return err }
	}
	refuses(t, map[string]func(*Client) error{
		`symbol = ""`:    trades(TradeQuery{}),
		`limit = "1001"`: trades(TradeQuery{Symbol: "A_SPBL", Limit: 1001}),
		`limit = "-1"`:   trades(TradeQuery{Symbol: "A_SPBL", Limit: -1}),
	})
}
