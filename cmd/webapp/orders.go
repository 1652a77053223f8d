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

// newBudget returns the request budget that all calls share, those of other nodes on the
// same database included. With live trading, a part of it is reserved for orders.
func newBudget(cfg config.Config, st *store.Store) *exchange.Budget {
	budget := exchange.NewBudget(cfg.RateBudget)
	if cfg.Trading.Mode == string(trading.Live) {
		budget.ReserveForOrders(exchange.OrderReserve)
	}
	if shared := st.RateBudget(); shared != nil {
		budget.Share(shared)
	}
	return budget
}

// openTrading opens the order service in every mode: with trading off it sends
// nothing, but unknown orders can still be resolved.
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
