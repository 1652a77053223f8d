package ui

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/audit"
)

// Tab leads to one of the pages.
type Tab struct{ Path, Label string }

// Form is what was typed into a form and what is wrong with it. It never holds
// what is secret.
type Form struct {
	Values map[string]string
	Faults map[string]string // by field
	Alert  string            // about none of them
	Stale  bool              // somebody else saved another version meanwhile
	Others []FieldDifference      // how that one differs, where it is stale
	Button bool              // nothing was typed: the form is a button
	// Meanwhile is who else changed it, where that is told.
	Meanwhile []string
}

// FieldDifference is a field that two people have filled in differently.
type FieldDifference struct{ Label, Stored, Typed string }

// FieldLabel is what a field of a form is called, and its name.
type FieldLabel = Pair

// Compare notes how what is stored now differs from what was typed, in the order
// of the labels, and takes it as what the form changes from then on.
func (f *Form) Compare(stored map[string]string, labels []FieldLabel) {
	for _, label := range labels {
		is, typed := stored[label.Value], strings.ReplaceAll(f.Values[label.Value], "\r\n", "\n")
		_, shown := f.Values[label.Value]
		if is != typed && (shown || is == Ticked) { // what the form does not show is nobody's entry
			f.Others = append(f.Others, FieldDifference{label.Name, is, typed})
		}
	}
	f.Values["version"] = stored["version"]
}

// Hidden stands for a secret that was entered: it is on no page.
const Hidden = "not shown"

// secret reports whether what was entered is a secret.
func (f Form) secret() bool {
	return slices.ContainsFunc(f.Others, func(d FieldDifference) bool { return d.Typed == Hidden })
}

// AuditWords are a line of the audit log as somebody reads it who was not the first
// to change something.
func AuditWords(a audit.Line, zone *time.Location) string {
	words := phrase.Clock(a.At.Time(), zone) + ", " + a.Actor + ": " + a.Action
	if a.Detail != "" {
		words += ", " + a.Detail
	}
	return words
}

// Version is that of something which a form changes: the one that the form was
// compared with, or else the one that the page shows.
func (f Form) Version(shown affiliate.Millis) string {
	if f.Stale {
		return f.Values["version"]
	}
	return VersionText(shown)
}

func VersionText(version affiliate.Millis) string { return strconv.FormatInt(int64(version), 10) }

// Ticked is the value of a box that is.
const Ticked = "yes"

// Status is that of the answer to a form that was not taken.
func (f Form) Status() int {
	if f.Stale {
		return http.StatusConflict
	}
	return http.StatusBadRequest
}

// Fault notes what is wrong with a field. Several things are told together, and an
// empty text says nothing.
func (f *Form) Fault(name, text string) {
	if f.Faults == nil {
		f.Faults = map[string]string{}
	}
	switch said := f.Faults[name]; {
	case text == "" || strings.Contains(said, text):
	case said == "":
		f.Faults[name] = text
	default:
		f.Faults[name] = said + "\n" + text
	}
}

// Wrong reports whether the form was not taken.
func (f Form) Wrong() bool { return len(f.Faults) > 0 || f.Alert != "" }

// Input is a field of a form.
type Input struct {
	Form   string // tells fields of one name in several forms apart
	Name   string
	Label  string
	Hint   string
	Kind   string // text where it is empty
	Auto   string // what browsers may fill in; nothing where it is empty
	Least  int    // characters
	Needed bool
}

func (i Input) id() string { return i.Form + "-" + i.Name }

func (i Input) kind() string {
	if i.Kind == "" {
		return "text"
	}
	return i.Kind
}

func (i Input) auto() string {
	if i.Auto == "" {
		return "off"
	}
	return i.Auto
}

// orNothing is a value of a field, for people.
func orNothing(value string) string {
	if value == "" {
		return "–"
	}
	return value
}
