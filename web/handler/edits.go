package handler

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web/templates/ui"
)

const (
	damaged     = "The form is damaged: open the page again."
	unversioned = "The form does not say which version it changes, so that nothing was saved: open the page again and send it once more."
)

// VersionIn returns the version that the sender of a form has seen of the object to be
// changed; unknown if the form does not state it.
func VersionIn(fields url.Values, form *ui.Form) affiliate.Millis {
	text := fields.Get("version")
	if text == "" {
		return store.AnyVersion
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		form.Alert = damaged
	}
	return affiliate.Millis(n)
}

// SeenIn is [VersionIn] for a form that must state the version.
func SeenIn(fields url.Values) (affiliate.Millis, error) {
	var form ui.Form
	seen := VersionIn(fields, &form)
	if seen == store.AnyVersion && form.Alert == "" {
		form.Alert = unversioned
	}
	if form.Alert != "" {
		return 0, NewProblem(fiber.StatusBadRequest, form.Alert)
	}
	return seen, nil
}

// Annotates reports whether the caller may annotate days.
func (s *Base) Annotates(c *fiber.Ctx) bool { return s.Writing && s.May(c, access.MayEdit) }

// StaleOf returns the text of an error that reports a concurrent change of the form's
// object, and the empty string for all other errors.
func StaleOf(err error) string {
	if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Stale {
		return rule.Problem
	}
	return ""
}

// FormOf returns a form that makes one change, with the entered values.
func FormOf(entered ...string) ui.Form {
	form := ui.Form{Values: map[string]string{}}
	for i := 0; i+1 < len(entered); i += 2 {
		form.Values[entered[i]] = entered[i+1]
	}
	return form
}

// ButtonOf returns a form that is a single button, with the value that it gives a
// field.
func ButtonOf(name, wanted string) ui.Form {
	form := FormOf(name, wanted)
	form.Button = true
	return form
}

// Meanwhile reports who changed an object since a given version, according to the audit
// log: some changes, such as of a password, appear in no comparison.
func (s *Base) Meanwhile(c *fiber.Ctx, object string, seen affiliate.Millis, actions ...string) (words []string, err error) {
	if s.Audit == nil {
		return nil, nil
	}
	report, err := s.Audit.Audit(c.UserContext(), reports.AuditQuery{From: affiliate.DayOf(seen.Time(), s.Zone), Text: object})
	if err != nil {
		return nil, err
	}
	for _, line := range report.Lines {
		if line.At > seen && strings.EqualFold(line.Object, object) && slices.Contains(actions, line.Action) {
			words = append(words, ui.AuditWords(line, s.Zone))
		}
	}
	return words, nil
}
