package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

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
	said := sources{flags: p.sources.flags, configFile: p.sources.configFile}
	if _, err := loadConfig(said, NeedNothing); err != nil {
		return err
	}
	if c.Notices {
		_, err := io.WriteString(p.stdout, rebatedesk.Notice)
		return err
	}
	info, _ := debug.ReadBuildInfo()
	_, err := fmt.Fprintln(p.stdout, versionLine(info))
	text := "webapp: webapp version --notices prints the licences of what is linked into it\n"
	if wrong := oldToolchain(runtime.Version()); wrong != "" {
		text += "webapp: it was " + wrong + "; " + newerToolchain + "\n"
	}
	_, failed := io.WriteString(p.stderr, text)
	return errors.Join(err, failed)
}
