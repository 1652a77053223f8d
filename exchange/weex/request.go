package weex

import (
	"rebatedesk/exchange"

	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/transport"
)

// Request is a call to one of the 19 documented endpoints, written by a program and
// forwarded unchanged.
type Request struct {
	Method string
	Path   string // with its version: "/api/v2/market/tickers"
	Query  string // without "?", encoded as it goes on the wire
	Body   []byte // JSON; empty for GET
}

// ParsedRequest is a parsed [Request]. A reading call has only an Endpoint.
type ParsedRequest struct {
	Endpoint exchange.Endpoint
	Symbol   string        // of the placed or cancelled orders
	Orders   []NewOrder    // placed (4.7, 4.8)
	Trigger  *TriggerOrder // placed (4.13)
	Cancel   OrderRefs     // cancelled (4.9, 4.10)

	call  transport.APICall
	order orderCall
}

// Route finds the endpoint for a method and path. It returns false if the document has
// none. The affiliate paths also exist under /api/v3/ if the settings say so.
func (c *Client) Route(method, path string) (exchange.Endpoint, bool) {
	return routed(c.t.Version(), method, path)
}

func routed(version, method, path string) (exchange.Endpoint, bool) {
	for _, e := range endpoints {
		if e.Section != "" && e.Method == method && (e.Path == path || e.PathIn(version) == path) {
			return e, true
		}
	}
	return exchange.Endpoint{}, false
}

// Read parses a request and checks it by the rules of the interface document. It sends
// nothing. Undocumented parameters are allowed and ignored, but for calls of orders, which may have
// none. The error is an [Error] of
// [ClassRequest] whose cause is an [InvalidField].
func (c *Client) Read(r Request) (ParsedRequest, error) {
	e, ok := c.Route(r.Method, r.Path)
	f := fields{endpoint: e, now: c.t.ClockTime()}
	if !ok {
		f.refuse("path", r.Method+" "+r.Path, "is one of the documented endpoints")
		return ParsedRequest{}, f.err
	}
	q := ParsedRequest{Endpoint: e, call: transport.APICall{Endpoint: e, Path: r.Path, Query: r.Query, Body: string(r.Body)}}
	p := readParams(&f, r)
	forwarded[e.Name](p, &q)
	if q.order.outcomes != nil {
		p.finishOrder()
	} else {
		p.finish()
	}
	if f.err != nil {
		return ParsedRequest{}, f.err
	}
	return q, nil
}

