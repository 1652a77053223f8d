package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports/query"
	"rebatedesk/web/templates"
)

// attention is what needs attention now, of an account and an instant. The
// overview fetches it after itself, since looking takes longer than a page may.
func (s *earningsArea) attention(c *fiber.Ctx) error {
	q, err := s.query(c, query.Choices{Taken: []string{"account", "as_of"}})
	if err != nil {
		return err
	}
	page := s.page(c, "Needs attention", "/")
	report, err := s.Reports.Attention(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("attention: %w", err)
	}
	return s.render(c, templates.AttentionPage(page, templates.AttentionView{
		Report: report, Links: templates.Links{Path: "/attention", Query: q},
	}))
}
