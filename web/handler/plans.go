package handler

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/web/templates/ui"
)

// Typed is what stands in the fields of a form, to be shown again.
func (s *Base) Typed(c *fiber.Ctx) ui.Form {
	form := ui.Form{Values: map[string]string{}}
	for name, values := range s.Form(c) {
		form.Values[name] = values[0]
	}
	delete(form.Values, "token")
	return form
}

// SavePlan stores a schedule or an alert, unless its form has faults, and notes in
// the form all that is wrong with it. A form that changes one says which version
// of it its reader has seen. The error is what nobody can mend in the form.
func (s *Base) SavePlan(form *ui.Form, changes bool, version *affiliate.Millis, check, save func() error) error {
	switch {
	case !changes:
		*version = store.AnyVersion
	case *version == store.AnyVersion && form.Alert == "":
		form.Alert = unversioned
	}
	if form.Wrong() {
		return refusedFields(form, check()) // what else is wrong is told as well
	}
	return refusedFields(form, save())
}

// refusedFields notes the rules that were broken beside their fields. What is no
// broken rule comes back.
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
