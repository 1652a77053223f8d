package simulator

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
)

// Wallets changes on purpose what the exchange says of the wallets, for tests.
type Wallets struct{ Of *Simulator }

// Forbid sets the endpoints that the main key may not use, by section of the interface
// document; none permits all.
func (w Wallets) Forbid(sections ...string) {
	w.Of.mu.Lock()
	defer w.Of.mu.Unlock()
	w.Of.options.Forbidden = sections
}

// LimitBills sets how many days back bills and transfers can be asked for; 0 sets no limit.
func (w Wallets) LimitBills(days int) {
	w.Of.mu.Lock()
	defer w.Of.mu.Unlock()
	w.Of.options.BillDays = days
}

// ReviseBills changes the bills of a wallet: it replaces them by the result of change, which
// must be in chronological order.
func (w Wallets) ReviseBills(wallet affiliate.Wallet, change func([]account.BookedBill) []account.BookedBill) {
	w.Of.mu.Lock()
	defer w.Of.mu.Unlock()
	a := w.Of.trading()
	if wallet == affiliate.SpotWallet {
		a.SpotBills = change(a.SpotBills)
	} else {
		a.FundingBills = change(a.FundingBills)
	}
}

// ReviseTransfers does the same with the transfers.
func (w Wallets) ReviseTransfers(change func([]account.Movement) []account.Movement) {
	w.Of.mu.Lock()
	defer w.Of.mu.Unlock()
	a := w.Of.trading()
	a.Transfers = change(a.Transfers)
}
