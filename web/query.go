package web

import (
	"context"
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates"
)

// query reads the question of a request.
func (s *base) query(c *fiber.Ctx, with query.Choices) (query.Query, error) {
	values, err := parameters(c)
	if err != nil {
		return query.Query{}, err
	}
	basis, err := s.Reports.Basis(c.UserContext())
	if err != nil {
		return query.Query{}, fmt.Errorf("basis of the query: %w", err)
	}
	basis.Choices = with
	return query.ParseQuery(values, basis)
}

// parameters are those of the request's address.
func parameters(c *fiber.Ctx) (url.Values, error) {
	values, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return nil, refuse(fiber.StatusBadRequest, "The query string of the address is malformed: a % must be followed by two hexadecimal digits.")
	}
	return values, nil
}

// why takes apart what a narrow question brought; nil for a wide one.
func (s *base) why(ctx context.Context, q query.Query) (*overview.Why, error) {
	if !q.Whyable() {
		return nil, nil
	}
	why, err := s.Reports.Why(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("why: %w", err)
	}
	return &why, nil
}

// viewsKey is where the saved views of a request are kept.
const viewsKey = "views"

// viewsOf are the saved views that withViews made ready.
func viewsOf(c *fiber.Ctx) templates.Views {
	views, _ := c.Locals(viewsKey).(templates.Views)
	return views
}

// mostEarned is the order of invitees when none is asked for.
var mostEarned = query.Sort{Field: "commission", Descending: true}

// newestFirst is the order of commission records when none is asked for.
var newestFirst = query.Sort{Field: "time", Descending: true}
