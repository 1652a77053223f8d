package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange/known"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/programme"
)

// simulateCommand runs the exchange simulator until it is stopped. It needs no
// settings except those of the log.
type simulateCommand struct {
	Exchange  string   `placeholder:"NAME" default:"weex" help:"Exchange to simulate; webapp exchanges lists them. Those but weex take --seed, --days, --invitees and --faults. Default: ${default}."`
	Listen    string   `placeholder:"ADDR" default:"127.0.0.1:0" help:"Address to listen on, host:port; port 0 takes a free one. Default: ${default}."`
	Seed      int64    `default:"1" help:"Equal seeds give equal programmes. Default: ${default}."`
	Days      int      `default:"400" help:"Days with commissions, today included. Default: ${default}."`
	Invitees  int      `default:"1000" help:"Invited users. Default: ${default}."`
	Records   int      `default:"20000" help:"Commission records. Default: ${default}."`
	Faults    string   `placeholder:"LEVEL" default:"none" help:"How the exchange misbehaves: none, normal or harsh. Default: ${default}."`
	Payouts   string   `placeholder:"RULE" default:"day+8h" help:"When commissions are paid out: hour, day, week or month, a delay such as +8h, then if wanted the words together, for one sum of direct commissions and those of sub-agents, and exact or few, for no or few wrong payouts. Default: ${default}."`
	Rates     []string `name:"rate" sep:"none" placeholder:"STEP" help:"Set a rebate rate from a day or an instant on, such as '2026-06-01 0.25 uid=4667776811': the rate as a fraction, then if wanted uid=, code=, product=SPOT or FUTURES; or sub-affiliate= for what a sub-affiliate is paid. Repeatable."`
	RateLimit int      `placeholder:"WEIGHT" default:"500" help:"Request weight allowed in any 10 s; 0 is no limit. Default: ${default}."`
	Live      bool     `help:"Let the programme go on: new records appear as time passes."`
}

// reachable holds the data a client needs to reach a running simulator. The keys work only
// for the simulator.
type reachable struct {
	BaseURL         string `json:"base_url"`
	ContractBaseURL string `json:"contract_base_url"`
	APIKey          string `json:"api_key"`
	APISecret       string `json:"api_secret"`
	APIPassphrase   string `json:"api_passphrase"`
}

// Run prints one line of JSON on stdout once the simulator listens, and serves
// until ctx is done.
func (c *simulateCommand) Run(ctx context.Context, p *program) (err error) {
	if _, err := c.options(); err != nil {
		return err
	}
	_, log, err := p.configure(config.NeedNothing)
	if err != nil {
		return err
	}
	if c.Exchange != known.Default {
		return c.another(ctx, p)
	}
	server, err := c.listen(log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	if err := json.NewEncoder(p.stdout).Encode(reachable{
		BaseURL:         server.BaseURL,
		ContractBaseURL: server.ContractBaseURL,
		APIKey:          server.APIKey,
		APISecret:       server.APISecret,
		APIPassphrase:   server.APIPassphrase,
	}); err != nil {
		return fmt.Errorf("tell the address: %w", err)
	}
	<-ctx.Done()
	return nil
}

// listen starts the simulator.
func (c *simulateCommand) listen(log *slog.Logger) (*simulator.Server, error) {
	options, err := c.options()
	if err != nil {
		return nil, err
	}
	options.Log = log
	return simulator.Listen(c.Listen, options)
}

// options checks the flags.
func (c *simulateCommand) options() (simulator.Options, error) {
	if _, another := simulators[c.Exchange]; !another && c.Exchange != known.Default {
		return simulator.Options{}, usage("--exchange %sis not one that can be simulated; it can be %s", config.Echo(c.Exchange), strings.Join(known.Names(), ", "))
	}
	if _, p := config.ParseListen(c.Listen); p != nil {
		return simulator.Options{}, usage("--listen %q %s; %s", c.Listen, p.Wrong, p.Hint)
	}
	faults, err := simulator.ParseFaults(c.Faults)
	if err != nil {
		return simulator.Options{}, usage("--faults: %w", err)
	}
	payouts, err := simulator.ParsePayoutRule(c.Payouts)
	if err != nil {
		return simulator.Options{}, usage("--payouts: %w", err)
	}
	var rates []programme.RateStep
	for _, text := range c.Rates {
		step, err := simulator.ParseRateStep(text)
		if err != nil {
			return simulator.Options{}, usage("--rate: %w", err)
		}
		rates = append(rates, step)
	}
	for _, count := range []struct {
		flag         string
		value, least int
	}{{"--days", c.Days, 1}, {"--invitees", c.Invitees, 0}, {"--records", c.Records, 0}, {"--rate-limit", c.RateLimit, 0}} {
		if count.value < count.least {
			return simulator.Options{}, usage("%s %d is too little; give %d or more", count.flag, count.value, count.least)
		}
	}
	limit := c.RateLimit
	if limit == 0 {
		limit = -1 // the flag's 0 means no limit; the simulator's 0 means the documented limit
	}
	return simulator.Options{
		Seed: c.Seed, Days: c.Days, Invitees: c.Invitees, Records: c.Records,
		Faults: faults, Payouts: payouts, Rates: rates, RateLimit: limit, Live: c.Live,
	}, nil
}
