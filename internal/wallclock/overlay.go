package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// shiftVariable says by how many seconds the clock of a process is shifted.
const shiftVariable = "WALLCLOCK_SHIFT"

// These are the functions that Now of package time calls, originally and when shifted. The
// clock of a bubble of testing/synctest is already artificial.
const (
	asks    = "\tsec, nsec, mono := runtimeNow()\n"
	shifted = asks + "\tif !runtimeIsBubbled() {\n\t\tsec += wallclockShift\n\t}\n"
)

// shift is an additional file of package time.
const shift = `package time

import "syscall"

var wallclockShift = func() (seconds int64) {
	text, _ := syscall.Getenv("` + shiftVariable + `")
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		text = text[1:]
	}
	for _, digit := range []byte(text) {
		if digit < '0' || digit > '9' {
			panic("` + shiftVariable + ` is not a number: " + text)
		}
		seconds = seconds*10 + int64(digit-'0')
	}
	if negative {
		return -seconds
	}
	return seconds
}()
`

// toolchain is the Go command in use under another path: go refuses to overlay files of the
// module cache, which contains downloaded toolchains.
type toolchain struct{ root string }

// linkToolchain links the toolchain in use into dir.
func linkToolchain(ctx context.Context, dir string) (toolchain, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return toolchain{}, fmt.Errorf("go env: %w", err)
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	link := filepath.Join(dir, version)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return toolchain{}, err
	}
	if old, err := os.Readlink(link); err == nil && old == root {
		return toolchain{link}, nil
	}
	if err := os.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return toolchain{}, err
	}
	return toolchain{link}, os.Symlink(root, link)
}

// command runs the toolchain.
func (t toolchain) command(ctx context.Context, args ...string) ([]byte, error) {
	var said bytes.Buffer
	command := exec.CommandContext(ctx, filepath.Join(t.root, "bin", "go"), args...)
	command.Env = append(os.Environ(), "GOROOT="+t.root, "GOTOOLCHAIN=local")
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	return out, nil
}

// shiftedTime writes a package time below dir whose Now is shifted, made from the package
// of the toolchain, and the overlay that activates it.
func (t toolchain) shiftedTime(dir string) (overlay string, err error) {
	source := filepath.Join(t.root, "src", "time")
	text, err := os.ReadFile(filepath.Join(source, "time.go"))
	if err != nil {
		return "", err
	}
	if strings.Count(string(text), asks) != 1 {
		return "", errors.New("package time of this toolchain asks for the time elsewhere than in Now: internal/wallclock/overlay.go has to follow it")
	}
	files := map[string]string{
		"time.go":            strings.Replace(string(text), asks, shifted, 1),
		"wallclock_shift.go": shift,
	}
	replace := map[string]string{}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := writeChanged(path, content); err != nil {
			return "", err
		}
		replace[filepath.Join(source, name)] = path
	}
	list, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", fmt.Errorf("writing the overlay: %w", err)
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, writeChanged(overlay, string(list))
}

// writeChanged writes a file only if its content changes: another sweep may be reading it.
func writeChanged(path, content string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == content {
		return nil
	}
	return os.WriteFile(path, []byte(content), 0o600)
}
