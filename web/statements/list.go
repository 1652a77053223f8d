package statements

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/statements"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/statements"
	"rebatedesk/web/templates/ui"
)

// List shows statements, and what could be issued for a month.
func (s *Area) List(c *fiber.Ctx) error { return s.showList(c, nil, ui.Form{}, "") }

// showList answers with the list; fields are those of a refused form, whose month it shows.
func (s *Area) showList(c *fiber.Ctx, fields url.Values, form ui.Form, alsoRefused string) error {
	v := templates.ListView{Token: s.token(c), Form: form, Problems: alsoRefused, Zone: s.Zone}
	if fields == nil {
		values, err := parameters(c, "month", "uid", "state", "page", "done")
		if err != nil {
			return err
		}
		fields, v.Done = values, done[values.Get("done")]
	}
	var err error
	if v.Query.Month, err = monthIn(fields.Get("month")); err != nil {
		return err
	}
	if text := strings.TrimSpace(fields.Get("uid")); text != "" && c.Method() == fiber.MethodGet {
		if v.Query.UID, err = uidIn(text); err != nil {
			return err
		}
	}
	if text := fields.Get("state"); text != "" {
		if v.Query.State = stored.State(text); !slices.Contains(stored.States(), v.Query.State) {
			return &query.ParamError{Param: "state", Value: text, Problem: "is none of issued, sent, paid and corrected"}
		}
	}
	ctx := c.UserContext()
	month := v.Query.Month
	if month == 0 { // the newest month that is over
		basis, err := s.Whole.Basis(ctx)
		if err != nil {
			return wrapped("basis of the page", err)
		}
		year, number, _ := affiliate.DayOf(basis.Now, time.UTC).Date()
		month = affiliate.NewDay(year, number-1, 1)
	}
	if v.Month, err = s.Whole.StatementShares(ctx, month); err != nil {
		return wrapped("statements of a month", err)
	}
	if v.OfMonth, err = s.Whole.Statements(ctx, stored.Query{Month: month}); err != nil {
		return wrapped("statements of a month", err)
	}
	list, err := s.Whole.Statements(ctx, v.Query)
	if err != nil {
		return wrapped("list of statements", err)
	}
	if err := v.Paged(list, fields.Get("page")); err != nil {
		return err
	}
	if v.Months, err = s.Whole.StatementMonths(ctx); err != nil {
		return wrapped("months of statements", err)
	}
	return s.Render(c, templates.List(s.Page(c, "Statements", "/statements"), v))
}

// Issue issues the statement of one sub-affiliate of a month, or of all of them.
func (s *Area) Issue(c *fiber.Ctx) error {
	fields := s.Form(c)
	month, err := monthIn(fields.Get("month"))
	if err != nil || month == 0 {
		return &query.ParamError{Param: "month", Value: fields.Get("month"), Problem: "is no month: open the page again"}
	}
	var problems []string // of those that were not issued
	return s.Act(c, func(f *handler.Sent) (string, error) {
		reason := f.Text("reason")
		if f.Text("uid") == "" {
			issued, refusals, err := s.Whole.IssueStatements(c.UserContext(), month, reason, f.By)
			for _, one := range refusals {
				problems = append(problems, fmt.Sprintf("%s: %s", one.UID, one.Problem))
				f.Alert = fmt.Sprintf("%d issued, %d not.", len(issued), len(refusals))
			}
			return confirmed(templates.StatementsPath, "all", "month", month.Format("2006-01")), err
		}
		uid, err := uidIn(fields.Get("uid"))
		if err != nil {
			return "", err
		}
		issued, err := s.Whole.IssueStatement(c.UserContext(), uid, month, reason, f.By)
		return confirmed(path(issued.Number), "issued"), err
	}, func(f *handler.Sent) error { return s.showList(c, fields, f.Form, strings.Join(problems, "\n")) })
}
