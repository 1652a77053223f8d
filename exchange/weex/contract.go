package weex

import (
	"rebatedesk/exchange"

	"cmp"
	"context"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// ContractTicker asks for the last 24 hours of one contract pair.
//
//	4.5 GET /capi/v2/market/ticker, weight 1
func (c *Client) ContractTicker(ctx context.Context, symbol string) (ContractTicker, error) {
	f := fields{endpoint: endpointNamed(endpointContractTicker)}
	f.contract(symbol)
	if f.err != nil {
		return ContractTicker{}, f.err
	}
	p, err := transport.Perform(ctx, c.t, f.call(), newContractTicker)
	if err != nil {
		return ContractTicker{}, err
	}
	return p.Value, nil
}

// ContractTickers asks for the last 24 hours of every contract pair.
//
//	4.6 GET /capi/v2/market/tickers, weight 40
func (c *Client) ContractTickers(ctx context.Context) (exchange.Page[ContractTicker], error) {
	f := fields{endpoint: endpointNamed(endpointContractTickers)}
	p, err := transport.Perform(ctx, c.t, f.call(), func() *wire.PageReader[ContractTicker] {
		p := newContractTickers()
		p.Hide = c.t.Hide
		return p
	})
	if err != nil {
		return exchange.Page[ContractTicker]{}, err
	}
	return p.Page, nil
}

// Values of a trigger order (4.13).
const (
	OpenLong   Action = "1"
	OpenShort  Action = "2"
	CloseLong  Action = "3"
	CloseShort Action = "4"

	MatchLimit  Match = "0"
	MatchMarket Match = "1"

	Cross    MarginMode = 1
	Isolated MarginMode = 3
)

type (
	// Action is the effect of a trigger order on a position.
	Action string
	// Match is the way a trigger order is filled.
	Match string
	// MarginMode is the margin mode of a position; 0 is the exchange's default.
	MarginMode int
)

// TriggerOrder is an order on the contract market that waits for its trigger
// price.
type TriggerOrder struct {
	Symbol       string           // cmt_btcusdt
	ClientOID    string           // at most 40 letters and digits; empty: the exchange chooses
	Size         affiliate.Number // in base coin
	Type         Action
	MatchType    Match
	ExecutePrice affiliate.Number // no effect with MatchMarket, where it may be 0
	TriggerPrice affiliate.Number
	MarginMode   MarginMode // default Cross
}

// PlaceTrigger places a trigger order. It is sent at most once, and the [Outcome] reports
// the result. The exchange may omit our id from its answer.
//
// The document's sample shows a different path, /capi/v2/order/placeOrder, which is a slip.
//
//	4.13 POST /capi/v2/order/plan_order, weight 2 / 5
func (c *Client) PlaceTrigger(ctx context.Context, o TriggerOrder, opts ...OrderOption) Outcome {
	return c.sendOrder(ctx, c.fields(endpointTriggerOrder, o.fields), triggering(o.ClientOID), opts)[0]
}

func (o TriggerOrder) fields(f *fields) {
	f.contract(o.Symbol)
	f.clientOID(o.ClientOID)
	f.positive("size", o.Size)
	choice(f, "type", o.Type, []Action{OpenLong, OpenShort, CloseLong, CloseShort})
	choice(f, "match_type", o.MatchType, []Match{MatchLimit, MatchMarket})
	if o.MatchType == MatchMarket && plain(o.ExecutePrice) && o.ExecutePrice.IsZero() {
		f.text("execute_price", string(o.ExecutePrice))
	} else {
		f.positive("execute_price", o.ExecutePrice)
	}
	f.positive("trigger_price", o.TriggerPrice)
	if o.MarginMode != 0 || f.wrote("marginMode") {
		f.check(o.MarginMode == Cross || o.MarginMode == Isolated, "marginMode", strconv.Itoa(int(o.MarginMode)), "is 1 or 3")
		f.number("marginMode", int64(o.MarginMode))
	}
}

// ContractTicker holds the last 24 hours of a contract pair (section 2).
type ContractTicker struct {
	Symbol             string           `json:"symbol"`
	Last               affiliate.Number `json:"last"`
	BestAsk            affiliate.Number `json:"best_ask"`
	BestBid            affiliate.Number `json:"best_bid"`
	High24h            affiliate.Number `json:"high_24h"`
	Low24h             affiliate.Number `json:"low_24h"`
	Volume24h          affiliate.Number `json:"volume_24h"`         // in quote currency
	BaseVolume         affiliate.Number `json:"base_volume"`        // in base currency
	Time               affiliate.Millis `json:"timestamp"`          // of the exchange's clock
	PriceChangePercent affiliate.Number `json:"priceChangePercent"` // a fraction despite its name: multiply by 100 to show
	MarkPrice          affiliate.Number `json:"markPrice"`
	IndexPrice         affiliate.Number `json:"indexPrice"`
}

func newContractTicker() *wire.ObjectReader[ContractTicker] {
	return wire.NewObjectReader(func(r *wire.Decoder, t *ContractTicker) {
		// The time of the envelope and the time of the ticker have the same name.
		t.Time = cmp.Or(t.Time, r.Stamp)
		r.Complete(t)
	})
}

func newContractTickers() *wire.PageReader[ContractTicker] {
	p := wire.NewPageReader(wire.DataList, wire.ReadRow[ContractTicker])
	p.Alone = true
	return p
}

// Lacks names a required field that is missing.
func (t *ContractTicker) Lacks() (field, why string) {
	switch {
	case t.Symbol == "":
		return "symbol", wire.Absent
	case !t.Last.Known():
		return "last", wire.Absent
	}
	return "", ""
}

// Spares reports whether no figure needs a field.
func (t *ContractTicker) Spares(field string) bool {
	return field != "symbol" && field != "last" && field != "timestamp"
}
