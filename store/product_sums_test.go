package store_test

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// The sums by product are those that each product is asked for alone, now and
// as of an instant, and only of the invitees that are asked for.
func TestProductSumsAreThoseOfEachProduct(t *testing.T) {
	r := reader(t, varied(t))
	now := store.CommissionFilter{Days: anyDays}
	then := now
	then.AsOf = 1 << 60
	for _, f := range []store.CommissionFilter{now, then, {Days: anyDays, Coin: "USDT"}} {
		want := map[store.ProductSums]bool{}
		for _, product := range affiliate.Products() {
			f.Product = product
			list, err := r.InviteeSums(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				want[store.ProductSums{InviteeKey: store.InviteeKey{Account: s.Account, UID: s.UID}, Product: product, Coin: s.Coin, Sums: s.Sums}] = true
			}
		}
		f.Product = ""
		expectProductSums(t, r, f, nil, want)
		var first store.InviteeKey
		for s := range want {
			first = s.InviteeKey
		}
		for s := range want {
			if s.InviteeKey != first {
				delete(want, s)
			}
		}
		expectProductSums(t, r, f, func(key store.InviteeKey) bool { return key == first }, want)
	}
}

func expectProductSums(t *testing.T, r *store.Tx, f store.CommissionFilter, asked func(store.InviteeKey) bool, want map[store.ProductSums]bool) {
	t.Helper()
	list, err := r.ProductSums(t.Context(), f, asked)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(want) || len(list) == 0 {
		t.Errorf("%+v: %d sums, want %d", f, len(list), len(want))
	}
	for _, s := range list {
		if !want[s] {
			t.Errorf("%+v: %+v is not what the product brought", f, s)
		}
	}
}
