package market

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	kept "rebatedesk/store/market"
)

// AskedFor is how long a pair that a user asked for is followed.
const AskedFor = 24 * time.Hour

// askedEvery is how often it is kept that a pair is still asked for.
const askedEvery = 5 * time.Minute

// NoteAsked keeps that a user asked for a spot pair of an account. Without a store, or until
// it is written, it is known in this process only.
func (f *Feed) NoteAsked(account affiliate.Account, symbol string) {
	now := f.o.Now()
	f.mu.Lock()
	list := slices.DeleteFunc(f.asked[account], func(a askedPair) bool { return a.symbol == symbol || now.Sub(a.at) > AskedFor })
	f.asked[account] = append(list[max(0, len(list)-kept.MaxAsked+1):], askedPair{symbol, now})
	f.mu.Unlock()
	if f.o.Store == nil || !f.news(kept.Key{Venue: string(account), Pair: symbol}, "asked", askedEvery) {
		return
	}
	f.queue(pollKey{}, func(ctx context.Context) error {
		return kept.KeepAsked(ctx, f.o.Store, account, symbol, affiliate.MillisOf(now))
	})
}

// askedPair is a pair that a user asked for.
type askedPair struct {
	symbol string
	at     time.Time
}

// Asked returns the spot pairs of an account that a user asked for within [AskedFor], at any
// node: the one asked for last first, as far as this process knows.
func (f *Feed) Asked(ctx context.Context, account affiliate.Account) (symbols []string, err error) {
	since := f.o.Now().Add(-AskedFor)
	f.mu.Lock()
	for _, a := range slices.Backward(f.asked[account]) {
		if a.at.After(since) {
			symbols = append(symbols, a.symbol)
		}
	}
	f.mu.Unlock()
	if f.o.Store == nil {
		return symbols, nil
	}
	r, err := f.o.Store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	others, err := kept.AskedPairs(ctx, r, account, affiliate.MillisOf(since))
	for _, symbol := range others {
		if !slices.Contains(symbols, symbol) {
			symbols = append(symbols, symbol)
		}
	}
	return symbols, err
}
