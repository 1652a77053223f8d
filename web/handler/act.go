package handler

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/tabular"
	"rebatedesk/web/templates/ui"
)

// Sent is a form that was sent, for the function that makes its change.
type Sent struct {
	ui.Form            // what was read of it, to be shown again, and what is wrong with it
	Fields  url.Values // as they came
	ID      int64      // in the address; 0 if its route has none
	By      audit.Line // the sender, for the audit log
	Refused error      // what the change returned
	// Mistakes are those of a file that was sent with the form.
	Mistakes tabular.Mistakes
}

// Wrong reports whether the form was refused.
func (f *Sent) Wrong() bool { return f.Form.Wrong() || len(f.Mistakes) > 0 }

// Overtaken reports whether someone else changed meanwhile what the form is about.
func (f *Sent) Overtaken() bool { return StaleOf(f.Refused) != "" }

// Seen returns the version that the sender has seen of what the form changes, which it must state.
func (f *Sent) Seen() (affiliate.Millis, error) { return SeenIn(f.Fields) }

// Conflict shows what another user has stored meanwhile beside what the form says.
func (f *Sent) Conflict(stored map[string]string, labels []ui.FieldLabel) {
	f.Stale = true
	f.Compare(stored, labels)
}

// Explain notes in the form why access control refused it, and gives the answer its status. wrong is said
// of a password or a code that is wrong. Other errors are returned.
func (f *Sent) Explain(c *fiber.Ctx, err error, wrong string) error {
	if rule, ok := errors.AsType[*store.RuleError](err); ok && (rule.Field != "" || rule.Stale) {
		return err
	}
	alert, ok := ExplainRefusal(c, err, wrong)
	if !ok {
		return err
	}
	f.Alert = alert
	return nil
}

// At gives a broken rule that names no field the one that it is about.
func At(field string, err error) error {
	if rule := ruleOf(err); rule != nil && rule.Field == "" {
		return store.AtField(field, err)
	}
	return err
}

// Text reads a field without the space around it.
func (f *Sent) Text(name string) string {
	f.Values[name] = strings.TrimSpace(f.Fields.Get(name))
	return f.Values[name]
}

// Day reads a day. Another text is a fault, which wrong explains.
func (f *Sent) Day(name, wrong string) affiliate.Day {
	day, err := affiliate.ParseDay(f.Text(name))
	if err != nil {
		f.Fault(name, wrong)
	}
	return day
}

// Act answers a form. do reads it, makes the change and returns the address that confirms it; of a form
// with faults it makes none, and returns nothing. What is refused is noted in the form, at its field if
// the rule names one, and again shows the form once more. Without again the refusal is the answer, and
// so it is if there is nothing left to change. Without an address again shows what was done, such as a
// secret that is shown once.
func (s *Base) Act(c *fiber.Ctx, do func(*Sent) (to string, err error), again func(*Sent) error) (err error) {
	f := &Sent{Form: FormOf(), Fields: s.Form(c), By: s.By(c)}
	if c.Params("id") != "" {
		if f.ID, err = IdIn(c); err != nil {
			return err
		}
	}
	to, err := do(f)
	f.Refused = err
	stale := f.Overtaken()
	if mistakes, ok := errors.AsType[tabular.Mistakes](err); ok && again != nil {
		f.Mistakes, err = mistakes, nil
	}
	if err != nil && again != nil {
		err = refused(&f.Form, err)
	}
	switch {
	case err != nil && stale && s.IsBound(c) && isMissing(err):
		return fiber.ErrNotFound // that there was such a thing is not theirs to know
	case err != nil:
		return err
	case !f.Wrong() && to != "":
		return c.Redirect(to, fiber.StatusSeeOther)
	case !f.Wrong():
	case stale:
		c.Status(fiber.StatusConflict)
	case c.Response().StatusCode() == fiber.StatusOK: // see Explain
		c.Status(f.Status())
	}
	return again(f)
}

// Confirming returns the address of a page that confirms what was done.
func Confirming(path, done string) string { return path + "?done=" + done }

// Confirmed takes out of the parameters of a page what it confirms after a form: the words of what was
// done, and the id of what can be restored, if anything can.
func Confirmed(values url.Values, words map[string]string) (done, undo string) {
	done, undo = words[values.Get("done")], values.Get("undo")
	if id, err := strconv.ParseInt(undo, 10, 64); err != nil || strconv.FormatInt(id, 10) != undo {
		undo = ""
	}
	values.Del("done")
	values.Del("undo")
	return done, undo
}

// Gone makes something that is not there an address that is not there. What was changed or removed
// meanwhile is told to those who see everything.
func (s *Base) Gone(c *fiber.Ctx, err error) error {
	if isMissing(err) && (StaleOf(err) == "" || s.IsBound(c)) {
		return fiber.ErrNotFound
	}
	return err
}

func isMissing(err error) bool {
	rule, ok := errors.AsType[*store.RuleError](err)
	return ok && rule.Missing
}

// refused notes each broken rule in a form, at its field. It returns errors that are not broken rules,
// and those about something that is not there any more.
func refused(form *ui.Form, err error) error {
	switch e := err.(type) {
	case nil:
		return nil
	case *store.RuleError:
		switch {
		case e.Missing && e.Field == "":
			return err
		case e.Field == "":
			form.Alert = phrase.Sentence(e.Problem)
		default:
			form.Fault(e.Field, e.Problem)
		}
		return nil
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			if other := refused(form, one); other != nil {
				return other
			}
		}
		return nil
	case interface{ Unwrap() error }:
		if e.Unwrap() != nil && refused(form, e.Unwrap()) == nil {
			return nil
		}
	}
	return err
}

// BackWith returns the address of the page from which a form came, if it has a path, or else the path
// alone. The page confirms what was done, see [Confirmed]; undo is the id of what can be restored, or 0.
func BackWith(c *fiber.Ctx, path, done string, undo int64) string {
	values := CameWith(c, path)
	if values == nil {
		values = url.Values{}
	}
	values.Set("done", done)
	if undo != 0 {
		values.Set("undo", strconv.FormatInt(undo, 10))
	}
	return path + "?" + values.Encode()
}

// CameWith returns the parameters of the page from which a form came, if it has a path; nil if it came
// from elsewhere.
func CameWith(c *fiber.Ctx, path string) url.Values {
	from, err := url.Parse(CameFrom(c, "/"))
	if err != nil || from.Path != path {
		return nil
	}
	values := from.Query()
	Confirmed(values, nil)
	return values
}
