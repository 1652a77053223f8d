package payments

import (
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/payments"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/payments"
	"rebatedesk/web/templates/ui"
)

// PaymentRoutes are the addresses of payments, their lines and payout rules.
func (s *Area) PaymentRoutes() []route.Route {
	list := slices.Concat(
		route.Page("/payments", access.MayRead, s.Payments).
			Help("Payments", "Was I paid what I earned?", "not paid", "overdue", "not due yet", "missing", "short", "late", "paid too much", "direct", "sub-agent").
			Try("Open a line that is short or missing: it shows the days it is about, and makes a signed file to send to the exchange.").Listed(navigation.Payments, "payments", "outstanding bills payout missing short").Called("Paid").WithViews().
			Report(s.Base, "/payments", payments.File, payments.Accepted),
		route.Files(s.Base, "/payments/bills", payments.BillFile, payments.AcceptedOfBills, route.Closed),
		[]route.Route{
			route.Page("/payments/line", access.MayRead, s.Line).
				Help("A line of payments", "How were the amounts of this period earned, and which bills paid them?", "outstanding", "commission"),
			route.Page("/payments/rule", access.MayRead, s.Rule).
				Help("Payout rules", "When does the exchange pay, and for which days? The rule is found in the bills, or set by an administrator.", "account", "direct", "sub-agent").
				Found("payments", "").Takes(ruleParams),
		},
	)
	if s.Desk != nil {
		list = append(list,
			route.Post("/payments/notes", access.MayEdit, s.AddNote),
			route.Proven("/payments/rule", access.MayAdminister, s.FixRule),
			route.Proven("/payments/rule/:id/remove", access.MayAdminister, s.RemoveRule),
		)
	}
	return list
}

// Payments compares what was earned with what was paid, line by line.
func (s *Area) Payments(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Whole, payments.Make, func(p ui.Page, r payments.Report, l ui.Links) templ.Component {
		l.Query = r.Query
		return templates.Payments(p, templates.PaymentLinesView{Report: r, Links: l, Bills: s.May(c, access.MayReadBills)})
	})
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
		return fmt.Errorf("payment: %w", err)
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
	return s.Act(c, func(f *handler.Sent) (string, error) {
		f.Values["text"], f.Values["verdict"] = fields.Get("text"), fields.Get("verdict")
		note := stored.Note{Line: key, Verdict: stored.Verdict(fields.Get("verdict")), Text: fields.Get("text")}
		return payments.LineAddress(key, time.Time{}) + "#notes", s.Desk.AddPaymentNote(c.UserContext(), note, f.By)
	}, func(f *handler.Sent) error { return s.showLine(c, fields, f.Form) })
}
