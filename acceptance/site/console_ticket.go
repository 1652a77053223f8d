package site

import (
	"context"
	"math/big"
	"net/url"
	"strings"

	"rebatedesk/exchange/weex"
)

// TicketHeaders are those of the ticket beside a chart.
var TicketHeaders = []string{"HX-Request", "true", "HX-Target", "ticket"}

// Checked sends the fields of a ticket to its check and returns the answer.
func (f *TradingSite) Checked(symbol string, fields ...string) string {
	f.Helper()
	values := url.Values{"account": {"main"}, "symbol": {symbol}, "kind": {"place"}}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	a := f.Theo.Get("/console/ticket/check?"+values.Encode(), "HX-Request", "true")
	if a.StatusCode != 200 {
		f.Fatalf("%v: status %d %s", fields, a.StatusCode, a.Body)
	}
	return a.Body
}

// Pairs returns the rules of all pairs.
func (f *TradingSite) Pairs() []weex.TradingPair {
	f.Helper()
	list, err := f.Client.Pairs(context.Background(), weex.PairQuery{})
	if err != nil {
		f.Fatal(err)
	}
	return list.Records
}

// InPlace posts a form of the ticket beside a chart.
func (f *TradingSite) InPlace(path string, fields ...string) Answer {
	f.Helper()
	return f.Theo.PostWith(TicketHeaders, path, fields...)
}

// Beside opens the page of a pair and takes an order to its review in the place of the ticket.
func (f *TradingSite) Beside(quantity string) (address string, fields []string) {
	f.Helper()
	fields = f.Limit(f.FormOf(f.Theo.Get("/console/markets/"+Spot)), f.Price(95), quantity)
	review := f.InPlace("/console/trade", fields...)
	found := SendField.FindStringSubmatch(review.Body)
	if review.StatusCode != 200 || found == nil || strings.Contains(review.Body, "<html") || !strings.Contains(review.Body, `id="ticket"`) {
		f.Fatalf("no review in the place of the ticket: status %d %s", review.StatusCode, review.Body)
	}
	return found[1], fields
}

func Fraction(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number: " + text)
	}
	return r
}
