package exchange

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rebatedesk/affiliate"
)

// cancellation is what the exchange says of one order to be cancelled (4.9).
type cancellation struct {
	orderID, clientOID, symbol Text
	result                     affiliate.Flag
	errCode, errMsg            Text // null when there is none
}

func (r *reader) cancellationField(v *cancellation) bool {
	switch string(r.name) {
	case "order_id":
		v.orderID = r.given()
	case "client_oid":
		v.clientOID = r.given()
	case "symbol":
		v.symbol = r.given()
	case "result":
		v.result = r.flag()
	case "err_code":
		v.errCode = r.given()
	case "err_msg":
		v.errMsg = r.given()
	default:
		return false
	}
	return true
}

func needCancellation(r *reader, v *cancellation) { r.need("result", v.result != "") }

// about reports whether nothing in the answer says that it is about another
// order. What it leaves open says nothing.
func (v cancellation) about(symbol string, ref OrderRef) bool {
	other := func(echo Text, sent string) bool { return sent != "" && echo.Value != "" && echo.Value != sent }
	return !other(v.orderID, ref.OrderID) && !other(v.clientOID, ref.ClientOrderID) &&
		!(v.symbol.Value != "" && !strings.EqualFold(v.symbol.Value, symbol))
}

// cancelled is the outcome of the one cancellation of a call.
func (v verdict) cancelled(got cancellation, symbol string, ref OrderRef) Outcome {
	done := got.result == affiliate.FlagOf(true)
	v = v.contradicted(done)
	if v.State == answered {
		switch {
		case !got.about(symbol, ref):
			v = v.doubt("the answer is about another order")
		case done && got.errCode.Value != "":
			v = v.doubt("the answer says cancelled and gives an error code, " + got.errCode.Value)
		case done:
			v.State = Cancelled
		default:
			v = v.refused(got.errCode.Value, got.errMsg.Value)
		}
	}
	id := ref.OrderID
	if id == "" && v.State != Unknown {
		id = got.orderID.Value
	}
	return v.of(id, ref.ClientOrderID)
}

// cancellations are what the exchange says of several orders (4.10).
type cancellations struct {
	successes []string
	failures  []failure
	there     [2]bool
}

// failure is one order that was not cancelled.
type failure struct{ orderID, clientOID, message string }

func (r *reader) cancellationsField(v *cancellations) bool {
	switch string(r.name) {
	case "successList":
		v.successes, v.there[0] = eachRecord(r, readSuccess)
	case "failureList":
		v.failures, v.there[1] = eachRecord(r, readFailure)
	default:
		return false
	}
	return true
}

// needCancellations insists on one of the lists; whether both account for
// everything is seen by counting.
func needCancellations(r *reader, v *cancellations) {
	r.need("successList", v.there[0] || v.there[1])
}

// readSuccess reads a cancelled order: its id.
func readSuccess(r *reader) string {
	id := r.id()
	r.need("successList", id != "")
	return id
}

func readFailure(r *reader) failure {
	var v failure
	if r.kind() != jsontext.KindBeginObject {
		r.skip()
		r.wrong("is not an order")
		return v
	}
	for r.token(); r.members(); {
		switch string(r.name) {
		case "orderId":
			v.orderID = r.id()
		case "clientOid":
			v.clientOID = r.identity()
		case "errMsg":
			v.message = r.text()
		default:
			r.skip()
		}
	}
	return v
}

// cancelledAll is the outcome of each cancellation of a call.
func (v verdict) cancelledAll(got cancellations, refs OrderRefs) []Outcome {
	v = v.contradicted(len(got.successes) > 0)
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

// account is why each of the ids failed, and whether the answer accounts for
// exactly the ids that were sent. Successes are named by the exchange's ids
// alone, so with ours only their number can be held against what was sent.
func (v cancellations) account(ids []string, own bool) (failed map[string]string, whole bool) {
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
	for _, f := range v.failures {
		whole = whole && (f.orderID == "" || !slices.Contains(v.successes, f.orderID))
		id := f.orderID
		if own {
			id = f.clientOID
		}
		settle(id)
		failed[id] = f.message
	}
	successes := map[string]bool{}
	for _, id := range v.successes {
		whole = whole && !successes[id]
		successes[id] = true
		if !own || open[id] {
			settle(id)
		}
	}
	if own {
		// Those that came back by our own id are settled already.
		foreign := len(v.successes) + len(v.failures) - (len(ids) - len(open))
		return failed, whole && foreign == len(open)
	}
	return failed, whole && len(open) == 0
}
