package store

import (
	"context"

	"rebatedesk/affiliate"
)

// eachPiece cuts the days of a filter into months, and weeks and days beside
// them: an answer that is put together of pieces is only asked anew of those
// that have changed.
func (r *Reader) eachPiece(ctx context.Context, f CommissionFilter, ask func(CommissionFilter) error) error {
	stored, ok, err := r.storedDays(ctx)
	if err != nil || !ok {
		return err
	}
	days := affiliate.Days{First: max(f.Days.First, stored.First), Last: min(f.Days.Last, stored.Last)}
	for _, run := range cover(days, ofMonth) {
		for b := (block{run.span, run.first}); b.first <= run.last; b.first = b.last() + 1 {
			f.Days = affiliate.Days{First: b.first, Last: b.last()}
			if err := ask(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// symbolGroupsOfInvitee adds up the pairs of one invitee. No roll-up tells
// them, so that records are read, those of each piece once.
func (r *Reader) symbolGroupsOfInvitee(ctx context.Context, f CommissionFilter) (map[symbolCoin]*sums, error) {
	groups := map[symbolCoin]*sums{}
	err := r.eachPiece(ctx, f, func(f CommissionFilter) error {
		of := recalled{what: "pairs of an invitee", filter: f, kind: byUID, longest: ofMonth}
		list, err := recall(ctx, r, of, sizeOfSums, func() ([]symbolGroup, error) { return r.symbolRecords(ctx, f) })
		for i := range list {
			at(groups, list[i].symbolCoin).addSums(&list[i].sums)
		}
		return err
	})
	return groups, err
}

type symbolGroup struct {
	symbolCoin
	sums sums
}

// symbolRecords adds records up by pair.
func (r *Reader) symbolRecords(ctx context.Context, f CommissionFilter) ([]symbolGroup, error) {
	groups := map[symbolCoin]*sums{}
	err := r.eachRecord(ctx, f, bySymbol, func(e *entry) error {
		return e.addTo(at(groups, symbolCoin{e.name, e.coin}))
	})
	list := make([]symbolGroup, 0, len(groups))
	for of, s := range groups {
		list = append(list, symbolGroup{of, *s})
	}
	return list, err
}

// unpaidOfInvitee adds up an invitee's records without commission, those of
// each piece once.
func (r *Reader) unpaidOfInvitee(ctx context.Context, f CommissionFilter) ([]UnpaidSums, error) {
	coins := map[affiliate.Coin]*unpaid{}
	err := r.eachPiece(ctx, f, func(f CommissionFilter) error {
		of := recalled{what: "unpaid of an invitee", filter: f, kind: byUID, longest: ofMonth}
		list, err := recall(ctx, r, of, sizeOfSums, func() ([]UnpaidSums, error) { return r.unpaidRecords(ctx, f) })
		for _, u := range list {
			if coins[u.Coin] == nil {
				coins[u.Coin] = new(unpaid)
			}
			coins[u.Coin].add(u)
		}
		return err
	})
	list := make([]UnpaidSums, 0, len(coins))
	for _, coin := range sortedKeys(coins) {
		list = append(list, coins[coin].result(coin))
	}
	return list, err
}

// unpaid gathers UnpaidSums of a coin.
type unpaid struct {
	zeroFee, zeroCommission  int64
	zeroFeeVolume, unpaidFee affiliate.Sum
}

func (u *unpaid) add(s UnpaidSums) {
	u.zeroFee += s.ZeroFee
	u.zeroCommission += s.ZeroCommission
	u.zeroFeeVolume.Add(s.ZeroFeeVolume)
	u.unpaidFee.Add(s.UnpaidFee)
}

func (u *unpaid) result(coin affiliate.Coin) UnpaidSums {
	return UnpaidSums{Coin: coin, ZeroFee: u.zeroFee, ZeroFeeVolume: affiliate.Number(u.zeroFeeVolume.String()),
		ZeroCommission: u.zeroCommission, UnpaidFee: affiliate.Number(u.unpaidFee.String())}
}
