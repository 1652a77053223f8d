package market

import (
	"context"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/web/console"
	"rebatedesk/web/templates/console/frame"
)

// pairSheet is the page of the recent public trades of a pair (4.4).
func pairSheet(symbol string) console.Sheet {
	return console.Sheet{
		Path: frame.MarketsPath + "/" + url.PathEscape(symbol), Title: symbol, Noun: "trade", Section: "4.4", About: "Recent trades of everybody, and the rules of the pair", Refresh: true,
		Fixed:  url.Values{"symbol": {symbol}},
		Own:    map[string][]string{intervalParam: nil, console.TicketParam: {console.PlaceTicket, console.BatchTicket, console.TriggerTicket}, tableParam: {"yes"}, hideParam: nil},
		Fields: []frame.Field{console.Field("limit", "Rows (1–1000)", "number")},
		Columns: []frame.SheetColumn{
			console.Column("fill_time_utc", "Time"), console.Figure("fill_price", "Price"), console.Figure("fill_quantity", "Quantity"), console.Figure("trade_value", "Value"),
			console.Column("buyer_maker", "Buyer was maker"), console.Column("best_match", "Fully filled"), console.Column("trade_id", "Trade"),
		},
		Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
			got, err := a.Client.Trades(ctx, exchange.TradeQuery{Symbol: symbol, Limit: a.Whole("limit")})
			p.Rows, p.Unread = console.PageRows(a, got, tradeRow), console.Unread(got, "trade", func(t exchange.Trade) string { return t.TradeID })
			return p, err
		},
	}
}

// alone returns the page without the parameters of the chart, which one answer of the exchange
// does not have.
func alone(sh console.Sheet) console.Sheet {
	sh.Own, sh.About = nil, "Recent trades of everybody, as one answer of the exchange"
	sh.Title = affiliate.PairName(sh.Fixed.Get("symbol")) + " trades"
	return sh
}

func tradeRow(a console.Asking, t exchange.Trade) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TimeCell(t.FillTime, a.Zone), frame.NumberCell(t.FillPrice), frame.NumberCell(t.FillQuantity), frame.NumberCell(t.TradeValue),
		frame.FlagCell(t.BuyerMaker), frame.FlagCell(t.BestMatch), frame.TextCell(t.TradeID),
	}}
}

// PairFile returns the trades of the page as a file.
func (s *Area) PairFile(c *fiber.Ctx) error {
	symbol, err := url.PathUnescape(c.Params("symbol"))
	if err != nil || len(symbol) > 40 {
		return fiber.ErrNotFound
	}
	return s.SheetFile(pairSheet(symbol))(c)
}

// currenciesSheet is the page of the currencies, with a row for each chain (4.2).
var currenciesSheet = console.Sheet{
	Path: "/console/currencies", Title: "Coins", Words: "currencies chains withdraw deposit exchange", Noun: "chain", Section: "4.2", About: "Coins, and the chains they move on",
	Answers: "Which coins can be deposited and withdrawn, on which chains, and at what fee?", Terms: []string{"coin"},
	Columns: []frame.SheetColumn{
		console.Column("coin", "Coin"), console.Column("coin_id", "Coin id"), console.Column("transfer", "Transfer"), console.Column("chain", "Chain"), console.Column("recharge_able", "Deposit"),
		console.Column("withdraw_able", "Withdrawal"), console.Column("need_tag", "Tag"), console.Figure("withdraw_fee", "Withdrawal fee"), console.Figure("min_deposit_amount", "Minimum deposit"),
		console.Figure("min_withdraw_amount", "Minimum withdrawal"), console.Figure("deposit_confirm", "Deposit blocks"), console.Figure("withdraw_confirm", "Withdrawal blocks"),
		console.Column("contract_address", "Contract"), console.Column("browser_url", "Explorer"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		got, err := a.Client.Currencies(ctx)
		p.Unread = console.Unread(got, "coin", func(c exchange.Currency) string { return string(c.CoinName) })
		for _, coin := range got.Records {
			for _, chain := range coin.Chains {
				p.Rows = append(p.Rows, chainRow(coin, chain))
			}
			if len(coin.Chains) == 0 {
				p.Rows = append(p.Rows, chainRow(coin, exchange.Chain{}))
			}
		}
		return p, err
	},
}

// chainRow is one chain of a coin. Addresses are foreign data and are not links.
func chainRow(c exchange.Currency, v exchange.Chain) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TextCell(string(c.CoinName)), frame.TextCell(c.CoinID), frame.FlagCell(c.Transfer), frame.TextCell(v.Chain.Value),
		frame.FlagCell(v.RechargeAble), frame.FlagCell(v.WithdrawAble), frame.FlagCell(v.NeedTag), frame.NumberCell(v.WithdrawFee),
		frame.NumberCell(v.MinDepositAmount), frame.NumberCell(v.MinWithdrawAmount), frame.NumberCell(v.DepositConfirm),
		frame.NumberCell(v.WithdrawConfirm), frame.TextCell(v.ContractAddress.Value), frame.TextCell(string(v.BrowserURL)),
	}}
}

// contractsSheet is the page of the contract market's tickers: of one pair (4.5), or of
// all pairs (4.6).
var contractsSheet = console.Sheet{
	Path: "/console/contracts", Title: "Contracts", Words: "futures markets pairs", Noun: "pair", About: "Tickers of the contract market", Refresh: true,
	Answers: "Which contracts are there, and what do they cost now?", Terms: []string{"product", "market"},
	Fields: []frame.Field{console.ContractField("symbol", "One pair")},
	Columns: []frame.SheetColumn{
		console.Column("symbol", "Pair"), console.Figure("last", "Last price"), console.Figure("change_percent", "24 h change"), console.Figure("best_bid", "Best bid"), console.Figure("best_ask", "Best ask"),
		console.Figure("high_24h", "24 h high"), console.Figure("low_24h", "24 h low"), console.Figure("volume_24h", "Volume (quote)"), console.Figure("base_volume", "Volume (base)"),
		console.Figure("mark_price", "Mark price"), console.Figure("index_price", "Index price"), console.Column("ticker_utc", "Ticker of"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		if symbol := a.Values.Get("symbol"); symbol != "" {
			one, err := a.Client.ContractTicker(ctx, symbol)
			p.Rows = []frame.SheetRow{contractRow(a, one)}
			return p, err
		}
		got, err := a.Client.ContractTickers(ctx)
		p.Rows, p.Unread = console.PageRows(a, got, contractRow), console.Unread(got, "contract", func(t exchange.ContractTicker) string { return t.Symbol })
		return p, err
	},
}

func contractRow(a console.Asking, t exchange.ContractTicker) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		pairCell(t.Symbol, a.Link(frame.PairAddress(t.Symbol))),
		frame.NumberCell(t.Last), changeCell(t.PriceChangePercent), frame.NumberCell(t.BestBid), frame.NumberCell(t.BestAsk),
		frame.NumberCell(t.High24h), frame.NumberCell(t.Low24h), frame.NumberCell(t.Volume24h), frame.NumberCell(t.BaseVolume),
		frame.NumberCell(t.MarkPrice), frame.NumberCell(t.IndexPrice), frame.TimeCell(t.Time, a.Zone),
	}}
}
