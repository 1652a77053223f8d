package config

import (
	"fmt"
	"strings"
)

// SettingFault is one error in the configuration.
type SettingFault struct {
	Setting string // its name, or the file if the fault is not in one setting
	Origin  string // where it was set; empty if it was not
	Wrong   string // the problem; never the value of a secret
	Hint    string // the remedy
}

// String returns the fault in one line.
func (f SettingFault) String() string {
	where := strings.TrimSpace(f.Setting)
	if f.Origin != "" {
		where += " (" + f.Origin + ")"
	}
	return WithoutControls(fmt.Sprintf("%s %s; %s", where, f.Wrong, f.Hint))
}

// SettingFaults is every error in the configuration.
type SettingFaults []SettingFault

// Error returns one line per fault.
func (fs SettingFaults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// ValueProblem is reported by the parser of a value: the part of a [SettingFault] known to
// it.
type ValueProblem struct{ Wrong, Hint string }

// WithoutControls replaces line breaks and other control characters by blanks: values and
// file names come from outside.
func WithoutControls(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// maxEcho limits how much of a wrong value an error repeats.
const maxEcho = 80

// Echo quotes a wrong value for an error, followed by a blank. A value that could hold a
// password is left out: one with an @ or with that word.
func Echo(text string) string {
	if text == "" || strings.Contains(text, "@") || strings.Contains(strings.ToLower(text), "password") {
		return ""
	}
	if runes := []rune(text); len(runes) > maxEcho {
		text = string(runes[:maxEcho]) + "…"
	}
	return fmt.Sprintf("%q ", text)
}
