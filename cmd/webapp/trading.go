package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/exchange"
	"rebatedesk/seal"
	"rebatedesk/store"
	"rebatedesk/store/orders"
	"rebatedesk/trading"
)

// tradingCommand is the kill switch. A running server checks the switch before each send.
type tradingCommand struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`
	config.SwitchFlags   `embed:"" group:"settings"`

	Status tradingStatus `cmd:"" help:"Show whether orders are sent, and what became of those that were."`
	Stop   tradingStop   `cmd:"" help:"Stop all sending at once."`
	Resume tradingResume `cmd:"" help:"Allow sending again."`
}

type tradingStatus struct{}

// Run prints the status. It does not open the order service, which would mark orders
// that a server is sending as unknown.
func (*tradingStatus) Run(ctx context.Context, p *program) error {
	return p.withStore(ctx, needTrading, database.OpenExisting, func(o opened) error { return p.printTrading(ctx, o) })
}

// needTrading are the parts of the settings that the kill switch needs.
const needTrading = config.NeedStore | config.NeedTrading | config.NeedMasterKey

func (p *program) printTrading(ctx context.Context, o opened) error {
	s, err := trading.ReadStatus(ctx, trading.Options{Store: o.store, Mode: trading.Mode(o.cfg.Trading.Mode), KillFile: o.cfg.Trading.KillFile})
	if err != nil {
		return err
	}
	_, err = io.WriteString(p.stdout, tradingLines(o.cfg, s))
	return err
}

// tradingLines describes a status, one line per fact.
func tradingLines(cfg config.Config, s trading.Status) string {
	text := fmt.Sprintf("trading: %s\n", s.Mode)
	if s.Switch.Stopped {
		text += fmt.Sprintf("switch: stopped by %s at %s: %s\n", printable(dash(s.Switch.By)), s.Switch.Since, printable(dash(s.Switch.Why)))
	} else {
		text += "switch: sending is allowed\n"
	}
	if s.KillFile != "" {
		text += fmt.Sprintf("kill file: %s (%s)\n", s.KillFile, cfg.Trading.KillFile)
	} else {
		text += fmt.Sprintf("kill file: not there (%s)\n", cfg.Trading.KillFile)
	}
	text += fmt.Sprintf("on their way: %d\nunknown: %d\n", s.Sending, s.Unknown)
	coins := make([]affiliate.Coin, 0, len(s.Spent))
	for coin := range s.Spent {
		coins = append(coins, coin)
	}
	slices.Sort(coins)
	for _, coin := range coins {
		text += fmt.Sprintf("worth of the UTC day: %s %s\n", s.Spent[coin], printable(string(coin)))
	}
	return text
}

type tradingStop struct {
	Reason string `placeholder:"TEXT" help:"Why, for whoever finds sending stopped."`
}

// Run stops all sending. If the database cannot be written, the kill file has the same
// effect.
func (c *tradingStop) Run(ctx context.Context, p *program) error {
	return p.switchTrading(ctx, true, c.Reason)
}

type tradingResume struct {
	Reason string `placeholder:"TEXT" help:"Why, for the audit log."`
}

// Run allows sending again. An existing kill file still stops it.
func (c *tradingResume) Run(ctx context.Context, p *program) error {
	return p.switchTrading(ctx, false, c.Reason)
}

func (p *program) switchTrading(ctx context.Context, stopped bool, why string) error {
	killFile := "" // once the settings are read
	open := func(ctx context.Context, cfg config.Config) (*store.Store, error) {
		killFile = cfg.Trading.KillFile
		return database.OpenExisting(ctx, cfg)
	}
	err := p.withKey(ctx, needTrading, open, func(o opened, _ seal.MasterKey) error {
		if err := orders.SetTradingSwitch(ctx, o.store, stopped, why, operatorAudit()); err != nil {
			return err
		}
		return p.printTrading(ctx, o)
	})
	if err != nil && stopped && killFile != "" {
		return fmt.Errorf("%w\nto stop all sending without the database, make the file %s", err, killFile)
	}
	return err
}

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
