// Package drivers has the handlers of the page that explains a change in commission, and of
// its part of the overview.
package drivers

import (
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/drivers"
)

// Area holds the handlers of drivers.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }

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
