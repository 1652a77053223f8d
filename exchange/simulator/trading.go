package simulator

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator/account"
	"rebatedesk/exchange/simulator/programme"
)

// trading returns the account, brought up to date. It is opened at first use, since most
// users of a simulator never need it.
func (s *Simulator) trading() *account.SpotAccount {
	if s.account == nil {
		s.account = account.New(s.options.Seed, s.options.Balances, s.programme.First, s.owed)
	}
	s.account.Advance(s.now())
	return s.account
}

// owed returns the commissions of a UTC day, listed or not.
func (s *Simulator) owed(d affiliate.Day) []programme.Debt {
	var unlisted []programme.TradeRow
	if s.life != nil {
		unlisted = s.life.Unlisted(int64(d)*day, int64(d+1)*day)
	}
	return s.ledger.Owed(d, unlisted)
}

// enter writes the account's part of a ledger.
func (l *Ledger) enter(a *account.SpotAccount) {
	l.Payouts, l.Orders, l.TriggerOrders = slices.Clone(a.Payouts), a.PlacedOrders(), a.PlacedTriggers()
	l.Executions = a.Executions()
}
