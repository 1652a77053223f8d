// Package returns has the handlers of costs and what they brought back.
package returns

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/returns"
	"rebatedesk/store"
	"rebatedesk/store/costs"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/returns"
	"rebatedesk/web/templates/ui"
)

// Area holds the handlers of costs.
type Area struct {
	*handler.Base
	Desk *reports.Service // writing; nil: it is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }

// done are the changes that the page can confirm after a redirect.
var done = map[string]string{
	"added":   "The cost is added.",
	"ended":   "The cost is ended.",
	"removed": "The cost is removed.",
}

// Returns says what costs brought back.
func (s *Area) Returns(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	said := done[values.Get("done")]
	values.Del("done")
	return s.show(c, values, templates.ReturnsView{Done: said})
}

// show answers with the page of a query.
func (s *Area) show(c *fiber.Ctx, values url.Values, view templates.ReturnsView) error {
	basis, err := s.Reports(c).Basis(c.UserContext())
	if err != nil {
		return fmt.Errorf("basis of the query: %w", err)
	}
	basis.AcceptedParams = returns.Accepted
	q, err := query.Parse(values, basis)
	if err != nil {
		return err
	}
	page := s.Page(c, "Cost and return", ui.ReturnsPath)
	page.Carry = ui.Carry(q)
	if view.Report, err = reports.Ask(c.UserContext(), s.Reports(c), q, returns.Make); err != nil {
		return fmt.Errorf("returns: %w", err)
	}
	view.Today = q.Today
	view.Links = ui.Links{NoFiles: !s.May(c, access.MayExport), Path: ui.ReturnsPath, Query: q, Views: handler.ViewsOf(c), Reported: s.Reported(c), Order: returns.Accepted.Order, Large: handler.IsUnfolded(c, "returns")}
	if s.Desk != nil && !q.Past() && s.May(c, access.MayEdit) && s.Who(c).Bound.Everything() {
		view.Token, view.People = s.Token(c), "/people/import"
		if view.Form.Values == nil {
			view.Form = handler.FormOf("coin", "USDT", "from", q.Today.String(), "scope", string(costs.OfCode), "value", q.Code)
			if q.Tag != "" {
				view.Form.Values["scope"], view.Form.Values["value"] = string(costs.OfTag), q.Tag
			} else if q.Segment != "" {
				view.Form.Values["scope"], view.Form.Values["value"] = string(costs.OfSegment), q.Segment
			}
		}
	}
	return s.Render(c, templates.Returns(page, view))
}

// Add stores a new cost.
func (s *Area) Add(c *fiber.Ctx) error {
	fields := s.Form(c)
	form := handler.FormOf()
	for _, name := range templates.CostFields {
		form.Values[name] = strings.TrimSpace(fields.Get(name))
	}
	v := form.Values
	cost := costs.Cost{Scope: costs.Scope(v["scope"]), Value: v["value"], Kind: costs.Kind(v["kind"]), Amount: affiliate.Number(v["amount"]), Coin: affiliate.Coin(v["coin"]), Note: v["note"]}
	cost.First = dayOf(&form, "from")
	if v["to"] != "" {
		cost.Last = dayOf(&form, "to")
	}
	if !form.Wrong() {
		_, err := s.Desk.AddCost(c.UserContext(), cost, s.By(c))
		if err == nil {
			return back(c, "added")
		}
		if !refused(&form, err) {
			return missing(fmt.Errorf("add a cost: %w", err))
		}
	}
	return s.again(c, templates.ReturnsView{Form: form})
}

// End sets the last day of a cost.
func (s *Area) End(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	form := handler.FormOf("to", strings.TrimSpace(s.Form(c).Get("to")))
	last := dayOf(&form, "to")
	if !form.Wrong() {
		err := s.Desk.EndCost(c.UserContext(), id, last, s.By(c))
		if err == nil {
			return back(c, "ended")
		}
		if !refused(&form, err) {
			return missing(fmt.Errorf("end a cost: %w", err))
		}
	}
	return s.again(c, templates.ReturnsView{Form: form, Ended: id})
}

// Remove removes a cost.
func (s *Area) Remove(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	if err := s.Desk.RemoveCost(c.UserContext(), id, s.By(c)); err != nil {
		return missing(fmt.Errorf("remove a cost: %w", err))
	}
	return back(c, "removed")
}

// again answers with the page from which a form came, and what is wrong with the form.
func (s *Area) again(c *fiber.Ctx, view templates.ReturnsView) error {
	values := url.Values{}
	if from, err := url.Parse(handler.CameFrom(c, "/")); err == nil && from.Path == ui.ReturnsPath {
		values = from.Query()
		values.Del("done")
	}
	c.Status(view.Form.Status())
	return s.show(c, values, view)
}

// back leads to the page from which a form came, which confirms what was done.
func back(c *fiber.Ctx, what string) error {
	values := url.Values{}
	if from, err := url.Parse(handler.CameFrom(c, "/")); err == nil && from.Path == ui.ReturnsPath {
		values = from.Query()
	}
	values.Set("done", what)
	return c.Redirect(ui.ReturnsPath+"?"+values.Encode(), fiber.StatusSeeOther)
}

// dayOf reads a day of a form.
func dayOf(form *ui.Form, name string) affiliate.Day {
	day, err := affiliate.ParseDay(form.Values[name])
	if err != nil {
		form.Fault(name, "Give a day such as 2026-11-03.")
	}
	return day
}

// refused notes in a form that its entries break a rule, at the field of that rule. It leaves
// other errors alone.
func refused(form *ui.Form, err error) bool {
	rule, ok := errors.AsType[*store.RuleError](err)
	switch {
	case !ok || rule.Missing && rule.Field == "":
		return false
	case rule.Field == "":
		form.Alert = phrase.Sentence(rule.Problem)
	default:
		form.Fault(rule.Field, rule.Problem)
	}
	return true
}

// missing makes an error about a cost that is not there an answer for the reader.
func missing(err error) error {
	rule, ok := errors.AsType[*store.RuleError](err)
	switch {
	case !ok || !rule.Missing:
		return err
	case rule.Stale:
		return handler.NewProblem(fiber.StatusConflict, rule.Problem)
	}
	return fiber.ErrNotFound
}
