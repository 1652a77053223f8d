package weex

import (
	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// Value sets of the trade chapter, some closed and some open. Unknown values are kept as
// received.
type (
	// Side is the side of an order.
	Side string
	// OrderType is how the price of an order is set.
	OrderType string
	// Force is how long an order stays valid.
	Force string
	// OrderStatus is the status of an order; the document lists no values.
	OrderStatus string
)

// Values that can be sent (4.7).
const (
	Buy  Side = "buy"
	Sell Side = "sell"

	Limit  OrderType = "limit"
	Market OrderType = "market"

	GoodTillCancelled Force = "normal"
	PostOnly          Force = "postOnly" // only as a maker
	FillOrKill        Force = "fok"
	ImmediateOrCancel Force = "ioc"
)

// UnmarshalJSONFrom ignores case: the exchange has sent capitals.
func (s *Side) UnmarshalJSONFrom(d *jsontext.Decoder) error { return wire.ReadChoice(d, s, Buy, Sell) }

// UnmarshalJSONFrom ignores case.
func (t *OrderType) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return wire.ReadChoice(d, t, Limit, Market)
}

// UnmarshalJSONFrom accepts any word, because the document lists none.
func (s *OrderStatus) UnmarshalJSONFrom(d *jsontext.Decoder) error { return wire.ReadText(d, s) }

// Names of the lists in the answers of 4.11 and 4.12.
const (
	openOrderList = "orderInfoResultList"
	fillList      = "fillsOrderResultList"
)

// OpenOrder is an order that is not completely filled (section 2).
type OpenOrder struct {
	AccountID       string           `json:"accountId"`
	Symbol          string           `json:"symbol"`
	OrderID         string           `json:"orderId"`
	ClientOrderID   wire.FreeText    `json:"clientOrderId"`
	Price           affiliate.Number `json:"price"`
	Quantity        affiliate.Number `json:"quantity"`
	Type            OrderType        `json:"orderType"`
	Side            Side             `json:"side"`
	Status          OrderStatus      `json:"status"`
	LatestFillPrice affiliate.Number `json:"latestFillPrice"`
	MaxFillPrice    affiliate.Number `json:"maxFillPrice"`
	MinFillPrice    affiliate.Number `json:"minFillPrice"`
	FillQuantity    affiliate.Number `json:"fillQuantity"`
	FillTotalAmount affiliate.Number `json:"fillTotalAmount"`
	Created         affiliate.Millis `json:"cTime"`
	Updated         affiliate.Millis `json:"uTime"`
}

// Lacks names a required field that is missing.
func (o *OpenOrder) Lacks() (field, why string) {
	switch {
	case !named(o.OrderID):
		return "orderId", wire.Absent
	case o.Symbol == "":
		return "symbol", wire.Absent
	case o.Side == "":
		return "side", wire.Absent
	case !o.Quantity.Known():
		return "quantity", wire.Absent
	}
	return "", ""
}

// Fill is one execution of an order of the account (section 2). It does not
// carry our own order id.
type Fill struct {
	AccountID       string           `json:"accountId"`
	Symbol          string           `json:"symbol"`
	BaseCoin        affiliate.Coin   `json:"baseCoin"`
	QuoteCoin       affiliate.Coin   `json:"quoteCoin"`
	OrderID         string           `json:"orderId"`
	FillID          string           `json:"fillId"`
	Type            OrderType        `json:"orderType"` // may be empty
	Side            Side             `json:"side"`
	FillPrice       affiliate.Number `json:"fillPrice"` // may be unknown
	FillQuantity    affiliate.Number `json:"fillQuantity"`
	FillTotalAmount affiliate.Number `json:"fillTotalAmount"`
	Fees            affiliate.Number `json:"fees"`
	Created         affiliate.Millis `json:"cTime"`
}

// Lacks names a required field that is missing.
func (v *Fill) Lacks() (field, why string) {
	switch {
	case v.Symbol == "":
		return "symbol", wire.Absent
	case !named(v.OrderID):
		return "orderId", wire.Absent
	case !named(v.FillID):
		return "fillId", wire.Absent
	case v.Side == "":
		return "side", wire.Absent
	case !v.FillQuantity.Known():
		return "fillQuantity", wire.Absent
	case !v.Created.Known():
		return "cTime", wire.Absent
	}
	return "", ""
}
