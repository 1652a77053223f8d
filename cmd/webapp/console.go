package main

import (
	"context"
	"log/slog"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/market"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/trading"
	webconsole "rebatedesk/web/console"
)

var _ webconsole.Exchange = console{}

// console gives the console pages access to the exchange: the reading clients of the
// accounts in use, which share one budget.
type console struct {
	*accounts.Registry
	store *store.Store
}

// Names returns the accounts in use whose exchange the console knows.
func (c console) Names() []affiliate.Account { return c.ConsoleNames() }

// Client returns the reading client of such an account.
func (c console) Client(name affiliate.Account) (*weex.Client, bool) { return c.Console(name) }

// Favourites returns the pairs that a user marked.
func (c console) Favourites(ctx context.Context, user string) ([]string, error) {
	r, err := c.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return identity.Favourites(ctx, r, user)
}

// SetFavourite marks a pair for a user, or removes the mark.
func (c console) SetFavourite(ctx context.Context, user, pair string, on bool) error {
	return identity.SetFavourite(ctx, c.store, user, pair, on)
}

// AllFavourites returns the pairs that some user marked.
func (c console) AllFavourites(ctx context.Context) ([]string, error) {
	r, err := c.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return identity.AllFavourites(ctx, r)
}

// newFeed returns the feed of prices of the console.
func newFeed(cfg config.Config, c console, log *slog.Logger) *market.Feed {
	return market.New(market.Options{
		Accounts: c.Names, Client: c.Client, Favourites: c.AllFavourites, Store: c.store,
		KeepTrades: days(cfg.KeepTrades), KeepCandles: days(cfg.KeepCandles), Now: cfg.Now, Log: log,
	})
}

func days(n int) time.Duration { return time.Duration(n) * config.OneDay }

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
