package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	bitget "rebatedesk/exchange/bitget/simulator"
	kucoin "rebatedesk/exchange/kucoin/simulator"
	mexc "rebatedesk/exchange/mexc/simulator"
	okx "rebatedesk/exchange/okx/simulator"
	"rebatedesk/exchange/simulated"
)

// simulators make the simulated exchanges but the one whose console and trading the desk has. Every n-th
// answer is a fault; 0 = none.
var simulators = map[string]func(o simulated.Options, every int) simulated.Exchange{
	"bitget": func(o simulated.Options, every int) simulated.Exchange {
		return bitget.New(bitget.Options{Options: o, Faults: every, Limit: true})
	},
	"kucoin": func(o simulated.Options, every int) simulated.Exchange {
		return kucoin.New(kucoin.Options{Options: o, Faults: every, Limit: true})
	},
	"mexc": func(o simulated.Options, every int) simulated.Exchange {
		return mexc.New(mexc.Options{Options: o, Faults: every})
	},
	"okx": func(o simulated.Options, every int) simulated.Exchange {
		return okx.New(okx.Options{Options: o, Faults: every})
	},
}

// faultsEvery are how often the simulated exchanges misbehave.
var faultsEvery = map[string]int{"none": 0, "normal": 20, "harsh": 5}

// another serves one of them until ctx is done.
func (c *simulateCommand) another(ctx context.Context, p *program) (err error) {
	exchange := simulators[c.Exchange](simulated.Options{Seed: uint64(c.Seed), Days: c.Days, Invitees: c.Invitees, Now: time.Now}, faultsEvery[c.Faults])
	server, err := simulated.Listen(c.Listen, exchange)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	key, secret, passphrase := exchange.Credentials()
	told := reachable{BaseURL: server.BaseURL, ContractBaseURL: server.BaseURL, APIKey: key, APISecret: secret, APIPassphrase: passphrase}
	if err := json.NewEncoder(p.stdout).Encode(told); err != nil {
		return fmt.Errorf("tell the address: %w", err)
	}
	<-ctx.Done()
	return nil
}
