package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
)

// doctorCommand looks at everything that the program depends on and changes
// nothing of it.
type doctorCommand struct {
	storeFlags    `embed:"" group:"settings"`
	webFlags      `embed:"" group:"settings"`
	exchangeFlags `embed:"" group:"settings"`
	scheduleFlags `embed:"" group:"settings"`
	accountFlag   `embed:"" group:"settings"`
	mailFlags     `embed:"" group:"settings"`
	tradingFlags  `embed:"" group:"settings"`
	masterKeyFlag `embed:"" group:"settings"`
	listenFlags   `embed:""`

	JSON bool `name:"json" help:"Print the findings as one JSON object."`
}

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

// Run prints a line for each check as soon as it is made. It ends in status 2
// where the settings cannot be used and in 1 where another check failed.
func (c *doctorCommand) Run(ctx context.Context, p *program) error {
	d := &doctor{parts: readParts(p.sources), insecure: c.Insecure}
	var findings []finding
	for _, check := range d.checks() {
		for _, f := range check(ctx) {
			findings = append(findings, f)
			if c.JSON {
				continue
			}
			if _, err := fmt.Fprintln(p.stdout, printable(f.String())); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	bad := slices.ContainsFunc(findings, func(f finding) bool { return f.Result == resultFailed })
	if c.JSON {
		if err := printFindings(p.stdout, findings, !bad); err != nil {
			return err
		}
	}
	switch {
	case len(d.parts.faults) > 0:
		return usage("the settings cannot be used as they are")
	case bad:
		return errors.New("something has to be mended")
	}
	return nil
}

func printFindings(w io.Writer, findings []finding, ok bool) error {
	return json.NewEncoder(w).Encode(struct {
		OK     bool      `json:"ok"`
		Checks []finding `json:"checks"`
	}{ok, findings})
}

// doctor makes the checks on the parts of the settings that can be used.
type doctor struct {
	parts    parts
	insecure bool
	current  bool // there is a sound database that this program need not change
}

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
