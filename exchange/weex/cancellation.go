package weex

import (
	"cmp"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// cancellation is the answer to the cancellation of one order (4.9).
type cancellation struct {
	OrderID   wire.Text      `json:"order_id"`
	ClientOID wire.Text      `json:"client_oid"`
	Symbol    wire.Text      `json:"symbol"`
	Result    affiliate.Flag `json:"result"`
	ErrCode   wire.Text      `json:"err_code"` // null when there is no error
	ErrMsg    wire.Text      `json:"err_msg"`
}

func (v *cancellation) Lacks() (field, why string) {
	if v.Result == "" {
		return "result", wire.Absent
	}
	return "", ""
}

// about reports whether the answer can belong to this order. An omitted field does not
// count against it.
func (v cancellation) about(symbol string, ref OrderRef) bool {
	other := func(echo wire.Text, sent string) bool { return sent != "" && echo.Value != "" && echo.Value != sent }
	return !other(v.OrderID, ref.OrderID) && !other(v.ClientOID, ref.ClientOrderID) &&
		!(v.Symbol.Value != "" && !strings.EqualFold(v.Symbol.Value, symbol))
}

// cancelled returns the outcome of a single cancellation.
func (v verdict) cancelled(got cancellation, garbled bool, symbol string, ref OrderRef) Outcome {
	done := got.Result == affiliate.FlagOf(true)
	v = v.contradicted(garbled || done)
	if v.State == answered {
		switch {
		case !got.about(symbol, ref):
			v = v.doubt("the answer is about another order")
		case done && got.ErrCode.Value != "":
			v = v.doubt("the answer says cancelled and gives an error code, " + got.ErrCode.Value)
		case done:
			v.State = Cancelled
		default:
			v = v.refused(got.ErrCode.Value, got.ErrMsg.Value)
		}
	}
	id := ref.OrderID
	if id == "" && v.State != Unknown {
		id = got.OrderID.Value
	}
	return v.of(id, ref.ClientOrderID)
}

// cancellations is the answer to the cancellation of several orders (4.10).
type cancellations struct {
	Successes *wire.Array[string]  `json:"successList"` // their ids
	Failures  *wire.Array[failure] `json:"failureList"`
}

// failure is one order that was not cancelled.
type failure struct {
	OrderID   string        `json:"orderId"`
	ClientOID string        `json:"clientOid"`
	Message   wire.FreeText `json:"errMsg"`
}

// Lacks requires one of the lists; account checks that they are complete.
func (v *cancellations) Lacks() (field, why string) {
	if v.Successes == nil && v.Failures == nil || slices.ContainsFunc(v.Successes.All(), func(id string) bool { return !named(id) }) {
		return "successList", wire.Absent
	}
	return "", ""
}

// cancelledAll returns the outcome of each cancellation in a call.
func (v verdict) cancelledAll(got cancellations, garbled bool, refs OrderRefs) []Outcome {
	v = v.contradicted(garbled || len(got.Successes.All()) > 0)
	own := len(refs.OrderIDs) == 0
	ids := refs.OrderIDs
	if own {
		ids = refs.ClientOrderIDs
	}
	told, whole := got.account(ids, own)
	outcomes := make([]Outcome, len(ids))
	for i, id := range ids {
		item := v
		switch of := told[id]; {
		case v.State != answered:
		case of.said > 1:
			item = v.doubt("the answer is about this order several times")
		case of.said == 1 && of.failed:
			item = v.refused(of.reason, of.reason)
		case of.said == 1, whole:
			item.State = Cancelled
		case own:
			item = v.doubt("the answer does not account for exactly the orders that were sent, and does not name this one")
		default:
			item = v.doubt("the answer does not name this order")
		}
		if own {
			outcomes[i] = item.of("", id)
		} else {
			outcomes[i] = item.of(id, "")
		}
	}
	return outcomes
}

// cancelTold is what an answer says of one order.
type cancelTold struct {
	said   int // how often
	failed bool
	reason string
}

// account returns what the answer says of each id that was sent, and whether the successes that carry
// none of our ids are exactly as many as the orders it does not name: successes carry only the
// exchange's ids, so orders named by our ids can only be counted.
func (v cancellations) account(ids []string, own bool) (told map[string]cancelTold, whole bool) {
	told = map[string]cancelTold{}
	say := func(id string, failed bool, reason string) {
		one := told[id]
		one.said++
		one.failed, one.reason = one.failed || failed, cmp.Or(reason, one.reason)
		told[id] = one
	}
	seen := map[string]bool{}
	foreign, sound := 0, own
	for _, f := range v.Failures.All() {
		id := idOf(f.OrderID)
		if id != "" {
			sound, seen[id] = sound && !seen[id], true
		}
		if own {
			id = f.ClientOID
		}
		sound = sound && slices.Contains(ids, id)
		say(id, true, string(f.Message))
		if own && slices.Contains(v.Successes.All(), idOf(f.OrderID)) {
			say(id, false, "") // by the exchange's id
		}
	}
	for _, id := range v.Successes.All() {
		sound, seen[id] = sound && !seen[id], true
		if slices.Contains(ids, id) {
			say(id, false, "")
		} else {
			foreign++
		}
	}
	open := 0
	for _, id := range ids {
		if told[id].said == 0 {
			open++
		}
	}
	return told, sound && foreign == open
}
