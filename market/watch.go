package market

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	kept "rebatedesk/store/market"
)

// Reader is a reader of markets. As long as it is open, they are polled.
type Reader struct {
	feed    *Feed
	account affiliate.Account
	symbols []string
	needs   map[pollKey]time.Duration
	changed chan struct{}
}

// WatchTicket opens a reader of one pair for a user who sends orders, see [Feed.WatchMarket]. It
// also reads the open orders of other spot pairs, which hold the same coins: the more there are,
// the less often, up to [Feed.MostOthers].
func (f *Feed) WatchTicket(account affiliate.Account, symbol string, others []string) *Reader {
	w := f.WatchMarket(account, symbol)
	every := max(everyOthers, shareWindow*time.Duration(len(others))/time.Duration(f.othersAtOnce(account)))
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, other := range others {
		if key := (pollKey{pollOrders, account, other}); w.needs[key] == 0 {
			w.needs[key] = every
		}
	}
	f.stir()
	return w
}

// MostOthers returns of how many other pairs the budget allows to keep the open orders of an
// account up to date for a ticket.
func (f *Feed) MostOthers(account affiliate.Account) int {
	return min(mostOthers, f.othersAtOnce(account)*int(slowestOthers/shareWindow))
}

// othersAtOnce returns how many calls within [shareWindow] the open orders of other pairs may
// take.
func (f *Feed) othersAtOnce(account affiliate.Account) int {
	client, ok := f.o.Client(account)
	if !ok {
		return 1
	}
	return max(1, client.Budget().Limit/Share/othersPart/pollOrders.weight())
}

// WatchMarket opens a reader of one pair, of the account's own orders of it included.
func (f *Feed) WatchMarket(account affiliate.Account, symbol string) *Reader {
	public := f.public(account)
	if affiliate.IsContract(symbol) {
		return f.watch(account, []string{symbol}, map[pollKey]time.Duration{
			{pollContract, public, symbol}: everyFocus, {pollPairs, public, ""}: everyPairs, // the pairs name the quote coins
		})
	}
	return f.watch(account, []string{symbol}, map[pollKey]time.Duration{
		{pollTrades, public, symbol}: everyFocus, {pollTickers, public, ""}: everyTicker, {pollPairs, public, ""}: everyPairs,
		{pollOrders, account, symbol}: everyOrders, {pollFills, account, symbol}: everyFills, {pollBills, account, ""}: everyBills,
	})
}

// WatchOrders opens a reader of the account's open orders of several spot pairs, and of the
// prices that they are compared with.
func (f *Feed) WatchOrders(account affiliate.Account, symbols []string) *Reader {
	public := f.public(account)
	needs := map[pollKey]time.Duration{{pollTickers, public, ""}: everyTicker, {pollPairs, public, ""}: everyPairs}
	for _, symbol := range symbols {
		needs[pollKey{pollOrders, account, symbol}] = everyOrders
	}
	return f.watch(account, symbols, needs)
}

// Hurry makes the account's own orders, fills and bills of a pair due at once, as far as
// a user reads them: an order was sent, so they are out of date.
func (f *Feed) Hurry(account affiliate.Account, symbol string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, key := range []pollKey{{pollOrders, account, symbol}, {pollFills, account, symbol}, {pollBills, account, ""}} {
		if p := f.polls[key]; p != nil {
			p.urgent = true
		}
	}
	f.stir()
}

// WatchPairs opens a reader of several spot pairs.
func (f *Feed) WatchPairs(account affiliate.Account, symbols []string) *Reader {
	public := f.public(account)
	needs := map[pollKey]time.Duration{
		{pollTickers, public, ""}: everyTicker, {pollPairs, public, ""}: everyPairs,
		{pollBills, account, ""}: everyBills, {pollTransfers, account, ""}: everyBills,
	}
	for _, symbol := range symbols {
		needs[pollKey{pollTrades, public, symbol}] = everyOverview
		needs[pollKey{pollOrders, account, symbol}] = everyOrders
		needs[pollKey{pollFills, account, symbol}] = everyFills
	}
	return f.watch(account, symbols, needs)
}

