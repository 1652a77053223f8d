// Package version reports how this binary was built.
package version

import (
	goversion "go/version"
	"runtime"
	"runtime/debug"
	"strings"
)

// goFloor is the oldest release of Go without a known fault that reaches this
// program; see docs/dependencies.md.
const goFloor = "go1.26.10"

const NewerToolchain = "build it with make build, which asks for the toolchain of go.mod, or set GOTOOLCHAIN=" + goFloor + "+auto"

// OldToolchain reports what is wrong with a release of Go below the floor; empty if
// it is recent enough or not comparable.
func OldToolchain(built string) string {
	release, _, _ := strings.Cut(built, " ")
	if !goversion.IsValid(release) || goversion.Compare(release, goFloor) >= 0 {
		return ""
	}
	return "built with " + release + ", which has faults that " + goFloor + " fixes"
}

// String returns the name of the binary, its version, and its toolchain and platform.
func String(info *debug.BuildInfo) string {
	return strings.Join([]string{"webapp", Of(info), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}, " ")
}

// Of returns the module version and the commit, such as "v1.2.0 (0a1b2c3d4e5f,
// modified)".
func Of(info *debug.BuildInfo) string {
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

// UserAgent returns how this binary identifies itself to the exchange.
func UserAgent() string {
	info, _ := debug.ReadBuildInfo()
	v, _, _ := strings.Cut(Of(info), " ")
	return "rebatedesk/" + strings.Trim(v, "()")
}
