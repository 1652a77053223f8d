package simulator

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/market"
)

// TriggerOrder is a conditional order of the contract market. What it does
// once it is triggered, to a position, is not simulated.
type TriggerOrder struct {
	ID, ClientID       string
	Symbol             string
	Size               affiliate.Number
	Type               string // 1 to 4, as in 4.13
	MatchType          string // 0 limit, 1 market
	ExecutePrice       affiliate.Number
	TriggerPrice       affiliate.Number
	MarginMode         int // 1 cross, 3 isolated
	Created, Triggered affiliate.Millis
}

// triggerOrder is one with its place on the line of the mark price.
type triggerOrder struct {
	TriggerOrder
	contract *market.ContractPair
	ticks    int64
	falling  bool // it waits for the mark price to fall
	scanned  int64
}

// look triggers the order where the mark price has crossed its price.
func (o *triggerOrder) look(now int64) {
	if o.Triggered.Known() {
		return
	}
	at, ok := o.contract.Mark.Crossing(o.scanned, now, o.ticks, o.falling)
	o.scanned = max(o.scanned, now+1)
	if ok {
		o.Triggered = affiliate.Millis(at)
	}
}

// placeTriggerOrder answers 4.13, without an envelope.
func (s *Simulator) placeTriggerOrder(e *encoder, p *parameters) *refusal {
	a := s.trading()
	given := p.get("client_oid")
	a.receive(given)
	o := s.readTriggerOrder(p)
	switch {
	case p.refused != nil:
		return p.refused
	case len(given) > 40 || !plainID(given):
		return errInvalid("client_oid")
	case given != "" && a.triggers[given] != nil:
		return errRule("client_oid has been used before")
	}
	id := a.newID()
	o.ID, o.ClientID, o.Created, o.scanned = strconv.FormatInt(id, 10), given, affiliate.Millis(a.clock), a.clock
	if given == "" {
		o.ClientID = "sys" + o.ID
		a.receive(o.ClientID)
	}
	o.falling = o.contract.Mark.At(a.clock) > o.ticks
	a.triggers[o.ClientID], a.triggerList = o, append(a.triggerList, o)
	e.raw("{")
	if given == "" || e.nulls {
		e.null("client_oid")
	} else {
		e.text("client_oid", e.echo(given))
	}
	e.digits("order_id", o.ID, !e.otherTypes)
	e.raw("}")
	return nil
}

// readTriggerOrder reads the fields of a trigger order.
func (s *Simulator) readTriggerOrder(p *parameters) *triggerOrder {
	o := &triggerOrder{}
	o.Symbol = p.required("symbol")
	if o.contract = s.contractOf(o.Symbol); o.contract == nil {
		p.fail(errInvalid("symbol"))
	}
	o.Size = numberOf(p.decimal("size"))
	o.Type, o.MatchType = p.oneOf("type", "1", "2", "3", "4"), p.oneOf("match_type", "0", "1")
	o.ExecutePrice = numberOf(p.decimal("execute_price"))
	price := p.decimal("trigger_price")
	o.TriggerPrice = numberOf(price)
	o.MarginMode = int(p.number("marginMode", 0, 1))
	if o.MarginMode != 1 && o.MarginMode != 3 {
		p.fail(errInvalid("marginMode"))
	}
	if p.refused == nil {
		o.ticks = ticksOf(price, o.contract.Mark.Decimals)
	}
	return o
}

// ticksOf is a price in ticks, rounded to the nearest.
func ticksOf(price decimal.Decimal, decimals int32) int64 {
	return price.Shift(decimals).Round(0).IntPart()
}

// plainID reports whether an identifier has no special characters.
func plainID(id string) bool {
	for _, c := range []byte(id) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
