package web

import (
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
)

// form reads the fields of a form that changes something, and refuses it where
// it does not carry a token of this server. Only what stands in the body counts:
// an address could be sent by a link.
func (s *Server) form(c *fiber.Ctx) (url.Values, error) {
	kind, _, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEApplicationForm {
		return nil, &problem{fiber.StatusUnsupportedMediaType, "A form is taken as " + fiber.MIMEApplicationForm + " only."}
	}
	fields, err := url.ParseQuery(string(c.BodyRaw()))
	if err != nil {
		return nil, &problem{fiber.StatusBadRequest, "The form could not be read."}
	}
	if !s.tokens.valid(s.session(c), fields.Get("token")) {
		return nil, &problem{fiber.StatusForbidden,
			"The form was refused and nothing was changed: it is not from a page of this server, or the server was started anew since. Open the page again and send it once more."}
	}
	for _, given := range fields {
		if len(given) > 1 || !utf8.ValidString(given[0]) {
			return nil, &problem{fiber.StatusBadRequest, "The form could not be read: a field stands there twice, or is not text."}
		}
	}
	return fields, nil
}

// token is what the forms of a page carry. Each page has another.
func (s *Server) token(c *fiber.Ctx) string { return s.tokens.issue(s.session(c)) }

// session tells readers apart; until there is a sign-in they are all one.
func (s *Server) session(*fiber.Ctx) string { return "" }

// reader is who asks, by name: whose views are shown, and who wrote a note.
// Until there is a sign-in nobody has a name, and everything is shared.
func (s *Server) reader(*fiber.Ctx) string { return "" }

// backTo leads back to the page that a form was sent from.
func backTo(c *fiber.Ctx, otherwise string) error {
	return c.Redirect(cameFrom(c, otherwise), fiber.StatusSeeOther)
}

// cameFrom is the address of the page that a form was sent from, as a path on
// this host; otherwise where the browser does not tell, or tells of elsewhere.
func cameFrom(c *fiber.Ctx, otherwise string) string {
	from, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil || from.Host == "" || from.Host != string(c.Request().Header.Host()) {
		return otherwise
	}
	// Two slashes in front would be another host.
	path := from.EscapedPath()
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return otherwise
	}
	return (&url.URL{Path: from.Path, RawPath: from.RawPath, RawQuery: from.RawQuery}).String()
}
