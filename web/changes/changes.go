// Package changes has the handler of the page about what became known between two instants.
package changes

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/changes"
)

// Area holds the handler.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }

// Changes compares what was known at two instants, line by line.
func (s *Area) Changes(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, changes.Make)
	if err != nil {
		return fmt.Errorf("changes: %w", err)
	}
	return s.Render(c, templates.Changes(page, templates.ChangesView{Report: report, Links: s.Links(c, report.Query)}))
}
