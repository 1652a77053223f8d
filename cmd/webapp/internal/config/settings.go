package config

import (
	"strings"

	"github.com/alecthomas/kong"
)

// setting is one thing that can be set: by a flag, an environment variable or
// a key of the TOML file, all named after it.
type setting struct {
	name     string // as in BASE_URL
	Fallback string // the value where none is set
	secret   bool   // never on a command line, never shown; also as NAME_FILE
	perTable bool   // may stand in an [[account]] table
	help     string
}

// settings lists every setting there is.
var settings = []setting{
	{name: "DB", Fallback: "rebatedesk.db", help: "Database file."},
	{name: "TIMEZONE", Fallback: "UTC", help: "Time zone of the reporting day, by its IANA name."},
	{name: "LOG_FORMAT", Fallback: "text", help: "Form of the log: text or json."},
	{name: "LOG_LEVEL", Fallback: "info", help: "Least level that is logged: debug, info, warn or error."},

	{name: "LISTEN", Fallback: "127.0.0.1:8080", help: "Address of the web server, host:port."},
	{name: "PUBLIC_URL", help: "Address under which people open the web server."},
	{name: "TLS", Fallback: "off", help: "Encryption by the web server itself: off, auto (a certificate from Let's Encrypt) or files."},
	{name: "TLS_CERT", help: "PEM file of the certificate and its chain, with TLS=files."},
	{name: "TLS_KEY", help: "PEM file of the certificate's key, with TLS=files."},
	{name: "TRUSTED_PROXIES", help: "Networks of proxies whose X-Forwarded-For is believed, separated by commas; none where not set."},
	{name: "METRICS_LISTEN", Fallback: "off", help: "Address of the metrics, host:port, or off."},

	{name: "ACCOUNT", Fallback: "main", help: "Name of the affiliate account."},
	{name: "BASE_URL", perTable: true, help: "Address of the exchange: https, or http to this machine."},
	{name: "CONTRACT_BASE_URL", perTable: true, help: "Address of the exchange's contract market; BASE_URL where not set."},
	{name: "ALLOW_PRIVATE_URLS", Fallback: "off", help: "Whether addresses of the exchange may be of private networks: off or on."},
	{name: "API_KEY", secret: true, perTable: true, help: "Key of the affiliate account."},
	{name: "API_SECRET", secret: true, perTable: true, help: "Secret of that key."},
	{name: "API_PASSPHRASE", secret: true, perTable: true, help: "Passphrase of that key."},
	{name: "API_VERSION", Fallback: "v2", perTable: true, help: "Version of the affiliate endpoints: v2 or v3."},
	{name: "LOCALE", Fallback: "en-US", perTable: true, help: "Language tag sent to the exchange."},
	{name: "HISTORY", Fallback: "365d", help: "How far back to collect: 365d, 52w."},
	{name: "RATE_BUDGET", Fallback: "400", help: "Most request weight to use in any 10 s."},
	{name: "COLLECT_EVERY", Fallback: "15m", help: "Time from one scheduled collection to the next."},
	{name: "BACKUP_DIR", help: "Folder of the daily backups; the database's path with .backups where not set."},
	{name: "BACKUP_KEEP", Fallback: "14", help: "How many daily backups are kept; with 0 none are made."},

	{name: "SMTP_URL", secret: true, help: "Mail server: smtp://user:pass@host:587?tls=mandatory, or smtps://."},
	{name: "MAIL_FROM", help: "Sender of mail."},

	{name: "TRADING", Fallback: "off", help: "Orders: off, dry-run or live."},
	{name: "TRADING_API_KEY", secret: true, perTable: true, help: "Key that may trade."},
	{name: "TRADING_API_SECRET", secret: true, perTable: true, help: "Secret of that key."},
	{name: "TRADING_API_PASSPHRASE", secret: true, perTable: true, help: "Passphrase of that key."},
	{name: "ORDER_CAP", help: "Most one order may be worth, in quote currency; none where not set."},
	{name: "DAILY_CAP", help: "Most all orders of a day may be worth, in quote currency; none where not set."},
	{name: "ALLOW_PAIRS", help: "Pairs that may be traded, separated by commas; all where not set."},
	{name: "KILL_FILE", help: "While this file exists no order is sent; the database's path with .kill where not set."},

	{name: "MASTER_KEY", secret: true, help: "32 bytes in base64 that protect stored secrets."},
}

