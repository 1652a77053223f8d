package handler

import (
	"context"
	"fmt"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/snapshot"
	"rebatedesk/web/templates/ui"
)

// Show answers with the page of a report about the query of the address. The links are those of the
// query as it was asked.
func Show[R any](s *Base, c *fiber.Ctx, from *reports.Service, make func(context.Context, *snapshot.Snapshot) (R, error), page func(ui.Page, R, ui.Links) templ.Component) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	frame := s.Frame(c, q) // before the figures, so that later collections are announced
	report, err := reports.Ask(c.UserContext(), from, q, make)
	if err != nil {
		return fmt.Errorf("report of %s: %w", c.Route().Path, err)
	}
	return s.Render(c, page(frame, report, s.Links(c, q)))
}
