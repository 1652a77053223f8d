package weex

import (
	"rebatedesk/exchange"

	"context"
	"slices"
	"strings"

	"rebatedesk/exchange/wire"
)

// PairQuery asks for trading pairs: one, several, or all of them when both fields are
// empty.
type PairQuery struct {
	Symbol  string
	Symbols []string
}

// Pairs asks for trading pairs and their rules.
//
//	4.1 GET /api/v2/public/exchangeInfo, weight 10
func (c *Client) Pairs(ctx context.Context, q PairQuery) (exchange.Page[TradingPair], error) {
	return askList(ctx, c, c.fields(endpointPairs, q.fields), wire.ReadRow[TradingPair])
}

func (q PairQuery) fields(f *fields) {
	if q.Symbol != "" {
		f.symbol(q.Symbol)
	}
	if len(q.Symbols) > 0 {
		all := strings.Join(q.Symbols, ",")
		f.check(q.Symbol == "", "symbols", all, "does not stand beside symbol")
		f.check(!slices.ContainsFunc(q.Symbols, func(s string) bool { return !spotPair(s) }),
			"symbols", all, "holds spot pairs like BTCUSDT_SPBL")
		f.text("symbols", all)
	}
}

// Currencies asks for all currencies and the chains they use.
//
//	4.2 GET /api/v2/public/currencies, weight 1
func (c *Client) Currencies(ctx context.Context) (exchange.Page[Currency], error) {
	return askList(ctx, c, fields{endpoint: endpointNamed(endpointCurrencies)}, wire.ReadRow[Currency])
}

// Tickers asks for the last 24 hours of every spot pair.
//
//	4.3 GET /api/v2/market/tickers, weight 20
func (c *Client) Tickers(ctx context.Context) (exchange.Page[Ticker], error) {
	return askList(ctx, c, fields{endpoint: endpointNamed(endpointTickers)}, readTicker)
}

// TradeQuery asks for the latest trades of a spot pair.
type TradeQuery struct {
	Symbol string
	Limit  int // 1 to 1000; default 100
}

// Trades asks for public trades of all users.
//
//	4.4 GET /api/v2/market/fills, weight 5
func (c *Client) Trades(ctx context.Context, q TradeQuery) (exchange.Page[Trade], error) {
	return askList(ctx, c, c.fields(endpointTrades, q.fields), wire.ReadRow[Trade])
}

func (q TradeQuery) fields(f *fields) {
	f.symbol(q.Symbol)
	f.count("limit", q.Limit, wire.FullPage, 1, 1000)
}

// askList requests everything that one call can return. Its page has no counts.
func askList[T any](ctx context.Context, c *Client, f fields, record func(*wire.Decoder, *T)) (exchange.Page[T], error) {
	return askPage(ctx, c, f, wire.DataList, record)
}
