// Package floor serves the smallest possible report page: one query of roll-ups and two
// hundred rows. Benchmarks compare pages with it.
package floor

import (
	"bytes"
	"net"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Rows is the number of rows of the page.
const Rows = 200

// Server serves the page at /.
type Server struct{ app *fiber.App }

// New returns a server of the daily sums.
func New(st *store.Store, days affiliate.Days) *Server {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/", func(c *fiber.Ctx) error {
		r, err := st.Read(c.UserContext())
		if err != nil {
			return err
		}
		defer r.Close()
		list, err := sums.ByDay(c.UserContext(), r, records.CommissionFilter{Days: days})
		if err != nil {
			return err
		}
		var text bytes.Buffer
		if err := page(list).Render(c.UserContext(), &text); err != nil {
			return err
		}
		c.Set(fiber.HeaderContentType, "text/html; charset=utf-8")
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(fasthttp.AppendGzipBytesLevel(nil, text.Bytes(), fasthttp.CompressBestSpeed))
	})
	return &Server{app}
}

// Serve answers on the listener until Shutdown.
func (s *Server) Serve(ln net.Listener) error { return s.app.Listener(ln) }

// Shutdown waits for requests in progress.
func (s *Server) Shutdown() error { return s.app.Shutdown() }
