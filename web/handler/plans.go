package handler

import (
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
		return refusedFields(form, check()) // all other faults are reported as well
	}
	return refusedFields(form, save())
}

// refusedFields notes each broken rule at its field. It returns errors that are not
// broken rules.
func refusedFields(form *ui.Form, err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *store.RuleError:
		switch {
		case e.Missing:
			return err
		case e.Stale:
			form.Stale, form.Alert = true, e.Problem
		case e.Field == "" || e.Field == "watches":
			form.Alert = e.Problem
		default:
			form.Fault(e.Field, e.Problem)
		}
		return nil
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if other := refusedFields(form, one); other != nil {
				return other
			}
		}
		return nil
	case interface{ Unwrap() error }:
		if e.Unwrap() != nil && refusedFields(form, e.Unwrap()) == nil {
			return nil
		}
	}
	return err
}
