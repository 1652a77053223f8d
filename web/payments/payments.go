package payments

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	stored "rebatedesk/store/payments"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/payments"
	"rebatedesk/web/templates/ui"
)

// Payments compares what was earned with what was paid, line by line.
func (s *Area) Payments(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Whole, q, payments.Make)
	if err != nil {
		return fmt.Errorf("payments: %w", err)
	}
	return s.Render(c, templates.Payments(page, templates.PaymentLinesView{
		Report: report, Bills: s.May(c, access.MayReadBills),
		Links: s.Links(c, report.Query),
	}))
}

// noLine answers an address that names no line.
const noLine = "The address names no line of payments. Open the line from the list of payments."

// Line is the page of one line.
func (s *Area) Line(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	for name := range values {
		if name != "as_of" && !slices.Contains(templates.KeyParams, name) {
			return &query.ParamError{Param: name, Value: values.Get(name), Problem: "is no parameter of this page"}
		}
		if given := values[name]; len(given) > 1 {
			return &query.ParamError{Param: name, Value: given[1], Problem: "is given more than once"}
		}
	}
	return s.showLine(c, values, ui.Form{})
}

// showLine answers with the page of the line that some values name, and with a refused note.
func (s *Area) showLine(c *fiber.Ctx, values url.Values, form ui.Form) error {
	key, ok := templates.KeyIn(values)
	if !ok {
		return handler.NewProblem(fiber.StatusNotFound, noLine)
	}
	basis, err := s.Whole.Basis(c.UserContext())
	if err != nil {
		return fmt.Errorf("basis of the query: %w", err)
	}
	basis.AcceptedParams = query.AcceptedParams{Taken: []string{"as_of"}, Usual: query.Last90}
	asked := url.Values{}
	if values.Has("as_of") {
		asked["as_of"] = values["as_of"]
	}
	q, err := query.Parse(asked, basis)
	if err != nil {
		return err
	}
	detail, err := s.Whole.Payment(c.UserContext(), q, key)
	if err != nil {
		return gone(fmt.Errorf("payment: %w", err))
	}
	view := templates.LineView{Detail: detail, Bills: s.May(c, access.MayReadBills), Pack: s.May(c, access.MayExport), Form: form, Reported: s.Reported(c)}
	if s.Desk != nil && q.AsOf.IsZero() && s.May(c, access.MayEdit) {
		view.Token = s.Token(c)
	}
	return s.Render(c, templates.Line(s.Page(c, "Payment "+view.Title(), templates.PaymentsPath), view))
}

// AddNote adds a note to a line, and what was decided about it.
func (s *Area) AddNote(c *fiber.Ctx) error {
	fields := s.Form(c)
	key, ok := templates.KeyIn(fields)
	if !ok {
		return handler.NewProblem(fiber.StatusBadRequest, noLine)
	}
	note := stored.Note{Line: key, Verdict: stored.Verdict(fields.Get("verdict")), Text: fields.Get("text")}
	err := s.Desk.AddPaymentNote(c.UserContext(), note, s.By(c))
	if err == nil {
		return c.Redirect(payments.LineAddress(key, time.Time{})+"#notes", fiber.StatusSeeOther)
	}
	form := handler.FormOf("text", fields.Get("text"), "verdict", fields.Get("verdict"))
	if !refused(&form, err) {
		return gone(fmt.Errorf("write a note about %s: %w", key, err))
	}
	c.Status(form.Status())
	return s.showLine(c, fields, form)
}

// refused notes in a form that its entries break a rule, at the field of that rule. It leaves
// other errors alone.
func refused(form *ui.Form, err error) bool {
	rule, ok := errors.AsType[*store.RuleError](err)
	switch {
	case !ok || rule.Missing && rule.Field == "":
		return false
	case rule.Field == "":
		form.Alert = rule.Problem
	default:
		form.Fault(rule.Field, rule.Problem)
	}
	return true
}

// gone makes an error about something that is not there any more an answer for the reader.
func gone(err error) error {
	if rule, ok := errors.AsType[*store.RuleError](err); ok && rule.Missing {
		return handler.NewProblem(fiber.StatusNotFound, rule.Problem)
	}
	return err
}
