package config

import (
	"log/slog"
	"net/mail"
	"net/netip"
	"strings"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/known"
	"rebatedesk/pdf"
	"rebatedesk/safehttp"
)

// A setting is a field of Config, a flag of the commands that read it, and an entry of the list.

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
	// BalanceTolerance is up to what balance of a coin an account counts as settled.
	BalanceTolerance map[affiliate.Coin]affiliate.Number
	PayoutRule       string         // by which the exchange pays commissions; "auto": found in the data
	Letterhead       pdf.Letterhead // of statements
	TLS              TLS
	Insecure         bool // --insecure: http beyond this machine is accepted

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
	Delivery  Delivery // destinations of scheduled deliveries
	Trading   Trading
	MasterKey exchange.Secret // 32 raw bytes; empty = not set
}

// Flags of the settings, in the groups that commands embed. Their help comes from the list
// of settings.

// CommonFlags are the flags of every command.
type CommonFlags struct{ Timezone, LogFormat, LogLevel string }

// StoreFlags name the database, and this node among those that share it.
type StoreFlags struct{ DB, DBFile, Node string }

// WebFlags configure the web server.
type WebFlags struct {
	Listen, PublicURL, MetricsListen, MetricsFigures, TLS, TLSCert, TLSKey, TrustedProxies, SecondFactor, ReportCache string
	KeepTrades, KeepCandles                                                                                           string
	StatementName, StatementAddress, StatementLogo                                                                    string
}

// PublicURLFlag is for commands that only create links to the pages.
type PublicURLFlag struct{ PublicURL string }

// ReportFlags configure the reports.
type ReportFlags struct{ PayoutRule, BalanceTolerance, InactivityLimit string }

// ExchangeFlags configure a collection.
type ExchangeFlags struct {
	BaseURL, ContractBaseURL                                                       string
	AllowPrivateURLs                                                               string `name:"allow-private-urls"`
	AllowedHosts                                                                   string
	APIKey, APIKeyFile, APISecret, APISecretFile, APIPassphrase, APIPassphraseFile string
	Exchange, APIVersion, Locale, History, RateBudget, KeepAnswers                 string
}

// ScheduleFlags configure the scheduled work of a server.
type ScheduleFlags struct{ CollectEvery, BackupDir, BackupKeep string }

// BackupDirFlag is for commands that only look at the daily backups.
type BackupDirFlag struct{ BackupDir string }

// ReachFlags are for commands that use addresses which users entered, and no accounts of settings.
type ReachFlags struct {
	AllowPrivateURLs string `name:"allow-private-urls"`
	AllowedHosts     string
}

// AllowedHostsFlag is for commands that use servers which users entered.
type AllowedHostsFlag struct{ AllowedHosts string }

// AccountFlag names the plain account. Commands that select an account have a separate
// --account instead.
type AccountFlag struct{ Account string }

// MailFlags configure mail.
type MailFlags struct {
	SMTPURL     string `name:"smtp-url"`
	SMTPURLFile string `name:"smtp-url-file"`
	MailFrom    string
	MailHelo    string
}

// DeliveryFlags configure the destinations of scheduled deliveries.
type DeliveryFlags struct {
	DeliveryFolders       string
	S3Endpoint            string `name:"s3-endpoint"`
	S3Region              string `name:"s3-region"`
	S3AccessKey           string `name:"s3-access-key"`
	S3AccessKeyFile       string `name:"s3-access-key-file"`
	S3SecretKey           string `name:"s3-secret-key"`
	S3SecretKeyFile       string `name:"s3-secret-key-file"`
	S3AllowHTTP           string `name:"s3-allow-http"`
	SFTPPassword          string `name:"sftp-password"`
	SFTPPasswordFile      string `name:"sftp-password-file"`
	SFTPKey               string `name:"sftp-key"`
	SFTPKeyFile           string `name:"sftp-key-file"`
	SFTPKeyPassphrase     string `name:"sftp-key-passphrase"`
	SFTPKeyPassphraseFile string `name:"sftp-key-passphrase-file"`
	SFTPKnownHosts        string `name:"sftp-known-hosts"`
}

