package accounts

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/trading"
)

// TradingAccount returns the clients of an account in use: the trading key sends
// orders, the collecting key reads.
func (a *Registry) TradingAccount(name affiliate.Account) (trading.Venue, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.inUse {
		if u.config.Name == name {
			reader, ok := u.client.(*weex.Client)
			sender, _ := u.sender.(*weex.Client)
			return trading.Venue{Reader: reader, Sender: sender}, ok
		}
	}
	return trading.Venue{}, false
}

// SettingsAccount is TradingAccount, except that stored accounts cannot send,
// whatever keys they have.
func (a *Registry) SettingsAccount(name affiliate.Account) (trading.Venue, bool) {
	account, known := a.TradingAccount(name)
	if !a.inSettings(name) {
		account.Sender = nil
	}
	return account, known
}