// forwarded parses the parameters of each endpoint. They must satisfy the rules of the
// client's own methods.
var forwarded = map[string]func(*params, *ParsedRequest){
	endpointPairs: func(p *params, _ *ParsedRequest) {
		p.keep(PairQuery{Symbol: p.text("symbol"), Symbols: p.split("symbols")}.fields)
	},
	endpointCurrencies: func(*params, *ParsedRequest) {},
	endpointTickers:    func(*params, *ParsedRequest) {},
	endpointTrades: func(p *params, _ *ParsedRequest) {
		p.keep(TradeQuery{Symbol: p.text("symbol"), Limit: p.whole("limit")}.fields)
	},
	endpointContractTicker: func(p *params, _ *ParsedRequest) {
		symbol := p.text("symbol")
		p.keep(func(f *fields) { f.contract(symbol) })
	},
	endpointContractTickers: func(*params, *ParsedRequest) {},
	endpointPlaceOrder: func(p *params, q *ParsedRequest) {
		q.Symbol = p.text("symbol")
		o := p.newOrder()
		p.keep(func(f *fields) {
			f.symbol(q.Symbol)
			o.fields(f)
		})
		q.Orders, q.order = []NewOrder{o}, placing(o.ClientOrderID)
	},
	endpointPlaceOrders: func(p *params, q *ParsedRequest) {
		q.Symbol = p.text("symbol")
		p.keep(func(f *fields) { f.symbol(q.Symbol) })
		q.Orders = p.newOrders("orderList")
		q.order = placingAll(ownIDs(q.Orders))
	},
	endpointCancelOrder: func(p *params, q *ParsedRequest) {
		q.Symbol = p.text("symbol")
		ref := OrderRef{OrderID: p.text("orderId"), ClientOrderID: p.text("clientOid")}
		p.keep(func(f *fields) {
			f.symbol(q.Symbol)
			ref.fields(f)
		})
		q.Cancel, q.order = ref.alone(), cancelling(q.Symbol, ref)
	},
	endpointCancelOrders: func(p *params, q *ParsedRequest) {
		q.Symbol = p.text("symbol")
		q.Cancel = OrderRefs{OrderIDs: p.texts("orderIds"), ClientOrderIDs: p.texts("clientOids")}
		p.keep(func(f *fields) {
			f.symbol(q.Symbol)
			q.Cancel.fields(f)
		})
		q.order = cancellingAll(q.Cancel)
	},
	endpointOpenOrders: func(p *params, _ *ParsedRequest) {
		p.keep(OpenOrderQuery{Symbol: p.text("symbol"), Limit: p.whole("limit"), PageNo: p.whole("pageNo")}.fields)
	},
	endpointFills: func(p *params, _ *ParsedRequest) {
		p.keep(FillQuery{
			Symbol: p.text("symbol"), OrderID: p.id("orderId"), From: p.millis("after"), To: p.millis("before"),
			PageIndex: p.whole("pageIndex"), PageSize: p.whole("pageSize"),
		}.fields)
	},
	endpointTriggerOrder: func(p *params, q *ParsedRequest) {
		o := p.triggerOrder()
		p.keep(o.fields)
		q.Symbol, q.Trigger, q.order = o.Symbol, &o, triggering(o.ClientOID)
	},
	endpointBills: func(p *params, _ *ParsedRequest) {
		p.keep(BillQuery{
			CoinID: p.id("coinId"), Type: BillType(p.text("bizType")), From: p.millis("after"), To: p.millis("before"),
			Limit: p.whole("limit"),
		}.fields)
	},
	endpointFundingBills: func(p *params, _ *ParsedRequest) {
		p.keep(FundingBillQuery{
			CoinID: p.id("coinId"), From: p.millis("startTime"), To: p.millis("endTime"),
			PageIndex: p.whole("pageIndex"), PageSize: p.whole("pageSize"),
		}.fields)
	},
	endpointTransfers: func(p *params, _ *ParsedRequest) {
		// In the exchange's terms, "after" selects what lies before that time.
		p.keep(TransferQuery{
			CoinID: p.id("coinId"), FromType: p.text("fromType"), From: p.millis("before"), To: p.millis("after"),
			Limit: p.whole("limit"),
		}.fields)
	},
	endpointCommissions: func(p *params, _ *ParsedRequest) {
		coin := affiliate.Coin(p.text("coin"))
		q := CommissionQuery{
			UID: affiliate.UID(p.id("uid")), Start: p.millis("startTime"), End: p.millis("endTime"),
			Product: affiliate.Product(p.text("productType")), Page: p.whole("page"), PageSize: p.whole("pageSize"),
		}
		p.keep(func(f *fields) {
			if coin != "" { // our own calls never send it: other coins occur
				choice(f, "coin", coin, []affiliate.Coin{"USDT", "BTC"})
			}
			q.fields(f)
		})
	},
	endpointInvitees: func(p *params, _ *ParsedRequest) {
		p.keep(InviteeQuery{
			UID: affiliate.UID(p.id("uid")), Start: p.millis("startTime"), End: p.millis("endTime"),
			Page: p.whole("page"), PageSize: p.whole("pageSize"),
		}.fields)
	},
	endpointSubAffiliateDays: func(p *params, _ *ParsedRequest) {
		p.keep(SubAffiliateQuery{
			UID: affiliate.UID(p.id("subUid")), Start: p.millis("startTime"), End: p.millis("endTime"),
			Product: affiliate.Product(p.text("productType")), Page: p.whole("pageNum"), PageSize: p.whole("pageSize"),
		}.fields)
	},
}

// newOrder reads a spot order from a body or from the list of a batch.
func (p *params) newOrder() NewOrder {
	return NewOrder{
		Side: Side(p.text("side")), Type: OrderType(p.text("orderType")), Force: Force(p.text("force")),
		Price: affiliate.Number(p.text("price")), Quantity: affiliate.Number(p.text("quantity")),
		ClientOrderID: p.text("clientOrderId"),
	}
}

// newOrders reads the list of a batch.
func (p *params) newOrders(name string) []NewOrder {
	var orders []NewOrder
	for i, item := range p.objects(name) {
		o := item.newOrder()
		item.keep(o.fields)
		item.finishOrder()
		p.f.within(listPlace(name, i), *item.f)
		orders = append(orders, o)
	}
	p.f.batch(ownIDs(orders))
	return orders
}

// triggerOrder reads an order for the contract market. Our own id is required: without it
// the order could not be traced.
func (p *params) triggerOrder() TriggerOrder {
	o := TriggerOrder{
		Symbol: p.text("symbol"), ClientOID: p.text("client_oid"), Size: affiliate.Number(p.text("size")),
		Type: Action(p.text("type")), MatchType: Match(p.text("match_type")),
		ExecutePrice: affiliate.Number(p.text("execute_price")), TriggerPrice: affiliate.Number(p.text("trigger_price")),
		MarginMode: MarginMode(p.whole("marginMode")),
	}
	p.f.check(o.ClientOID != "", "client_oid", "", "is not empty: without it the order could not be traced")
	return o
}

// alone returns the reference as a list of one.
func (ref OrderRef) alone() OrderRefs {
	one := func(id string) []string {
		return slices.DeleteFunc([]string{id}, func(id string) bool { return id == "" })
	}
	return OrderRefs{OrderIDs: one(ref.OrderID), ClientOrderIDs: one(ref.ClientOrderID)}
}
