// Package config reads the settings from flags, environment variables and a TOML file,
// checks them, and reports all faults together. No other package in the program reads any
// of the three.
package config

import (
	"cmp"
	"net/netip"
	"time"
	_ "time/tzdata" // for machines without zone files

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/document"
	"rebatedesk/exchange"
	"rebatedesk/safehttp"
)

// Config is the checked configuration. Only the parts that a command needs are
// read; the rest is zero.
type Config struct {
	Now      func() time.Time `json:"-"` // clock of all parts; nil means time.Now
	Timezone *time.Location   // of the reporting days
	Log      Log

	DB Database

	Node      string        // name of this node; empty = the name of the host
	LeaseTime time.Duration `json:"-"` // of leases in the database; 0: that of the store

	Listen         string         // host:port of the web server
	PublicURL      string         // address for browsers, without a trailing slash; empty = not set
	MetricsListen  string         // host:port; empty = off
	MetricsFigures bool           // the metrics have figures of reports
	TrustedProxies []netip.Prefix // proxies whose X-Forwarded-For is trusted
	SecondFactor   access.SecondFactor
	ReportCache    uint64 // maximum bytes of finished reports in memory
	// InactivityLimit is after how many days without a trade the exchange ends the tie to an
	// invitee; 0: it never does.
	InactivityLimit int
	PayoutRule      string              // by which the exchange pays commissions; "auto": found in the data
	Letterhead      document.Letterhead // of statements
	TLS             TLS
	Insecure        bool // --insecure: http beyond this machine is accepted

	Accounts     []AccountSettings
	Reach        safehttp.Reach // of addresses that users entered
	NoAccount    SettingFaults  // missing settings of an account, if none is configured and with [MayBeStored]
	History      time.Duration  // whole days back from today
	CollectEvery time.Duration  // from the start of one scheduled run to the next
	Backups      BackupSettings // made on schedule
	RateBudget   int            // maximum request weight in any 10 s
	KeepTrades   int            // days for which public trades are kept
	KeepCandles  int            // days for which the candles made of them are kept
	KeepAnswers  int            // days for which the exchange's answers are kept; 0: only their fingerprints

	Mail      MailSettings
	Shipping  Shipping // destinations of scheduled deliveries
	Trading   Trading
	MasterKey exchange.Secret // 32 raw bytes; empty = not set
}

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
	APIVersion      string // v2 or v3
	Locale          string // language tag for the locale header
	Reach           safehttp.Reach
	Entered         bool // on a page or by a command, and stored: the settings do not have it
	Keys            Keys
	TradingKeys     Keys // empty if the account does not trade
}

// Keys are the three parts of one API key.
type Keys struct{ Key, Secret, Passphrase exchange.Secret }

// Given reports whether all three parts are set.
func (k Keys) Given() bool { return k.Key != "" && k.Secret != "" && k.Passphrase != "" }

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
	NeedShipping
	NeedBackups // their folder alone

	NeedAll = NeedStore | NeedWeb | NeedExchange | NeedSchedule | NeedMail | NeedTrading | NeedMasterKey | NeedReports | NeedShipping
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
	cfg.Mail.Helo = cmp.Or(cfg.Mail.Helo, heloOf(cfg.PublicURL, cfg.Mail.From))
	if need&NeedShipping != 0 {
		r.checkShipping(cfg.Shipping)
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
