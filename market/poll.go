package market

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// pollKind is what a poll asks for.
type pollKind int

const (
	pollPairs   pollKind = iota // the rules of all spot pairs
	pollTickers                 // of all spot pairs
	pollTrades
	pollContract
	pollOrders // the account's open orders of a pair
	pollFills  // the account's newest trades on a pair
	pollBills  // the account's newest bills of the spot wallet
	pollTransfers
)

// weight is the weight of a call by address, or by user if that is more.
func (k pollKind) weight() int {
	return [...]int{pollPairs: 10, pollTickers: 20, pollTrades: 5, pollContract: 1, pollOrders: 3, pollFills: 5, pollBills: 5, pollTransfers: 3}[k]
}

// pollKey names a poll. What all accounts of an exchange see is polled by one of them.
type pollKey struct {
	kind    pollKind
	account affiliate.Account
	symbol  string
}

// poll is one thing that is asked again and again.
type poll struct {
	key     pollKey
	answer  answer
	tried   time.Time // end of the newest attempt
	err     error     // of the newest attempt
	busy    bool
	urgent  bool // a page waits for it
	version uint64
}

// answer is the newest answer of a poll. Only the fields of its kind are set.
type answer struct {
	at        time.Time // when it was asked; zero: never answered
	pairs     []weex.TradingPair
	tickers   map[string]weex.Ticker
	trades    []weex.Trade                        // newest first
	unread    []affiliate.Quarantined[weex.Trade] // trades that could not be read
	full      bool                                // the exchange may have left out older trades
	contract  weex.ContractTicker
	orders    []weex.OpenOrder
	fills     []weex.Fill
	bills     []weex.Bill
	transfers []weex.Transfer
}

// due returns when the poll is due.
func (p *poll) due(every time.Duration) time.Time {
	if p.urgent || p.tried.IsZero() {
		return time.Time{}
	}
	return p.tried.Add(every)
}

// How often something is asked, by who looks at it. A favourite that nobody looks at is asked
// often enough to miss no trade.
const (
	everyFocus          = 2 * time.Second
	everyOverview       = 8 * time.Second
	everyTicker         = 6 * time.Second
	everyOrders         = 8 * time.Second
	everyOthers         = 24 * time.Second // open orders of other pairs than that of a ticket, if they are few
	slowestOthers       = 70 * time.Second // and if they are many
	everyBills          = 30 * time.Second
	everyFills          = 20 * time.Second
	everyPairs          = time.Minute
	everyUnwatched      = time.Minute
	everyUnwatchedPairs = 10 * time.Minute
	leastUnwatched      = 10 * time.Second
)

const (
	fewTrades  = 100
	mostTrades = 1000 // that the exchange returns at once
	recently   = 20 * time.Second
)

// needs returns what is polled, and how often.
func (f *Feed) needs() map[pollKey]time.Duration {
	needs := map[pollKey]time.Duration{}
	add := func(key pollKey, every time.Duration) {
		every = f.Every(every)
		if before, ok := needs[key]; !ok || every < before {
			needs[key] = every
		}
	}
	for w := range f.watches {
		for key, every := range w.needs {
			add(key, every)
		}
	}
	if names := f.o.Accounts(); len(names) > 0 && len(f.favourites) > 0 && f.o.Store != nil {
		account := f.public(names[0])
		add(pollKey{pollTickers, account, ""}, everyUnwatched)
		add(pollKey{pollPairs, account, ""}, everyUnwatchedPairs)
		for _, symbol := range f.favourites {
			key := pollKey{pollTrades, account, symbol}
			add(key, f.pace(key))
		}
	}
	return needs
}

// pace is how often the trades of an unwatched favourite are asked: at least twice in the time
// in which the exchange would drop one from its answer.
func (f *Feed) pace(key pollKey) time.Duration {
	p := f.polls[key]
	if p == nil || !p.answer.full || len(p.answer.trades) < mostTrades {
		return everyUnwatched
	}
	newest, oldest := p.answer.trades[0].FillTime, p.answer.trades[len(p.answer.trades)-1].FillTime
	return min(max(time.Duration(newest-oldest)*time.Millisecond/2, leastUnwatched), everyUnwatched)
}

// public returns the account that polls what all accounts of an exchange see.
func (f *Feed) public(account affiliate.Account) affiliate.Account {
	client, ok := f.o.Client(account)
	if !ok {
		return account
	}
	for _, other := range f.o.Accounts() {
		if c, ok := f.o.Client(other); ok && c.Host() == client.Host() {
			return other
		}
	}
	return account
}

// ask sends a poll.
func (f *Feed) ask(ctx context.Context, key pollKey, client *weex.Client, before answer) (got answer, err error) {
	got.at = f.o.Now()
	switch key.kind {
	case pollPairs:
		var page exchange.Page[weex.TradingPair]
		page, err = client.Pairs(ctx, weex.PairQuery{})
		got.pairs = page.Records
	case pollTickers:
		var page exchange.Page[weex.Ticker]
		page, err = client.Tickers(ctx)
		got.tickers = make(map[string]weex.Ticker, len(page.Records))
		for _, t := range page.Records {
			got.tickers[t.Symbol] = t
		}
	case pollTrades:
		err = f.askTrades(ctx, key, client, before, &got)
	case pollContract:
		got.contract, err = client.ContractTicker(ctx, key.symbol)
	case pollOrders:
		var page exchange.Page[weex.OpenOrder]
		page, err = client.OpenOrders(ctx, weex.OpenOrderQuery{Symbol: key.symbol, Limit: 100})
		got.orders = page.Records
	case pollFills:
		var page exchange.Page[weex.Fill]
		page, err = client.Fills(ctx, weex.FillQuery{Symbol: key.symbol, PageSize: 100})
		got.fills = page.Records
	case pollBills:
		var page exchange.Page[weex.Bill]
		page, err = client.Bills(ctx, weex.BillQuery{Limit: 100})
		got.bills = page.Records
	case pollTransfers:
		var page exchange.Page[weex.Transfer]
		page, err = client.Transfers(ctx, weex.TransferQuery{Limit: 20})
		got.transfers = page.Records
	}
	return got, err
}

// askTrades asks for few trades after a recent answer, and for all that the exchange returns
// if the few do not reach back to it.
func (f *Feed) askTrades(ctx context.Context, key pollKey, client *weex.Client, before answer, got *answer) error {
	ask := func(limit int) error {
		page, err := client.Trades(ctx, weex.TradeQuery{Symbol: key.symbol, Limit: limit})
		got.trades, got.unread, got.full = newestFirst(page.Records), page.Quarantined, page.Len() >= limit
		return err
	}
	few := len(before.trades) > 0 && f.o.Now().Sub(before.at) < recently
	if !few {
		return ask(mostTrades)
	}
	err := ask(fewTrades)
	if err == nil && got.full && (len(got.trades) == 0 || got.trades[len(got.trades)-1].FillTime >= before.trades[0].FillTime) {
		f.spend(pollTrades.weight())
		return ask(mostTrades)
	}
	return err
}

// spend counts a second call of a poll.
func (f *Feed) spend(weight int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spent = append(f.spent, spending{time.Now(), weight})
}
