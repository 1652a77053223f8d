package simulator

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/exchange/weex/simulator/programme"
)

// trading returns the account, brought up to date. It is opened at first use, since most
// users of a simulator never need it.
func (s *Simulator) trading() *account.SpotAccount {
	if s.account == nil {
		s.account = account.New(s.options.Seed, s.options.Balances, s.programme.First, s.options.Start.UnixMilli(), s.options.Live, s.options.Payouts, s.owed)
	}
	s.account.Advance(s.now())
	return s.account
}

// owed returns the commissions from one instant until before another, listed or not.
func (s *Simulator) owed(from, to int64) []programme.Debt {
	var unlisted []programme.TradeRow
	if s.life != nil {
		unlisted = s.life.Unlisted(from, to)
	}
	return s.ledger.Owed(from, to, unlisted)
}

// Payments returns what true books of the payouts show now, by time, coin and kind.
func (s *Simulator) Payments() []account.Payment {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	return s.trading().Payments(s.ledger)
}

// enter writes the account's part of a ledger.
func (l *Ledger) enter(a *account.SpotAccount) {
	l.Payouts, l.Orders, l.TriggerOrders = slices.Clone(a.Payouts), a.PlacedOrders(), a.PlacedTriggers()
	l.Executions = a.Executions()
	for wallet, bills := range map[affiliate.Wallet][]account.BookedBill{affiliate.SpotWallet: a.SpotBills, affiliate.FundingWallet: a.FundingBills} {
		for i := range bills {
			l.Bills = append(l.Bills, billOf(wallet, &bills[i]))
		}
	}
	for _, t := range a.Transfers {
		l.Transfers = append(l.Transfers, affiliate.Transfer{
			Coin: t.Coin, Status: transferDone, FromType: t.From, ToType: t.To, Amount: affiliate.Number(t.Amount.String()), Time: affiliate.Millis(t.At),
		})
	}
}
