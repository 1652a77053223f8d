package simulator

import (
	"strconv"
)

// cancelOrder answers 4.9. An order that cannot be cancelled is a result, not
// a refusal of the call.
func (s *Simulator) cancelOrder(e *encoder, p *parameters) *refusal {
	m, id, clientID := s.market(p), p.text("orderId"), p.text("clientOid")
	if p.refused == nil && id+clientID == "" {
		return errIDMissing
	}
	if p.refused != nil {
		return p.refused
	}
	a := s.trading()
	o := a.Find(m, id, clientID)
	if o != nil {
		a.Cancel(o)
		id, clientID = strconv.FormatInt(o.ID, 10), o.ClientID
	}
	e.raw("{")
	e.digits("order_id", id, !e.otherTypes)
	if clientID == "" || e.nulls {
		e.null("client_oid")
	} else {
		e.text("client_oid", e.echo(clientID))
	}
	e.text("symbol", m.Symbol)
	e.digits("result", strconv.FormatBool(o != nil), e.otherTypes)
	if o != nil {
		e.null("err_code")
		e.null("err_msg")
	} else {
		e.text("err_code", errNoOrder.code)
		e.text("err_msg", errNoOrder.msg)
	}
	e.raw("}")
	return nil
}

// failedCancel is an entry of the failure list of 4.10.
type failedCancel struct{ id, clientID string }

// cancelOrders answers 4.10.
func (s *Simulator) cancelOrders(e *encoder, p *parameters) *refusal {
	m, ids, clientIDs := s.market(p), p.texts("orderIds"), p.texts("clientOids")
	switch n := len(ids) + len(clientIDs); {
	case p.refused != nil:
		return p.refused
	case n == 0:
		return errIDMissing
	case n > largestBatch:
		return errTooManyIDs
	}
	a := s.trading()
	var gone []string
	var failed []failedCancel
	cancel := func(id, clientID string) {
		o := a.Find(m, id, clientID)
		if o == nil {
			failed = append(failed, failedCancel{id, clientID})
			return
		}
		a.Cancel(o)
		gone = append(gone, strconv.FormatInt(o.ID, 10))
	}
	for _, id := range ids {
		cancel(id, "")
	}
	for _, id := range clientIDs {
		cancel("", id)
	}
	e.raw("{")
	e.name("successList")
	e.list(len(gone), func(i int) { e.quoted(gone[i]) })
	e.name("failureList")
	e.list(len(failed), func(i int) {
		e.raw("{")
		e.optional("orderId", failed[i].id)
		e.optional("clientOid", failed[i].clientID)
		e.text("errMsg", "FAILED_ORDER_NOT_FOUND")
		e.raw("}")
	})
	e.raw("}")
	return nil
}
