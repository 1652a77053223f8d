package ticket

import (
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/market"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/ticket"
)

// heldFor is the age up to which the open orders and bills of a balance are good.
const heldFor = 90 * time.Second

// balances returns what is there, held and free of the coins of a pair, by the newest bills and
// the open orders that are known.
func (s *Area) balances(account affiliate.Account, q market.Quote, others console.Sharers) (base, quote templates.TicketBalance) {
	return s.balance(account, q, q.Pair.Value.BaseCoin, others), s.balance(account, q, q.Pair.Value.QuoteCoin, others)
}

func (s *Area) balance(account affiliate.Account, q market.Quote, coin string, others console.Sharers) templates.TicketBalance {
	b := templates.TicketBalance{Coin: coin, Problem: others.Problem}
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
	for _, symbol := range append([]string{q.Symbol}, others.Pairs...) {
		baseCoin, quoteCoin := s.CoinsOf(account, symbol)
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
		line := frame.NewOrderLine(o, "")
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