// SettingByName is the setting called name; asking for one that is not listed
// is a slip in this program.
func SettingByName(name string) setting {
	for _, s := range settings {
		if s.name == name {
			return s
		}
	}
	panic("no such setting: " + name)
}

// key is the setting's key in the TOML file.
func (s setting) key() string { return strings.ToLower(s.name) }

// variable is the setting's environment variable.
func (s setting) variable() string { return environmentPrefix + s.name }

// flag is the setting's flag to recommend. A secret can be given as a flag of
// its own name too, but everybody on the machine can read the command line of
// a process: help and mends name the flag that names a file.
func (s setting) flag() string {
	name := strings.ReplaceAll(s.key(), "_", "-")
	if s.secret {
		name += "-file"
	}
	return "--" + name
}

// settingsGroup marks the flags that are settings among a command's flags.
const settingsGroup = "settings"

var Group = kong.Group{
	Key:         settingsGroup,
	Title:       "Settings:",
	Description: "Each also as the environment variable REBATEDESK_<NAME> (--base-url is REBATEDESK_BASE_URL) or as a key of the TOML file (base_url). A flag is stronger than the environment, the environment stronger than the file.",
}

// Vars lets the flags below take their help from the list above.
func Vars() kong.Vars {
	vars := kong.Vars{}
	for _, s := range settings {
		help := s.help
		if s.secret {
			vars[s.key()+"_flag"] = help + " Others on this machine can see a command line: better the environment or a file."
			help = "File with: " + help
		}
		if s.Fallback != "" {
			help += " Default: " + s.Fallback + "."
		}
		vars[s.key()] = help
	}
	return vars
}

// The flags of the settings, in the groups that commands take them in. The
// values are read by FlagsOf, from kong's own list of what was given.

type CommonFlags struct {
	Timezone  string `placeholder:"ZONE" help:"${timezone}"`
	LogFormat string `placeholder:"FORM" help:"${log_format}"`
	LogLevel  string `placeholder:"LEVEL" help:"${log_level}"`
}

type StoreFlags struct {
	DB string `name:"db" placeholder:"FILE" help:"${db}"`
}

type WebFlags struct {
	Listen        string `placeholder:"ADDR" help:"${listen}"`
	PublicURL     string `name:"public-url" placeholder:"URL" help:"${public_url}"`
	MetricsListen string `placeholder:"ADDR" help:"${metrics_listen}"`

	TLS            string `name:"tls" placeholder:"MODE" help:"${tls}"`
	TLSCert        string `name:"tls-cert" placeholder:"FILE" help:"${tls_cert}"`
	TLSKey         string `name:"tls-key" placeholder:"FILE" help:"${tls_key}"`
	TrustedProxies string `placeholder:"NETS" help:"${trusted_proxies}"`
}

