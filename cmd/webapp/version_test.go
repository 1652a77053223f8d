package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	stamped := &debug.BuildInfo{
		Main:     debug.Module{Version: "v1.2.0"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "0a1b2c3d4e5f60718293"}, {Key: "vcs.modified", Value: "true"}},
	}
	for want, info := range map[string]*debug.BuildInfo{
		"unknown":                         nil,
		"(devel)":                         {},
		"v1.2.0 (0a1b2c3d4e5f, modified)": stamped,
	} {
		if got := version(info); got != want {
			t.Errorf("version %q, want %q", got, want)
		}
	}
	status, stdout, stderr := webapp(t.Context(), "version")
	if status != statusDone || !strings.HasPrefix(stdout, "webapp ") || strings.Count(stdout, "\n") != 1 || stderr != "" {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}
