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

// MostPairs is how many pairs are followed for one page of open orders, and cancelled at once.
const MostPairs = 30

// ordered is how many of the newest intents name the pairs that are followed.
const ordered = 200

// Followed returns the spot pairs that a reader follows: favourites, those that somebody asked
// for in the last day, and those of orders of the last day.
func (s *Base) Followed(ctx context.Context, a Asking) ([]string, error) {
	list, err := a.Console.Favourites(ctx, a.User)
	if err != nil {
		return nil, err
	}
	asked, err := askedFor(ctx, s.Market, a.Account)
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, asked)
	if s.Trading != nil {
		intents, err := s.Trading.Intents(ctx, trading.IntentQuery{Account: a.Account, Limit: ordered})
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

// Sharers are the other followed pairs that share a coin with the pair of a ticket.
type Sharers struct {
	Pairs   []string
	Problem string // why not all of them are known; empty: they are
}

// Sharing returns the followed pairs that share a coin with a spot pair.
func (s *Base) Sharing(ctx context.Context, account affiliate.Account, user, symbol string) (others Sharers) {
	if affiliate.IsContract(symbol) {
		return others
	}
	list, err := s.Followed(ctx, Asking{Console: s.Console, Account: account, User: user})
	if err != nil {
		s.Log.Error("the followed pairs could not be read", "error", err)
		return Sharers{Problem: "the pairs that are followed could not be read"}
	}
	base, quote := s.CoinsOf(account, symbol)
	for _, other := range list {
		b, q := s.CoinsOf(account, other)
		if other != symbol && !affiliate.IsContract(other) && (b == base || b == quote || q == base || q == quote) {
			others.Pairs = append(others.Pairs, other)
		}
	}
	if most := s.Market.MostOthers(account); len(others.Pairs) > most {
		others.Problem = phrase.Count(len(others.Pairs)) + " other followed pairs share its coins, and the request budget allows to follow the open orders of " + phrase.Count(most)
		others.Pairs = others.Pairs[:most]
	}
	return others
}

// CoinsOf returns the coins of a spot pair: by the exchange's list, or by its name if it is not
// in that.
func (s *Base) CoinsOf(account affiliate.Account, symbol string) (base, quote string) {
	list := s.Market.Pairs(account).Value
	if at := slices.IndexFunc(list, func(p exchange.TradingPair) bool { return p.Symbol == symbol }); at >= 0 {
		return list[at].BaseCoin, list[at].QuoteCoin
	}
	base, quote, _ = strings.Cut(affiliate.PairName(symbol), "/")
	return base, quote
}