// TradingFlags configure orders.
type TradingFlags struct {
	Trading                                                                                                                  string
	TradingAPIKey, TradingAPIKeyFile, TradingAPISecret, TradingAPISecretFile, TradingAPIPassphrase, TradingAPIPassphraseFile string
	OrderCap, DailyCap, AllowPairs, KillFile                                                                                 string
}

// SwitchFlags configure the kill switch.
type SwitchFlags struct{ Trading, KillFile string }

// MasterKeyFlag is for commands that seal or open secrets.
type MasterKeyFlag struct{ MasterKey, MasterKeyFile string }

// ServerFlags are all settings that a server reads: for the server itself, and for the
// check of all its dependencies.
type ServerFlags struct {
	StoreFlags    `embed:""`
	WebFlags      `embed:""`
	ReportFlags   `embed:""`
	ExchangeFlags `embed:""`
	ScheduleFlags `embed:""`
	MailFlags     `embed:""`
	DeliveryFlags `embed:""`
	AccountFlag   `embed:""`
	MasterKeyFlag `embed:""`
	TradingFlags  `embed:""`
}

// setting is one entry of the configuration: a flag, an environment variable and a
// TOML key, all named after it.
type setting struct {
	name     string // as in BASE_URL
	value    string // placeholder of its flag
	fallback string // the value if none is set
	help     string
	secret   bool        // never shown; also as NAME_FILE
	file     bool        // also as NAME_FILE, as every secret
	list     bool        // a list in the TOML file, commas elsewhere
	perTable bool        // allowed in an [[account]] table
	need     Requirement // the commands that read it; 0 = every command
	read     reading
}

