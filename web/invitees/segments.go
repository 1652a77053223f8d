package invitees

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
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/segments"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/invitees"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

// segmentsDone are the changes that the list can confirm after a redirect.
var segmentsDone = map[string]string{
	"added":   "The segment is saved. It is among the filters of every report now.",
	"changed": "The segment is changed.",
	"frozen":  "The segment is frozen: its members stay as they are now.",
	"thawed":  "The segment is thawed: its members change with the data.",
	"removed": "The segment is removed. Mails and goals that name it say so.",
}

// accepted are the parameters of the list.
var accepted = query.AcceptedParams{Taken: []string{"as_of"}}

// SegmentRoutes are the addresses of segments.
func (s *Area) SegmentRoutes() []route.Route {
	list := []route.Route{
		route.Page("/segments", access.MayRead, s.Segments).
			Help("Segments", "Which groups of invitees do I look at again and again?", "segment", "state").
			Try("Save a group once, such as large traders who became silent, and use it as a filter on other pages.").Listed(navigation.Invitees, "filter", "filter groups").Divided().Takes(accepted),
	}
	if s.Desk != nil {
		list = append(list,
			route.Private("/segments/new", access.MayEdit, s.NewSegment).
				Help("A new segment", "Which conditions should members of the group fulfil?", "segment", "state", "status").Begins("/segments/new", "New segment", "filter", "add").Divided(),
			route.Post("/segments", access.MayEdit, s.SaveSegment).Divided(),
			route.Private("/segments/:id", access.MayEdit, s.EditSegment).
				Help("A segment", "Which conditions do members of this group fulfil, and who are they now?", "segment", "state", "status").Divided(),
			route.Post("/segments/:id", access.MayEdit, s.SaveSegment).Divided(),
			route.Post("/segments/:id/freeze", access.MayEdit, s.Freeze).Divided(),
			route.Post("/segments/:id/thaw", access.MayEdit, s.Thaw).Divided(),
			route.Post("/segments/:id/remove", access.MayEdit, s.Remove).Divided(),
		)
	}
	return list
}

// Segments lists the segments.
func (s *Area) Segments(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	done, _ := handler.Confirmed(values, segmentsDone)
	q, err := s.QueryOf(c, values, accepted)
	if err != nil {
		return err
	}
	report, err := s.Reports(c).Segments(c.UserContext(), q, s.Who(c).User)
	if err != nil {
		return fmt.Errorf("segments: %w", err)
	}
	view := templates.SegmentsView{Report: report, Done: done, Links: ui.Links{NoFiles: true, Path: templates.SegmentsPath, Query: q, Reported: s.Reported(c)}, Reader: s.Who(c).User, Bound: s.IsBound(c)}
	if s.mayWrite(c) && !q.Past() {
		view.Token = s.Token(c)
	}
	page := s.Page(c, "Segments", templates.SegmentsPath)
	page.Carry = ui.Carry(q)
	return s.Render(c, templates.Segments(page, view))
}

func (s *Area) mayWrite(c *fiber.Ctx) bool { return s.Desk != nil && s.May(c, access.MayEdit) }

// NewSegment shows the form of a new segment, filled in with the conditions of the address.
func (s *Area) NewSegment(c *fiber.Ctx) error {
	if s.Desk == nil {
		return fiber.ErrNotFound
	}
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	form := ui.Form{Values: map[string]string{}}
	for name, given := range values {
		if !slices.Contains(segments.DefinitionParams, name) {
			return &query.ParamError{Param: name, Value: values.Get(name), Problem: "there is no such condition; the conditions are " + strings.Join(segments.DefinitionParams, ", ")}
		}
		form.Values[name] = given[0]
	}
	return s.showForm(c, templates.SegmentForm{Form: form}, values)
}

// EditSegment shows the form of a segment.
func (s *Area) EditSegment(c *fiber.Ctx) error {
	if s.Desk == nil {
		return fiber.ErrNotFound
	}
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	one, err := s.Reports(c).Segment(c.UserContext(), id, s.Who(c).User)
	if err != nil {
		return s.Gone(c, err)
	}
	values, err := url.ParseQuery(one.Definition)
	if err != nil {
		return fmt.Errorf("the definition of the segment %q: %w", one.Name, err)
	}
	form := ui.Form{Values: map[string]string{"name": one.Name, "version": ui.VersionText(one.Updated)}}
	for name := range values {
		form.Values[name] = values.Get(name)
	}
	return s.showForm(c, templates.SegmentForm{ID: id, Name: one.Name, Frozen: one.Frozen, Form: form}, values)
}

// showForm shows the form of a segment with the number of members that its conditions have now.
func (s *Area) showForm(c *fiber.Ctx, view templates.SegmentForm, definition url.Values) error {
	draft, err := s.Reports(c).DraftSegment(c.UserContext(), definition.Encode())
	wrong, isParam := errors.AsType[*query.ParamError](err)
	switch {
	case isParam:
		if slices.Contains(segments.DefinitionParams, wrong.Param) && view.Form.Faults[wrong.Param] == "" && !view.Form.Wrong() {
			view.Form.Fault(wrong.Param, "“"+wrong.Value+"” "+wrong.Problem+".")
		}
	case errors.Is(err, segments.ErrConditions):
	case err != nil:
		return fmt.Errorf("conditions of a segment: %w", err)
	default:
		view.Words, view.Members, view.Counted = phrase.SegmentConditions(draft.Definition), draft.Members, true
	}
	if view.ID != 0 {
		if view.Uses, err = s.Reports(c).SegmentUses(c.UserContext(), view.Name); err != nil {
			return fmt.Errorf("what names a segment: %w", err)
		}
	}
	view.Choices, view.Token = draft.Choices, s.Token(c)
	if s.IsBound(c) {
		view.Maker = s.Who(c).User
	}
	title := "New segment"
	if view.ID != 0 {
		title = view.Name
	}
	return s.Render(c, templates.SegmentPage(s.Page(c, title, templates.SegmentsPath), view))
}

