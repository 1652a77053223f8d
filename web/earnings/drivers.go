package earnings

import (
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/query"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/drivers"
	"rebatedesk/web/templates/navigation"
)

// DriverRoutes are the addresses of the drivers of a change.
func (s *Area) DriverRoutes() []route.Route {
	return route.Page("/drivers", access.MayRead, s.Drivers).
		Help("Why", "Why did my commission change?", "drivers", "contribution", "effect", "presence", "share of fees", "fees per volume", "rest").
		Try("Switch between invitees, codes and pairs: the parts always add up to the whole change.").Listed(navigation.Earnings, "compare", "drivers change moved cause reason").WithViews().Divided().
		Report(s.Base, "/drivers", drivers.File, drivers.Accepted)
}

// Drivers explains the change in commission since the compared period.
func (s *Area) Drivers(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	if q.Page > 1 {
		return &query.ParamError{Param: "page", Value: strconv.Itoa(q.Page), Problem: "there are 1 pages: nothing here is longer than a page"}
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, drivers.Make)
	if err != nil {
		return fmt.Errorf("drivers: %w", err)
	}
	return s.Render(c, templates.Drivers(page, templates.PageView{Report: report, Links: s.Links(c, report.Query)}))
}
