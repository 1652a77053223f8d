package main

import (
	"context"
	"log/slog"

	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/store"
	"rebatedesk/trading"
)

// newBudget is the weight that all calls share. Where orders may be sent, a part
// of it is kept for them.
func newBudget(cfg config.Config) *exchange.Budget {
	budget := exchange.NewBudget(cfg.RateBudget)
	if cfg.Trading.Mode == string(trading.Live) {
		budget.ReserveForOrders(exchange.OrderReserve)
	}
	return budget
}

// openTrading opens what sends orders, whatever the mode: with trading off it
// sends nothing, and what is unknown of former orders can be cleared up still.
func openTrading(ctx context.Context, cfg config.Config, st *store.Store, a *accounts.Registry, log *slog.Logger) (*trading.Desk, error) {
	t := cfg.Trading
	find := a.TradingAccount
	if t.SettingsOnly {
		find = a.SettingsAccount
	}
	return trading.Open(ctx, trading.Options{
		Store: st, Accounts: find, Mode: trading.Mode(t.Mode), Caps: trading.Caps{Order: t.OrderCap, Day: t.DailyCap},
		Pairs: t.AllowPairs, KillFile: t.KillFile, Now: cfg.Now, Log: log,
	})
}
