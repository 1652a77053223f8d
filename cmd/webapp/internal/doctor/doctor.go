// Package doctor checks everything that the program depends on and changes none of it.
package doctor

import (
	"context"
	"fmt"
	"runtime"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/version"
)

// Result is the result of one check. It never holds a secret.
type Result struct {
	Check  string   `json:"check"`
	Result string   `json:"result"` // ok, failed, skipped or warning
	Text   string   `json:"text"`
	Hint   string   `json:"mend,omitempty"` // the remedy
	Need   KeyRight `json:"-"`              // of a right of a key
}

// Results of a check.
const (
	OK      = "ok"
	Failed  = "failed"
	Skipped = "skipped"
	Warning = "warning" // the program works, but should be changed
)

func passed(check, format string, args ...any) Result {
	return Result{Check: check, Result: OK, Text: fmt.Sprintf(format, args...)}
}

func failed(check, text, hint string) Result {
	return Result{Check: check, Result: Failed, Text: text, Hint: hint}
}

func warned(check, text, hint string) Result {
	return Result{Check: check, Result: Warning, Text: text, Hint: hint}
}

func skipped(check, reason string) Result {
	return Result{Check: check, Result: Skipped, Text: reason}
}

// String returns the finding in one line.
func (f Result) String() string {
	line := f.Result + ": " + f.Check + ": " + f.Text
	if f.Hint != "" {
		line += "; " + f.Hint
	}
	return config.WithoutControls(line)
}

// Doctor runs the checks whose settings are valid.
type Doctor struct {
	parts    parts
	insecure bool
	refused  bool  // the place of the database cannot be used
	opens    bool  // the database can be opened
	current  bool  // the database is sound and needs no migration
	size     int64 // of the database, in bytes
}

// New reads the settings. insecure allows http beyond this machine.
func New(from config.Inputs, insecure bool) *Doctor {
	return &Doctor{parts: readParts(from), insecure: insecure}
}

// Faulty reports whether the settings have faults.
func (d *Doctor) Faulty() bool { return len(d.parts.faults) > 0 || d.refused }

// Checks returns all checks, each after those it depends on.
func (d *Doctor) Checks() []func(context.Context) []Result {
	return []func(context.Context) []Result{
		d.toolchain,
		d.settings, d.zone, d.inactivity,
		d.database, d.engine, d.tokens, d.permissions, d.masterKey, d.disk,
		d.listening, d.certificate,
		d.exchange, d.mail, d.channels, d.deliveries,
	}
}

// toolchain warns of a binary built with an old Go, and is silent otherwise.
func (d *Doctor) toolchain(context.Context) []Result {
	wrong := version.OldToolchain(runtime.Version())
	if wrong == "" {
		return nil
	}
	return []Result{warned("toolchain", "this program was "+wrong, version.NewerToolchain)}
}
