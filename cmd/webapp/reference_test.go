package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/internal/golden"

	"github.com/alecthomas/kong"
)

const referenceHead = `# Settings and commands

This page is printed from the program's own help, and a test compares it:
` + "`go test ./cmd/webapp -run TestReference -update`" + ` writes it.
` + "`webapp --help` and `webapp COMMAND --help`" + ` show the same.

## Settings

A setting is a flag (` + "`--base-url`" + `), an environment variable (` + "`REBATEDESK_BASE_URL`" + `) or a key of a TOML
file (` + "`base_url`" + `), in this order of precedence. ` + "`--config` or `REBATEDESK_CONFIG`" + ` names the file. Where the table
has *file*, the value can be the name of a file that holds it, as ` + "`API_KEY_FILE`" + ` or ` + "`--api-key-file`" + `: this is
the best way for secrets, since others on the machine can see a command line.

Several accounts are configured in the TOML file. A table can have the settings of the exchange: the
addresses, the version, the locale, the key, and the key for orders.

` + "```toml" + `
base_url = "https://…"

[[account]]
name = "europe"
api_key_file = "/etc/rebatedesk/europe.key"
api_secret_file = "/etc/rebatedesk/europe.secret"
api_passphrase_file = "/etc/rebatedesk/europe.passphrase"

[[account]]
name = "asia"
# …
` + "```" + `

| setting | default | | meaning |
|---|---|---|---|
`

const referenceCommands = `
## Commands

Exit status: 0 done; 1 failed; 2 wrong usage or settings, each fault on a line with its remedy; 3 done but
incomplete, each missing piece with its cause. Every command takes ` + "`--help` and `--config FILE`" + `, and the
settings ` + "`TIMEZONE`, `LOG_FORMAT` and `LOG_LEVEL`" + `; further settings are named below each command.
`

// docs/reference.md is what the program says of its settings and commands; -update writes it.
func TestReference(t *testing.T) {
	t.Parallel()
	parser, err := kong.New(&commandLine{}, kong.Name("webapp"), config.HelpOptions(), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	// The server takes every setting, in the order of its help.
	served := slices.IndexFunc(parser.Model.Children, func(n *kong.Node) bool { return n.Name == "serve" })
	settings := settingsOf(slices.Concat(parser.Model.Flags, parser.Model.Children[served].Flags))
	text := referenceHead
	for _, s := range settings {
		fallback := ""
		if s.fallback != "" {
			fallback = "`" + s.fallback + "`"
		}
		file := ""
		if s.file {
			file = "file"
		}
		text += fmt.Sprintf("| `%s` | %s | %s | %s |\n", s.name, fallback, file, cell(s.help))
	}
	text += referenceCommands
	for _, command := range parser.Model.Leaves(true) {
		text += described(t, parser.Model, command, settings)
	}
	golden.Equal(t, "../../../docs/reference.md", []byte(text))
}

// settingOnPage is a line of the table of settings.
type settingOnPage struct {
	name, fallback, help string
	file                 bool
}

var (
	fallbackOf  = regexp.MustCompile(` Default: (.*)\.$`)
	lineIsSeen  = " Others on this machine can see a command line: better the environment or a file."
	groupOfFlag = "settings"
)

// settingsOf returns the settings among flags, one that has a flag for its file once.
func settingsOf(flags []*kong.Flag) (list []settingOnPage) {
	for _, flag := range flags {
		if flag.Group == nil || flag.Group.Key != groupOfFlag {
			continue
		}
		if of, isFile := strings.CutSuffix(flag.Name, "-file"); isFile {
			if i := slices.IndexFunc(list, func(s settingOnPage) bool { return s.name == envName(of) }); i >= 0 {
				list[i].file = true
				continue
			}
		}
		s := settingOnPage{name: envName(flag.Name), help: strings.TrimSuffix(flag.Help, lineIsSeen)}
		if fallback := fallbackOf.FindStringSubmatch(s.help); fallback != nil {
			s.help, s.fallback = strings.TrimSuffix(s.help, fallback[0]), fallback[1]
		}
		list = append(list, s)
	}
	return list
}

func envName(flag string) string { return strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) }

// cell makes text one cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "\n", " ").Replace(text)
}

// code makes text a cell of code.
func code(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// described returns the section of a command.
func described(t *testing.T, model *kong.Application, command *kong.Node, settings []settingOnPage) string {
	text := "\n### `" + command.FullPath()
	for _, argument := range command.Positional {
		text += " " + argument.Summary()
	}
	text += "`\n\n" + cell(command.Help) + "\n"
	if command.Help == "" {
		t.Errorf("%s has no help", command.FullPath())
	}
	if command.Detail != "" {
		text += "\n" + command.Detail + "\n"
	}
	var rows, uses string
	for _, argument := range command.Positional {
		if argument.Help != "" {
			rows += fmt.Sprintf("| `%s` | %s |\n", code(argument.Summary()), cell(argument.Help))
		}
	}
	inherited := settingsOf(model.Flags)
	for _, group := range command.AllFlags(true) {
		for _, flag := range group {
			if flag.Group != nil && flag.Group.Key == groupOfFlag {
				name := envName(flag.Name)
				if known := func(s settingOnPage) bool { return s.name == name }; slices.ContainsFunc(settings, known) && !slices.ContainsFunc(inherited, known) {
					uses += ", `" + name + "`"
				}
				continue
			}
			if flag.Name == "help" || flag.Name == "config" {
				continue
			}
			needed := ""
			if flag.Required {
				needed = " Needed."
			}
			rows += fmt.Sprintf("| `%s` | %s%s |\n", code(flag.String()), cell(flag.Help), needed)
		}
	}
	if rows != "" {
		text += "\n| | |\n|---|---|\n" + rows
	}
	if server := strings.Count(uses, ",") > len(settings)/2; server {
		text += "\nSettings: all of them.\n"
	} else if uses != "" {
		text += "\nSettings: " + strings.TrimPrefix(uses, ", ") + ".\n"
	}
	return text
}
