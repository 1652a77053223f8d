package config

import (
	"strings"

	"github.com/alecthomas/kong"
)

// The flags of the settings, in the groups that commands embed. Their help comes
// from the list of settings.

// CommonFlags are what every command has.
type CommonFlags struct{ Timezone, LogFormat, LogLevel string }

// StoreFlags name the database.
type StoreFlags struct{ DB string }

// WebFlags are what the web server takes.
type WebFlags struct{ Listen, PublicURL, MetricsListen, TLS, TLSCert, TLSKey, TrustedProxies string }

// PublicURLFlag is for what only makes links to the pages.
type PublicURLFlag struct{ PublicURL string }

// ExchangeFlags are what a collection takes.
type ExchangeFlags struct {
	BaseURL, ContractBaseURL                                                       string
	AllowPrivateURLs                                                               string `name:"allow-private-urls"`
	APIKey, APIKeyFile, APISecret, APISecretFile, APIPassphrase, APIPassphraseFile string
	APIVersion, Locale, History, RateBudget                                        string
}

// ScheduleFlags are what happens by itself.
type ScheduleFlags struct{ CollectEvery, BackupDir, BackupKeep string }

// PrivateURLsFlag is for what asks stored accounts and takes no others.
type PrivateURLsFlag struct {
	AllowPrivateURLs string `name:"allow-private-urls"`
}

// AccountFlag is the name of the plain account. Commands that choose among
// accounts have an --account of their own instead.
type AccountFlag struct{ Account string }

// MailFlags are what mail takes.
type MailFlags struct {
	SMTPURL     string `name:"smtp-url"`
	SMTPURLFile string `name:"smtp-url-file"`
	MailFrom    string
}

// TradingFlags are what orders take.
type TradingFlags struct {
	Trading                                                                                                                  string
	TradingAPIKey, TradingAPIKeyFile, TradingAPISecret, TradingAPISecretFile, TradingAPIPassphrase, TradingAPIPassphraseFile string
	OrderCap, DailyCap, AllowPairs, KillFile                                                                                 string
}

// SwitchFlags are what the kill switch takes.
type SwitchFlags struct{ Trading, KillFile string }

// MasterKeyFlag is for what is sealed.
type MasterKeyFlag struct{ MasterKey, MasterKeyFile string }

// group marks the flags that are settings among a command's flags.
const group = "settings"

// Describe gives the flags of settings their help.
func Describe() kong.Option {
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

// byFlag are the settings by their flags, without the dashes; a secret has two.
var byFlag = func() map[string]setting {
	flags := map[string]setting{}
	for _, s := range settings {
		flags[flagName(s.name)] = s
		if s.secret {
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
	case s.secret:
		flag.PlaceHolder, flag.Help = "FILE", "File with: "+s.help
	case s.fallback != "":
		flag.Help += " Default: " + s.fallback + "."
	}
}

// FlagsOf is what the command line sets, by the names of the settings (NAME_FILE
// for secrets).
func FlagsOf(line *kong.Context) map[string]string {
	given := map[string]string{}
	for _, flag := range line.Flags() {
		if flag.Set && isSetting(flag) {
			given[strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))] = flag.Target.String()
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
