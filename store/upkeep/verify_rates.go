package upkeep

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/people"
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
	if err := rows.Err(); err != nil {
		return err
	}
	return v.readImportedPrices(ctx, r)
}

// readImportedPrices checks that each imported price can be used in calculations and has its import.
func (v *verification) readImportedPrices(ctx context.Context, r *store.Tx) error {
	rows, err := r.QueryContext(ctx, `
		SELECT p.coin, p.day, p.price, p.import_id, coalesce(i.kind, '') FROM imported_prices p LEFT JOIN people_imports i ON i.id = p.import_id
		ORDER BY p.coin, p.day, p.id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var coin, day, kind string
		var price affiliate.Number
		var of int64
		if err := rows.Scan(&coin, &day, &price, &of, &kind); err != nil {
			return err
		}
		v.importedPrices++
		what := fmt.Sprintf("the imported price of %.20q on %.20q", coin, day)
		if _, err := affiliate.ParseDay(day); err != nil {
			v.rates.Fault("%s is of no day", what)
		}
		if n, err := affiliate.ParseNumber(string(price)); err != nil || n != price || !price.Decimal().IsPositive() {
			v.rates.Fault("%s is %.40q, which is no price", what, price)
		}
		if people.ImportKind(kind) != people.PriceImport {
			v.rates.Fault("%s is of import %d, which is none of prices", what, of)
		}
	}
	return rows.Err()
}
