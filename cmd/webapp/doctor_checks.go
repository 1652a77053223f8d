package main

import (
	"context"
	"fmt"
	"runtime"
)

// finding is what one check found, in words that hold no secret.
type finding struct {
	Check  string `json:"check"`
	Result string `json:"result"` // ok, failed, skipped or warning
	Text   string `json:"text"`
	Mend   string `json:"mend,omitempty"` // what to do about it
}

// The results of a check.
const (
	resultOK      = "ok"
	resultFailed  = "failed"
	resultSkipped = "skipped"
	resultWarning = "warning" // the program works, and should not go on like that
)

func passed(check, format string, args ...any) finding {
	return finding{Check: check, Result: resultOK, Text: fmt.Sprintf(format, args...)}
}

func failed(check, text, mend string) finding {
	return finding{Check: check, Result: resultFailed, Text: text, Mend: mend}
}

func warned(check, text, mend string) finding {
	return finding{Check: check, Result: resultWarning, Text: text, Mend: mend}
}

func skipped(check, reason string) finding {
	return finding{Check: check, Result: resultSkipped, Text: reason}
}

// String is the finding in one line.
func (f finding) String() string {
	line := f.Result + ": " + f.Check + ": " + f.Text
	if f.Mend != "" {
		line += "; " + f.Mend
	}
	return oneLine(line)
}

// doctor makes the checks on the parts of the settings that can be used.
type doctor struct {
	parts    parts
	insecure bool
	current  bool // there is a sound database that this program need not change
}

// newDoctor reads the settings; insecure says that http beyond this machine is wanted.
func newDoctor(from sources, insecure bool) *doctor {
	return &doctor{parts: readParts(from), insecure: insecure}
}

// faulty reports whether anything is wrong with the settings.
func (d *doctor) faulty() bool { return len(d.parts.faults) > 0 }

// checks are all checks, in the order in which one depends on another.
func (d *doctor) checks() []func(context.Context) []finding {
	return []func(context.Context) []finding{
		d.toolchain,
		d.settings, d.zone,
		d.database, d.tokens, d.permissions, d.masterKey, d.disk,
		d.listening, d.certificate,
		d.exchange, d.mail,
	}
}

// toolchain has a word about a binary that was built with an old Go, and none
// else.
func (d *doctor) toolchain(context.Context) []finding {
	wrong := oldToolchain(runtime.Version())
	if wrong == "" {
		return nil
	}
	return []finding{warned("toolchain", "this program was "+wrong, newerToolchain)}
}
