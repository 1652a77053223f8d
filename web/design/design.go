// Package design has the handler of the page of components.
package design

import (
	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/design"
)

// Area holds the handler of the page of components.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }

// Design shows each part of which pages are made, in each of its states, with figures that never
// change. The demo alone has it: nobody else works with these figures.
func (s *Area) Design(c *fiber.Ctx) error {
	if !s.Demo {
		return fiber.ErrNotFound
	}
	if _, err := handler.Parameters(c); err != nil {
		return err
	}
	return s.Render(c, templates.Design(s.Page(c, "Components", "/design")))
}
