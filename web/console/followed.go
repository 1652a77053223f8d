package console

import (
	"context"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

// mostPairs is how many pairs are followed for one page of open orders, and cancelled at once.
const mostPairs = 30

// ordered is how many of the newest intents name the pairs that are followed.
const ordered = 200

// followed returns the spot pairs that a reader follows: favourites, those that somebody asked
// for in the last day, and those of orders of the last day.
func (s *Area) followed(ctx context.Context, a asking) ([]string, error) {
	list, err := a.console.Favourites(ctx, a.user)
	if err != nil {
		return nil, err
	}
	asked, err := askedFor(ctx, s.Market, a.account)
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, asked)
	if s.Trading != nil {
		intents, err := s.Trading.Intents(ctx, trading.IntentQuery{Account: a.account, Limit: ordered})
		if err != nil {
			return nil, err
		}
		day := affiliate.MillisOf(time.Now().Add(-market.AskedFor))
		for _, in := range intents {
			if in.Kind != string(trading.Trigger) && (in.Made > day || slices.ContainsFunc(in.Orders, isOpen)) {
				list = append(list, in.Pair)
			}
		}
	}
	known := map[string]bool{}
	return slices.DeleteFunc(list, func(pair string) bool {
		again := known[pair]
		known[pair] = true
		return again
	}), nil
}

// isOpen reports whether an order may still be open at the exchange.
func isOpen(o trading.Order) bool {
	return o.Side != "" && (o.State == trading.IntentPlaced || o.State == trading.IntentUnknown || o.State == trading.IntentSending)
}

// sharers are the other followed pairs that share a coin with the pair of a ticket.
type sharers struct {
	pairs   []string
	problem string // why not all of them are known; empty: they are
}

// sharing returns the followed pairs that share a coin with a spot pair.
func (s *Area) sharing(ctx context.Context, account affiliate.Account, user, symbol string) (others sharers) {
	if affiliate.IsContract(symbol) {
		return others
	}
	list, err := s.followed(ctx, asking{console: s.Console, account: account, user: user})
	if err != nil {
		s.Log.Error("the followed pairs could not be read", "error", err)
		return sharers{problem: "the pairs that are followed could not be read"}
	}
	base, quote := s.coinsOf(account, symbol)
	for _, other := range list {
		b, q := s.coinsOf(account, other)
		if other != symbol && !affiliate.IsContract(other) && (b == base || b == quote || q == base || q == quote) {
			others.pairs = append(others.pairs, other)
		}
	}
	if most := s.Market.MostOthers(account); len(others.pairs) > most {
		others.problem = phrase.Count(len(others.pairs)) + " other followed pairs share its coins, and the request budget allows to follow the open orders of " + phrase.Count(most)
		others.pairs = others.pairs[:most]
	}
	return others
}

// coinsOf returns the coins of a spot pair: by the exchange's list, or by its name if it is not
// in that.
func (s *Area) coinsOf(account affiliate.Account, symbol string) (base, quote string) {
	list := s.Market.Pairs(account).Value
	if at := slices.IndexFunc(list, func(p exchange.TradingPair) bool { return p.Symbol == symbol }); at >= 0 {
		return list[at].BaseCoin, list[at].QuoteCoin
	}
	base, quote, _ = strings.Cut(affiliate.PairName(symbol), "/")
	return base, quote
}
