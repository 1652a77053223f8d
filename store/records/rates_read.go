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
	rows, err := r.QueryContext(ctx, `
		WITH days (day, end_ms) AS (VALUES `+strings.Repeat(daySpan+`, `, len(days)-1)+daySpan+`)
		SELECT d.day, `+RateColumns+` FROM days d JOIN rates r ON r.quote = ? AND r.coin = ? AND r.hour = (
			SELECT s.hour FROM rates s
			WHERE s.quote = ? AND s.coin = ? AND s.hour <= d.end_ms / 3600000 AND s.at_ms < d.end_ms AND s.sampled_ms <= ?
			ORDER BY s.hour DESC LIMIT 1)`, append(args, quote, coin, quote, coin, sampledBy(asOf))...)
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
