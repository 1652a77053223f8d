// Package config reads the settings from flags, environment variables and a TOML file,
// checks them, and reports all faults together. No other package in the program reads any
// of the three.
package config

import (
	"cmp"
	"time"
	_ "time/tzdata" // for machines without zone files

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/safehttp"
)

// Clock returns the current time.
func (c Config) Clock() time.Time {
	if c.Now == nil {
		return time.Now()
	}
	return c.Now()
}

// AccountSettings holds the settings of one affiliate account.
type AccountSettings struct {
	Name            affiliate.Account
	BaseURL         string // scheme and host only: serves /api/v2/
	ContractBaseURL string // scheme and host only: serves /capi/v2/
	Exchange        string // one of known.Names
	APIVersion      string // v2 or v3
	Locale          string // language tag for the locale header
	Reach           safehttp.Reach
	Entered         bool // on a page or by a command, and stored: the settings do not have it
	Keys            Keys
	TradingKeys     Keys // empty if the account does not trade
}

// Keys are the parts of one API key. Some exchanges give keys no passphrase.
type Keys struct{ Key, Secret, Passphrase exchange.Secret }

// Given reports whether there is a key. What it must have is checked where it is entered.
func (k Keys) Given() bool { return k.Key != "" && k.Secret != "" }

// Requirement names a part of the settings. A command reads only the parts it needs, so
// that an export works without a key and the demo with a broken one.
type Requirement uint16

// Parts of the settings, combined with |. TIMEZONE and the log settings are always read.
const (
	NeedNothing Requirement = 0
	NeedStore   Requirement = 1 << iota
	NeedWeb
	NeedExchange
	NeedSchedule
	NeedMail
	NeedTrading
	NeedMasterKey
	MayBeStored // with NeedExchange: the accounts may be in the database instead
	NeedReports
	NeedDelivery
	NeedBackups // their folder alone

	NeedAll = NeedStore | NeedWeb | NeedExchange | NeedSchedule | NeedMail | NeedTrading | NeedMasterKey | NeedReports | NeedDelivery
)

// Load reads the needed settings. Its error is a [SettingFaults] that lists every fault,
// not only the first.
func Load(from Inputs, need Requirement) (Config, error) {
	r, tables := newReader(from)
	cfg := Config{Now: from.Now, LeaseTime: from.LeaseTime}
	r.readAll(need, &cfg)
	if need&NeedWeb != 0 {
		r.checkTLS(cfg)
	}
	if need&NeedExchange != 0 {
		cfg.Accounts, cfg.NoAccount = r.accounts(tables, need, cfg.Reach)
	}
	if need&(NeedSchedule|NeedBackups) != 0 {
		cfg.Backups.Dir = cmp.Or(cfg.Backups.Dir, cfg.DB.Beside(".backups"))
	}
	if cfg.Mail.Server.Host != "" && cfg.Mail.From == nil {
		r.require("MAIL_FROM")
	}
	if need&NeedDelivery != 0 {
		r.checkDelivery(cfg.Delivery)
	}
	if need&NeedTrading != 0 {
		cfg.Trading.KillFile = cmp.Or(cfg.Trading.KillFile, cfg.DB.Beside(".kill"))
		r.checkTrading(cfg)
	}
	if len(r.faults) > 0 {
		return Config{}, r.faults
	}
	return cfg, nil
}
