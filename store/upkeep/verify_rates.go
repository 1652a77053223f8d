package upkeep

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// readRates checks that each sample can be used in calculations and has a possible time.
// The table itself ensures one sample per hour and coin, which the integrity check of the
// file covers.
func (v *verification) readRates(ctx context.Context, r *store.Tx) error {
	rows, err := r.QueryContext(ctx, `SELECT `+records.RateColumns+` FROM rates r ORDER BY r.quote, r.coin, r.hour`)
	if err != nil {
		return err
	}
	defer rows.Close()
	horizon := affiliate.MillisOf(v.lastWrite.Time().Add(clocksDiffer))
	for rows.Next() {
		var rate records.Rate
		if err := rows.Scan(rate.Targets()...); err != nil {
			return err
		}
		v.samples++
		what := fmt.Sprintf("the rate of %.20q in %.20q of %s", rate.Coin, rate.Quote, rate.At)
		switch {
		case !rate.Valid():
			v.rates.Fault("%s is %.40q, which is no price", what, rate.Price)
		case rate.At > horizon:
			v.rates.Fault("%s is of the future, the last write was at %s", what, v.lastWrite)
		}
		if rate.Sampled > v.lastWrite {
			v.stamps.Fault("%s has the stamp %s, after the last write at %s", what, rate.Sampled, v.lastWrite)
		}
	}
	return rows.Err()
}
