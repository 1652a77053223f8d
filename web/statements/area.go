// Package statements has the handlers of statements to sub-affiliates: their list, each of
// them with its files and mails, and to whom they are addressed.
package statements

import (
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/statements"
)

// Area holds the handlers of statements.
type Area struct {
	*handler.Base
	Writing bool // statements may be issued and changed here
}

// New returns the handlers; without a writer they only read.
func New(b *handler.Base, writer *reports.Service) *Area {
	return &Area{b, writer != nil}
}

// token is that of the forms of a page, empty if the caller may not send them.
func (s *Area) token(c *fiber.Ctx) string {
	if s.Writing && s.May(c, access.MayEdit) {
		return s.Token(c)
	}
	return ""
}

// parameters reads the parameters of an address, of which only some are taken.
func parameters(c *fiber.Ctx, taken ...string) (url.Values, error) {
	values, err := handler.Parameters(c)
	if err != nil {
		return nil, err
	}
	for name, given := range values {
		known := false
		for _, one := range taken {
			known = known || one == name
		}
		switch {
		case !known:
			return nil, &query.ParamError{Param: name, Value: given[0], Problem: "is no parameter of this page"}
		case len(given) > 1:
			return nil, &query.ParamError{Param: name, Value: given[1], Problem: "is given twice: give it once"}
		}
	}
	return values, nil
}

// monthIn reads a month, such as 2026-09; 0 if the text is empty.
func monthIn(text string) (affiliate.Day, error) {
	if text == "" {
		return 0, nil
	}
	first, err := affiliate.ParseDay(text + "-01")
	if err != nil || first < query.Earliest || first > query.Latest {
		return 0, &query.ParamError{Param: "month", Value: text, Problem: "is no month: give one such as 2026-09"}
	}
	return first, nil
}

// uidIn reads the UID of a sub-affiliate.
func uidIn(text string) (affiliate.UID, error) {
	if !query.IsUID(text) {
		return "", &query.ParamError{Param: "uid", Value: text, Problem: "is no UID: a UID is up to 32 digits or letters"}
	}
	return affiliate.UID(text), nil
}

// numberIn returns the number of the statement in the address.
func numberIn(c *fiber.Ctx) (string, error) {
	number, err := url.PathUnescape(c.Params("number"))
	if err != nil || len(number) > 40 {
		return "", handler.NewProblem(fiber.StatusNotFound, "No statement has such a number: it is one such as 2026-09-0001.")
	}
	return number, nil
}

func wrapped(what string, err error) error { return fmt.Errorf("%s: %w", what, err) }

// confirmed returns the address of a page, which confirms what was done.
func confirmed(path, done string, more ...string) string {
	values := url.Values{"done": {done}}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	return path + "?" + values.Encode()
}

// done are the changes that pages can confirm after a redirect.
var done = map[string]string{
	"issued":    "The statement is issued.",
	"all":       "The statements are issued.",
	"corrected": "The correction is issued.",
	"paid":      "The payment is noted.",
	"unpaid":    "The payment is taken back.",
	"sent":      "The mail is in the outbox and on its way.",
	"payee":     "The payee is saved. Statements that were issued keep theirs.",
}

var path = templates.StatementPath
