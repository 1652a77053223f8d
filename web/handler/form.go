package handler

import (
	"mime"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
)

// FormKey is where the fields of a form are kept once they are believed.
const FormKey = "form"

// Form is what the form holds that was sent. permit has read it and knows where
// it is from before any handler asks.
func (s *Base) Form(c *fiber.Ctx) url.Values {
	fields, _ := c.Locals(FormKey).(url.Values)
	return fields
}

// ReadForm reads the fields of a form that changes something, and refuses it
// where it does not carry a token of this session. Only what stands in the body
// counts: an address could be sent by a link.
func (s *Base) ReadForm(c *fiber.Ctx) error {
	kind, _, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEApplicationForm {
		return NewProblem(fiber.StatusUnsupportedMediaType, "A form is taken as "+fiber.MIMEApplicationForm+" only.")
	}
	fields, err := url.ParseQuery(string(c.BodyRaw()))
	if err != nil {
		return NewProblem(fiber.StatusBadRequest, "The form could not be read.")
	}
	if !validToken(s.formSecret(c), fields.Get("token")) {
		return NewProblem(fiber.StatusForbidden,
			"The form was refused and nothing was changed: it is not from a page of this session. Open the page again and send it once more.")
	}
	for _, given := range fields {
		if len(given) > 1 || !utf8.ValidString(given[0]) {
			return NewProblem(fiber.StatusBadRequest, "The form could not be read: a field stands there twice, or is not text.")
		}
	}
	c.Locals(FormKey, fields)
	return nil
}

// ReadTokenHeader refuses a request that changes something and is no form where
// its header does not carry a token of this session.
func (s *Base) ReadTokenHeader(c *fiber.Ctx) error {
	if !validToken(s.formSecret(c), c.Get("X-CSRF-Token")) {
		return NewProblem(fiber.StatusForbidden,
			"The request was refused and nothing was changed: its header X-CSRF-Token holds no token from a page of this session.")
	}
	return nil
}

// Token is what the forms of a page carry, empty for programs. Each page has
// another.
func (s *Base) Token(c *fiber.Ctx) string { return issueToken(s.formSecret(c)) }

// formSecret is what the forms of a browser are bound to: the secret of its
// session, and until there is one a cookie of their own.
func (s *Base) formSecret(c *fiber.Ctx) string {
	if IsProgram(c) {
		return ""
	}
	if who := s.Who(c); who.Known() {
		return who.Secret
	}
	return s.pre(c)
}

// Reader is who asks, by name: whose views are shown, and who wrote a note.
func (s *Base) Reader(c *fiber.Ctx) string { return s.Who(c).User }

// BackTo leads back to the page that a form was sent from.
func BackTo(c *fiber.Ctx, otherwise string) error {
	return c.Redirect(CameFrom(c, otherwise), fiber.StatusSeeOther)
}

// CameFrom is the address of the page that a form was sent from, as a path on
// this host; otherwise where the browser does not tell, or tells of elsewhere.
func CameFrom(c *fiber.Ctx, otherwise string) string {
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
