package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// accountCommand manages the affiliate accounts of the database. A running server picks up
// changes automatically.
type accountCommand struct {
	List    accountList    `cmd:"" help:"List the accounts of the settings and of the database."`
	Add     accountAdd     `cmd:"" help:"Store an account; its keys are sealed."`
	Rotate  accountRotate  `cmd:"" help:"Give a stored account another key."`
	Test    accountTest    `cmd:"" help:"Ask the exchange with the key of an account."`
	Disable accountDisable `cmd:"" help:"Take a stored account out of use; what was collected stays."`
	Enable  accountEnable  `cmd:"" help:"Take a stored account back into use."`
}

// accountFlags are the settings required by commands on stored accounts.
type accountFlags struct {
	config.StoreFlags    `embed:"" group:"settings"`
	config.MasterKeyFlag `embed:"" group:"settings"`
	config.ReachFlags    `embed:"" group:"settings"`
}

// needAccounts are the parts of the settings required by commands on stored accounts.
const needAccounts = config.NeedStore | config.NeedExchange | config.NeedMasterKey | config.MayBeStored

// withAccounts runs f on the accounts of the database.
func (p *program) withAccounts(ctx context.Context, open database.Opener, f func(*accounts.Registry, audit.Line) error) error {
	return p.withKey(ctx, needAccounts, open, func(o opened, key secret.MasterKey) error {
		return sentence(f(accounts.New(o.cfg, o.store, key.Box(), newBudget(o.cfg, o.store), o.log), operatorAudit()))
	})
}

type accountList struct {
	accountFlags `embed:""`
}

// Run prints a line for each account, never a part of its keys.
func (*accountList) Run(ctx context.Context, p *program) error {
	return p.withAccounts(ctx, database.OpenExisting, func(a *accounts.Registry, _ audit.Line) error {
		states, err := a.List(ctx)
		if err != nil {
			return err
		}
		return printTable(p, "NAME\tKEPT IN\tSTATE\tTRADES\tKEYS SINCE (UTC)\tADDRESS", states, func(s accounts.AccountInfo) string {
			since := ""
			if !s.Settings {
				since = moment(s.Rotated.Time())
			}
			return strings.Join([]string{string(s.Name), either(s.Settings, "settings", "database"), stateOf(s), either(s.Trades, "yes", "no"), since, s.BaseURL}, "\t")
		})
	})
}

// stateOf describes the state of an account in a few words.
func stateOf(s accounts.AccountInfo) string {
	switch {
	case s.Disabled.Known():
		return "disabled"
	case s.Hidden:
		return "not used: the settings have one of its name"
	case s.Problem != "":
		return "not usable: its key cannot be opened"
	}
	return "in use"
}

// keyFiles names the files from which the parts of keys are read. They are not settings
// flags, which would describe an account of the settings.
type keyFiles struct {
	KeysStdin             bool   `help:"Read key, secret and passphrase from standard input, a line each; three more lines are the trading key."`
	KeyFile               string `placeholder:"FILE" help:"File with the key."`
	SecretFile            string `placeholder:"FILE" help:"File with its secret."`
	PassphraseFile        string `placeholder:"FILE" help:"File with its passphrase."`
	TradingKeyFile        string `placeholder:"FILE" help:"File with a key that may trade."`
	TradingSecretFile     string `placeholder:"FILE" help:"File with its secret."`
	TradingPassphraseFile string `placeholder:"FILE" help:"File with its passphrase."`
}

// read returns the two keys; parts that are not given are empty.
func (k keyFiles) read(stdin io.Reader) (keys, trading accounts.KeyEntry, err error) {
	parts := []*string{&keys.Key, &keys.Secret, &keys.Passphrase, &trading.Key, &trading.Secret, &trading.Passphrase}
	if k.KeysStdin && k != (keyFiles{KeysStdin: true}) {
		return keys, trading, usage("--keys-stdin stands beside a file of the key; give one of the two")
	}
	if k.KeysStdin {
		return keys, trading, readLines(stdin, parts)
	}
	for i, file := range []struct{ flag, path string }{
		{"--key-file", k.KeyFile}, {"--secret-file", k.SecretFile}, {"--passphrase-file", k.PassphraseFile},
		{"--trading-key-file", k.TradingKeyFile}, {"--trading-secret-file", k.TradingSecretFile}, {"--trading-passphrase-file", k.TradingPassphraseFile},
	} {
		if file.path == "" {
			continue
		}
		content, err := files.ReadLimited(file.path, config.MaxSecretFile)
		if err != nil {
			return keys, trading, usage("%s cannot be read: %w; name a readable file that holds nothing but the value", file.flag, err)
		}
		*parts[i] = strings.TrimRight(string(content), "\r\n")
	}
	return keys, trading, nil
}

