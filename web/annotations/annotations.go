// Package annotations has the handlers of what managers write about days.
package annotations

import (
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/annotated"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	stored "rebatedesk/store/annotations"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/annotations"
	"rebatedesk/web/templates/ui"
)

// Area holds the handlers of annotations.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }

// done are the changes that the list can confirm after a redirect.
var done = map[string]string{
	"added":   "The annotation is added.",
	"changed": "The annotation is changed.",
	"removed": "The annotation is removed.",
}

// List shows all annotations.
func (s *Area) List(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	said, _ := handler.Confirmed(values, done)
	q, err := s.QueryOf(c, values, annotated.Accepted)
	if err != nil {
		return err
	}
	report, err := s.desk(c).Annotations(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("annotations: %w", err)
	}
	view := templates.AnnotationList{Report: report, Done: said, Zone: s.Zone,
		Links: ui.Links{NoFiles: !s.May(c, access.MayExport), Path: ui.AnnotationsPath, Query: q, Reported: s.Reported(c)}}
	if !q.Past() && s.Annotates(c) {
		view.Token = s.Token(c)
	}
	return s.Render(c, templates.List(s.Page(c, "Annotations", ui.AnnotationsPath), view))
}

// Form shows the form for a new annotation; its address fills in the fields.
func (s *Area) Form(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	form := handler.FormOf()
	for name := range values {
		if _, known := templates.AnnotationFields[name]; !known {
			return &query.ParamError{Param: name, Value: values.Get(name), Problem: "is no field of the form: it takes from, to, words, account, code and back"}
		}
		form.Values[name] = values.Get(name)
	}
	return s.show(c, 0, form)
}

// Edit shows the form that changes an annotation.
func (s *Area) Edit(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	a, err := s.desk(c).Annotation(c.UserContext(), id)
	if err != nil {
		return s.missing(c, err)
	}
	form := handler.FormOf("from", a.Days.First.String(), "to", a.Days.Last.String(), "words", a.Words, "account", string(a.Account), "code", a.Code)
	return s.show(c, id, form)
}

// show answers with the form of an annotation; a new one has no id.
func (s *Area) show(c *fiber.Ctx, id int64, form ui.Form) error {
	report, err := s.desk(c).Annotations(c.UserContext(), query.Query{Range: query.AllTime, Zone: s.Zone, Page: 1, Per: 1})
	if err != nil {
		return fmt.Errorf("annotations: %w", err)
	}
	if form.Values["back"] == "" {
		form.Values["back"] = ui.AnnotationsPath
	}
	form.Values["back"] = handler.LocalPath(form.Values["back"])
	title := "Annotate a day"
	if id != 0 {
		title = "Change an annotation"
	}
	return s.Render(c, templates.FormPage(s.Page(c, title, ui.AnnotationsPath), templates.AnnotationForm{
		Title: title, ID: id, Form: form, Token: s.Token(c), Accounts: report.Accounts, Whole: report.Whole,
	}))
}

// Add stores a new annotation and leads back to the page from which it was written.
func (s *Area) Add(c *fiber.Ctx) error {
	return s.act(c, "added", func(a stored.Annotation, f *handler.Sent) error {
		_, err := s.desk(c).AddAnnotation(c.UserContext(), a, f.By)
		return err
	})
}

// Change replaces an annotation.
func (s *Area) Change(c *fiber.Ctx) error {
	return s.act(c, "changed", func(a stored.Annotation, f *handler.Sent) error {
		return s.desk(c).ChangeAnnotation(c.UserContext(), f.ID, a, f.By)
	})
}

// Remove removes an annotation.
func (s *Area) Remove(c *fiber.Ctx) error {
	return s.missing(c, s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming(ui.AnnotationsPath, "removed"), s.desk(c).RemoveAnnotation(c.UserContext(), f.ID, f.By)
	}, nil))
}

// act answers the form of an annotation, and leads to the page from which the form was opened, or to the
// list.
func (s *Area) act(c *fiber.Ctx, done string, do func(stored.Annotation, *handler.Sent) error) error {
	return s.missing(c, s.Act(c, func(f *handler.Sent) (string, error) {
		a := read(f)
		if f.Wrong() {
			return "", nil
		}
		if back := f.Values["back"]; back != "" && back != ui.AnnotationsPath {
			return handler.LocalPath(back), do(a, f)
		}
		return handler.Confirming(ui.AnnotationsPath, done), do(a, f)
	}, func(f *handler.Sent) error { return s.show(c, f.ID, f.Form) }))
}

// desk returns the desk on behalf of the caller.
func (s *Area) desk(c *fiber.Ctx) *reports.AnnotationDesk {
	return reports.NewAnnotationDesk(s.Reports(c), annotated.Writer{Name: s.Who(c).User, Everyone: s.May(c, access.MayAdminister)})
}

// read reads the form.
func read(f *handler.Sent) (a stored.Annotation) {
	for name := range templates.AnnotationFields {
		f.Text(name)
	}
	a.Days.First = f.Day("from", "Give a day such as 2026-11-03.")
	if a.Days.Last = a.Days.First; f.Values["to"] != "" {
		a.Days.Last = f.Day("to", "Give a day such as 2026-11-05, or leave it empty for a single day.")
	}
	a.Words, a.Account, a.Code = f.Values["words"], affiliate.Account(f.Values["account"]), f.Values["code"]
	return a
}

// missing makes an error about an annotation that is not there, or that someone else wrote, an answer for
// the reader.
func (s *Area) missing(c *fiber.Ctx, err error) error {
	if others, ok := errors.AsType[*annotated.NotYoursError](err); ok {
		return handler.NewProblem(fiber.StatusForbidden, phrase.Sentence(others.Error()))
	}
	return s.Gone(c, err)
}