// settings lists every setting.
var settings = []setting{
	{name: "DB", value: "DB", fallback: "rebatedesk.db", help: "Database: the path of a file, or postgres://user@host/database. A URL with a password belongs in a file.", file: true, need: NeedStore | NeedTrading | NeedSchedule,
		read: into(ParseDatabase, func(c *Config) *Database { return &c.DB })},
	{name: "NODE", value: "NAME", help: "Name of this node among those that share a database; the name of the host where not set.", need: NeedStore,
		read: into(parseNode, func(c *Config) *string { return &c.Node })},
	{name: "TIMEZONE", value: "ZONE", fallback: "UTC", help: "Time zone of the reporting day, by its IANA name.",
		read: into(parseTimezone, func(c *Config) **time.Location { return &c.Timezone })},
	{name: "LOG_FORMAT", value: "FORM", fallback: "text", help: "Form of the log on stderr: text or json.",
		read: into(OneOf("text", "json"), func(c *Config) *string { return &c.Log.Format })},
	{name: "LOG_LEVEL", value: "LEVEL", fallback: "info", help: "Least level that is logged: debug, info, warn or error.",
		read: into(parseLevel, func(c *Config) *slog.Level { return &c.Log.Level })},

	{name: "LISTEN", value: "ADDR", fallback: "127.0.0.1:8080", help: "Address of the web server, host:port. Other machines are let in only with an administrator and an https PUBLIC_URL (or --insecure).", need: NeedWeb,
		read: into(ParseListen, func(c *Config) *string { return &c.Listen })},
	{name: "PUBLIC_URL", value: "URL", help: "Address under which people open the web server.", need: NeedWeb | NeedMail,
		read: into(parsePublicURL, func(c *Config) *string { return &c.PublicURL })},
	{name: "METRICS_LISTEN", value: "ADDR", fallback: "off", help: "Address of the metrics for Prometheus, host:port, or off; a port alone is this machine only.", need: NeedWeb,
		read: into(parseMetricsListen, func(c *Config) *string { return &c.MetricsListen })},
	{name: "METRICS_FIGURES", value: "MODE", fallback: "off", help: "Whether the metrics have commission, coverage, outstanding payments and findings: off or on.", need: NeedWeb,
		read: into(parseSwitch, func(c *Config) *bool { return &c.MetricsFigures })},
	{name: "TRUSTED_PROXIES", value: "NETS", help: "Networks of proxies whose X-Forwarded-For is believed, separated by commas; none where not set.", list: true, need: NeedWeb,
		read: into(parsePrefixes, func(c *Config) *[]netip.Prefix { return &c.TrustedProxies })},
	{name: "SECOND_FACTOR", value: "WHO", fallback: string(access.OfAdmins), help: "Who needs a code of an authenticator at each sign-in: admins (administrators and traders) or all.", need: NeedWeb,
		read: into(parseSecondFactor, func(c *Config) *access.SecondFactor { return &c.SecondFactor })},
	{name: "REPORT_CACHE", value: "MIB", fallback: "64", help: "Most memory that finished reports and their parts may take, in MiB.", need: NeedWeb,
		read: into(parseReportCache, func(c *Config) *uint64 { return &c.ReportCache })},
	{name: "PAYOUT_RULE", value: "RULE", fallback: "auto", help: "Rule by which the exchange pays commissions, such as week+1d together or day+8h apart direct=rr_agent_reward sub=rake_back_reward; auto finds it in the data.", need: NeedReports,
		read: into(parsePayoutRule, func(c *Config) *string { return &c.PayoutRule })},
	{name: "BALANCE_TOLERANCE", value: "AMOUNTS", help: "Up to what balance an account counts as settled, by coin, such as USDT=0.01,BTC=0.00000001; nothing is left out of any sum.", need: NeedReports,
		read: into(parseTolerance, func(c *Config) *map[affiliate.Coin]affiliate.Number { return &c.BalanceTolerance })},
	{name: "INACTIVITY_LIMIT", value: "DAYS", help: "After how many days without a trade the exchange ends the tie to an invitee, such as 30; the worklist counts the days that are left. It never does where not set.", need: NeedReports,
		read: into(parseInactivityLimit, func(c *Config) *int { return &c.InactivityLimit })},
	{name: "STATEMENT_NAME", value: "NAME", help: "Name at the top of statements to sub-affiliates.", need: NeedWeb,
		read: into(parseStatementName, func(c *Config) *string { return &c.Letterhead.Name })},
	{name: "STATEMENT_ADDRESS", value: "LINES", help: "Address below that name; lines are separated by semicolons.", need: NeedWeb,
		read: into(parseStatementAddress, func(c *Config) *[]string { return &c.Letterhead.Address })},
	{name: "STATEMENT_LOGO", value: "FILE", help: "PNG or JPEG file of the logo at the top of statements.", need: NeedWeb,
		read: into(parseStatementLogo, func(c *Config) *pdf.Logo { return &c.Letterhead.Logo })},
	{name: "TLS", value: "MODE", fallback: TLSOff, help: "Encryption by the web server itself: off, auto (a certificate from Let's Encrypt) or files.", need: NeedWeb,
		read: into(OneOf(TLSOff, TLSAuto, TLSFiles), func(c *Config) *string { return &c.TLS.Mode })},
	{name: "TLS_CERT", value: "FILE", help: "PEM file of the certificate and its chain, with TLS=files.", need: NeedWeb,
		read: into(anyText, func(c *Config) *string { return &c.TLS.Cert })},
	{name: "TLS_KEY", value: "FILE", help: "PEM file of the certificate's key, with TLS=files.", need: NeedWeb,
		read: into(anyText, func(c *Config) *string { return &c.TLS.Key })},

	{name: "ALLOW_PRIVATE_URLS", value: "MODE", fallback: "off", help: "Whether addresses of the exchange, of channels and of a mail server that users enter may be of private networks, and those of channels of this machine: off or on.", need: NeedExchange | NeedMail,
		read: into(parseSwitch, func(c *Config) *bool { return &c.Reach.Private })},
	{name: "ALLOWED_HOSTS", value: "HOSTS", help: "Hosts that exchanges, channels, mail servers and SFTP servers may have if users enter them, separated by commas; *.example.com allows all below example.com; all where not set.", list: true, need: NeedExchange | NeedMail | NeedDelivery,
		read: into(parseHosts, func(c *Config) *safehttp.HostList { return &c.Reach.Hosts })},
	{name: "ACCOUNT", value: "NAME", fallback: "main", help: "Name of the affiliate account.", need: NeedExchange,
		read: intoAccount(ParseAccountName, func(a *AccountSettings) *affiliate.Account { return &a.Name })},
	{name: "EXCHANGE", value: "NAME", fallback: known.Default, help: "Exchange of the account; webapp exchanges lists them.", perTable: true, need: NeedExchange,
		read: intoAccount(ParseExchange, func(a *AccountSettings) *string { return &a.Exchange })},
	{name: "BASE_URL", value: "URL", help: "Address of the exchange: https, or http to this machine.", perTable: true, need: NeedExchange,
		read: intoAccount(ParseBaseURL, func(a *AccountSettings) *string { return &a.BaseURL })},
	{name: "CONTRACT_BASE_URL", value: "URL", help: "Address of the exchange's contract market; BASE_URL where not set.", perTable: true, need: NeedExchange,
		read: intoAccount(ParseBaseURL, func(a *AccountSettings) *string { return &a.ContractBaseURL })},
	{name: "API_VERSION", value: "VERSION", fallback: "v2", help: "Version of the affiliate endpoints: v2 or v3.", perTable: true, need: NeedExchange,
		read: intoAccount(ParseAPIVersion, func(a *AccountSettings) *string { return &a.APIVersion })},
	{name: "LOCALE", value: "TAG", fallback: "en-US", help: "Language tag sent to the exchange.", perTable: true, need: NeedExchange,
		read: intoAccount(ParseLocale, func(a *AccountSettings) *string { return &a.Locale })},
	{name: "API_KEY", help: "Key of the affiliate account.", secret: true, perTable: true, need: NeedExchange,
		read: intoAccount(ParseCredential, func(a *AccountSettings) *exchange.Secret { return &a.Keys.Key })},
	{name: "API_SECRET", help: "Secret of that key.", secret: true, perTable: true, need: NeedExchange,
		read: intoAccount(ParseCredential, func(a *AccountSettings) *exchange.Secret { return &a.Keys.Secret })},
	{name: "API_PASSPHRASE", help: "Passphrase of that key.", secret: true, perTable: true, need: NeedExchange,
		read: intoAccount(ParseCredential, func(a *AccountSettings) *exchange.Secret { return &a.Keys.Passphrase })},
	{name: "TRADING_API_KEY", help: "Key that may trade, with which orders are sent; never the one that reads.", secret: true, perTable: true, need: NeedTrading,
		read: intoAccount(ParseCredential, func(a *AccountSettings) *exchange.Secret { return &a.TradingKeys.Key })},
	{name: "TRADING_API_SECRET", help: "Secret of that key.", secret: true, perTable: true, need: NeedTrading,
		read: intoAccount(ParseCredential, func(a *AccountSettings) *exchange.Secret { return &a.TradingKeys.Secret })},
	{name: "TRADING_API_PASSPHRASE", help: "Passphrase of that key.", secret: true, perTable: true, need: NeedTrading,
		read: intoAccount(ParseCredential, func(a *AccountSettings) *exchange.Secret { return &a.TradingKeys.Passphrase })},

	{name: "HISTORY", value: "DAYS", fallback: "365d", help: "How far back to collect: 365d, 52w.", need: NeedExchange,
		read: into(parseHistory, func(c *Config) *time.Duration { return &c.History })},
	{name: "RATE_BUDGET", value: "WEIGHT", fallback: "400", help: "Most request weight to use in any 10 s.", need: NeedExchange,
		read: into(parsePositive, func(c *Config) *int { return &c.RateBudget })},
	{name: "KEEP_ANSWERS", value: "DAYS", fallback: "0", help: "For how many days the exchange's answers are kept, word for word; with 0 only their fingerprints.", need: NeedExchange,
		read: into(parseKeepAnswers, func(c *Config) *int { return &c.KeepAnswers })},
	{name: "KEEP_TRADES", value: "DAYS", fallback: "7", help: "For how many days the public trades of favourite and open pairs are kept, of which the charts of the console are made.", need: NeedWeb,
		read: into(parseKeepMarket, func(c *Config) *int { return &c.KeepTrades })},
	{name: "KEEP_CANDLES", value: "DAYS", fallback: "400", help: "For how many days the candles of these charts are kept, at least as long as trades.", need: NeedWeb,
		read: into(parseKeepMarket, func(c *Config) *int { return &c.KeepCandles })},
	{name: "COLLECT_EVERY", value: "TIME", fallback: "15m", help: "Time from one scheduled collection to the next.", need: NeedSchedule,
		read: into(parseCollectEvery, func(c *Config) *time.Duration { return &c.CollectEvery })},
	{name: "BACKUP_DIR", value: "DIR", help: "Folder of the daily backups; the path of the database file, or rebatedesk with a server, with .backups where not set.", need: NeedSchedule | NeedBackups,
		read: into(anyText, func(c *Config) *string { return &c.Backups.Dir })},
	{name: "BACKUP_KEEP", value: "COUNT", fallback: "14", help: "How many daily backups are kept; with 0 none are made.", need: NeedSchedule,
		read: into(parseBackupKeep, func(c *Config) *int { return &c.Backups.Keep })},

	{name: "SMTP_URL", help: "Mail server: smtp://user:pass@host:587 (STARTTLS; ?tls=opportunistic or ?tls=none asks for less) or smtps://user:pass@host:465. Without it, the one that an administrator entered in the pages is used.", secret: true, need: NeedMail,
		read: into(parseSMTP, func(c *Config) *SMTP { return &c.Mail.Server })},
	{name: "MAIL_FROM", value: "ADDRESS", help: "Sender of mail; goes with SMTP_URL.", need: NeedMail,
		read: into(parseSender, func(c *Config) **mail.Address { return &c.Mail.From })},
	{name: "MAIL_HELO", value: "NAME", help: "Name by which this program introduces itself to the mail server; the host of PUBLIC_URL where not set, or else the domain of MAIL_FROM.", need: NeedMail,
		read: into(parseHelo, func(c *Config) *string { return &c.Mail.Helo })},

	{name: "DELIVERY_FOLDERS", value: "DIRS", help: "Folders below which scheduled deliveries may write, separated by commas; anywhere where not set.", list: true, need: NeedDelivery,
		read: into(parseFolders, func(c *Config) *[]string { return &c.Delivery.Folders })},
	{name: "S3_ENDPOINT", value: "URL", fallback: "https://s3.amazonaws.com", help: "Address of the S3-compatible storage of deliveries: https, or http to this machine.", need: NeedDelivery,
		read: into(parseS3Endpoint, func(c *Config) *string { return &c.Delivery.S3Endpoint })},
	{name: "S3_REGION", value: "NAME", fallback: "us-east-1", help: "Region of its buckets.", need: NeedDelivery,
		read: into(parseRegion, func(c *Config) *string { return &c.Delivery.S3Region })},
	{name: "S3_ACCESS_KEY", help: "Access key of that storage.", secret: true, need: NeedDelivery,
		read: into(ParseCredential, func(c *Config) *exchange.Secret { return &c.Delivery.S3AccessKey })},
	{name: "S3_SECRET_KEY", help: "Secret of that key.", secret: true, need: NeedDelivery,
		read: into(ParseCredential, func(c *Config) *exchange.Secret { return &c.Delivery.S3SecretKey })},
	{name: "S3_ALLOW_HTTP", value: "MODE", fallback: "off", help: "Whether that address may be http beyond this machine: off or on.", need: NeedDelivery,
		read: into(parseSwitch, func(c *Config) *bool { return &c.Delivery.S3AllowHTTP })},
	{name: "SFTP_PASSWORD", help: "Password for the SFTP servers of deliveries.", secret: true, need: NeedDelivery,
		read: into(ParseCredential, func(c *Config) *exchange.Secret { return &c.Delivery.SFTPPassword })},
	{name: "SFTP_KEY", help: "Private key for these servers, as ssh-keygen writes it.", secret: true, need: NeedDelivery,
		read: into(parseKeyText, func(c *Config) *exchange.Secret { return &c.Delivery.SFTPKey })},
	{name: "SFTP_KEY_PASSPHRASE", help: "Passphrase of that key.", secret: true, need: NeedDelivery,
		read: into(ParseCredential, func(c *Config) *exchange.Secret { return &c.Delivery.SFTPKeyPassphrase })},
	{name: "SFTP_KNOWN_HOSTS", value: "FILE", help: "File with the keys of these servers, as ssh-keyscan prints them.", need: NeedDelivery,
		read: into(anyText, func(c *Config) *string { return &c.Delivery.SFTPKnownHosts })},

	{name: "TRADING", value: "MODE", fallback: "off", help: "Orders: off, dry-run (everything but sending) or live.", need: NeedTrading,
		read: into(OneOf("off", "dry-run", "live"), func(c *Config) *string { return &c.Trading.Mode })},
	{name: "ORDER_CAP", value: "AMOUNT", help: "Most one order may be worth, in the quote coin; none where not set.", need: NeedTrading,
		read: into(parseCap, func(c *Config) *affiliate.Number { return &c.Trading.OrderCap })},
	{name: "DAILY_CAP", value: "AMOUNT", help: "Most all orders of a UTC day may be worth, in the quote coin; none where not set.", need: NeedTrading,
		read: into(parseCap, func(c *Config) *affiliate.Number { return &c.Trading.DailyCap })},
	{name: "ALLOW_PAIRS", value: "PAIRS", help: "Pairs that may be traded, separated by commas; all where not set.", list: true, need: NeedTrading,
		read: into(parsePairs, func(c *Config) *[]string { return &c.Trading.AllowPairs })},
	{name: "KILL_FILE", value: "FILE", help: "While this file exists no order is sent; the path of the database file, or rebatedesk with a server, with .kill where not set.", need: NeedTrading,
		read: into(anyText, func(c *Config) *string { return &c.Trading.KillFile })},

	{name: "MASTER_KEY", help: "32 bytes in base64 that protect stored secrets; where not set, the file beside the database that ends in .key (with a server rebatedesk.key in the working folder), made at first need.", secret: true, need: NeedMasterKey,
		read: into(parseMasterKey, func(c *Config) *exchange.Secret { return &c.MasterKey })},
}

