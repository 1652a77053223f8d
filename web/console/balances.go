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
	templates "rebatedesk/web/templates/console"
)

// heldFor is the age up to which the open orders and bills of a balance are good.
const heldFor = 90 * time.Second

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

// balances returns what is there, held and free of the coins of a pair, by the newest bills and
// the open orders that are known.
func (s *Area) balances(account affiliate.Account, q market.Quote, others sharers) (base, quote templates.TicketBalance) {
	return s.balance(account, q, q.Pair.Value.BaseCoin, others), s.balance(account, q, q.Pair.Value.QuoteCoin, others)
}

func (s *Area) balance(account affiliate.Account, q market.Quote, coin string, others sharers) templates.TicketBalance {
	b := templates.TicketBalance{Coin: coin, Problem: others.problem}
	if coin == "" {
		return b
	}
	wallet := s.Market.Wallet(account)
	for _, bill := range wallet.Bills.Value {
		if strings.EqualFold(string(bill.CoinName), coin) && bill.AfterAmount.Known() && bill.Created > b.At {
			b.Amount, b.At = bill.AfterAmount, bill.Created
		}
	}
	if wallet.Bills.Known() && time.Since(wallet.Bills.At) > heldFor {
		b.Problem = "the bills were last read at " + wallet.Bills.At.In(s.Zone).Format("15:04:05 MST")
	}
	var held affiliate.Sum
	for _, symbol := range append([]string{q.Symbol}, others.pairs...) {
		baseCoin, quoteCoin := s.coinsOf(account, symbol)
		if coin != baseCoin && coin != quoteCoin {
			continue
		}
		orders := s.Market.Quote(account, symbol).Orders
		if problem := s.holding(&held, orders, coin == baseCoin); problem != "" && b.Problem == "" {
			b.Problem = "the open orders of " + affiliate.PairName(symbol) + " " + problem
		}
		b.Pairs = append(b.Pairs, symbol)
	}
	if b.Problem != "" {
		return b
	}
	b.Held = affiliate.Number(held.String())
	if b.Free = trading.FreeOf(b.Amount, b.Held); !b.Free.Known() && b.Amount.Known() {
		b.Problem = "open orders hold " + affiliate.Grouped(string(b.Held)) + ", more than that"
	}
	return b
}

// holding adds what the open orders of a pair hold of one of its coins. It returns why that is
// not known, or nothing.
func (s *Area) holding(held *affiliate.Sum, orders market.Answered[[]exchange.OpenOrder], base bool) (problem string) {
	switch {
	case !orders.Known():
		return "were not read yet"
	case time.Since(orders.At) > heldFor:
		return "were last read at " + orders.At.In(s.Zone).Format("15:04:05 MST")
	case len(orders.Value) >= mostOpenRead:
		return "are more than are read at once"
	}
	for _, o := range orders.Value {
		if o.Side != exchange.Buy && o.Side != exchange.Sell {
			return "have one of an unknown side"
		}
		if sells := o.Side == exchange.Sell; sells != base {
			continue
		}
		line := templates.NewOrderLine(o, "")
		part := line.Worth
		if base {
			part = line.Rest
		}
		if !part.Known() || !held.Add(part) {
			return "have one of which it is not known what it holds"
		}
	}
	return ""
}

// mostOpenRead is how many open orders of a pair are read at once.
const mostOpenRead = 100
