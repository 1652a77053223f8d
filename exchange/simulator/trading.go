package simulator

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/programme"
	"slices"
)

// trading is the account, opened when it is needed first: most users of a
// simulator never look at it. It is as of now.
func (s *Simulator) trading() *account {
	if s.account == nil {
		s.account = newAccount(s.options.Seed, s.options.Balances, s.programme.First, s.owed)
	}
	s.account.advance(s.now())
	return s.account
}

// owed is what a UTC day earned, listed or not.
func (s *Simulator) owed(d affiliate.Day) []programme.Debt {
	var unlisted []programme.Row
	if s.life != nil {
		unlisted = s.life.Unlisted(int64(d)*day, int64(d+1)*day)
	}
	return s.ledger.Owed(d, unlisted)
}

// enter writes the account's part of a ledger.
func (l *Ledger) enter(a *account) {
	l.Payouts, l.Orders, l.TriggerOrders = slices.Clone(a.payouts), a.placed(), a.triggerOrders()
	l.Executions = a.executions()
}
