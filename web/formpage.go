package web

import (
	"path"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/web/handler"
	"rebatedesk/web/route"
)

// leaveForm leads a browser that opens an address of a form, such as that of a refused one, to the page that has
// the form: the nearest page above it. Programs are told that the address takes no such request.
func (s *Server) leaveForm(c *fiber.Ctx) error {
	if s.opensPage(c) && s.formOnly(c.Path()) {
		return s.redirectToForm(c, c.Path())
	}
	return c.Next()
}

// opensPage reports whether a browser opens a page.
func (s *Server) opensPage(c *fiber.Ctx) bool {
	return (c.Method() == fiber.MethodGet || c.Method() == fiber.MethodHead) && !handler.IsProgram(c)
}

// formOnly reports whether a pattern of addresses takes only forms of browsers.
func (s *Server) formOnly(pattern string) bool {
	return s.has(fiber.MethodPost, pattern) && !s.has(fiber.MethodGet, pattern)
}

func (s *Server) has(method, pattern string) bool {
	return slices.ContainsFunc(s.table, func(r route.Route) bool {
		return r.Method == method && r.Path == pattern && (method == fiber.MethodGet || !r.Tokens)
	})
}

// formWithNames returns the pattern of an address that only takes forms, and names what its form is about.
func (s *Server) formWithNames(c *fiber.Ctx) (pattern string, ok bool) {
	at := slices.IndexFunc(s.table, func(r route.Route) bool {
		return strings.Contains(r.Path, "/:") && s.formOnly(r.Path) && fiber.RoutePatternMatch(c.Path(), r.Path, s.app.Config())
	})
	if at < 0 || !s.opensPage(c) {
		return "", false
	}
	return s.table[at].Path, true
}

// redirectToForm redirects to the nearest page above the address of a form, with its query.
func (s *Server) redirectToForm(c *fiber.Ctx, pattern string) error {
	address := c.Path()
	for pattern != "/" {
		pattern, address = path.Dir(pattern), path.Dir(address)
		if s.has(fiber.MethodGet, pattern) {
			break
		}
	}
	if asked := string(c.Request().URI().QueryString()); asked != "" {
		address += "?" + asked
	}
	return c.Redirect(handler.LocalPath(address), fiber.StatusSeeOther)
}
