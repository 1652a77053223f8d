package handler

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/reports/phrase"
	"rebatedesk/web/templates/ui"
)

// FormKey is the key under which the fields of a form are stored once the form is
// trusted.
const FormKey = "form"

// Form returns the fields of the submitted form. permit has read it and checked its
// origin before any handler calls Form.
func (s *Base) Form(c *fiber.Ctx) url.Values {
	fields, _ := c.Locals(FormKey).(url.Values)
	return fields
}

// ReadForm reads the fields of a form that changes something, and refuses it if it does
// not carry a token of this session. Only the body counts, because a link could send
// the same fields in an address.
func (s *Base) ReadForm(c *fiber.Ctx) error {
	kind, _, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEApplicationForm {
		return NewProblem(fiber.StatusUnsupportedMediaType, "A form is taken as "+fiber.MIMEApplicationForm+" only.")
	}
	fields, err := url.ParseQuery(string(c.BodyRaw()))
	if err != nil {
		return NewProblem(fiber.StatusBadRequest, unreadable)
	}
	return s.trust(c, fields)
}

const unreadable = "The form could not be read."

// trust keeps the fields of a form if they carry a token of this session.
func (s *Base) trust(c *fiber.Ctx, fields url.Values) error {
	if !validToken(s.formSecret(c), fields.Get("token")) {
		return &Problem{Status: fiber.StatusForbidden, Kept: WrittenText(c.Path(), fields),
			Text: "The form was refused and nothing was changed: it is not from a page of this session. Open the page again and send it once more."}
	}
	for _, given := range fields {
		if len(given) > 1 || !utf8.ValidString(given[0]) {
			return NewProblem(fiber.StatusBadRequest, "The form could not be read: a field stands there twice, or is not text.")
		}
	}
	c.Locals(FormKey, fields)
	return nil
}

// written are the fields that hold text of a person. They are listed by name because any other
// field of a form may hold a secret.
var written = []string{"text", "note", "words", "why", "reason", "reference", "tag", "name", "owner", "recipients", "orderList"}

// WrittenText returns what a person wrote into a form that was refused, to be shown again. The address of
// a payee is such text, that of a channel is a secret.
func WrittenText(path string, fields url.Values) []ui.Kept {
	names := written
	if strings.HasPrefix(path, "/statements/payees/") {
		names = slices.Concat(names, []string{"address", "payment"})
	}
	kept := []ui.Kept{}
	for _, name := range names {
		if value := fields.Get(name); value != "" && utf8.ValidString(value) {
			kept = append(kept, ui.Kept{Name: cmp.Or(writtenNames[name], name), Value: value})
		}
	}
	return kept
}

// writtenNames are the labels of fields whose names are not words.
var writtenNames = map[string]string{"orderList": "orders"}

// uploadKey is the key under which the file of a form is stored once the form is trusted.
const uploadKey = "upload"

// UploadedFile is a file that was sent with a form.
type UploadedFile struct {
	Name string // as the browser gives it
	Text []byte
}

// Uploaded returns the file of the submitted form; its text is nil if the form has none.
func (s *Base) Uploaded(c *fiber.Ctx) UploadedFile {
	file, _ := c.Locals(uploadKey).(UploadedFile)
	return file
}

// MostUpload is how many bytes a file may have.
const MostUpload = 5 << 20

// ReadUpload is [Base.ReadForm] for a form that may have a file in its field "file".
func (s *Base) ReadUpload(c *fiber.Ctx) error {
	kind, params, err := mime.ParseMediaType(c.Get(fiber.HeaderContentType))
	if err != nil || kind != fiber.MIMEMultipartForm {
		return s.ReadForm(c)
	}
	fields, file, err := readParts(multipart.NewReader(bytes.NewReader(c.BodyRaw()), params["boundary"]))
	if err != nil {
		return NewProblem(fiber.StatusBadRequest, unreadable)
	}
	if len(file.Text) > MostUpload {
		return NewProblem(fiber.StatusRequestEntityTooLarge, fmt.Sprintf("The file has %s, and a page takes files of at most %d MiB. Nothing was changed. Divide the file.",
			phrase.Size(int64(len(file.Text))), MostUpload>>20))
	}
	if file.Text != nil {
		c.Locals(uploadKey, file)
	}
	return s.trust(c, fields)
}

// readParts reads the fields of a form and its file. The body, and with it each part, is
// short: the server limits it.
func readParts(parts *multipart.Reader) (fields url.Values, file UploadedFile, err error) {
	fields = url.Values{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return fields, file, nil
		}
		if err != nil {
			return nil, file, err
		}
		text, err := io.ReadAll(part)
		switch {
		case err != nil:
			return nil, file, err
		case part.FileName() == "" && part.FormName() != "file":
			fields.Add(part.FormName(), string(text))
		case part.FormName() == "file" && file.Text == nil && (part.FileName() != "" || len(text) > 0):
			file = UploadedFile{Name: part.FileName(), Text: append([]byte{}, text...)}
		}
	}
}

// ReadTokenHeader refuses a request that changes something and is not a form if its
// header does not carry a token of this session.
func (s *Base) ReadTokenHeader(c *fiber.Ctx) error {
	if !validToken(s.formSecret(c), c.Get("X-CSRF-Token")) {
		return NewProblem(fiber.StatusForbidden,
			"The request was refused and nothing was changed: its header X-CSRF-Token holds no token from a page of this session.")
	}
	return nil
}

// Token returns the token for the forms of a page, empty for programs. Each page has a
// different one.
func (s *Base) Token(c *fiber.Ctx) string { return issueToken(s.formSecret(c)) }

// formSecret returns the secret to which the forms of a browser are bound: that of its
// session or, before there is one, a separate cookie.
func (s *Base) formSecret(c *fiber.Ctx) string {
	if IsProgram(c) {
		return ""
	}
	if who := s.Who(c); who.Known() {
		return who.Secret
	}
	return s.pre(c)
}

// Reader returns the caller's name: the owner of the shown views, and the author of a
// note.
func (s *Base) Reader(c *fiber.Ctx) string { return s.Who(c).User }

// BackTo redirects to the page from which a form was sent.
func BackTo(c *fiber.Ctx, otherwise string) error {
	return c.Redirect(CameFrom(c, otherwise), fiber.StatusSeeOther)
}

// CameFrom returns the address of the page from which a form was sent, as a path on
// this host. It returns otherwise if the browser sends no referrer or one of another
// host.
func CameFrom(c *fiber.Ctx, otherwise string) string {
	from, err := url.Parse(c.Get(fiber.HeaderReferer))
	if err != nil || from.Host == "" || from.Host != string(c.Request().Header.Host()) {
		return otherwise
	}
	// A path with two leading slashes would name another host.
	path := from.EscapedPath()
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return otherwise
	}
	return (&url.URL{Path: from.Path, RawPath: from.RawPath, RawQuery: from.RawQuery}).String()
}
