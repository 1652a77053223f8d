package config

import (
	"strings"

	"github.com/alecthomas/kong"
)

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
type ReportFlags struct{ PayoutRule, InactivityLimit string }

// ExchangeFlags configure a collection.
type ExchangeFlags struct {
	BaseURL, ContractBaseURL                                                       string
	AllowPrivateURLs                                                               string `name:"allow-private-urls"`
	AllowedHosts                                                                   string
	APIKey, APIKeyFile, APISecret, APISecretFile, APIPassphrase, APIPassphraseFile string
	APIVersion, Locale, History, RateBudget, KeepAnswers                           string
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

// ShippingFlags configure the destinations of scheduled deliveries.
type ShippingFlags struct {
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
	ShippingFlags `embed:""`
	AccountFlag   `embed:""`
	MasterKeyFlag `embed:""`
	TradingFlags  `embed:""`
}

// group is the group of flags that are settings.
const group = "settings"

// HelpOptions adds the help and placeholders of settings to kong's model after it is
// built. As variables of kong they would be expanded again for every flag of every
// command.
func HelpOptions() kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		titled := kong.ExplicitGroups([]kong.Group{{
			Key:         group,
			Title:       "Settings:",
			Description: "Each also as the environment variable REBATEDESK_<NAME> (--base-url is REBATEDESK_BASE_URL) or as a key of the TOML file (base_url). A flag is stronger than the environment, the environment stronger than the file.",
		}})
		described := kong.PostBuild(func(k *kong.Kong) error {
			return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
				if flag, ok := node.(*kong.Flag); ok && isSetting(flag) {
					describe(flag)
				}
				return next(nil)
			})
		})
		if err := titled.Apply(k); err != nil {
			return err
		}
		return described.Apply(k)
	})
}

func isSetting(flag *kong.Flag) bool { return flag.Group != nil && flag.Group.Key == group }

// byFlag maps flag names, without dashes, to settings. One that may be in a file has two flags.
var byFlag = func() map[string]setting {
	flags := map[string]setting{}
	for _, s := range settings {
		flags[flagName(s.name)] = s
		if s.inFile() {
			flags[flagName(s.name+fileSuffix)] = s
		}
	}
	return flags
}()

func describe(flag *kong.Flag) {
	s := byFlag[flag.Name]
	flag.PlaceHolder, flag.Help = s.value, s.help
	switch {
	case s.secret && flag.Name == flagName(s.name):
		flag.PlaceHolder = "SECRET"
		flag.Help += " Others on this machine can see a command line: better the environment or a file."
	case flag.Name != flagName(s.name):
		flag.PlaceHolder, flag.Help = "FILE", "File with: "+s.help
	case s.fallback != "":
		flag.Help += " Default: " + s.fallback + "."
	}
}

// FlagsOf returns the settings given on the command line, by setting name
// (NAME_FILE for files of secrets).
func FlagsOf(line *kong.Context) map[string]string {
	given := map[string]string{}
	for _, flag := range line.Flags() {
		if flag.Set && isSetting(flag) {
			given[strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))] = flag.Target.String()
		}
	}
	return given
}

// FileOf returns the value of --config.
func FileOf(line *kong.Context) string {
	for _, flag := range line.Flags() {
		if flag.Name == "config" {
			return flag.Target.String()
		}
	}
	return ""
}
