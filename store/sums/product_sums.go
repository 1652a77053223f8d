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

// ProductsOfInvitees adds up the records of the filter by invitee, product and coin, in no
// order. The cost is that of one [ByInvitee], not of one for each product.
var ProductsOfInvitees = Reading[[]ProductSums]{Read: readProducts, longest: rollup.OfYear}

// JoinProducts adds up all parts, which are of different days.
func JoinProducts(parts ...[]ProductSums) []ProductSums {
	if len(parts) == 1 {
		return parts[0]
	}
	var made rollup.FiguresMaker
	var joined []ProductSums
	of := map[InviteeKey][]int32{} // indexes in joined; few for each invitee
	for _, part := range parts {
		for _, s := range part {
			own := of[s.InviteeKey]
			i := slices.IndexFunc(own, func(i int32) bool { return joined[i].Product == s.Product && joined[i].Coin == s.Coin })
			if i >= 0 {
				sum := made.Next()
				sum.AddSums(joined[own[i]].LineFigures)
				sum.AddSums(s.LineFigures)
				joined[own[i]].LineFigures = sum
				continue
			}
			of[s.InviteeKey] = append(own, int32(len(joined)))
			joined = append(joined, s)
		}
	}
	return joined
}

func readProducts(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]ProductSums, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee and product: %w", err)
	}
	parts, err := inHalves(ctx, r, f, func(r *store.Tx, part half) ([]ProductSums, error) {
		return productsOf(ctx, r, f, part, names)
	})
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee and product: %w", err)
	}
	return slices.Concat(parts...), nil
}

func productsOf(ctx context.Context, r *store.Tx, f records.CommissionFilter, part half, names map[int64]affiliate.Account) ([]ProductSums, error) {
	people := newPeople()
	var made rollup.FiguresMaker
	var list []ProductSums
	var lists [][]int32 // indexes in list, by number of the person
	n := 0              // of the person of the entry
	err := eachEntryOf(ctx, r, f, part, rollup.ByUID, rollup.OfYear, func(e *entry) error {
		if e.another {
			if n = people.of(e); n == len(lists) {
				lists = append(lists, make([]int32, 0, 4))
			}
		}
		for _, i := range lists[n] { // few
			if list[i].Product == e.Product && list[i].Coin == e.Coin {
				return e.addFeeAndCommissionTo(list[i].LineFigures)
			}
		}
		who := people.list[n]
		lists[n] = append(lists[n], int32(len(list)))
		list = append(list, ProductSums{InviteeKey{names[who.account], who.uid}, e.Product, e.Coin, made.Next()})
		return e.addFeeAndCommissionTo(list[len(list)-1].LineFigures)
	})
	return list, err
}
