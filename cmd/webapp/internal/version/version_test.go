package version

import (
	goversion "go/version"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	stamped := &debug.BuildInfo{
		Main:     debug.Module{Version: "v1.2.0"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0a1b2c3d4e5f60718293"}, {Key: "vcs.modified", Value: "true"}},
	}
	for want, info := range map[string]*debug.BuildInfo{
		"unknown":                         nil,
		"(devel)":                         {},
		"v1.2.0 (0a1b2c3d4e5f, modified)": stamped,
	} {
		if got := Of(info); got != want {
			t.Errorf("version %q, want %q", got, want)
		}
	}
}

// The floor is one number: of the document, of the program, and at most that of
// the build.
func TestToolchainFloor(t *testing.T) {
	read := func(name string) string {
		content, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	document := read("../../../../docs/dependencies.md")
	floor := regexp.MustCompile("(?m)^Go floor: `(go[0-9.]+)`$").FindStringSubmatch(document)
	toolchain := regexp.MustCompile(`(?m)^toolchain (go[0-9.]+)$`).FindStringSubmatch(read("../../../../go.mod"))
	if floor == nil || toolchain == nil {
		t.Fatal("docs/dependencies.md names no floor, or go.mod no toolchain")
	}
	if floor[1] != goFloor || goversion.Compare(toolchain[1], floor[1]) < 0 {
		t.Errorf("the floor is %s in the document and %s in the program, and go.mod builds with %s", floor[1], goFloor, toolchain[1])
	}
	for built, old := range map[string]bool{
		"go1.26.8": true, "go1.26.9 X:nogreenteagc": true, "go1.25.20": true,
		goFloor: false, "go1.26.11": false, "go1.27.0": false, "devel +0a1b2c": false, "": false,
	} {
		if got := OldToolchain(built) != ""; got != old {
			t.Errorf("%q is old: %v, want %v", built, got, old)
		}
	}
}
