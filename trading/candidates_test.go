package trading

import (
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// A fill is evidence of a lost order only at its limit or better, on its side, up to its quantity, and
// if it belongs to no order that is known.
func TestCandidatesFit(t *testing.T) {
	fill := func(order string, side weex.Side, price, quantity affiliate.Number) weex.Fill {
		return weex.Fill{OrderID: order, Side: side, FillPrice: price, FillQuantity: quantity}
	}
	s := search{known: map[string]bool{"known": true}, fills: []weex.Fill{
		fill("at", "buy", "100", "1"), fill("at", "buy", "100", "1"), fill("below", "buy", "99", "2"), fill("above", "buy", "101", "2"),
		fill("more", "buy", "100", "1.5"), fill("more", "buy", "100", "0.6"), fill("known", "buy", "100", "2"),
		fill("sold at", "sell", "100", "2"), fill("sold below", "sell", "99", "2"), fill("sold above", "sell", "101", "2"),
	}}
	for side, want := range map[string][]string{"buy": {"at", "below"}, "sell": {"sold at", "sold above"}} {
		var got []string
		for _, c := range s.candidates(Order{Side: side, Price: "100", Quantity: "2"}) {
			got = append(got, c.OrderID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("a lost order to %s could be %q, want %q", side, got, want)
		}
	}
}
