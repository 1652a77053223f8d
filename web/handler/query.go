package handler

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/months"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"
)

// acceptedKey is the key under which the parameters of a page are stored.
const acceptedKey = "accepted"

// Accepting answers for a page that accepts some parameters.
func Accepting(accepted query.AcceptedParams) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Locals(acceptedKey, accepted)
		return c.Next()
	}
}

// Accepted returns the parameters that the page of a request accepts: those of its route.
func Accepted(c *fiber.Ctx) query.AcceptedParams {
	accepted, _ := c.Locals(acceptedKey).(query.AcceptedParams)
	return accepted
}

// Query reads the query of a page.
func (s *Base) Query(c *fiber.Ctx) (query.Query, error) { return s.QueryWith(c, Accepted(c)) }

// Links returns the links of a page that shows a query. What its route has by default is left out of
// their addresses.
func (s *Base) Links(c *fiber.Ctx, q query.Query) ui.Links {
	with := Accepted(c)
	path := c.Route().Path
	return ui.Links{
		Path: path, Query: q, Accepts: with,
		Compared: with.Compared, Views: ViewsOf(c), Reported: s.Reported(c), Large: IsUnfolded(c, strings.TrimPrefix(path, "/")),
		NoFiles: !s.May(c, access.MayExport), Some: s.IsBound(c),
	}
}

// Frame returns the frame of a listed page that shows a query. It has the name of its help.
func (s *Base) Frame(c *fiber.Ctx, q query.Query) ui.Page {
	path := c.Route().Path
	help, _ := s.Help.At(path)
	page := s.Page(c, help.Name, path)
	page.Carry = ui.Carry(q)
	return page
}

// QueryWith reads a query with other parameters than those of the route.
func (s *Base) QueryWith(c *fiber.Ctx, with query.AcceptedParams) (query.Query, error) {
	values, err := Parameters(c)
	if err != nil {
		return query.Query{}, err
	}
	return s.queryOf(c, values, with, time.Time{})
}

// QueryOf reads the query of some parameters, such as those of an address without what it confirms.
func (s *Base) QueryOf(c *fiber.Ctx, values url.Values, with query.AcceptedParams) (query.Query, error) {
	return s.queryOf(c, values, with, time.Time{})
}

// queryOf reads a query at an instant; the zero time is now.
func (s *Base) queryOf(c *fiber.Ctx, values url.Values, with query.AcceptedParams, at time.Time) (query.Query, error) {
	basis, err := s.Reports(c).Basis(c.UserContext())
	if err != nil {
		return query.Query{}, fmt.Errorf("basis of the query: %w", err)
	}
	if !at.IsZero() {
		basis.Now = at
	}
	basis.AcceptedParams = with
	q, err := query.Parse(values, basis)
	if q.Text != "" {
		q.Names = s.Names(c)
	}
	return q, err
}

// Parameters returns the parameters of the request's address.
func Parameters(c *fiber.Ctx) (url.Values, error) {
	values, err := url.ParseQuery(string(c.Request().URI().QueryString()))
	if err != nil {
		return nil, NewProblem(fiber.StatusBadRequest, "The query string of the address is malformed: a % must be followed by two hexadecimal digits.")
	}
	return values, nil
}

// Why explains the earnings of a narrow query by their parts; it returns nil for a wide
// one.
func (s *Base) Why(c *fiber.Ctx, q query.Query) (*overview.Why, error) {
	if !q.Whyable() {
		return nil, nil
	}
	why, err := reports.Ask(c.UserContext(), s.Reports(c), q, overview.MakeWhy)
	if err != nil {
		return nil, fmt.Errorf("why: %w", err)
	}
	return &why, nil
}

// ViewsKey is the key under which the saved views of a request are stored.
const ViewsKey = "views"

// ViewsOf returns the saved views that [views.Area.WithViews] loaded.
func ViewsOf(c *fiber.Ctx) ui.ViewMenu {
	views, _ := c.Locals(ViewsKey).(ui.ViewMenu)
	return views
}

// Reported lists the sent summaries and the closed months whose states a report page can show. A
// page without them is
// complete, so a failure is only logged.
func (s *Base) Reported(c *fiber.Ctx) (known ui.KnownStates) {
	if s.IsBound(c) {
		return known // summaries and closings are about everybody
	}
	var err error
	if known.Summaries, err = s.Reports(c).Reported(c.UserContext()); err != nil {
		s.Log.Warn("the sent summaries could not be read", "error", err)
	}
	if known.Closings, err = s.Reports(c).ClosingsInForce(c.UserContext()); err != nil {
		s.Log.Warn("the closed months could not be read", "error", err)
	}
	return known
}

// Closed lists the closed months in the range of a query. A page without them is complete, so a
// failure is only logged.
func (s *Base) Closed(c *fiber.Ctx, q query.Query) []months.Line {
	if s.IsBound(c) {
		return nil // closings are about everybody
	}
	list, err := reports.Ask(c.UserContext(), s.Reports(c), q, months.MakeClosed)
	if err != nil {
		s.Log.Warn("the closed months of a range could not be read", "error", err)
	}
	return list
}

// MostEarned is the default order of invitees.
var MostEarned = query.Sort{Field: "commission", Descending: true}

// ByTime is the default order of commission records.
var ByTime = query.Sort{Field: "time", Descending: true}

// NoParameter refuses a parameter at an address that takes none.
func NoParameter(name, value string) error {
	return &query.ParamError{Param: name, Value: value, Problem: "cannot be used here: this address takes no parameters"}
}
