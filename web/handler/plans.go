package handler

import (
	"cmp"
	"errors"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/web/templates/ui"
)

// Typed is the content of the fields of a form, to be shown again.
func (s *Base) Typed(c *fiber.Ctx) ui.Form {
	form := ui.Form{Values: map[string]string{}}
	for name, values := range s.Form(c) {
		form.Values[name] = values[0]
	}
	delete(form.Values, "token")
	return form
}

// SavePlan stores a schedule or an alert if its form has no faults; otherwise it notes
// all of them in the form. A form that changes a plan states the version that its
// sender has seen. The error is one that no change of the form can correct.
func (s *Base) SavePlan(form *ui.Form, changes bool, version *affiliate.Millis, check, save func() error) error {
	switch {
	case !changes:
		*version = store.AnyVersion
	case *version == store.AnyVersion && form.Alert == "":
		form.Alert = unversioned
	}
	if form.Wrong() {
		return refusedPlan(form, check()) // all other faults are reported as well
	}
	return refusedPlan(form, save())
}

// refusedPlan is [refused] for a plan: a newer version is shown beside what was typed, and what is
// watched stands in several fields.
func refusedPlan(form *ui.Form, err error) error {
	rule, ok := errors.AsType[*store.RuleError](err)
	switch {
	case ok && rule.Missing:
		return err
	case ok && rule.Stale:
		form.Stale, form.Alert = true, rule.Problem
		return nil
	}
	err = refused(form, err)
	form.Alert = cmp.Or(form.Alert, form.Faults["watches"])
	delete(form.Faults, "watches")
	return err
}