// readLines reads one line per part, or fewer.
func readLines(stdin io.Reader, parts []*string) error {
	lines := bufio.NewScanner(io.LimitReader(stdin, config.MaxSecretFile))
	for _, part := range parts {
		if !lines.Scan() {
			break
		}
		*part = lines.Text()
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading the key from standard input: %w", err)
	}
	return nil
}

// namedAccount names one account.
type namedAccount struct {
	Name string `arg:"" help:"Name of the account."`
}

func (n namedAccount) check() error {
	if n.Name == "" {
		return usage("NAME is empty; webapp account list shows the accounts")
	}
	return checkAccount("NAME", n.Name)
}

type accountAdd struct {
	accountFlags `embed:""`
	keyFiles     `embed:""`

	Name            string `required:"" placeholder:"NAME" help:"Name of the account."`
	BaseURL         string `name:"base-url" required:"" placeholder:"URL" help:"Address of the exchange: https, or http to this machine."`
	ContractBaseURL string `name:"contract-base-url" placeholder:"URL" help:"Address of its contract market; that of the exchange where not given."`
	Exchange        string `name:"exchange" placeholder:"NAME" help:"Exchange of the account; webapp exchanges lists them."`
	APIVersion      string `name:"api-version" placeholder:"VERSION" help:"Version of the affiliate endpoints: v2 or v3."`
	Locale          string `placeholder:"TAG" help:"Language tag sent to the exchange."`
}

// Run stores the account. The database is created if it does not exist.
func (c *accountAdd) Run(ctx context.Context, p *program) error {
	form := accounts.NewAccount{Name: c.Name, Exchange: c.Exchange, BaseURL: c.BaseURL, ContractBaseURL: c.ContractBaseURL, APIVersion: c.APIVersion, Locale: c.Locale}
	if err := wrongFlags(form.AddressFaults()); err != nil {
		return err
	}
	cfg, err := config.Load(p.sources, needAccounts)
	if err != nil {
		return err
	}
	if form.Keys, form.TradingKeys, err = c.keyFiles.read(p.stdin); err != nil {
		return err
	}
	if _, err := form.Check(ctx, cfg.Reach); err != nil {
		return err // and no database is created
	}
	return p.withAccounts(ctx, database.Open, func(a *accounts.Registry, by audit.Line) error { return a.Add(ctx, by, form) })
}

// wrongFlags reports faults by the flags of account add.
func wrongFlags(faults config.SettingFaults) error {
	var lines []error
	for _, fault := range faults {
		flag := config.FlagName(fault.Setting)
		if fault.Setting == "ACCOUNT" {
			flag = "--name"
		}
		lines = append(lines, usage("%s %s; %s", flag, fault.Wrong, fault.Hint))
	}
	return errors.Join(lines...)
}

type accountRotate struct {
	accountFlags `embed:""`
	keyFiles     `embed:""`
	namedAccount `embed:""`
}

// Run gives the account its new key.
func (c *accountRotate) Run(ctx context.Context, p *program) error {
	if err := c.check(); err != nil {
		return err
	}
	if _, err := config.Load(p.sources, needAccounts); err != nil {
		return err
	}
	keys, trading, err := c.keyFiles.read(p.stdin)
	if err != nil {
		return err
	}
	return p.withAccounts(ctx, database.OpenExisting, func(a *accounts.Registry, by audit.Line) error {
		return a.Rotate(ctx, by, affiliate.Account(c.Name), store.AnyVersion, keys, trading)
	})
}

type accountTest struct {
	accountFlags `embed:""`
	namedAccount `embed:""`
}

// Run calls the exchange and prints that it answered.
func (c *accountTest) Run(ctx context.Context, p *program) error {
	if err := c.check(); err != nil {
		return err
	}
	return p.withAccounts(ctx, database.OpenExisting, func(a *accounts.Registry, by audit.Line) error {
		if err := a.Test(ctx, by, affiliate.Account(c.Name)); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.stdout, "ok: the exchange answers to the key of %s\n", c.Name)
		return err
	})
}

type accountDisable struct {
	accountFlags `embed:""`
	namedAccount `embed:""`
}

// Run takes the account out of use.
func (c *accountDisable) Run(ctx context.Context, p *program) error {
	if err := c.check(); err != nil {
		return err
	}
	return p.withAccounts(ctx, database.OpenExisting, func(a *accounts.Registry, by audit.Line) error {
		return a.Disable(ctx, by, affiliate.Account(c.Name), store.AnyVersion, true)
	})
}

type accountEnable struct {
	accountFlags `embed:""`
	namedAccount `embed:""`
}

// Run puts the account back into use.
func (c *accountEnable) Run(ctx context.Context, p *program) error {
	if err := c.check(); err != nil {
		return err
	}
	return p.withAccounts(ctx, database.OpenExisting, func(a *accounts.Registry, by audit.Line) error {
		return a.Disable(ctx, by, affiliate.Account(c.Name), store.AnyVersion, false)
	})
}
