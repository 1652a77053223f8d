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

// Tab links to one of the pages.
type Tab struct{ Path, Label string }

// Form holds the typed values of a form and their errors. It never holds a secret.
type Form struct {
	Values map[string]string
	Faults map[string]string // by field
	Alert  string            // errors without a field
	Stale  bool              // another user has saved a newer version
	Others []FieldDifference // the differences of that version, if stale
	Button bool              // nothing was typed: the form is a button
	// Meanwhile says who else changed it, if known.
	Meanwhile []string
}

// FieldDifference is a field with different values from two users.
type FieldDifference struct{ Label, Stored, Typed string }

// FieldLabel is the label of a form field, and its name.
type FieldLabel = Pair

// Compare notes the differences between the stored and the typed values, in the order
// of the labels, and makes the stored version the one that the form changes.
func (f *Form) Compare(stored map[string]string, labels []FieldLabel) {
	for _, label := range labels {
		is, typed := stored[label.Value], strings.ReplaceAll(f.Values[label.Value], "\r\n", "\n")
		_, shown := f.Values[label.Value]
		if is != typed && (shown || is == Ticked) { // a field missing from the form is no entry
			f.Others = append(f.Others, FieldDifference{label.Name, is, typed})
		}
	}
	f.Values["version"] = stored["version"]
}

// Hidden replaces a secret that was entered: no page shows it.
const Hidden = "not shown"

// secret reports whether the entered value is a secret.
func (f Form) secret() bool {
	return slices.ContainsFunc(f.Others, func(d FieldDifference) bool { return d.Typed == Hidden })
}

// AuditWords describes a line of the audit log for a user whose change came second.
func AuditWords(a audit.Line, zone *time.Location) string {
	words := phrase.Clock(a.At.Time(), zone) + ", " + a.Actor + ": " + a.Action
	if a.Detail != "" {
		words += ", " + a.Detail
	}
	return words
}

// Version returns the version that a form changes: the one with which the form was
// compared, or else the displayed one.
func (f Form) Version(shown affiliate.Millis) string {
	if f.Stale {
		return f.Values["version"]
	}
	return VersionText(shown)
}

func VersionText(version affiliate.Millis) string { return strconv.FormatInt(int64(version), 10) }

// Ticked is the value of a ticked box.
const Ticked = "yes"

// Status returns the status of the answer to a refused form.
func (f Form) Status() int {
	if f.Stale {
		return http.StatusConflict
	}
	return http.StatusBadRequest
}

// Fault notes an error of a field. Several errors are joined, and an empty text is
// ignored.
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

// Wrong reports whether the form was refused.
func (f Form) Wrong() bool { return len(f.Faults) > 0 || f.Alert != "" }

// Input is a field of a form.
type Input struct {
	Form        string // distinguishes fields of the same name in several forms
	Name        string
	Label       string
	Hint        string
	Kind        string // text if empty
	Auto        string // autofill hint for browsers; none if empty
	Least       int    // minimum number of characters
	Needed      bool
	Conditional bool // needed in some cases, which the hint names
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

// orNothing returns a value of a field for people.
func orNothing(value string) string {
	if value == "" {
		return "–"
	}
	return value
}
