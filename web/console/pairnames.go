package console

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
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
