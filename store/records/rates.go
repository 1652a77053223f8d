package records

import (
	"context"
	"fmt"

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
