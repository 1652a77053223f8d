package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/version"

	"rebatedesk"
	"rebatedesk/store"
)

// versionCommand prints the version of this binary.
type versionCommand struct {
	Notices bool `help:"Print the works of others that are in the program, with their licences."`
}

// Run prints one line, or the notices. It checks only the settings on the command line: the
// version can be printed whatever is wrong with the others.
func (c versionCommand) Run(p *program) error {
	said := config.Inputs{Flags: p.sources.Flags, ConfigFile: p.sources.ConfigFile}
	if _, err := config.Load(said, config.NeedNothing); err != nil {
		return err
	}
	if c.Notices {
		_, err := io.WriteString(p.stdout, rebatedesk.Notice)
		return err
	}
	info, _ := debug.ReadBuildInfo()
	_, err := fmt.Fprintln(p.stdout, version.String(info))
	text := fmt.Sprintf("webapp: databases: %s; schema version %d\n", store.SupportedEngines(), store.KnownSchema())
	text += "webapp: webapp version --notices prints the licences of what is linked into it\n"
	if wrong := version.OldToolchain(runtime.Version()); wrong != "" {
		text += "webapp: it was " + wrong + "; " + version.NewerToolchain + "\n"
	}
	_, failed := io.WriteString(p.stderr, text)
	return errors.Join(err, failed)
}