// reading parses a setting into its field, of the configuration or of an account.
type reading func(r *reader, s setting, c *Config, a *AccountSettings)

func into[T any](parse func(string) (T, *ValueProblem), field func(*Config) *T) reading {
	return func(r *reader, s setting, c *Config, _ *AccountSettings) { *field(c) = parsed(r, s, parse) }
}

func intoAccount[T any](parse func(string) (T, *ValueProblem), field func(*AccountSettings) *T) reading {
	return func(r *reader, s setting, _ *Config, a *AccountSettings) { *field(a) = parsed(r, s, parse) }
}

// ofAccount reports whether each account has a separate value.
func (s setting) ofAccount() bool { return s.perTable || s.name == "ACCOUNT" }

// settingByName returns the setting called name. An unknown name is a programming
// error.
func settingByName(name string) setting {
	for _, s := range settings {
		if s.name == name {
			return s
		}
	}
	panic("no such setting: " + name)
}

// inFile reports whether the setting can also be given as NAME_FILE.
func (s setting) inFile() bool { return s.secret || s.file }

// Default returns the value of a setting that is not set.
func Default(name string) string { return settingByName(name).fallback }

// key returns the setting's key in the TOML file.
func (s setting) key() string { return strings.ToLower(s.name) }

// variable returns the setting's environment variable.
func (s setting) variable() string { return environmentPrefix + s.name }

// flag returns the flag to recommend. For a secret it is the flag that names a file,
// because every user of the machine can read the command line of a process.
func (s setting) flag() string {
	if s.secret {
		return FlagName(s.name + fileSuffix)
	}
	return FlagName(s.name)
}
