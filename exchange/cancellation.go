package exchange

import (
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
	failed, whole := got.account(ids, own)
	if v.State == answered && !whole {
		v = v.doubt("the answer does not account for exactly the orders that were sent")
	}
	outcomes := make([]Outcome, len(ids))
	for i, id := range ids {
		item := v
		reason, failed := failed[id]
		switch {
		case v.State != answered:
		case failed:
			item = v.refused(reason, reason)
		default:
			item.State = Cancelled
		}
		if own {
			outcomes[i] = item.of("", id)
		} else {
			outcomes[i] = item.of(id, "")
		}
	}
	return outcomes
}

// account returns why each id failed, and whether the answer accounts for exactly the ids
// that were sent. Successes carry only the exchange's ids, so orders named by our ids can
// only be counted.
func (v cancellations) account(ids []string, own bool) (failed map[string]string, whole bool) {
	successful, refused := v.Successes.All(), v.Failures.All()
	open := make(map[string]bool, len(ids))
	for _, id := range ids {
		open[id] = true
	}
	whole = true
	settle := func(id string) {
		whole = whole && open[id]
		delete(open, id)
	}
	failed = map[string]string{}
	for _, f := range refused {
		id := idOf(f.OrderID)
		whole = whole && (id == "" || !slices.Contains(successful, id))
		if own {
			id = f.ClientOID
		}
		settle(id)
		failed[id] = string(f.Message)
	}
	successes := map[string]bool{}
	for _, id := range successful {
		whole = whole && !successes[id]
		successes[id] = true
		if !own || open[id] {
			settle(id)
		}
	}
	if own {
		// Successes that carry our own id are already settled.
		foreign := len(successful) + len(refused) - (len(ids) - len(open))
		return failed, whole && foreign == len(open)
	}
	return failed, whole && len(open) == 0
}
