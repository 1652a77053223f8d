package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// versionCommand prints what this binary was built from.
type versionCommand struct{}

// Run prints one line on stdout. Of the settings it checks those of the command
// line alone: whatever is wrong with the others, the version can be told.
func (versionCommand) Run(p *program) error {
	said := sources{flags: p.sources.flags, configFile: p.sources.configFile}
	if _, err := loadConfig(said, NeedNothing); err != nil {
		return err
	}
	info, _ := debug.ReadBuildInfo()
	_, err := fmt.Fprintln(p.stdout, versionLine(info))
	return err
}

// versionLine is the binary's name, its version, and what it was built with
// and for.
func versionLine(info *debug.BuildInfo) string {
	return strings.Join([]string{"webapp", version(info), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}, " ")
}

// version is the module's version as the Go tool wrote it into the binary,
// with the commit where it knows it: "v1.2.0 (0a1b2c3d4e5f, modified)".
func version(info *debug.BuildInfo) string {
	if info == nil {
		return "unknown"
	}
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	var commit []string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = append(commit, s.Value[:min(12, len(s.Value))])
		case s.Key == "vcs.modified" && s.Value == "true":
			commit = append(commit, "modified")
		}
	}
	if len(commit) > 0 {
		version += " (" + strings.Join(commit, ", ") + ")"
	}
	return version
}

// userAgent is how this binary names itself to the exchange.
func userAgent() string {
	info, _ := debug.ReadBuildInfo()
	v, _, _ := strings.Cut(version(info), " ")
	return "rebatedesk/" + strings.Trim(v, "()")
}
