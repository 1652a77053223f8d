package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/version"

	"rebatedesk"
	"rebatedesk/store"
)

// versionCommand prints the version of this binary.
type versionCommand struct {
	Notices bool `help:"Print the works of others in the program; of a release with the texts of their licences."`
}

// Run prints one line, or the notices. It checks only the settings on the command line: the
// version can be printed whatever is wrong with the others.
func (c versionCommand) Run(p *program) error {
	said := config.Inputs{Flags: p.sources.Flags, ConfigFile: p.sources.ConfigFile}
	if _, err := config.Load(said, config.NeedNothing); err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	if c.Notices {
		_, err := io.WriteString(p.stdout, notices(rebatedesk.Notice, info))
		return err
	}
	_, err := fmt.Fprintln(p.stdout, version.String(info))
	text := fmt.Sprintf("webapp: databases: %s; schema version %d\n", store.SupportedEngines(), store.KnownSchema())
	text += "webapp: webapp version --notices names the works of others in it\n"
	if wrong := version.OldToolchain(runtime.Version()); wrong != "" {
		text += "webapp: it was " + wrong + "; " + version.NewerToolchain + "\n"
	}
	_, failed := io.WriteString(p.stderr, text)
	return errors.Join(err, failed)
}

// notices returns the licences of the works of others in this binary. A binary that was not built
// for a release does not hold their texts: it names the linked modules, and says how to get the texts.
func notices(held string, info *debug.BuildInfo) string {
	if held != "" {
		return held
	}
	var list strings.Builder
	list.WriteString("This binary holds the following modules of others, but not the texts of their licences. In the source\n" +
		"of this version, \"go run ./internal/notices\" writes them to the file NOTICE, with those of the packages of\n" +
		"the pages, and \"make release\" builds a binary that holds them and prints them here.\n\n")
	list.WriteString("Go, with its standard library " + runtime.Version() + "\n")
	if info == nil {
		list.WriteString("The list of modules was left out of this binary.\n")
		return list.String()
	}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		list.WriteString(module.Path + " " + module.Version + "\n")
	}
	return list.String()
}
