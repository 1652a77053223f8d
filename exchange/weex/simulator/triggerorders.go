package simulator

import "rebatedesk/exchange/weex/simulator/account"

// placeTriggerOrder answers 4.13, without an envelope.
func (s *Simulator) placeTriggerOrder(e *encoder, p *parameters) *refusal {
	a := s.trading()
	given := p.get("client_oid")
	a.Receive(given)
	o := s.readTriggerOrder(p)
	switch {
	case p.refused != nil:
		return p.refused
	case len(given) > 40 || !plainID(given):
		return errInvalid("client_oid")
	case given != "" && a.Knows(given):
		return errRule("client_oid has been used before")
	}
	a.AcceptTrigger(o, given)
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
func (s *Simulator) readTriggerOrder(p *parameters) *account.PendingTrigger {
	o := &account.PendingTrigger{}
	o.Symbol = p.required("symbol")
	if o.Contract = s.contractOf(o.Symbol); o.Contract == nil {
		p.fail(errInvalid("symbol"))
	}
	o.Size = account.NumberOf(p.decimal("size"))
	o.Type, o.MatchType = p.oneOf("type", "1", "2", "3", "4"), p.oneOf("match_type", "0", "1")
	o.ExecutePrice = account.NumberOf(p.decimal("execute_price"))
	price := p.decimal("trigger_price")
	o.TriggerPrice = account.NumberOf(price)
	o.MarginMode = int(p.number("marginMode", 0, 1))
	if o.MarginMode != 1 && o.MarginMode != 3 {
		p.fail(errInvalid("marginMode"))
	}
	if p.refused == nil {
		o.WaitFor(price)
	}
	return o
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
