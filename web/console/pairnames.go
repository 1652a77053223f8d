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

// NoteAsked keeps that somebody asked for a pair, unless the exchange does not list it: a slip of
// the keys would be asked for a whole day.
func NoteAsked(feed *market.Feed, account affiliate.Account, symbol string) {
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

// TicketParam chooses the ticket on the page of a pair.
const TicketParam = "ticket"

// The kinds of tickets. The cancellation ticket makes several kinds of intents.
const (
	PlaceTicket   = "place"
	BatchTicket   = "batch"
	TriggerTicket = "trigger"
	CancelTicket  = "cancel"
)

// SymbolWritten returns the symbol of the pair that somebody wrote in a ticket.
func SymbolWritten(kind, text string) string {
	if kind == TriggerTicket {
		return affiliate.ContractSymbolOf(text)
	}
	return affiliate.SpotSymbolOf(text)
}

// IsPair reports whether a text has the form of a pair of one of the markets.
func IsPair(symbol string) bool {
	return len(symbol) <= 40 && (affiliate.IsContractSymbol(symbol) || affiliate.IsSpotSymbol(symbol))
}

// PairOfStream returns the pair that a request for a stream names.
func PairOfStream(c *fiber.Ctx) (string, error) {
	symbol := SymbolWritten(c.Query("kind"), c.Query("symbol"))
	if !IsPair(symbol) {
		return "", &query.ParamError{Param: "symbol", Value: symbol, Problem: "is no pair"}
	}
	return symbol, nil
}

// NumberIn returns a number that somebody typed, unknown if it is none or negative.
func NumberIn(text string) affiliate.Number {
	n, err := affiliate.ParseNumber(text)
	if err != nil || strings.HasPrefix(text, "-") {
		return ""
	}
	return n
}
