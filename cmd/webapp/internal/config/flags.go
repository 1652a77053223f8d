package config

import (
	"strings"

	"github.com/alecthomas/kong"
)

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
