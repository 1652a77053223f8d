package records

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Rate is a sample of the price of a coin.
type Rate struct {
	Coin    affiliate.Coin
	Quote   affiliate.Coin   // the coin that the price is in
	Price   affiliate.Number // of one coin, as the exchange wrote it; positive
	At      affiliate.Millis // of the price, by the exchange's clock
	Sampled affiliate.Millis // when it was stored: it is known from then on
	Source  string           // source of the price: "spot ticker"
	Symbol  string           // the pair of the price
}

const hourMillis = 60 * 60 * 1000

// AddRates stores samples and returns how many were new. The first sample of a coin in each
// UTC hour is kept, and a later one of that hour changes nothing, so storing the same
// samples again is safe. AddRates sets their Sampled. A sample without a coin, a time or a
// positive price is an error, and then none is stored.
func AddRates(ctx context.Context, s *store.Store, rates []Rate) (added int, err error) {
	for _, rate := range rates {
		if !rate.Valid() {
			return 0, fmt.Errorf("storing rates: %q is no price of %.20q in %.20q at %d", rate.Price, rate.Coin, rate.Quote, rate.At)
		}
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		added = 0
		for _, rate := range rates {
			result, err := tx.ExecContext(ctx, `
				INSERT INTO rates (quote, coin, hour, at_ms, sampled_ms, price, source, symbol)
				VALUES (?, ?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (quote, coin, hour) DO NOTHING`,
				rate.Quote, rate.Coin, rate.At/hourMillis, rate.At, stamp, rate.Price, rate.Source, rate.Symbol)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			added += int(n)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("storing rates: %w", err)
	}
	return added, nil
}

func (r Rate) Valid() bool {
	price, err := affiliate.ParseNumber(string(r.Price))
	return err == nil && price == r.Price && price.Decimal().IsPositive() && r.Coin != "" && r.Quote != "" && r.At > 0
}

const RateColumns = `r.coin, r.quote, r.price, r.at_ms, r.sampled_ms, r.source, r.symbol`

func (r *Rate) Targets() []any {
	return []any{&r.Coin, &r.Quote, &r.Price, &r.At, &r.Sampled, &r.Source, &r.Symbol}
}

// daysAtOnce is how many days one query looks up: two parameters per day, far below
// SQLite's limit.
const daysAtOnce = 1000

// Rates returns, for each of the reporting days, the newest sample of a coin from before
// the day's end, whatever its age. Days before the first sample have none. A known asOf
// excludes what was sampled later. Each day is looked up in the key: the cost grows with
// the days, not with the samples.
func Rates(ctx context.Context, r *store.Tx, coin, quote affiliate.Coin, days []affiliate.Day, asOf affiliate.Millis) (map[affiliate.Day]Rate, error) {
	rates := make(map[affiliate.Day]Rate, len(days))
	for some := range slices.Chunk(days, daysAtOnce) {
		if err := ratesOf(ctx, r, rates, coin, quote, some, asOf); err != nil {
			return nil, fmt.Errorf("reading rates of %s: %w", coin, err)
		}
	}
	return rates, nil
}

func ratesOf(ctx context.Context, r *store.Tx, rates map[affiliate.Day]Rate, coin, quote affiliate.Coin, days []affiliate.Day, asOf affiliate.Millis) error {
	args := make([]any, 0, 2*len(days)+5)
	for _, day := range days {
		args = append(args, day, affiliate.MillisOf((day + 1).Start(r.ReportingZone())))
	}
	const daySpan = `(CAST(? AS BIGINT), CAST(? AS BIGINT))`
	// Days and rates say nothing about any invitee.
	rows, err := r.QueryContext(ctx, store.ForMembers(`
		WITH days (day, end_ms) AS (VALUES `+strings.Repeat(daySpan+`, `, len(days)-1)+daySpan+`)
		SELECT d.day, `+RateColumns+` FROM days d JOIN rates r ON r.quote = ? AND r.coin = ? AND r.hour = (
			SELECT s.hour FROM rates s
			WHERE s.quote = ? AND s.coin = ? AND s.hour <= d.end_ms / 3600000 AND s.at_ms < d.end_ms AND s.sampled_ms <= ?
			ORDER BY s.hour DESC LIMIT 1)`), append(args, quote, coin, quote, coin, sampledBy(asOf))...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var day affiliate.Day
		var rate Rate
		if err := rows.Scan(append([]any{&day}, rate.Targets()...)...); err != nil {
			return err
		}
		rates[day] = rate
	}
	return rows.Err()
}

// FirstRate returns the oldest sample of a coin, or false if it was never sampled. A known
// asOf excludes what was sampled later.
func FirstRate(ctx context.Context, r *store.Tx, coin, quote affiliate.Coin, asOf affiliate.Millis) (Rate, bool, error) {
	var rate Rate
	err := r.QueryRowContext(ctx, `
		SELECT `+RateColumns+` FROM rates r WHERE r.quote = ? AND r.coin = ? AND r.sampled_ms <= ?
		ORDER BY r.hour LIMIT 1`, quote, coin, sampledBy(asOf)).Scan(rate.Targets()...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Rate{}, false, nil
	case err != nil:
		return Rate{}, false, fmt.Errorf("reading the first rate of %s: %w", coin, err)
	}
	return rate, true, nil
}

// sampledBy returns the newest stamp known at an instant, or the largest stamp if the
// instant is unknown.
func sampledBy(asOf affiliate.Millis) affiliate.Millis {
	if asOf.Known() {
		return asOf
	}
	return math.MaxInt64
}
