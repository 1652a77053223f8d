package invitees

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/store"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/invitees"
	"rebatedesk/web/templates/navigation"
)

// importsShown is how many imports the page lists.
const importsShown = 100

// importsDone are the changes that the page can confirm after a redirect.
var importsDone = map[string]string{
	"imported": "The file is stored.",
	"undone":   "The import is undone. What it left stands beside it in the list.",
}

// ImportRoutes are the addresses of the people file.
func (s *Area) ImportRoutes() []route.Route {
	if s.Desk == nil {
		return nil
	}
	return []route.Route{
		route.Private("/people/import", access.MayEdit, s.Imports).
			Help("Import people", "How do I give UIDs names, tags, owners and costs from a file?", "UID", "invite code").Listed(navigation.Invitees, "people", "people names csv upload file").Called("Import"),
		route.Page("/people/import.csv", access.MayExport, s.PeopleFile(export.CSV)).DescribeFile("The people file, as it can be imported.", route.NoParams),
		route.Page("/people/import.xlsx", access.MayExport, s.PeopleFile(export.XLSX)).DescribeFile("The people file as a workbook.", route.NoParams),
		route.Post("/people/import", access.MayEdit, s.ImportPeople),
		route.Post("/people/import/preview", access.MayEdit, s.PreviewImport).WithFile(),
		route.Post("/people/import/:id/undo", access.MayEdit, s.UndoImport),
	}
}

// Imports is the page of imports of people files.
func (s *Area) Imports(c *fiber.Ctx) error {
	desk := reports.PeopleOf(s.Desk)
	list, err := desk.Imports(c.UserContext(), importsShown)
	if err != nil {
		return err
	}
	hidden, err := desk.NamesHidden(c.UserContext())
	if err != nil {
		return err
	}
	return s.Render(c, templates.Imports(s.Page(c, "Import people", "/people/import"), templates.ImportsView{
		Zone: s.Zone, Token: s.Token(c), Imports: list, Done: importsDone[c.Query("done")], Settings: s.May(c, access.MayAdminister), Hidden: hidden,
	}))
}

// PreviewImport shows what a people file would change, or what is wrong with it.
func (s *Area) PreviewImport(c *fiber.Ctx) error {
	uploaded, desk := s.Uploaded(c), reports.PeopleOf(s.Desk)
	view := templates.ImportPreview{Name: affiliate.OneLine(uploaded.Name), Token: s.Token(c)}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		if len(uploaded.Text) == 0 {
			f.Alert = "No file was chosen, or it is empty: choose a people file."
			return "", nil
		}
		file, err := s.parse(c, uploaded.Text)
		if err != nil {
			return "", err
		}
		if view.Changes, err = desk.Compare(c.UserContext(), file); err != nil {
			return "", err
		}
		view.Words = reports.ImportWords(view.Changes, file)
		view.Draft, err = desk.SaveDraft(c.UserContext(), s.Reader(c), view.Name, uploaded.Text)
		return "", err
	}, func(f *handler.Sent) error {
		view.Problem, view.Faults = f.Alert, f.Mistakes
		return s.Render(c, templates.PreviewImport(s.Page(c, "Preview of a people file", "/people/import"), view))
	})
}

// parse reads a people file at one of the places for files.
func (s *Area) parse(c *fiber.Ctx, text []byte) (file whos.File, err error) {
	err = handler.AtPreview(s.Base, c, func(ctx context.Context) error {
		file, err = whos.ParseFile(ctx, text)
		return err
	})
	return file, err
}

// ImportPeople stores a people file that was shown as a preview.
func (s *Area) ImportPeople(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		// The place comes first: a draft is taken once.
		return handler.Confirming(templates.ImportPath, "imported"), handler.AtPreview(s.Base, c, func(ctx context.Context) error {
			desk := reports.PeopleOf(s.Desk)
			draft, err := desk.TakeDraft(ctx, f.Fields.Get("draft"), s.Reader(c))
			if rule, ok := errors.AsType[*store.RuleError](err); ok {
				return handler.NewProblem(fiber.StatusConflict, rule.Problem)
			}
			if err != nil {
				return err
			}
			file, err := whos.ParseFile(ctx, draft.Content)
			if err != nil {
				return err
			}
			if _, _, err := desk.Import(ctx, file, draft.Name, f.By); err != nil {
				return fmt.Errorf("import people: %w", err)
			}
			return nil
		})
	}, nil)
}

// UndoImport undoes an import of people.
func (s *Area) UndoImport(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		_, _, err := reports.PeopleOf(s.Desk).Undo(c.UserContext(), f.ID, f.By)
		return handler.Confirming(templates.ImportPath, "undone"), err
	}, nil)
}

// PeopleFile answers with the people file in a format.
func (s *Area) PeopleFile(format export.Format) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var file bytes.Buffer
		if _, err := reports.PeopleOf(s.Desk).WriteFile(c.UserContext(), &file, format); err != nil {
			return fmt.Errorf("people file: %w", err)
		}
		if c.Method() != fiber.MethodHead {
			if err := s.Record(c, "export", "people as "+string(format), ""); err != nil {
				return err
			}
		}
		c.Set(fiber.HeaderContentType, format.ContentType())
		c.Set(fiber.HeaderContentDisposition, handler.ContentDisposition("people."+string(format)))
		return c.Send(file.Bytes())
	}
}

// EditPerson changes what is kept of the person behind a UID. Every field of the form is what
// the value becomes; an empty one removes it.
func (s *Area) EditPerson(c *fiber.Ctx) error {
	return s.actOr(c, func(f *handler.Sent, _ affiliate.Account, uid affiliate.UID) error {
		entry := whos.PersonEntry{UID: uid}
		for _, field := range whos.PersonFields() {
			if f.Fields.Has(string(field)) && field != whos.FieldTags {
				given := whos.GivenValue{Field: field, Text: f.Text(string(field))}
				if _, err := whos.CheckValue(field, given.Text); err != nil {
					f.Fault(string(field), phrase.Capital(err.Error())+".")
				}
				entry.Values = append(entry.Values, given)
			}
		}
		seen := handler.VersionIn(f.Fields, &f.Form)
		if f.Wrong() {
			return nil
		}
		return reports.PeopleOf(s.Desk).Edit(c.UserContext(), entry, seen, f.By)
	}, s.showAgain)
}
