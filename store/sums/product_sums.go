package sums

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// ProductSums are what one invitee brought from one product in one coin.
type ProductSums struct {
	InviteeKey
	Product affiliate.Product
	Coin    affiliate.Coin
	Sums
}

// ByProduct adds up the records of the filter by invitee, product and coin, in no order,
// for the requested invitees; nil means all. The cost is that of one [ByInvitee], not of
// one for each product.
func ByProduct(ctx context.Context, r *store.Tx, f records.CommissionFilter, asked func(InviteeKey) bool) ([]ProductSums, error) {
	list, err := addUpProducts(ctx, r, f)
	if err != nil || asked == nil {
		return list, err
	}
	own := make([]ProductSums, 0, len(list)/4)
	for _, s := range list {
		if asked(s.InviteeKey) {
			own = append(own, s)
		}
	}
	return own, nil
}

func addUpProducts(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]ProductSums, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee and product: %w", err)
	}
	people := newPeople()
	var groups []*productSums // by number of the person
	var own *productSums      // of the invitee of the entry
	err = eachEntry(ctx, r, f, rollup.ByUID, rollup.OfYear, func(e *entry) error {
		if e.another {
			n := people.of(e)
			if n == len(groups) {
				groups = append(groups, new(productSums))
			}
			own = groups[n]
		}
		return e.addTo(own.at(e.Product, e.Coin))
	})
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee and product: %w", err)
	}
	list := make([]ProductSums, 0, len(groups))
	for n, who := range people.list {
		for _, g := range *groups[n] {
			list = append(list, ProductSums{InviteeKey{names[who.account], who.uid}, g.product, g.coin, sumsOf(g.sums)})
		}
	}
	return list, nil
}

// productSums holds sums by product and coin. Like coins, they are few.
type productSums []productGroup

type productGroup struct {
	product affiliate.Product
	coin    affiliate.Coin
	sums    *rollup.LineFigures
}

func (p *productSums) at(product affiliate.Product, coin affiliate.Coin) *rollup.LineFigures {
	for _, g := range *p {
		if g.product == product && g.coin == coin {
			return g.sums
		}
	}
	s := new(rollup.LineFigures)
	*p = append(*p, productGroup{product, coin, s})
	return s
}
