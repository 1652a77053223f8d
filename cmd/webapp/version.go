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
)

// versionCommand prints what this binary was built from.
type versionCommand struct {
	Notices bool `help:"Print the works of others that are in the program, with their licences."`
}

// Run prints one line on stdout, or the notices. Of the settings it checks those
// of the command line alone: whatever is wrong with the others, the version can
// be told.
func (c versionCommand) Run(p *program) error {
	said := config.Sources{Flags: p.sources.Flags, ConfigFile: p.sources.ConfigFile}
	if _, err := config.Load(said, config.NeedNothing); err != nil {
		return err
	}
	if c.Notices {
		_, err := io.WriteString(p.stdout, rebatedesk.Notice)
		return err
	}
	info, _ := debug.ReadBuildInfo()
	_, err := fmt.Fprintln(p.stdout, version.Line(info))
	text := "webapp: webapp version --notices prints the licences of what is linked into it\n"
	if wrong := version.OldToolchain(runtime.Version()); wrong != "" {
		text += "webapp: it was " + wrong + "; " + version.NewerToolchain + "\n"
	}
	_, failed := io.WriteString(p.stderr, text)
	return errors.Join(err, failed)
}