func (f *Feed) watch(account affiliate.Account, symbols []string, needs map[pollKey]time.Duration) *Reader {
	w := &Reader{feed: f, account: account, symbols: slices.Clone(symbols), needs: needs, changed: make(chan struct{}, 1)}
	f.mu.Lock()
	f.watches[w] = struct{}{}
	f.mu.Unlock()
	f.stir()
	return w
}

// Close ends the reading.
func (w *Reader) Close() {
	w.feed.mu.Lock()
	defer w.feed.mu.Unlock()
	delete(w.feed.watches, w)
}

// Changed receives a value when something is new since the last one was received.
func (w *Reader) Changed() <-chan struct{} { return w.changed }

func (w *Reader) wake() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Ready waits until everything was asked at least once within a time before now, until the
// context ends. A page that waits is asked for before other pages.
func (w *Reader) Ready(ctx context.Context, within time.Duration) {
	since := time.Now().Add(-within)
	for w.hurry(since) {
		select {
		case <-w.changed:
		case <-ctx.Done():
			return
		case <-w.feed.done:
			return
		}
	}
}

// hurry makes everything urgent that was not asked since a time, and reports whether there is
// any, or anything else that is urgent: it is known to be out of date.
func (w *Reader) hurry(since time.Time) (waits bool) {
	f := w.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range w.needs {
		p := f.polls[key]
		if p == nil {
			p = &poll{key: key}
			f.polls[key] = p
		}
		if p.tried.Before(since) || p.urgent {
			waits = true
			p.urgent = true
		}
	}
	if waits {
		f.stir()
	}
	return waits
}

// Answered is the newest answer to a question, and how the newest attempt ended.
type Answered[T any] struct {
	Value T         // of the newest answer
	At    time.Time // when that was asked; zero: it was never answered
	Err   error     // of the newest attempt
}

// Known reports whether there was an answer.
func (r Answered[T]) Known() bool { return !r.At.IsZero() }

// Quote is what is known of a market. Its slices and maps must not be changed.
type Quote struct {
	Symbol   string
	Pair     Answered[weex.TradingPair]
	Listed   bool // among the pairs of the exchange
	Ticker   Answered[weex.Ticker]
	Contract Answered[weex.ContractTicker]
	Trades   Answered[[]weex.Trade] // newest first

	UnreadTrades []affiliate.Quarantined[weex.Trade] // of the same answer: what could not be read

	Orders  Answered[[]weex.OpenOrder]
	Fills   Answered[[]weex.Fill]
	KeepErr error  // why what is seen cannot be kept now
	Version uint64 // differs if anything differs
}

// Last returns the newest price and when it was read. The price of the newest trade goes first,
// unless the ticker is clearly newer.
func (q Quote) Last() (price affiliate.Number, at time.Time) {
	switch {
	case affiliate.IsContract(q.Symbol):
		return q.Contract.Value.Last, q.Contract.At
	case len(q.Trades.Value) > 0 && (!q.Ticker.Value.LastPrice.Known() || q.Trades.At.Add(tickerAhead).After(q.Ticker.At)):
		return q.Trades.Value[0].FillPrice, q.Trades.At
	}
	return q.Ticker.Value.LastPrice, q.Ticker.At
}

// tickerAhead is by how much a ticker has to be newer than the trades to give the last price.
const tickerAhead = 10 * time.Second

// Pairs returns the spot pairs of the exchange of an account, as far as they are known.
func (f *Feed) Pairs(account affiliate.Account) Answered[[]weex.TradingPair] {
	public := f.public(account)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.polls[pollKey{pollPairs, public, ""}]
	if p == nil {
		return Answered[[]weex.TradingPair]{}
	}
	return Answered[[]weex.TradingPair]{p.answer.pairs, p.answer.at, p.err}
}

// Tickers returns the tickers of all spot pairs of the exchange of an account, by symbol, as far as
// they are known. The map must not be changed.
func (f *Feed) Tickers(account affiliate.Account) Answered[map[string]weex.Ticker] {
	public := f.public(account)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.polls[pollKey{pollTickers, public, ""}]
	if p == nil {
		return Answered[map[string]weex.Ticker]{}
	}
	return Answered[map[string]weex.Ticker]{p.answer.tickers, p.answer.at, p.err}
}

