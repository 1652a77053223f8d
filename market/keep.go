package market

import (
	"cmp"
	"context"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/internal/guard"
	kept "rebatedesk/store/market"
)

const (
	pricesEvery    = time.Minute      // of a spot pair, whose trades are kept as well
	contractsEvery = 5 * time.Second  // of a contract pair
	contractsApart = 30 * time.Second // prices further apart leave a gap between them
	quietEvery     = 30 * time.Second // how often it is kept that there was no trade
)

// keptTrade converts a trade.
func keptTrade(t weex.Trade) kept.KeptTrade {
	return kept.KeptTrade{Time: t.FillTime, ID: t.TradeID, Price: t.FillPrice, Quantity: t.FillQuantity, Side: TakerSide(t)}
}

// TakerSide returns the side of the order that took: buy or sell, or nothing if it is unknown.
func TakerSide(t weex.Trade) string {
	switch t.BuyerMaker {
	case affiliate.FlagOf(true):
		return "sell"
	case affiliate.FlagOf(false):
		return "buy"
	}
	return ""
}

// newestFirst orders the trades of an answer by time. Those of one instant keep the order in which
// the exchange lists them, whose newest is the first; their ids tell no order. A trade without a
// price or a quantity above 0 is none, and is left out.
func newestFirst(trades []weex.Trade) []weex.Trade {
	trades = slices.DeleteFunc(slices.Clone(trades), func(t weex.Trade) bool {
		return t.FillPrice.Cmp("0") <= 0 || t.FillQuantity.Cmp("0") <= 0
	})
	if n := len(trades); n > 1 && trades[0].FillTime < trades[n-1].FillTime {
		slices.Reverse(trades) // the exchange lists the oldest first
	}
	slices.SortStableFunc(trades, func(a, b weex.Trade) int { return cmp.Compare(b.FillTime, a.FillTime) })
	return trades
}

// proven returns the trades of an answer that are kept, oldest first, and the stretches of which
// they are all. Of the oldest millisecond of a full answer some may be missing, so its trades are
// left out, and so are those that are too old to be kept. The instant of a trade that could not be
// read belongs to no stretch; if its time could not be read, nothing is known completely.
func proven(got answer, floor affiliate.Millis) (trades []kept.KeptTrade, known []kept.KnownStretch) {
	if len(got.trades) == 0 {
		return nil, nil
	}
	oldest := got.trades[len(got.trades)-1].FillTime
	var holes []affiliate.Millis
	undated := false
	for _, q := range got.unread {
		if at := q.Record.FillTime; at.Known() {
			holes, oldest = append(holes, at), min(oldest, at)
		} else {
			undated = true
		}
	}
	from := oldest
	if got.full {
		from++
	}
	from = max(from, floor)
	for i := len(got.trades) - 1; i >= 0; i-- {
		t := keptTrade(got.trades[i])
		if t.Time < from {
			continue
		}
		if n := len(trades); n > 0 && trades[n-1].Time == t.Time {
			t.Rank = trades[n-1].Rank + 1
		}
		trades = append(trades, t)
	}
	if len(trades) == 0 || undated {
		return trades, nil
	}
	slices.Sort(holes)
	to := got.trades[0].FillTime
	for _, hole := range slices.Compact(holes) {
		if hole >= from && hole <= to {
			known = append(known, kept.KnownStretch{From: from, To: hole - 1, Asked: hole - 1})
			from = hole + 1
		}
		if hole > to {
			return trades, append(known, kept.KnownStretch{From: from, To: to, Asked: hole - 1})
		}
	}
	return trades, append(known, kept.KnownStretch{From: from, To: to, Asked: affiliate.MillisOf(got.at)})
}

// floor returns the start of the minute from which trades are kept.
func (f *Feed) floor() affiliate.Millis {
	return affiliate.MillisOf(f.o.Now().Add(-f.o.KeepTrades).Truncate(time.Minute))
}

// keep hands over what an answer brings to be stored. If the queue is full, it is left out: the
// next answer holds it too, or a gap remains and is shown as one.
func (f *Feed) keep(key pollKey, host string, got answer, err error) {
	if err != nil || f.o.Store == nil {
		return
	}
	market := kept.Key{Venue: host, Pair: key.symbol}
	switch key.kind {
	case pollTrades:
		trades, known := proven(got, f.floor())
		if len(trades) > 0 && f.news(market, idsOf(trades), quietEvery) {
			f.queue(key, func(ctx context.Context) error { return kept.KeepTrades(ctx, f.o.Store, market, trades, known...) })
		}
	case pollContract:
		t := got.contract
		if t.Last.Known() && t.Time.Known() && f.news(market, "", contractsEvery) {
			price := kept.KeptPrice{Time: t.Time, Price: t.Last}
			f.queue(key, func(ctx context.Context) error {
				return kept.SamplePrice(ctx, f.o.Store, market, price, affiliate.Millis(contractsApart.Milliseconds()))
			})
		}
	case pollTickers:
		for _, symbol := range f.followed() {
			t, ok := got.tickers[symbol]
			market := kept.Key{Venue: host, Pair: symbol}
			if ok && t.LastPrice.Known() && t.Time.Known() && f.news(market, "ticker", pricesEvery) {
				price := kept.KeptPrice{Time: t.Time, Price: t.LastPrice}
				f.queue(key, func(ctx context.Context) error { return kept.KeepPrice(ctx, f.o.Store, market, price) })
			}
		}
	}
}

// idsOf tells two lists of trades apart.
func idsOf(trades []kept.KeptTrade) string {
	h := fnv.New64a()
	for _, t := range trades {
		_, _ = h.Write([]byte(t.ID + "\n")) // never fails
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// news reports whether something has to be stored: it differs from what was stored last, or
// that is long ago.
func (f *Feed) news(market kept.Key, what string, every time.Duration) bool {
	key := market.Venue + " " + market.Pair + " " + what
	f.mu.Lock()
	defer f.mu.Unlock()
	if last, ok := f.kept[key]; ok && time.Since(last) < every {
		return false
	}
	if len(f.kept) > 10_000 {
		clear(f.kept)
	}
	f.kept[key] = time.Now()
	return true
}

// followed returns the spot pairs that are favourites or looked at.
func (f *Feed) followed() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := slices.Clone(f.favourites)
	for w := range f.watches {
		list = append(list, w.symbols...)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), affiliate.IsContract)
}

// queue stores something after what was queued before.
func (f *Feed) queue(key pollKey, write func(context.Context) error) {
	select {
	case f.writes <- func(ctx context.Context) error {
		err := write(ctx)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.keepErr = err
		if p := f.polls[key]; p != nil && err == nil {
			f.version++
			p.version = f.version
			f.tell(key)
		}
		return err
	}:
	default:
	}
}

// write stores what is queued.
func (f *Feed) write(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case write := <-f.writes:
			if err := guard.Do(f.o.Log, "keeping of a market", func() error { return write(ctx) }); err != nil && ctx.Err() == nil {
				f.o.Log.Warn("prices that were seen could not be kept", "error", err)
			}
		}
	}
}

// prune deletes what was kept for long enough.
func (f *Feed) prune(ctx context.Context) error {
	if err := kept.PruneAsked(ctx, f.o.Store, affiliate.MillisOf(f.o.Now().Add(-AskedFor))); err != nil {
		return err
	}
	_, err := kept.Prune(ctx, f.o.Store, f.floor(), affiliate.MillisOf(f.o.Now().Add(-f.o.KeepCandles)))
	return err
}
