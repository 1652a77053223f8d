package accounts

import (
	"rebatedesk/affiliate"
	"rebatedesk/trading"
)

// TradingAccount is an account in use as orders reach it. What only reads goes
// by the key that collects.
func (a *Registry) TradingAccount(name affiliate.Account) (trading.Account, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.inUse {
		if u.config.Name == name {
			return trading.Account{Reader: u.client, Sender: u.sender}, true
		}
	}
	return trading.Account{}, false
}

// SettingsAccount is tradingAccount where stored accounts do not send, whatever
// keys they have.
func (a *Registry) SettingsAccount(name affiliate.Account) (trading.Account, bool) {
	account, known := a.TradingAccount(name)
	if !a.inSettings(name) {
		account.Sender = nil
	}
	return account, known
}
