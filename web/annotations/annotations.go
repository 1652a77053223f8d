// Package annotations has the handlers of what managers write about days.
package annotations

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/annotated"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store"
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
	said := done[values.Get("done")]
	values.Del("done")
	basis, err := s.Reports(c).Basis(c.UserContext())
	if err != nil {
		return fmt.Errorf("basis of the query: %w", err)
	}
	basis.AcceptedParams = annotated.Accepted
	q, err := query.Parse(values, basis)
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
	form, a, ok := s.read(c)
	if ok {
		_, err := s.desk(c).AddAnnotation(c.UserContext(), a, s.By(c))
		if err == nil {
			return s.back(c, form, "added")
		}
		if !refused(&form, err) {
			return fmt.Errorf("add an annotation: %w", err)
		}
	}
	c.Status(form.Status())
	return s.show(c, 0, form)
}

// Change replaces an annotation.
func (s *Area) Change(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	form, a, ok := s.read(c)
	if ok {
		err := s.desk(c).ChangeAnnotation(c.UserContext(), id, a, s.By(c))
		if err == nil {
			return s.back(c, form, "changed")
		}
		if !refused(&form, err) {
			return s.missing(c, fmt.Errorf("change an annotation: %w", err))
		}
	}
	c.Status(form.Status())
	return s.show(c, id, form)
}

// Remove removes an annotation.
func (s *Area) Remove(c *fiber.Ctx) error {
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	if err := s.desk(c).RemoveAnnotation(c.UserContext(), id, s.By(c)); err != nil {
		return s.missing(c, fmt.Errorf("remove an annotation: %w", err))
	}
	return c.Redirect(ui.AnnotationsPath+"?done=removed", fiber.StatusSeeOther)
}

// desk returns the desk on behalf of the caller.
func (s *Area) desk(c *fiber.Ctx) *reports.AnnotationDesk {
	return reports.NewAnnotationDesk(s.Reports(c), annotated.Writer{Name: s.Who(c).User, Everyone: s.May(c, access.MayAdminister)})
}

// read reads the form. It returns false if a field is no day.
func (s *Area) read(c *fiber.Ctx) (form ui.Form, a stored.Annotation, ok bool) {
	fields := s.Base.Form(c)
	form = handler.FormOf()
	for name := range templates.AnnotationFields {
		form.Values[name] = strings.TrimSpace(fields.Get(name))
	}
	var err error
	if a.Days.First, err = affiliate.ParseDay(form.Values["from"]); err != nil {
		form.Fault("from", "Give a day such as 2026-11-03.")
	}
	a.Days.Last = a.Days.First
	if text := form.Values["to"]; text != "" {
		if a.Days.Last, err = affiliate.ParseDay(text); err != nil {
			form.Fault("to", "Give a day such as 2026-11-05, or leave it empty for a single day.")
		}
	}
	a.Words, a.Account, a.Code = form.Values["words"], affiliate.Account(form.Values["account"]), form.Values["code"]
	return form, a, !form.Wrong()
}

// back leads to the page from which the form was opened, or to the list.
func (s *Area) back(c *fiber.Ctx, form ui.Form, what string) error {
	if back := form.Values["back"]; back != "" && back != ui.AnnotationsPath {
		return c.Redirect(handler.LocalPath(back), fiber.StatusSeeOther)
	}
	return c.Redirect(ui.AnnotationsPath+"?"+url.Values{"done": {what}}.Encode(), fiber.StatusSeeOther)
}

// refused notes in a form that its entries break a rule, at the field of that rule. It leaves
// other errors alone.
func refused(form *ui.Form, err error) bool {
	rule, ok := errors.AsType[*store.RuleError](err)
	switch {
	case !ok || rule.Missing && rule.Field == "":
		return false
	case rule.Field == "":
		form.Alert = phrase.Sentence(rule.Problem)
	default:
		form.Fault(rule.Field, rule.Problem)
	}
	return true
}

// missing makes an error about an annotation that is not there an answer for the reader. A user who is
// bound to some invitees is told nothing of annotations that the user does not see: neither that
// others have one, nor that one was there.
func (s *Area) missing(c *fiber.Ctx, err error) error {
	if others, ok := errors.AsType[*annotated.NotYoursError](err); ok {
		return handler.NewProblem(fiber.StatusForbidden, phrase.Sentence(others.Error()))
	}
	rule, ok := errors.AsType[*store.RuleError](err)
	switch {
	case !ok || !rule.Missing:
		return err
	case rule.Stale && !s.IsBound(c):
		return handler.NewProblem(fiber.StatusConflict, rule.Problem)
	}
	return fiber.ErrNotFound
}
