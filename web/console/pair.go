package console

import (
	"context"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	templates "rebatedesk/web/templates/console"
)

// pairSheet is the page of the recent public trades of a pair (4.4).
func pairSheet(symbol string) sheet {
	return sheet{
		Path: templates.MarketsPath + "/" + url.PathEscape(symbol), title: symbol, noun: "trade", section: "4.4", about: "Recent trades of everybody, and the rules of the pair", refresh: true,
		fixed:  url.Values{"symbol": {symbol}},
		own:    map[string][]string{intervalParam: nil, ticketParam: {placeTicket, batchTicket, triggerTicket}, tableParam: {"yes"}, hideParam: nil},
		fields: []templates.ConsoleField{field("limit", "Rows (1–1000)", "number")},
		columns: []templates.SheetColumn{
			column("fill_time_utc", "Time"), figure("fill_price", "Price"), figure("fill_quantity", "Quantity"), figure("trade_value", "Value"),
			column("buyer_maker", "Buyer was maker"), column("best_match", "Fully filled"), column("trade_id", "Trade"),
		},
		ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
			got, err := a.client.Trades(ctx, exchange.TradeQuery{Symbol: symbol, Limit: a.whole("limit")})
			p.rows, p.unread = pageRows(a, got, tradeRow), unread(got, "trade", func(t exchange.Trade) string { return t.TradeID })
			return p, err
		},
	}
}

// alone returns the page without the parameters of the chart, which one answer of the exchange
// does not have.
func alone(sh sheet) sheet {
	sh.own, sh.about = nil, "Recent trades of everybody, as one answer of the exchange"
	sh.title = affiliate.PairName(sh.fixed.Get("symbol")) + " trades"
	return sh
}

func tradeRow(a asking, t exchange.Trade) templates.SheetRow {
	return templates.SheetRow{Cells: []templates.Cell{
		templates.TimeCell(t.FillTime, a.zone), templates.NumberCell(t.FillPrice), templates.NumberCell(t.FillQuantity), templates.NumberCell(t.TradeValue),
		templates.FlagCell(t.BuyerMaker), templates.FlagCell(t.BestMatch), templates.TextCell(t.TradeID),
	}}
}

// PairFile returns the trades of the page as a file.
func (s *Area) PairFile(c *fiber.Ctx) error {
	sh, err := pairOf(c)
	if err != nil {
		return err
	}
	return s.SheetFile(sh)(c)
}

func pairOf(c *fiber.Ctx) (sheet, error) {
	symbol, err := url.PathUnescape(c.Params("symbol"))
	if err != nil || len(symbol) > 40 {
		return sheet{}, fiber.ErrNotFound
	}
	return pairSheet(symbol), nil
}

// currenciesSheet is the page of the currencies, with a row for each chain (4.2).
var currenciesSheet = sheet{
	Path: "/console/currencies", title: "Coins", words: "currencies chains withdraw deposit exchange", noun: "chain", section: "4.2", about: "Coins, and the chains they move on",
	answers: "Which coins can be deposited and withdrawn, on which chains, and at what fee?", terms: []string{"coin"},
	columns: []templates.SheetColumn{
		column("coin", "Coin"), column("coin_id", "Coin id"), column("transfer", "Transfer"), column("chain", "Chain"), column("recharge_able", "Deposit"),
		column("withdraw_able", "Withdrawal"), column("need_tag", "Tag"), figure("withdraw_fee", "Withdrawal fee"), figure("min_deposit_amount", "Minimum deposit"),
		figure("min_withdraw_amount", "Minimum withdrawal"), figure("deposit_confirm", "Deposit blocks"), figure("withdraw_confirm", "Withdrawal blocks"),
		column("contract_address", "Contract"), column("browser_url", "Explorer"),
	},
	ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
		got, err := a.client.Currencies(ctx)
		p.unread = unread(got, "coin", func(c exchange.Currency) string { return string(c.CoinName) })
		for _, coin := range got.Records {
			for _, chain := range coin.Chains {
				p.rows = append(p.rows, chainRow(coin, chain))
			}
			if len(coin.Chains) == 0 {
				p.rows = append(p.rows, chainRow(coin, exchange.Chain{}))
			}
		}
		return p, err
	},
}

// chainRow is one chain of a coin. Addresses are foreign data and are not links.
func chainRow(c exchange.Currency, v exchange.Chain) templates.SheetRow {
	return templates.SheetRow{Cells: []templates.Cell{
		templates.TextCell(string(c.CoinName)), templates.TextCell(c.CoinID), templates.FlagCell(c.Transfer), templates.TextCell(v.Chain.Value),
		templates.FlagCell(v.RechargeAble), templates.FlagCell(v.WithdrawAble), templates.FlagCell(v.NeedTag), templates.NumberCell(v.WithdrawFee),
		templates.NumberCell(v.MinDepositAmount), templates.NumberCell(v.MinWithdrawAmount), templates.NumberCell(v.DepositConfirm),
		templates.NumberCell(v.WithdrawConfirm), templates.TextCell(v.ContractAddress.Value), templates.TextCell(string(v.BrowserURL)),
	}}
}

// contractsSheet is the page of the contract market's tickers: of one pair (4.5), or of
// all pairs (4.6).
var contractsSheet = sheet{
	Path: "/console/contracts", title: "Contracts", words: "futures markets pairs", noun: "pair", about: "Tickers of the contract market", refresh: true,
	answers: "Which contracts are there, and what do they cost now?", terms: []string{"product", "market"},
	fields: []templates.ConsoleField{contractField("symbol", "One pair")},
	columns: []templates.SheetColumn{
		column("symbol", "Pair"), figure("last", "Last price"), figure("change_percent", "24 h change"), figure("best_bid", "Best bid"), figure("best_ask", "Best ask"),
		figure("high_24h", "24 h high"), figure("low_24h", "24 h low"), figure("volume_24h", "Volume (quote)"), figure("base_volume", "Volume (base)"),
		figure("mark_price", "Mark price"), figure("index_price", "Index price"), column("ticker_utc", "Ticker of"),
	},
	ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
		if symbol := a.values.Get("symbol"); symbol != "" {
			one, err := a.client.ContractTicker(ctx, symbol)
			p.rows = []templates.SheetRow{contractRow(a, one)}
			return p, err
		}
		got, err := a.client.ContractTickers(ctx)
		p.rows, p.unread = pageRows(a, got, contractRow), unread(got, "contract", func(t exchange.ContractTicker) string { return t.Symbol })
		return p, err
	},
}

func contractRow(a asking, t exchange.ContractTicker) templates.SheetRow {
	return templates.SheetRow{Cells: []templates.Cell{
		pairCell(t.Symbol, a.link(templates.PairAddress(t.Symbol))),
		templates.NumberCell(t.Last), changeCell(t.PriceChangePercent), templates.NumberCell(t.BestBid), templates.NumberCell(t.BestAsk),
		templates.NumberCell(t.High24h), templates.NumberCell(t.Low24h), templates.NumberCell(t.Volume24h), templates.NumberCell(t.BaseVolume),
		templates.NumberCell(t.MarkPrice), templates.NumberCell(t.IndexPrice), templates.TimeCell(t.Time, a.zone),
	}}
}
