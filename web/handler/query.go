package handler

import (
	"context"
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"
)

// Query reads the question of a request.
func (s *Base) Query(c *fiber.Ctx, with query.Accepted) (query.Query, error) {
	values, err := Parameters(c)
	if err != nil {
		return query.Query{}, err
	}
	basis, err := s.Reports.Basis(c.UserContext())
	if err != nil {
		return query.Query{}, fmt.Errorf("basis of the query: %w", err)
	}
	basis.Accepted = with
	return query.ParseQuery(values, basis)
}

// Parameters are those of the request's address.
func Parameters(c *fiber.Ctx) (url.Values, error) {
	values, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return nil, NewProblem(fiber.StatusBadRequest, "The query string of the address is malformed: a % must be followed by two hexadecimal digits.")
	}
	return values, nil
}

// Why takes apart what a narrow question brought; nil for a wide one.
func (s *Base) Why(ctx context.Context, q query.Query) (*overview.Why, error) {
	if !q.Whyable() {
		return nil, nil
	}
	why, err := s.Reports.Why(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("why: %w", err)
	}
	return &why, nil
}

// ViewsKey is where the saved views of a request are kept.
const ViewsKey = "views"

// ViewsOf are the saved views that [views.Area.WithViews] made ready.
func ViewsOf(c *fiber.Ctx) ui.ViewMenu {
	views, _ := c.Locals(ViewsKey).(ui.ViewMenu)
	return views
}

// MostEarned is the order of invitees when none is asked for.
var MostEarned = query.Sort{Field: "commission", Descending: true}

// ByTime is the order of commission records when none is asked for.
var ByTime = query.Sort{Field: "time", Descending: true}