// Quote returns what is known of a market now, for an account.
func (f *Feed) Quote(account affiliate.Account, symbol string) Quote {
	public := f.public(account)
	f.mu.Lock()
	defer f.mu.Unlock()
	q := Quote{Symbol: symbol, KeepErr: f.keepErr}
	take := func(key pollKey) (answer, error) {
		p := f.polls[key]
		if p == nil {
			return answer{}, nil
		}
		q.Version = max(q.Version, p.version)
		return p.answer, p.err
	}
	if affiliate.IsContract(symbol) {
		a, err := take(pollKey{pollContract, public, symbol})
		q.Contract = Answered[weex.ContractTicker]{a.contract, a.at, err}
		q.Listed = q.Contract.Known()
		return q
	}
	a, err := take(pollKey{pollPairs, public, ""})
	q.Pair = Answered[weex.TradingPair]{At: a.at, Err: err}
	if i := slices.IndexFunc(a.pairs, func(p weex.TradingPair) bool { return p.Symbol == symbol }); i >= 0 {
		q.Pair.Value, q.Listed = a.pairs[i], true
	}
	a, err = take(pollKey{pollTickers, public, ""})
	q.Ticker = Answered[weex.Ticker]{a.tickers[symbol], a.at, err}
	a, err = take(pollKey{pollTrades, public, symbol})
	q.Trades, q.UnreadTrades = Answered[[]weex.Trade]{a.trades, a.at, err}, a.unread
	a, err = take(pollKey{pollOrders, account, symbol})
	q.Orders = Answered[[]weex.OpenOrder]{a.orders, a.at, err}
	a, err = take(pollKey{pollFills, account, symbol})
	q.Fills = Answered[[]weex.Fill]{a.fills, a.at, err}
	return q
}

// Wallet is what is known of an account's money.
type Wallet struct {
	Bills     Answered[[]weex.Bill]
	Transfers Answered[[]weex.Transfer]
	Version   uint64 // differs if anything differs
}

// Wallet returns what is known of an account's money now.
func (f *Feed) Wallet(account affiliate.Account) (w Wallet) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.polls[pollKey{pollBills, account, ""}]; p != nil {
		w.Bills, w.Version = Answered[[]weex.Bill]{p.answer.bills, p.answer.at, p.err}, p.version
	}
	if p := f.polls[pollKey{pollTransfers, account, ""}]; p != nil {
		w.Transfers, w.Version = Answered[[]weex.Transfer]{p.answer.transfers, p.answer.at, p.err}, max(w.Version, p.version)
	}
	return w
}

// Readers returns how many readers are open.
func (f *Feed) Readers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.watches)
}

// Chart returns the newest n slots of a market, oldest first. Without a store there are none.
func (f *Feed) Chart(ctx context.Context, account affiliate.Account, symbol string, interval Interval, n int) ([]Slot, error) {
	client, ok := f.o.Client(account)
	if f.o.Store == nil || !ok {
		return nil, nil
	}
	r, err := f.o.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return f.history.chart(ctx, r, kept.Key{Venue: client.Host(), Pair: symbol}, interval, n, affiliate.MillisOf(f.o.Now()))
}

// Line returns the prices of a market in the time before now: the last of each step, at its
// start. A step in which no price was seen is left out.
func (f *Feed) Line(ctx context.Context, account affiliate.Account, symbol string, step time.Duration, n int) ([]kept.KeptPrice, error) {
	slots, err := f.Chart(ctx, account, symbol, Interval{Length: step}, n)
	if err != nil || slots == nil {
		return nil, err
	}
	client, _ := f.o.Client(account)
	r, err := f.o.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	prices, err := kept.PricesKept(ctx, r, kept.Key{Venue: client.Host(), Pair: symbol}, slots[0].Start, affiliate.MillisOf(f.o.Now())+1)
	if err != nil {
		return nil, err
	}
	line := make([]kept.KeptPrice, 0, n)
	for _, s := range slots {
		p := kept.KeptPrice{Time: s.Start, Price: s.Close}
		for ; len(prices) > 0 && prices[0].Time < s.Start+affiliate.Millis(step.Milliseconds()); prices = prices[1:] {
			if !s.Traded() {
				p.Price = prices[0].Price
			}
		}
		if p.Price.Known() {
			line = append(line, p)
		}
	}
	return line, nil
}
