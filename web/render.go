package web

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/web/templates"
)

// page is the frame of a page.
func (s *Server) page(c *fiber.Ctx, title, path string) templates.Page {
	return templates.Page{
		Title: title, Path: path, Assets: s.files.assets(),
		Version: s.Version, Demo: s.Demo, Run: s.run(c),
	}
}

// render answers with a component. It is drawn completely before the first
// byte is sent, so that a failure is an error page and not half a page.
//
// Pages are compressed. That is safe as long as no secret of the reader stands
// beside text that a stranger can choose. The tokens of forms are none: no two
// pages carry the same.
func (s *Server) render(c *fiber.Ctx, component templ.Component) error {
	var page bytes.Buffer
	// All that is asked is asked already; a page that says that time ran out
	// is written after it did.
	if err := component.Render(context.WithoutCancel(c.UserContext()), &page); err != nil {
		return fmt.Errorf("render: %w", err)
	}
	c.Set(fiber.HeaderContentType, "text/html; charset=utf-8")
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	if accepts(c, "gzip") {
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(fasthttp.AppendGzipBytesLevel(nil, page.Bytes(), fasthttp.CompressBestSpeed))
	}
	return c.Send(page.Bytes())
}

// accepts reports whether the client takes an encoding. A quality of zero is a
// refusal.
func accepts(c *fiber.Ctx, encoding string) bool {
	for _, offer := range strings.Split(c.Get(fiber.HeaderAcceptEncoding), ",") {
		name, parameters, _ := strings.Cut(offer, ";")
		if strings.TrimSpace(name) != encoding {
			continue
		}
		quality, given := strings.CutPrefix(strings.TrimSpace(parameters), "q=")
		return !given || strings.Trim(quality, "0.") != ""
	}
	return false
}
