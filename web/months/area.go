// Package months has the handlers of the pages on which months are closed.
package months

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/evidence/keyring"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/months"
	"rebatedesk/web/templates/ui"
)

// Area holds the handlers of months.
type Area struct {
	*handler.Base
	Desk *reports.Service // writing; nil: it is off
	// Signer has the key of evidence packs; nil: none are made.
	Signer *keyring.Signer
}

func New(b *handler.Base, desk *reports.Service, signer *keyring.Signer) *Area {
	return &Area{b, desk, signer}
}

// Months lists the months.
func (s *Area) Months(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	page := s.Frame(c, q)
	list, err := reports.Ask(c.UserContext(), s.Whole, q, months.Make)
	if err != nil {
		return fmt.Errorf("months: %w", err)
	}
	return s.Render(c, templates.List(page, templates.MonthListView{
		List: list, Links: s.Links(c, q),
	}))
}

// done are the changes that the page can confirm after a redirect.
var done = map[string]string{
	"closed":   "The month is closed. What is known of it is frozen.",
	"reopened": "The month is open again. Its closing stays in the history.",
}

// Month is the page of one month.
func (s *Area) Month(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	words, _ := handler.Confirmed(values, done)
	return s.show(c, values, func(v *templates.MonthView) { v.Done = words })
}

// monthIn returns the month that the address names.
func monthIn(c *fiber.Ctx) (affiliate.Day, error) {
	first, ok := months.Parse(c.Params("month"))
	if !ok {
		return 0, handler.NewProblem(fiber.StatusNotFound, "The address names no month, such as /months/2026-10.")
	}
	return first, nil
}

// parsed reads the query of a month: with its days, and as the links of the page have it, which
// name the month by their path.
func (s *Area) parsed(c *fiber.Ctx, values url.Values) (asked, linked query.Query, err error) {
	first, err := monthIn(c)
	if err != nil {
		return asked, linked, err
	}
	basis, err := s.Whole.Basis(c.UserContext())
	if err != nil {
		return asked, linked, fmt.Errorf("basis of the query: %w", err)
	}
	basis.AcceptedParams = months.AcceptedOfOne
	if linked, err = query.Parse(values, basis); err != nil {
		return asked, linked, err
	}
	if first > linked.Today {
		return asked, linked, handler.NewProblem(fiber.StatusNotFound, phrase.MonthName(first)+" has not begun.")
	}
	asked = linked
	asked.Range, asked.Days = query.Custom, months.DaysOf(first)
	return asked, linked, nil
}

// show answers with the page of a month. change adds what a form did.
func (s *Area) show(c *fiber.Ctx, values url.Values, change func(*templates.MonthView)) error {
	asked, linked, err := s.parsed(c, values)
	if err != nil {
		return err
	}
	page := s.Page(c, phrase.MonthName(asked.Days.First), ui.MonthsPath)
	page.Carry = ui.Carry(linked)
	detail, err := reports.Ask(c.UserContext(), s.Whole, asked, months.MakeOne)
	if err != nil {
		return fmt.Errorf("month: %w", err)
	}
	view := templates.MonthView{Detail: detail, Links: ui.Links{NoFiles: !s.May(c, access.MayExport), Path: ui.MonthAddress(asked.Days.First), Query: linked, Reported: s.Reported(c)}}
	if s.Desk != nil && linked.AsOf.IsZero() && s.May(c, access.MayEdit) {
		view.Token = s.Token(c)
	}
	if s.Signer != nil {
		key, known, err := s.Signer.Public(c.UserContext())
		if err != nil {
			return fmt.Errorf("month: %w", err)
		}
		if known {
			view.Key = key.Fingerprint().Groups()
		}
	}
	change(&view)
	return s.Render(c, templates.Month(page, view))
}

// File answers with a month as a file.
func (s *Area) File(format export.Format) fiber.Handler {
	return func(c *fiber.Ctx) error {
		values, err := handler.Parameters(c)
		if err != nil {
			return err
		}
		asked, _, err := s.parsed(c, values)
		if err != nil {
			return err
		}
		return s.Download(c, months.OneFile.Name, format, func(ctx context.Context) (handler.ExportFile, error) {
			return s.Whole.OpenExport(ctx, months.OneFile, asked)
		})
	}
}

// Close closes a month.
func (s *Area) Close(c *fiber.Ctx) error {
	return s.act(c, "closed", func(f *handler.Sent, month affiliate.Day, reason string) error {
		_, err := s.Whole.CloseMonth(c.UserContext(), month, f.Fields.Get(templates.IncompleteField) == ui.Ticked, reason, f.By)
		if open, ok := errors.AsType[*reports.NotClosableError](err); ok {
			return &store.RuleError{Problem: strings.Join(open.Lacks, " "), Stale: true}
		}
		return err
	})
}

// Reopen reopens a closed month.
func (s *Area) Reopen(c *fiber.Ctx) error {
	return s.act(c, "reopened", func(f *handler.Sent, month affiliate.Day, reason string) error {
		return s.Whole.ReopenMonth(c.UserContext(), month, reason, f.By)
	})
}

// act answers a form about the month in the address, which has a reason.
func (s *Area) act(c *fiber.Ctx, done string, do func(f *handler.Sent, month affiliate.Day, reason string) error) error {
	month, err := monthIn(c)
	if err != nil {
		return err
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming(ui.MonthAddress(month), done), do(f, month, f.Text(templates.ReasonField))
	}, func(f *handler.Sent) error {
		return s.show(c, url.Values{}, func(v *templates.MonthView) { v.Form = f.Form })
	})
}
