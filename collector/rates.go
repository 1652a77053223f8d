package collector

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/internal/guard"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// RateQuote is the coin in which other coins are valued.
const RateQuote affiliate.Coin = "USDT"

// RateSource names the source of the prices.
const RateSource = "spot ticker"

const (
	rateLook     = 10 * time.Second // how often Serve checks whether a sample is due
	rateRetry    = 5 * time.Minute  // between a failure and the next attempt
	ratePatience = time.Minute      // for one sampling, including its wait for the budget
	// rateDrift is how far the time of a ticker may be from the exchange's clock. A ticker
	// further away has the price of another time.
	rateDrift = time.Hour
)

// rates samples the prices of the commission coins once in each UTC hour: the last prices
// of their pairs against [RateQuote], from one request for all of them.
// A coin without such a pair stays without a rate; no third coin is used to compute one.
//
// It uses a separate client: its requests are limited by the common budget and yield to
// interactive calls, but are not part of the reported cost of a run. Its failures are
// logged and never make a run fail.
type rates struct {
	market atomic.Pointer[exchange.Market] // nil: nothing is sampled
	store  *store.Store
	log    *slog.Logger
	now    func() time.Time
	look   time.Duration

	paused atomic.Bool              // the exchange is down; only runs call it
	mu     sync.Mutex               // one sampling at a time; guards the fields below
	asked  map[affiliate.Coin]int64 // the hour, since 1970, of the last answer about each coin
	failed time.Time                // zero: the last attempt did not fail
}

func newRates(o Options, log *slog.Logger, now func() time.Time) *rates {
	return &rates{store: o.Store, log: log, now: now, look: rateLook, asked: map[affiliate.Coin]int64{}}
}

// use sets the source of prices; nil = none.
func (r *rates) use(market exchange.Market) {
	if market == nil {
		r.market.Store(nil)
		return
	}
	r.market.Store(&market)
}

// keep samples whenever it is due until ctx ends, in parallel with runs of any length.
func (r *rates) keep(ctx context.Context) {
	ticker := time.NewTicker(r.look)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.sample(ctx)
		}
	}
}

// after samples at the end of a run, unless the run has found the exchange down. In that
// case the next run that finds it up resumes the sampling.
func (r *rates) after(ctx context.Context, report RunReport) {
	r.paused.Store(report.outages > 0)
	r.sample(ctx)
}

// sample requests prices if a coin has none of this hour.
func (r *rates) sample(ctx context.Context) {
	market := r.market.Load()
	if market == nil || r.paused.Load() || ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if since := r.now().Sub(r.failed); since >= 0 && since < rateRetry {
		return
	}
	r.failed = time.Time{}
	err := guard.Do(r.log, "sampling rates", func() error { return r.take(ctx, *market) })
	if err != nil && ctx.Err() == nil {
		r.failed = r.now()
		r.log.Warn("rates not sampled", "error", explained(err), "next_try", clockTime(r.failed.Add(rateRetry)))
	}
}

// take sends one request and stores the reliable prices.
func (r *rates) take(ctx context.Context, market exchange.Market) error {
	due, err := r.due(ctx)
	if err != nil || len(due) == 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, ratePatience)
	defer cancel()
	ctx = exchange.WithTries(exchange.WithPriority(ctx, exchange.Collection), 1)
	page, err := market.Prices(ctx, due, RateQuote)
	if err != nil {
		return err
	}
	for _, wrong := range page.Quarantined {
		r.log.Warn("price refused", "symbol", wrong.Record.Symbol, "field", wrong.Field, "value", wrong.Value, "problem", wrong.Reason)
	}
	now, err := market.Now(ctx)
	if err != nil {
		return err
	}
	samples := r.read(page.Records, now)
	added, err := records.AddRates(ctx, r.store, samples)
	if err != nil {
		return err
	}
	hour := r.now().Unix() / 3600
	for _, coin := range due {
		r.asked[coin] = hour
	}
	r.log.Debug("rates sampled", "coins", len(due), "stored", added)
	return nil
}

// due returns the coins of the commissions that were not requested in this hour.
func (r *rates) due(ctx context.Context) ([]affiliate.Coin, error) {
	reader, err := r.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	coins, err := sums.Coins(ctx, reader, affiliate.Members{})
	if err != nil {
		return nil, fmt.Errorf("reading the coins to value: %w", err)
	}
	hour := r.now().Unix() / 3600
	return slices.DeleteFunc(coins, func(c affiliate.Coin) bool {
		return c == "" || c == RateQuote || r.asked[c] == hour
	}), nil
}

// read returns the reliable prices. It refuses and logs a value that is not a price, or not of
// this hour: no rate is better than a wrong one.
func (r *rates) read(prices []exchange.Price, now time.Time) []records.Rate {
	var samples []records.Rate
	for _, p := range prices {
		if problem := badPrice(p, now); problem != "" {
			r.log.Warn("rate refused", "coin", p.Coin, "symbol", p.Symbol, "price", string(p.Last), "problem", problem)
			continue
		}
		samples = append(samples, records.Rate{
			Coin: p.Coin, Quote: RateQuote, Price: p.Last, At: p.At, Source: RateSource, Symbol: p.Symbol,
		})
	}
	return samples
}

// badPrice returns why a price is unreliable, or an empty string.
func badPrice(p exchange.Price, now time.Time) string {
	switch {
	case !p.Last.Known():
		return "no price"
	case !p.Last.Decimal().IsPositive():
		return "not a positive price"
	case !p.At.Known():
		return "no time"
	case p.At.Time().Sub(now).Abs() > rateDrift:
		return "a price of another time: " + p.At.String()
	}
	return ""
}
