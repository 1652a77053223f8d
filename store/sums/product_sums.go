package sums

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// ProductSums are what one invitee brought from one product in one coin.
type ProductSums struct {
	InviteeKey
	Product             affiliate.Product
	Coin                affiliate.Coin
	*rollup.LineFigures // only records, fee and commission
}

// ByProduct adds up the records of the filter by invitee, product and coin, in no order,
// for the requested invitees; nil means all. asked must be safe for concurrent calls. The
// cost is that of one [ByInvitee], not of one for each product.
func ByProduct(ctx context.Context, r *store.Tx, f records.CommissionFilter, asked func(InviteeKey) bool) ([]ProductSums, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee and product: %w", err)
	}
	parts, err := inHalves(ctx, r, f, func(r *store.Tx, part half) ([]ProductSums, error) {
		return productsOf(ctx, r, f, part, func(p person) (InviteeKey, bool) {
			key := InviteeKey{names[p.account], p.uid}
			return key, asked == nil || asked(key)
		})
	})
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee and product: %w", err)
	}
	return slices.Concat(parts...), nil
}

func productsOf(ctx context.Context, r *store.Tx, f records.CommissionFilter, part half, asked func(person) (InviteeKey, bool)) ([]ProductSums, error) {
	people := newPeople()
	var made rollup.FiguresMaker
	var list []ProductSums
	var lists [][]int32 // indexes in list, by number of the person; nil: it is not requested
	n := 0              // of the person of the entry
	err := eachEntryOf(ctx, r, f, part, rollup.ByUID, rollup.OfYear, func(e *entry) error {
		if e.another {
			if n = people.of(e); n == len(lists) {
				lists = append(lists, nil)
				if _, ok := asked(people.list[n]); ok {
					lists[n] = make([]int32, 0, 4)
				}
			}
		}
		if lists[n] == nil {
			return nil
		}
		for _, i := range lists[n] { // few
			if list[i].Product == e.Product && list[i].Coin == e.Coin {
				return e.addFeeAndCommissionTo(list[i].LineFigures)
			}
		}
		key, _ := asked(people.list[n])
		lists[n] = append(lists[n], int32(len(list)))
		list = append(list, ProductSums{key, e.Product, e.Coin, made.Next()})
		return e.addFeeAndCommissionTo(list[len(list)-1].LineFigures)
	})
	return list, err
}
