package console

import (
	"context"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/reports/query"
)

// delisted reports whether the exchange is known not to list a spot pair. Unless the list was
// read, no pair is.
func delisted(feed *market.Feed, account affiliate.Account, symbol string) bool {
	pairs := feed.Pairs(account)
	return len(pairs.Value) > 0 && !slices.ContainsFunc(pairs.Value, func(p exchange.TradingPair) bool { return p.Symbol == symbol })
}

// noteAsked keeps that somebody asked for a pair, unless the exchange does not list it: a slip of
// the keys would be asked for a whole day.
func noteAsked(feed *market.Feed, account affiliate.Account, symbol string) {
	if !delisted(feed, account, symbol) {
		feed.NoteAsked(account, symbol)
	}
}

// askedFor returns the pairs that somebody asked for in the last day and that the exchange lists,
// as far as that is known.
func askedFor(ctx context.Context, feed *market.Feed, account affiliate.Account) ([]string, error) {
	asked, err := feed.Asked(ctx, account)
	return slices.DeleteFunc(asked, func(symbol string) bool { return delisted(feed, account, symbol) }), err
}

// triggerTicket is the kind of the tickets of contracts.
const triggerTicket = "trigger"

// symbolWritten returns the symbol of the pair that somebody wrote in a ticket.
func symbolWritten(kind, text string) string {
	if kind == triggerTicket {
		return affiliate.ContractSymbolOf(text)
	}
	return affiliate.SpotSymbolOf(text)
}

// isPair reports whether a text has the form of a pair of one of the markets.
func isPair(symbol string) bool {
	return len(symbol) <= 40 && (affiliate.IsContractSymbol(symbol) || affiliate.IsSpotSymbol(symbol))
}

// pairOfStream returns the pair that a request for a stream names.
func pairOfStream(c *fiber.Ctx) (string, error) {
	symbol := symbolWritten(c.Query("kind"), c.Query("symbol"))
	if !isPair(symbol) {
		return "", &query.ParamError{Param: "symbol", Value: symbol, Problem: "is no pair"}
	}
	return symbol, nil
}

// numberIn returns a number that somebody typed, unknown if it is none or negative.
func numberIn(text string) affiliate.Number {
	n, err := affiliate.ParseNumber(text)
	if err != nil || strings.HasPrefix(text, "-") {
		return ""
	}
	return n
}
