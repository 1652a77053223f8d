package frame

import (
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

// OrderLine is an open order with what follows from it.
type OrderLine struct {
	exchange.OpenOrder
	Rest  affiliate.Number // quantity that is not filled
	Worth affiliate.Number // of the rest, at the price of the order
	Away  affiliate.Number // from the last price, in percent of it
}

// NewOrderLine computes what follows from an open order and the last price.
func NewOrderLine(o exchange.OpenOrder, last affiliate.Number) OrderLine {
	line := OrderLine{OpenOrder: o, Away: trading.PercentAway(o.Price, last)}
	if o.Quantity.Known() && o.FillQuantity.Known() {
		line.Rest = affiliate.Number(o.Quantity.Decimal().Sub(o.FillQuantity.Decimal()).String())
	}
	line.Worth = trading.ValueOf(o.Price, line.Rest)
	return line
}

// AwayWords say how far an order is from the last price.
func (o OrderLine) AwayWords() string {
	switch {
	case !o.Away.Known():
		return phrase.Dash
	case o.Away.IsZero():
		return "at the market"
	case o.Away[0] == '-':
		return string(o.Away[1:]) + phrase.Space + "% below"
	}
	return string(o.Away) + phrase.Space + "% above"
}

// AgeWords say how old an order is.
func (o OrderLine) AgeWords(now time.Time) string {
	if !o.Created.Known() {
		return "age not known"
	}
	switch age := now.Sub(o.Created.Time()); {
	case age < time.Minute:
		return "just now"
	case age < 2*time.Hour:
		return fmt.Sprintf("%d min", int(age.Minutes()))
	case age < 48*time.Hour:
		return fmt.Sprintf("%d h", int(age.Hours()))
	default:
		return fmt.Sprintf("%d d", int(age.Hours()/24))
	}
}