// typed returns the conditions of a form as the parameters of a definition.
func typed(fields url.Values) url.Values {
	definition := url.Values{}
	for _, name := range segments.DefinitionParams {
		if value := strings.TrimSpace(fields.Get(name)); value != "" {
			definition.Set(name, value)
		}
	}
	if definition.Get("range") == templates.OwnDays {
		definition.Del("range")
	} else {
		definition.Del("from")
		definition.Del("to")
	}
	if definition.Get("registered") == templates.OwnDays {
		definition.Del("registered")
		first, last := strings.TrimSpace(fields.Get("registered_from")), strings.TrimSpace(fields.Get("registered_to"))
		if first+last != "" {
			definition.Set("registered", first+".."+last)
		}
	}
	return definition
}

// unusedDates notes dates of a form that its list of days does not choose, and chooses them.
func unusedDates(form *ui.Form, fields url.Values) {
	for _, days := range [][3]string{{"range", "from", "to"}, {"registered", "registered_from", "registered_to"}} {
		first, last := strings.TrimSpace(fields.Get(days[1])), strings.TrimSpace(fields.Get(days[2]))
		if fields.Get(days[0]) == templates.OwnDays || first+last == "" {
			continue
		}
		if days[0] == "registered" {
			form.Values["registered"] = first + ".." + last
		} else {
			form.Values["from"], form.Values["to"] = first, last
		}
		form.Fault(days[0], "The dates below count only with “From – to, as below”. It is chosen now: save again, or empty the dates.")
	}
}

// SaveSegment stores the form as a new segment, or as a change of the one in the address. The
// button “Count” only shows how many members it would have.
func (s *Area) SaveSegment(c *fiber.Ctx) error {
	fields := s.Form(c)
	view, definition := templates.SegmentForm{Form: s.Typed(c)}, typed(fields)
	for _, name := range []string{"range", "from", "to", "registered"} {
		view.Form.Values[name] = definition.Get(name)
	}
	var err error
	if c.Params("id") != "" {
		if view.ID, err = handler.IdIn(c); err != nil {
			return err
		}
		one, err := s.Reports(c).Segment(c.UserContext(), view.ID, s.Who(c).User)
		if err != nil {
			return s.Gone(c, err)
		}
		view.Name, view.Frozen = one.Name, one.Frozen
	}
	unusedDates(&view.Form, fields)
	if !view.Form.Wrong() && fields.Get("do") == "count" {
		return s.showForm(c, view, definition)
	}
	return s.Gone(c, s.Act(c, func(f *handler.Sent) (string, error) {
		if f.Form = view.Form; f.Wrong() {
			return "", nil
		}
		name := strings.TrimSpace(fields.Get("name"))
		if view.ID == 0 {
			_, err := s.Reports(c).AddSegment(c.UserContext(), name, definition.Encode(), f.By)
			return handler.Confirming(templates.SegmentsPath, "added"), ofForm(err)
		}
		seen, err := f.Seen()
		if err != nil {
			return "", err
		}
		return handler.Confirming(templates.SegmentsPath, "changed"), ofForm(s.Reports(c).ChangeSegment(c.UserContext(), view.ID, seen, name, definition.Encode(), f.By))
	}, func(f *handler.Sent) error {
		view.Form = f.Form
		return s.showForm(c, view, definition)
	}))
}

// ofForm takes from a broken rule a field that the form does not have, and says how to go on after
// another change.
func ofForm(err error) error {
	rule, ok := errors.AsType[*store.RuleError](err)
	switch {
	case !ok || rule.Missing:
		return err
	case rule.Stale:
		return &store.RuleError{Problem: rule.Problem + " Open the segment again.", Stale: true}
	case rule.Field != "name" && !slices.Contains(segments.DefinitionParams, rule.Field):
		return &store.RuleError{Problem: rule.Problem}
	}
	return err
}

// Freeze keeps the members that a segment has now.
func (s *Area) Freeze(c *fiber.Ctx) error {
	return s.change(c, "frozen", (*reports.Service).FreezeSegment)
}

// Thaw lets the members of a segment change again.
func (s *Area) Thaw(c *fiber.Ctx) error { return s.change(c, "thawed", (*reports.Service).ThawSegment) }

// Remove removes a segment.
func (s *Area) Remove(c *fiber.Ctx) error {
	return s.change(c, "removed", (*reports.Service).RemoveSegment)
}

func (s *Area) change(c *fiber.Ctx, done string, change func(*reports.Service, context.Context, int64, affiliate.Millis, audit.Line) error) error {
	return s.Gone(c, s.Act(c, func(f *handler.Sent) (string, error) {
		seen, err := f.Seen()
		if err != nil {
			return "", err
		}
		return handler.Confirming(templates.SegmentsPath, done), change(s.Reports(c), c.UserContext(), f.ID, seen, f.By)
	}, nil))
}
