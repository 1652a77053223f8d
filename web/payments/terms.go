package payments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/export"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/tabular"
	"rebatedesk/terms"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/rates"
	"rebatedesk/web/templates/ui"
	"rebatedesk/workbook"
)

// termsDone are the changes that the page can confirm after a redirect.
var termsDone = map[string]string{
	"imported":  "The terms of the file are stored.",
	"unchanged": "The file says what is stored already: nothing was changed.",
	"removed":   "The term is removed. It stays in the list of changes.",
}

// Terms lists what was agreed.
func (s *Area) Terms(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	done, _ := handler.Confirmed(values, termsDone)
	q, err := s.QueryOf(c, values, agreed.Accepted)
	if err != nil {
		return err
	}
	report, err := reports.Ask(c.UserContext(), s.Whole, q, agreed.Make)
	if err != nil {
		return fmt.Errorf("terms: %w", err)
	}
	page := s.Page(c, "Agreed rates", templates.RatesPath)
	page.Carry = ui.Carry(q)
	view := templates.TermsView{Report: report, Links: ui.Links{NoFiles: !s.May(c, access.MayExport), Path: templates.TermsPath, Query: q, Reported: s.Reported(c)}, Done: done}
	if s.Desk != nil && !q.Past() && s.May(c, access.MayEdit) {
		view.Token = s.Token(c)
	}
	return s.Render(c, templates.Terms(page, view))
}

// TermsFile answers with the terms as a terms file, which can be imported again.
func (s *Area) TermsFile(c *fiber.Ctx) error {
	q, err := s.QueryWith(c, agreed.Accepted)
	if err != nil {
		return err
	}
	report, err := reports.Ask(c.UserContext(), s.Whole, q, agreed.Make)
	if err != nil {
		return fmt.Errorf("terms: %w", err)
	}
	var file bytes.Buffer
	if err := terms.WriteFile(&file, report.List()); err != nil {
		return fmt.Errorf("terms file: %w", err)
	}
	if c.Method() != fiber.MethodHead {
		if err := s.Record(c, "export", "terms as csv", handler.Quote(string(c.Request().RequestURI()))); err != nil {
			return err
		}
	}
	c.Set(fiber.HeaderContentType, export.CSV.ContentType())
	c.Set(fiber.HeaderContentDisposition, handler.ContentDisposition("terms.csv"))
	return c.Send(file.Bytes())
}

// PreviewTerms shows what a file would change, or what is wrong with it.
func (s *Area) PreviewTerms(c *fiber.Ctx) error {
	file := s.Uploaded(c)
	if pasted := s.Form(c).Get("text"); file.Text == nil && pasted != "" {
		file = handler.UploadedFile{Name: "pasted text", Text: []byte(pasted)}
	}
	if len(file.Text) == 0 {
		return s.preview(c, templates.TermsPreview{Problem: "No file was chosen, or it is empty. Choose a terms file, or paste its text."})
	}
	if file.Name == "" {
		file.Name = "terms.csv"
	}
	return s.compare(c, file, "")
}

// compare shows what a file would change. The problem is why an import was not made.
func (s *Area) compare(c *fiber.Ctx, file handler.UploadedFile, problem string) error {
	view := templates.TermsPreview{Name: affiliate.OneLine(file.Name), Problem: problem}
	parsed, err := s.parse(c, file.Text)
	if plain(file.Text) {
		view.Text = string(file.Text)
	} else if err == nil {
		var text strings.Builder // the form of the preview holds the same terms as text
		if err = terms.WriteFile(&text, parsed.Terms); err != nil {
			return fmt.Errorf("terms file: %w", err)
		}
		view.Text = text.String()
	}
	if err == nil {
		view.Repeats = parsed.Repeats
		view.Merging, view.Seen, err = s.Desk.CompareTerms(c.UserContext(), parsed)
	}
	if mistakes, ok := errors.AsType[tabular.Mistakes](err); ok {
		view.Mistakes = mistakes
	} else if rule, ok := errors.AsType[*store.RuleError](err); ok {
		view.Problem, view.Text = rule.Problem, "" // there is nothing to confirm
	} else if err != nil {
		return fmt.Errorf("compare terms: %w", err)
	}
	return s.preview(c, view)
}

// plain reports whether a file is text that a form can hold.
func plain(file []byte) bool { return utf8.Valid(file) && !workbook.Is(file) }

// parse reads a file at one of the places for files.
func (s *Area) parse(c *fiber.Ctx, text []byte) (file terms.File, err error) {
	err = handler.AtPreview(s.Base, c, func(ctx context.Context) error {
		file, err = terms.Parse(ctx, text)
		return err
	})
	return file, err
}

func (s *Area) preview(c *fiber.Ctx, view templates.TermsPreview) error {
	view.Token = s.Token(c)
	if view.Problem != "" || len(view.Mistakes) > 0 {
		c.Status(fiber.StatusBadRequest)
	}
	return s.Render(c, templates.PreviewPage(s.Page(c, "Agreed rates: preview of a file", templates.RatesPath), view))
}

// ImportTerms stores the terms of a file that was shown as a preview.
func (s *Area) ImportTerms(c *fiber.Ctx) error {
	fields := s.Form(c)
	file := handler.UploadedFile{Name: fields.Get("name"), Text: []byte(strings.ReplaceAll(fields.Get("text"), "\r\n", "\n"))} // browsers lengthen the ends of lines
	return s.Act(c, func(f *handler.Sent) (string, error) {
		seen := handler.VersionIn(fields, &f.Form)
		if f.Wrong() {
			return "", handler.NewProblem(fiber.StatusBadRequest, f.Alert)
		}
		parsed, err := s.parse(c, file.Text)
		if err != nil {
			return "", err
		}
		merged, err := agreements.ImportTerms(c.UserContext(), s.Desk.Store(), parsed, affiliate.OneLine(file.Name), seen, f.By)
		done := "imported"
		if !merged.Any() {
			done = "unchanged"
		}
		return handler.Confirming(templates.TermsPath, done), store.AtField("", err) // the page has one place for what is wrong
	}, func(f *handler.Sent) error { return s.compare(c, file, f.Alert) })
}

// RemoveTerm removes a term.
func (s *Area) RemoveTerm(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		_, err := agreements.RemoveTerm(c.UserContext(), s.Desk.Store(), f.ID, f.By)
		return handler.Confirming(templates.TermsPath, "removed"), err
	}, nil)
}
