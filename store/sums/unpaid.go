package sums

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// UnpaidSums counts, in one coin, the trades that brought no commission.
type UnpaidSums struct {
	Coin affiliate.Coin

	// ZeroFee counts the trades without a fee: vouchers and zero-fee pairs.
	ZeroFee       int64
	ZeroFeeVolume affiliate.Number // taker and maker together

	// ZeroCommission counts the records with a fee of which nothing was passed on.
	ZeroCommission int64
	UnpaidFee      affiliate.Number
}

// UnpaidOfDays is [Unpaid]. Rows have no blocks, so only the newest day is open.
var UnpaidOfDays = Reading[[]UnpaidSums]{Read: Unpaid, longest: rollup.OfDay}

// JoinUnpaid adds up all parts, which are of different days, per coin.
func JoinUnpaid(parts ...[]UnpaidSums) []UnpaidSums {
	if len(parts) == 1 {
		return parts[0]
	}
	var joined []UnpaidSums
	for _, u := range slices.Concat(parts...) {
		i := slices.IndexFunc(joined, func(known UnpaidSums) bool { return known.Coin == u.Coin })
		if i < 0 {
			joined = append(joined, u)
			continue
		}
		own := &joined[i]
		own.ZeroFee += u.ZeroFee
		own.ZeroFeeVolume = added(own.ZeroFeeVolume, u.ZeroFeeVolume)
		own.ZeroCommission += u.ZeroCommission
		own.UnpaidFee = added(own.UnpaidFee, u.UnpaidFee)
	}
	slices.SortFunc(joined, func(a, b UnpaidSums) int { return cmp.Compare(a.Coin, b.Coin) })
	return joined
}

func added(a, b affiliate.Number) affiliate.Number {
	var sum affiliate.Sum
	sum.Add(a)
	sum.Add(b)
	return affiliate.Number(sum.String())
}

// Unpaid adds up the records of the filter that brought no commission, per coin. It reads
// the records of the range, so the caller must keep the range short or select one invitee.
func Unpaid(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]UnpaidSums, error) {
	const zeroFee = `(c.fee <> '' AND c.fee COLLATE decimal = '0' AND
		('0' < c.taker_amount COLLATE decimal OR '0' < c.maker_amount COLLATE decimal))`
	const unpaid = `(c.fee <> '' AND '0' < c.fee COLLATE decimal AND c.commission <> '' AND c.commission COLLATE decimal = '0')`
	w := f.Rows(f.Days.Range(r.ReportingZone()))
	rows, err := r.QueryContext(ctx, `
		SELECT c.coin,
			count(*) FILTER (WHERE `+zeroFee+`),
			decimal_add(coalesce(decimal_sum(c.taker_amount) FILTER (WHERE `+zeroFee+`), '0'),
				coalesce(decimal_sum(c.maker_amount) FILTER (WHERE `+zeroFee+`), '0')),
			count(*) FILTER (WHERE `+unpaid+`),
			coalesce(decimal_sum(c.fee) FILTER (WHERE `+unpaid+`), '0')
		FROM commissions c WHERE `+w.String()+`
		GROUP BY c.coin ORDER BY c.coin`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("adding up records without commission: %w", err)
	}
	defer rows.Close()
	var list []UnpaidSums
	for rows.Next() {
		var u UnpaidSums
		if err := rows.Scan(&u.Coin, &u.ZeroFee, &u.ZeroFeeVolume, &u.ZeroCommission, &u.UnpaidFee); err != nil {
			return nil, fmt.Errorf("adding up records without commission: %w", err)
		}
		list = append(list, u)
	}
	return list, rows.Err()
}
