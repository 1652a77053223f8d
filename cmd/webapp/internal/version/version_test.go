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
	plain := "v" + Current
	if got := Of(&debug.BuildInfo{}); got != plain {
		t.Errorf("without a stamp %q, want %q", got, plain)
	}
	for want, info := range map[string]*debug.BuildInfo{
		"v" + Current: nil,
		"v" + Current + " (0a1b2c3d4e5f, modified)": {
			Main:     debug.Module{Version: "(devel)"},
			Settings: stamped.Settings,
		},
		"v" + Current + " (0123456789ab)": {Main: debug.Module{Version: "v0.0.0-20261129180000-0123456789ab"}},
		"v" + Current + " (abcdef012345, modified)": { // as the go command stamps a tree without tags
			Main:     debug.Module{Version: "v0.0.0-20261129180000-abcdef012345+dirty"},
			Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abcdef01234567890000"}, {Key: "vcs.modified", Value: "true"}},
		},
		"v0.3.1-0.20261129180000-0123456789ab": {Main: debug.Module{Version: "v0.3.1-0.20261129180000-0123456789ab"}},
		"v1.2.0 (0a1b2c3d4e5f, modified)":      stamped,
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
