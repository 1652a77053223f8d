package main

import (
	"context"
	"log/slog"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store"
	"rebatedesk/trading"
)

// newBudget is the weight that all calls share. Where orders may be sent, a part
// of it is kept for them.
func newBudget(cfg Config) *exchange.Budget {
	budget := exchange.NewBudget(cfg.RateBudget)
	if cfg.Trading.Mode == string(trading.Live) {
		budget.ReserveForOrders(exchange.OrderReserve)
	}
	return budget
}

// openDesk opens what sends orders, whatever the mode: with trading off it
// sends nothing, and what is unknown of former orders can be cleared up still.
func openDesk(ctx context.Context, cfg Config, st *store.Store, a *accounts, log *slog.Logger) (*trading.Desk, error) {
	t := cfg.Trading
	find := a.tradingAccount
	if t.SettingsOnly {
		find = a.settingsAccount
	}
	return trading.Open(ctx, trading.Options{
		Store: st, Accounts: find, Mode: trading.Mode(t.Mode), Caps: trading.Caps{Order: t.OrderCap, Day: t.DailyCap},
		Pairs: t.AllowPairs, KillFile: t.KillFile, Now: cfg.Now, Log: log,
	})
}

// tradingAccount is an account in use as orders reach it. What only reads goes
// by the key that collects.
func (a *accounts) tradingAccount(name affiliate.Account) (trading.Account, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, u := range a.inUse {
		if u.config.Name == name {
			return trading.Account{Reader: u.client, Sender: u.sender}, true
		}
	}
	return trading.Account{}, false
}

// settingsAccount is tradingAccount where stored accounts do not send, whatever
// keys they have.
func (a *accounts) settingsAccount(name affiliate.Account) (trading.Account, bool) {
	account, known := a.tradingAccount(name)
	if !a.inSettings(name) {
		account.Sender = nil
	}
	return account, known
}
