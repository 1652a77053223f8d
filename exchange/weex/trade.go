package weex

import (
	"rebatedesk/exchange"

	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// NewOrder is a spot order to place.
type NewOrder struct {
	Side          Side
	Type          OrderType
	Force         Force            // no effect for Market, where it may be omitted
	Price         affiliate.Number // required for Limit
	Quantity      affiliate.Number
	ClientOrderID string // our own id, without which an order cannot be traced
}

// fields adds the order to f, in the document's order.
func (o NewOrder) fields(f *fields) {
	choice(f, "side", o.Side, []Side{Buy, Sell})
	choice(f, "orderType", o.Type, []OrderType{Limit, Market})
	force := o.Force
	if o.Type == Market && !f.wrote("force") {
		force = GoodTillCancelled // required but ignored
	}
	choice(f, "force", force, []Force{GoodTillCancelled, PostOnly, FillOrKill, ImmediateOrCancel})
	if o.Type != Market || o.Price.Known() {
		f.positive("price", o.Price)
	}
	f.positive("quantity", o.Quantity)
	f.ownID("clientOrderId", o.ClientOrderID)
}

// PlaceOrder places one order on a spot pair. It is sent at most once, and the [Outcome]
// reports the result. If the answer repeats an id other than ours, the outcome is unknown.
// If it repeats none but reports success with an order id, the order is placed.
//
//	4.7 POST /api/v2/trade/orders, weight 2 / 5
func (c *Client) PlaceOrder(ctx context.Context, symbol string, o NewOrder, opts ...OrderOption) Outcome {
	f := c.fields(endpointPlaceOrder, func(f *fields) {
		f.symbol(symbol)
		o.fields(f)
	})
	return c.sendOrder(ctx, f, placing(o.ClientOrderID), opts)[0]
}

// PlaceOrders places several orders on a spot pair in one call, which is sent at most once.
// It returns an outcome for each order, in the order given. The answer distinguishes the
// orders only by our ids. If it does not hold exactly our ids, each once, every outcome is
// unknown, with the order ids that came. The outcome of an order without an order id is
// also unknown.
//
// The document does not say how many orders a batch may have.
//
//	4.8 POST /api/v2/trade/batch-orders, weight 5 / 10
func (c *Client) PlaceOrders(ctx context.Context, symbol string, orders []NewOrder, opts ...OrderOption) []Outcome {
	own := ownIDs(orders)
	f := c.fields(endpointPlaceOrders, func(f *fields) {
		f.symbol(symbol)
		f.orders(orders)
		f.batch(own)
	})
	return c.sendOrder(ctx, f, placingAll(own), opts)
}

// orders adds the list of a batch.
func (f *fields) orders(orders []NewOrder) {
	items := make([]string, len(orders))
	for i, o := range orders {
		item := fields{endpoint: f.endpoint}
		o.fields(&item)
		f.within(listPlace("orderList", i), item)
		items[i] = item.object()
	}
	f.raw("orderList", "["+strings.Join(items, ",")+"]")
}

// batch holds what applies to all orders of a batch.
func (f *fields) batch(own []string) {
	f.check(len(own) > 0, "orderList", "[]", "holds at least one order")
	f.distinct("clientOrderId", own)
}

// listPlace is the position of a field in a list, for error messages.
func listPlace(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]." }

func ownIDs(orders []NewOrder) []string {
	own := make([]string, len(orders))
	for i, o := range orders {
		own[i] = o.ClientOrderID
	}
	return own
}

// OrderRef names an order by exactly one id: the exchange's or ours.
type OrderRef struct{ OrderID, ClientOrderID string }

// CancelOrder cancels one order on a spot pair. It is sent at most once, and success is
// [Cancelled] instead of Placed. If the answer belongs to another order or has no result,
// the outcome is unknown. A result of false is refused, with the exchange's code.
//
//	4.9 POST /api/v2/trade/cancel-order, weight 2 / 3
func (c *Client) CancelOrder(ctx context.Context, symbol string, ref OrderRef, opts ...OrderOption) Outcome {
	f := c.fields(endpointCancelOrder, func(f *fields) {
		f.symbol(symbol)
		ref.fields(f)
	})
	return c.sendOrder(ctx, f, cancelling(symbol, ref), opts)[0]
}

func (ref OrderRef) fields(f *fields) {
	f.check((ref.OrderID == "") != (ref.ClientOrderID == ""), "orderId", ref.OrderID, "stands alone, or clientOid does")
	if ref.OrderID != "" {
		f.orderID("orderId", ref.OrderID)
	} else {
		f.ownID("clientOid", ref.ClientOrderID)
	}
}

// maxCancels is the most orders that one call may cancel: the exchange answers more with
// its code 40912.
const maxCancels = 50

// OrderRefs names up to 50 orders, all by the exchange's ids or all by ours.
type OrderRefs struct{ OrderIDs, ClientOrderIDs []string }

// CancelOrders cancels several orders on one spot pair in one call, which is sent at most
// once. It returns an outcome for each id, in the order given. If the answer does not
// account for exactly the ids that were sent, every outcome is unknown. The list of
// successes names orders by the exchange's ids even when they were sent by ours. The orders
// that did not fail are then taken as cancelled, provided that the numbers agree.
//
//	4.10 POST /api/v2/trade/cancel-batch-orders, weight 5 / 10
func (c *Client) CancelOrders(ctx context.Context, symbol string, refs OrderRefs, opts ...OrderOption) []Outcome {
	f := c.fields(endpointCancelOrders, func(f *fields) {
		f.symbol(symbol)
		refs.fields(f)
	})
	return c.sendOrder(ctx, f, cancellingAll(refs), opts)
}

func (refs OrderRefs) fields(f *fields) {
	f.check((len(refs.OrderIDs) == 0) != (len(refs.ClientOrderIDs) == 0), "orderIds", strings.Join(refs.OrderIDs, ","), "stands alone, or clientOids does")
	name, ids, check := "orderIds", refs.OrderIDs, (*fields).orderID
	if len(ids) == 0 {
		name, ids, check = "clientOids", refs.ClientOrderIDs, (*fields).ownID
	}
	f.check(len(ids) <= maxCancels, name, strconv.Itoa(len(ids))+" ids", "holds at most 50")
	quoted := make([]string, len(ids))
	for i, id := range ids {
		item := fields{endpoint: f.endpoint}
		check(&item, name, id)
		f.within("", item)
		quoted[i] = quote(id)
	}
	f.distinct(name, ids)
	f.raw(name, "["+strings.Join(quoted, ",")+"]")
}

// OpenOrderQuery asks for one page of the orders on a spot pair that are not completely
// filled.
type OpenOrderQuery struct {
	Symbol string
	Limit  int // 1 to 100; default 100
	PageNo int // from 0
}

// OpenOrders asks for one page of open orders.
//
//	4.11 POST /api/v2/trade/open-orders, weight 3 / 3
func (c *Client) OpenOrders(ctx context.Context, q OpenOrderQuery) (exchange.Page[OpenOrder], error) {
	return askOrders(ctx, c, c.fields(endpointOpenOrders, q.fields), openOrderList, wire.ReadRow[OpenOrder])
}

func (q OpenOrderQuery) fields(f *fields) {
	f.symbol(q.Symbol)
	f.paged(q.PageNo+1, q.Limit)
	f.count("limit", q.Limit, wire.FullPage, 1, 100)
	f.count("pageNo", q.PageNo, 0, 0, math.MaxInt32)
}

// AllOpenOrders iterates over all open orders that match the query and yields each one
// once. It ends at the first error.
//
// An order that is filled while the pages are read moves those behind it forward, and one
// of them past the reader. So if there is more than one page, the list is read until two
// consecutive readings find the same orders. An order missing from both was not open
// between them.
func (c *Client) AllOpenOrders(ctx context.Context, q OpenOrderQuery) iter.Seq2[OpenOrder, error] {
	return func(yield func(OpenOrder, error) bool) {
		orders, err := c.steadyOpenOrders(ctx, q)
		for _, o := range orders {
			if !yield(o, nil) {
				return
			}
		}
		if err != nil {
			yield(OpenOrder{}, err)
		}
	}
}

// maxReadings limits the readings of a list that keeps changing.
const maxReadings = 6

func (c *Client) steadyOpenOrders(ctx context.Context, q OpenOrderQuery) ([]OpenOrder, error) {
	var before []string
	for range maxReadings {
		var orders []OpenOrder
		var ids []string
		for o, err := range c.openOrderPages(ctx, q) {
			if err != nil {
				return nil, err
			}
			orders, ids = append(orders, o), append(ids, o.OrderID)
		}
		slices.Sort(ids)
		if len(ids) < cmp.Or(q.Limit, wire.FullPage) || before != nil && slices.Equal(ids, before) {
			return orders, nil
		}
		before = ids
	}
	return nil, endpointNamed(endpointOpenOrders).Inconsistent("the open orders changed during each of several readings; try again")
}

func (c *Client) openOrderPages(ctx context.Context, q OpenOrderQuery) iter.Seq2[OpenOrder, error] {
	return byPage(endpointNamed(endpointOpenOrders), 0, cmp.Or(q.Limit, wire.FullPage),
		func(page int) (exchange.Page[OpenOrder], error) {
			q.PageNo = page
			return c.OpenOrders(ctx, q)
		}, func(o OpenOrder) string { return o.OrderID })
}

// FillQuery asks for one page of the account's own trades on a spot pair.
type FillQuery struct {
	Symbol    string
	OrderID   string           // of one order only
	From, To  affiliate.Millis // sent as after and before
	PageIndex int              // from 0
	PageSize  int              // 1 to 100; default 100, the exchange's own would be 10
}

// Fills asks for one page of fills. Its Total is sometimes 0 although there are records.
//
//	4.12 POST /api/v2/trade/fills, weight 5 / 5
func (c *Client) Fills(ctx context.Context, q FillQuery) (exchange.Page[Fill], error) {
	return askOrders(ctx, c, c.fields(endpointFills, q.fields), fillList, wire.ReadRow[Fill])
}

func (q FillQuery) fields(f *fields) {
	f.symbol(q.Symbol)
	f.digits("orderId", q.OrderID)
	f.instant("after", q.From)
	f.instant("before", q.To)
	f.inOrder("before", q.From, q.To)
	f.paged(q.PageIndex+1, q.PageSize)
	f.count("pageIndex", q.PageIndex, 0, 0, math.MaxInt32)
	f.count("pageSize", q.PageSize, wire.FullPage, 1, 100)
}

// AllFills iterates over all fills that match the query and yields each one once. It ends
// at the first error.
func (c *Client) AllFills(ctx context.Context, q FillQuery) iter.Seq2[Fill, error] {
	return byPage(endpointNamed(endpointFills), 0, cmp.Or(q.PageSize, wire.FullPage),
		func(page int) (exchange.Page[Fill], error) {
			q.PageIndex = page
			return c.Fills(ctx, q)
		}, func(v Fill) string { return v.OrderID + " " + v.FillID })
}
