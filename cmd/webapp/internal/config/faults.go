package config

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with the configuration.
type Fault struct {
	Setting string // its name, or the file where it is no setting of its own
	Origin  string // where it was set, empty where it was not
	Wrong   string // what is wrong; never the value of a secret
	Hint    string // what to do about it
}

// String is the fault in one line.
func (f Fault) String() string {
	where := strings.TrimSpace(f.Setting)
	if f.Origin != "" {
		where += " (" + f.Origin + ")"
	}
	return OneLine(fmt.Sprintf("%s %s; %s", where, f.Wrong, f.Hint))
}

// Faults is everything that is wrong with the configuration, as an error.
type Faults []Fault

// Error has a line for each fault.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.String()
	}
	return strings.Join(lines, "\n")
}

// Problem is what a value's parser found: the part of a [Fault] it can know.
type Problem struct{ Wrong, Hint string }

// OneLine takes line breaks and other control characters out of s: values and
// file names come from outside.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// maxEcho is how much of a wrong value is repeated to the user.
const maxEcho = 80

// Echo is a value as a fault repeats it. What could carry a password, because
// it has the form user:password@host, is left out. What is not empty ends in a
// blank.
func Echo(text string) string {
	if text == "" || strings.Contains(text, "@") {
		return ""
	}
	if runes := []rune(text); len(runes) > maxEcho {
		text = string(runes[:maxEcho]) + "…"
	}
	return fmt.Sprintf("%q ", text)
}
