package store_test

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
)

// The sums by product equal those of a query for each product, now and as of an
// instant.
func TestProductSumsAreThoseOfEachProduct(t *testing.T) {
	storetest.Engines(t, "sums of texts that are numbers", testProductSumsAreThoseOfEachProduct)
}

func testProductSumsAreThoseOfEachProduct(t *testing.T) {
	r := storetest.Reader(t, varied(t))
	now := records.CommissionFilter{Days: storetest.AnyDays}
	then := now
	then.AsOf = 1 << 60
	for _, f := range []records.CommissionFilter{now, then, {Days: storetest.AnyDays, Coin: "USDT"}} {
		want := map[productSums]bool{}
		for _, product := range affiliate.Products() {
			f.Product = product
			list, err := sums.ByInvitee(t.Context(), r, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				want[productSums{sums.InviteeKey{Account: s.Account, UID: s.UID}, product, s.Coin, s.Records, s.Fee, s.Commission}] = true
			}
		}
		f.Product = ""
		expectProductSums(t, r, f, want)
	}
}

// productSums are sums.ProductSums in a form that can be compared.
type productSums struct {
	sums.InviteeKey
	product         affiliate.Product
	coin            affiliate.Coin
	records         int64
	fee, commission affiliate.Number
}

func expectProductSums(t *testing.T, r *store.Tx, f records.CommissionFilter, want map[productSums]bool) {
	t.Helper()
	list, err := sums.ProductsOfInvitees.Read(t.Context(), r, f)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != len(want) || len(list) == 0 {
		t.Errorf("%+v: %d sums, want %d", f, len(list), len(want))
	}
	for _, s := range list {
		if !want[productSums{s.InviteeKey, s.Product, s.Coin, s.Records, affiliate.Number(s.Fee.String()), affiliate.Number(s.Commission.String())}] {
			t.Errorf("%+v: %+v differs from the sum of the product", f, s)
		}
	}
}
