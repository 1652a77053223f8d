// Package version reports how this binary was built.
package version

import (
	goversion "go/version"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// Current is the version of this source: the newest one that CHANGELOG.md describes.
const Current = "0.3.0"

// untagged matches the version that the go command gives to a commit without a tag before it, and
// catches the commit.
var untagged = regexp.MustCompile(`^v0\.0\.0-\d{14}-([0-9a-f]{12})(?:\+dirty)?$`)

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

// Of returns the version and the commit, such as "v1.2.0 (0a1b2c3d4e5f, modified)". The version is
// that of the module if it was built as a tagged one, and otherwise [Current].
func Of(info *debug.BuildInfo) string {
	if info == nil {
		return "v" + Current
	}
	version, commit := "v"+Current, []string(nil)
	if pseudo := untagged.FindStringSubmatch(info.Main.Version); pseudo != nil {
		commit = pseudo[1:]
	} else if info.Main.Version != "" && info.Main.Version != "(devel)" {
		version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = []string{s.Value[:min(12, len(s.Value))]}
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
	return "rebatedesk/" + v
}