type ExchangeFlags struct {
	BaseURL           string `name:"base-url" placeholder:"URL" help:"${base_url}"`
	ContractBaseURL   string `name:"contract-base-url" placeholder:"URL" help:"${contract_base_url}"`
	AllowPrivateURLs  string `name:"allow-private-urls" placeholder:"MODE" help:"${allow_private_urls}"`
	APIKey            string `name:"api-key" placeholder:"SECRET" help:"${api_key_flag}"`
	APIKeyFile        string `name:"api-key-file" placeholder:"FILE" help:"${api_key}"`
	APISecret         string `name:"api-secret" placeholder:"SECRET" help:"${api_secret_flag}"`
	APISecretFile     string `name:"api-secret-file" placeholder:"FILE" help:"${api_secret}"`
	APIPassphrase     string `name:"api-passphrase" placeholder:"SECRET" help:"${api_passphrase_flag}"`
	APIPassphraseFile string `name:"api-passphrase-file" placeholder:"FILE" help:"${api_passphrase}"`
	APIVersion        string `name:"api-version" placeholder:"VERSION" help:"${api_version}"`
	Locale            string `placeholder:"TAG" help:"${locale}"`
	History           string `placeholder:"DAYS" help:"${history}"`
	RateBudget        string `placeholder:"WEIGHT" help:"${rate_budget}"`
}

type ScheduleFlags struct {
	CollectEvery string `placeholder:"TIME" help:"${collect_every}"`
	BackupDir    string `placeholder:"DIR" help:"${backup_dir}"`
	BackupKeep   string `placeholder:"COUNT" help:"${backup_keep}"`
}

// PrivateURLsFlag is for what asks stored accounts and takes no others.
type PrivateURLsFlag struct {
	AllowPrivateURLs string `name:"allow-private-urls" placeholder:"MODE" help:"${allow_private_urls}"`
}

// AccountFlag is the name of the plain account. Commands that choose among
// accounts have an --account of their own instead.
type AccountFlag struct {
	Account string `placeholder:"NAME" help:"${account}"`
}

type MailFlags struct {
	SMTPURL     string `name:"smtp-url" placeholder:"SECRET" help:"${smtp_url_flag}"`
	SMTPURLFile string `name:"smtp-url-file" placeholder:"FILE" help:"${smtp_url}"`
	MailFrom    string `placeholder:"ADDRESS" help:"${mail_from}"`
}

type TradingFlags struct {
	Trading                  string `placeholder:"MODE" help:"${trading}"`
	TradingAPIKey            string `name:"trading-api-key" placeholder:"SECRET" help:"${trading_api_key_flag}"`
	TradingAPIKeyFile        string `name:"trading-api-key-file" placeholder:"FILE" help:"${trading_api_key}"`
	TradingAPISecret         string `name:"trading-api-secret" placeholder:"SECRET" help:"${trading_api_secret_flag}"`
	TradingAPISecretFile     string `name:"trading-api-secret-file" placeholder:"FILE" help:"${trading_api_secret}"`
	TradingAPIPassphrase     string `name:"trading-api-passphrase" placeholder:"SECRET" help:"${trading_api_passphrase_flag}"`
	TradingAPIPassphraseFile string `name:"trading-api-passphrase-file" placeholder:"FILE" help:"${trading_api_passphrase}"`
	OrderCap                 string `placeholder:"AMOUNT" help:"${order_cap}"`
	DailyCap                 string `placeholder:"AMOUNT" help:"${daily_cap}"`
	AllowPairs               string `placeholder:"PAIRS" help:"${allow_pairs}"`
	KillFile                 string `placeholder:"FILE" help:"${kill_file}"`
}

type MasterKeyFlag struct {
	MasterKey     string `name:"master-key" placeholder:"SECRET" help:"${master_key_flag}"`
	MasterKeyFile string `placeholder:"FILE" help:"${master_key}"`
}

// FlagsOf is what the command line sets, by the names of the settings
// (NAME_FILE for secrets).
func FlagsOf(line *kong.Context) map[string]string {
	given := map[string]string{}
	for _, flag := range line.Flags() {
		if flag.Set && flag.Group != nil && flag.Group.Key == settingsGroup {
			name := strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
			given[name] = flag.Target.String()
		}
	}
	return given
}

// FileOf is the value of --config.
func FileOf(line *kong.Context) string {
	for _, flag := range line.Flags() {
		if flag.Name == "config" {
			return flag.Target.String()
		}
	}
	return ""
}
