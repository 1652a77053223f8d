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
	"rebatedesk/web/templates/ui"
)

// Sent is a form that was sent, for the function that makes its change.
type Sent struct {
	ui.Form            // what was read of it, to be shown again, and what is wrong with it
	Fields  url.Values // as they came
	ID      int64      // in the address; 0 if its route has none
	By      audit.Line // the sender, for the audit log
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
// so it is if there is nothing left to change.
func (s *Base) Act(c *fiber.Ctx, do func(*Sent) (to string, err error), again func(*Sent) error) (err error) {
	f := &Sent{Form: FormOf(), Fields: s.Form(c), By: s.By(c)}
	if c.Params("id") != "" {
		if f.ID, err = IdIn(c); err != nil {
			return err
		}
	}
	to, err := do(f)
	stale := StaleOf(err) != ""
	if err != nil && again != nil {
		err = refused(&f.Form, err)
	}
	switch {
	case err != nil && stale && s.IsBound(c) && isMissing(err):
		return fiber.ErrNotFound // that there was such a thing is not theirs to know
	case err != nil:
		return err
	case !f.Wrong():
		return c.Redirect(to, fiber.StatusSeeOther)
	case stale:
		c.Status(fiber.StatusConflict)
	default:
		c.Status(f.Status())
	}
	return again(f)
}

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
