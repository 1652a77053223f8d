package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
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
	err := p.withKey(ctx, needTrading, open, func(o opened, _ secret.MasterKey) error {
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
