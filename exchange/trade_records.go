package exchange

import (
	"strings"

	"rebatedesk/affiliate"
)

// The closed and open sets of the trade chapter. Values that are not known are
// kept as they came.
type (
	// Side is which way an order goes.
	Side string
	// OrderType is how an order finds its price.
	OrderType string
	// Force is how long an order lives.
	Force string
	// OrderStatus is where an order stands; the document shows no values.
	OrderStatus string
)

// The values that can be sent (4.7).
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

// sideOf and typeOf know the values whatever their case: answers have been
// seen in capitals.
func sideOf(s string) Side {
	switch known := Side(strings.ToLower(s)); known {
	case Buy, Sell:
		return known
	}
	return Side(s)
}

func typeOf(s string) OrderType {
	switch known := OrderType(strings.ToLower(s)); known {
	case Limit, Market:
		return known
	}
	return OrderType(s)
}

// The names of the lists of 4.11 and 4.12.
const (
	openOrderList = "orderInfoResultList"
	fillList      = "fillsOrderResultList"
)

// OpenOrder is an order that is not wholly filled (section 2).
type OpenOrder struct {
	AccountID       string
	Symbol          string
	OrderID         string
	ClientOrderID   string
	Price           affiliate.Number
	Quantity        affiliate.Number
	Type            OrderType
	Side            Side
	Status          OrderStatus
	LatestFillPrice affiliate.Number
	MaxFillPrice    affiliate.Number
	MinFillPrice    affiliate.Number
	FillQuantity    affiliate.Number
	FillTotalAmount affiliate.Number
	Created         affiliate.Millis // cTime
	Updated         affiliate.Millis // uTime
}

func readOpenOrder(r *reader) OpenOrder {
	var o OpenOrder
	for r.token(); r.members(); {
		switch string(r.name) {
		case "accountId":
			o.AccountID = r.identity()
		case "symbol":
			o.Symbol = r.identity()
		case "orderId":
			o.OrderID = r.id()
		case "clientOrderId":
			o.ClientOrderID = r.text()
		case "price":
			o.Price = r.number()
		case "quantity":
			o.Quantity = r.number()
		case "orderType":
			o.Type = typeOf(r.text())
		case "side":
			o.Side = sideOf(r.text())
		case "status":
			o.Status = OrderStatus(r.text())
		case "latestFillPrice":
			o.LatestFillPrice = r.number()
		case "maxFillPrice":
			o.MaxFillPrice = r.number()
		case "minFillPrice":
			o.MinFillPrice = r.number()
		case "fillQuantity":
			o.FillQuantity = r.number()
		case "fillTotalAmount":
			o.FillTotalAmount = r.number()
		case "cTime":
			o.Created = r.millis()
		case "uTime":
			o.Updated = r.millis()
		default:
			r.skip()
		}
	}
	r.need("orderId", o.OrderID != "")
	r.need("symbol", o.Symbol != "")
	r.need("side", o.Side != "")
	r.need("quantity", o.Quantity.Known())
	return o
}

// Fill is one execution of an order of the account (section 2). It does not
// carry our own order id.
type Fill struct {
	AccountID       string
	Symbol          string
	BaseCoin        affiliate.Coin
	QuoteCoin       affiliate.Coin
	OrderID         string
	FillID          string
	Type            OrderType // may be empty
	Side            Side
	FillPrice       affiliate.Number // may be unknown
	FillQuantity    affiliate.Number
	FillTotalAmount affiliate.Number
	Fees            affiliate.Number
	Created         affiliate.Millis // cTime
}

func readFill(r *reader) Fill {
	var v Fill
	for r.token(); r.members(); {
		switch string(r.name) {
		case "accountId":
			v.AccountID = r.identity()
		case "symbol":
			v.Symbol = r.identity()
		case "baseCoin":
			v.BaseCoin = affiliate.Coin(r.identity())
		case "quoteCoin":
			v.QuoteCoin = affiliate.Coin(r.identity())
		case "orderId":
			v.OrderID = r.id()
		case "fillId":
			v.FillID = r.id()
		case "orderType":
			v.Type = typeOf(r.text())
		case "side":
			v.Side = sideOf(r.text())
		case "fillPrice":
			v.FillPrice = r.number()
		case "fillQuantity":
			v.FillQuantity = r.number()
		case "fillTotalAmount":
			v.FillTotalAmount = r.number()
		case "fees":
			v.Fees = r.number()
		case "cTime":
			v.Created = r.millis()
		default:
			r.skip()
		}
	}
	r.need("symbol", v.Symbol != "")
	r.need("orderId", v.OrderID != "")
	r.need("fillId", v.FillID != "")
	r.need("side", v.Side != "")
	r.need("fillQuantity", v.FillQuantity.Known())
	r.need("cTime", v.Created.Known())
	return v
}
