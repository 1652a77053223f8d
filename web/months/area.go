// Package months has the handlers of the pages on which months are closed.
package months

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/evidence/keyring"
	"rebatedesk/mail/mailer"
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
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	words, _ := handler.Confirmed(values, done)
	return s.showList(c, values, func(v *templates.MonthListView) { v.Done = words })
}

// showList answers with the list of months. change adds what a form did.
func (s *Area) showList(c *fiber.Ctx, values url.Values, change func(*templates.MonthListView)) error {
	q, err := s.QueryOf(c, values, months.Accepted)
	if err != nil {
		return err
	}
	page := s.Page(c, "Months", ui.MonthsPath)
	page.Carry = ui.Carry(q)
	list, err := reports.Ask(c.UserContext(), s.Whole, q, months.Make)
	if err != nil {
		return fmt.Errorf("months: %w", err)
	}
	links := s.Links(c, q)
	links.Path = ui.MonthsPath // a refused form has another
	links.Accepts = months.Accepted
	v := templates.MonthListView{List: list, Links: links}
	if s.edits(c, q) {
		v.Token = s.Token(c)
		if v.Mails, err = s.mails(c); err != nil {
			return err
		}
	}
	change(&v)
	return s.Render(c, templates.List(page, v))
}

// edits reports whether the reader of a page may close months on it.
func (s *Area) edits(c *fiber.Ctx, q query.Query) bool {
	return s.Desk != nil && q.AsOf.IsZero() && s.May(c, access.MayEdit)
}

// mails reports whether mail can be sent.
func (s *Area) mails(c *fiber.Ctx) (bool, error) {
	if s.Mail == nil {
		return false, nil
	}
	server, _, err := s.Mail.Via(c.UserContext())
	return server != "", err
}

// done are the changes that the page can confirm after a redirect.
var done = map[string]string{
	"closed":   "The month is closed. What is known of it is frozen.",
	"all":      "The months are closed. What is known of them is frozen.",
	"sent":     "The mail with the files of the month is in the outbox and on its way.",
	"both":     "The month is closed, and the mail with its files is in the outbox and on its way.",
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
	if s.edits(c, linked) {
		view.Token = s.Token(c)
		if view.CanMail, err = s.mails(c); err != nil {
			return err
		}
		if view.CanMail {
			if err := s.sent(c, &view); err != nil {
				return err
			}
		}
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

// Close closes a month. It is sent to somebody with the same press if the form names an address.
func (s *Area) Close(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, month affiliate.Day) (string, error) {
		reason, to := f.Text(templates.ReasonField), f.Text(templates.ToField)
		if to != "" { // an address that nobody could be sent to must not leave the month closed and unsent
			if _, err := mailer.ParseAddress(to); err != nil {
				return "", handler.At(templates.ToField, err)
			}
		}
		if err := s.close(c, f, month, f.Fields.Get(templates.IncompleteField) == ui.Ticked, reason); err != nil || to == "" {
			return "closed", err
		}
		return "both", s.send(c, f, month, to, -1)
	})
}

func (s *Area) close(c *fiber.Ctx, f *handler.Sent, month affiliate.Day, incomplete bool, reason string) error {
	_, err := s.Whole.CloseMonth(c.UserContext(), month, incomplete, reason, f.By)
	if open, ok := errors.AsType[*reports.NotClosableError](err); ok {
		return &store.RuleError{Problem: strings.Join(open.Lacks, " "), Stale: true}
	}
	return err
}

// mostClosed is how many months one form closes at most.
const mostClosed = 600

// CloseAll closes the months that the form names, the oldest first, as long as they are complete.
func (s *Area) CloseAll(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		reason := f.Text(templates.ReasonField)
		var list []affiliate.Day
		for _, text := range strings.Fields(f.Fields.Get(templates.MonthsField)) {
			month, ok := months.Parse(text)
			if !ok || len(list) == mostClosed {
				return "", handler.NewProblem(fiber.StatusBadRequest, "The form is not of this page: open the page again.")
			}
			list = append(list, month)
		}
		if len(list) == 0 {
			return "", &store.RuleError{Problem: "No month was chosen.", Stale: true}
		}
		slices.Sort(list)
		for i, month := range list {
			if err := s.close(c, f, month, false, reason); err != nil {
				if rule, ok := errors.AsType[*store.RuleError](err); ok && i > 0 {
					err = &store.RuleError{Stale: true, Problem: fmt.Sprintf("%s closed, from %s on. Then: %s",
						phrase.Things(i, "month"), phrase.MonthName(list[0]), rule.Problem)}
				}
				return "", err
			}
		}
		return handler.Confirming(ui.MonthsPath, "all"), nil
	}, func(f *handler.Sent) error {
		return s.showList(c, url.Values{}, func(v *templates.MonthListView) { v.Form = f.Form })
	})
}

// Reopen reopens a closed month.
func (s *Area) Reopen(c *fiber.Ctx) error {
	return s.act(c, func(f *handler.Sent, month affiliate.Day) (string, error) {
		return "reopened", s.Whole.ReopenMonth(c.UserContext(), month, f.Text(templates.ReasonField), f.By)
	})
}

// act answers a form about the month in the address. do returns what was done, as its page confirms it.
func (s *Area) act(c *fiber.Ctx, do func(f *handler.Sent, month affiliate.Day) (done string, err error)) error {
	month, err := monthIn(c)
	if err != nil {
		return err
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		done, err := do(f, month)
		return handler.Confirming(ui.MonthAddress(month), done), err
	}, func(f *handler.Sent) error {
		return s.show(c, url.Values{}, func(v *templates.MonthView) { v.Form = f.Form })
	})
}
