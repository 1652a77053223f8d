package account

import (
	"strconv"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/market"
)

// PlacedTrigger is a conditional order of the contract market. Its effect on a position
// once it is triggered is not simulated.
type PlacedTrigger struct {
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

// PendingTrigger is a trigger order with its position relative to the mark price.
type PendingTrigger struct {
	PlacedTrigger
	Contract *market.ContractPair
	ticks    int64
	falling  bool // it waits for the mark price to fall
	scanned  int64
}

// look triggers the order if the mark price has crossed its price.
func (o *PendingTrigger) look(now int64) {
	if o.Triggered.Known() {
		return
	}
	at, ok := o.Contract.Mark.Crossing(o.scanned, now, o.ticks, o.falling)
	o.scanned = max(o.scanned, now+1)
	if ok {
		o.Triggered = affiliate.Millis(at)
	}
}

// TicksOf returns a price in ticks, rounded to the nearest.
func TicksOf(price decimal.Decimal, decimals int32) int64 {
	return price.Shift(decimals).Round(0).IntPart()
}

// PlacedTriggers returns copies of the accepted trigger orders.
func (a *SpotAccount) PlacedTriggers() []PlacedTrigger {
	all := make([]PlacedTrigger, len(a.triggerList))
	for i, o := range a.triggerList {
		o.look(a.clock)
		all[i] = o.PlacedTrigger
	}
	return all
}

// AcceptTrigger takes a trigger order under the client's identifier, or under one of the
// exchange's if the client gave none.
func (a *SpotAccount) AcceptTrigger(o *PendingTrigger, given string) {
	id := a.newID()
	o.ID, o.ClientID, o.Created, o.scanned = strconv.FormatInt(id, 10), given, affiliate.Millis(a.clock), a.clock
	if given == "" {
		o.ClientID = "sys" + o.ID
		a.Receive(o.ClientID)
	}
	o.falling = o.Contract.Mark.At(a.clock) > o.ticks
	a.triggers[o.ClientID], a.triggerList = o, append(a.triggerList, o)
}

// Knows reports whether a trigger order with the client's identifier exists.
func (a *SpotAccount) Knows(id string) bool { return id != "" && a.triggers[id] != nil }

// WaitFor sets the trigger price.
func (o *PendingTrigger) WaitFor(price decimal.Decimal) {
	o.ticks = TicksOf(price, o.Contract.Mark.Decimals)
}
