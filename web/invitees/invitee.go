package invitees

import (
	"fmt"
	"net/url"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/levels"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/invitees"
	"rebatedesk/web/templates/ui"
)

// inviteeChoices apply to the page of one invitee, which has no list.
var inviteeChoices = query.AcceptedParams{Taken: []string{"range", "from", "to", "compare", "account", "product", "coin", "symbol", "source", "as_of"}}

// Invitee is the page of one invitee. The UID appears only in the path.
func (s *Area) Invitee(c *fiber.Ctx) error {
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil || !query.IsUID(uid) {
		return handler.NewProblem(fiber.StatusNotFound, "No invitee can have this UID: a UID is up to 32 digits or letters, such as 4667776811.")
	}
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	return s.showInvitee(c, q, affiliate.UID(uid), ui.Form{})
}

// showAgain answers with the page from which a form about the person was sent, and what is wrong with it.
func (s *Area) showAgain(c *fiber.Ctx, f *handler.Sent, uid affiliate.UID) error {
	values := handler.CameWith(c, "/invitees/"+url.PathEscape(string(uid)))
	if values == nil {
		values = url.Values{}
	}
	if account := f.Fields.Get("account"); account != "" {
		values.Set("account", account)
	}
	q, err := s.QueryOf(c, values, inviteeChoices)
	if err != nil {
		return err
	}
	return s.showInvitee(c, q, uid, f.Form)
}

// showInvitee answers with the page; form is that of the person if it was refused.
func (s *Area) showInvitee(c *fiber.Ctx, q query.Query, uid affiliate.UID, form ui.Form) error {
	page := s.Page(c, "Invitee "+string(uid), "/invitees")
	page.Carry = ui.Carry(q)
	links := s.Links(c, q)
	links.Writes, links.Accepts = s.Annotates(c), inviteeChoices
	links.Path = "/invitees/" + url.PathEscape(string(uid))
	q.UID = uid
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, invitees.MakeOne)
	if err != nil {
		return fmt.Errorf("invitee: %w", err)
	}
	view := templates.InviteeView{Report: report, Links: links}
	switch {
	case form.Wrong() && !report.Chosen: // there is no page to show the form on
		problem := form.Alert
		for _, fault := range form.Faults {
			problem = fault
		}
		return handler.NewProblem(form.Status(), problem)
	case len(report.Known) == 0 || q.Account != "" && !report.Chosen:
		page.Title = "Not found"
		c.Status(fiber.StatusNotFound)
		return s.Render(c, templates.InviteeUnknown(page, view))
	case !report.Chosen:
		return s.Render(c, templates.InviteeAccounts(page, view))
	}
	q.Account = report.Line.Account // the notes and the explanation are about this account
	if view.Why, err = s.Why(c, q); err != nil {
		return err
	}
	if !s.IsBound(c) { // the agreed rates are a matter of the whole programme
		if view.Rates, err = s.rates(c, q); err != nil {
			return err
		}
	}
	if view.Risk, err = s.Reports(c).RiskOf(c.UserContext(), q.Account, q.UID, q.AsOf); err != nil {
		return fmt.Errorf("what is at risk with an invitee: %w", err)
	}
	changes, err := reports.Ask(c.UserContext(), s.Reports(c), query.Query{Account: q.Account, AsOf: q.AsOf, Zone: q.Zone, Today: q.Today, Page: 1, Per: query.DefaultPer}, levels.Make)
	if err != nil {
		return fmt.Errorf("the level of an invitee: %w", err)
	}
	view.Level, view.Today = changes.Of(q.Account, q.UID), changes.Today
	if view.Notes, err = s.notes(c, report.Line, q); err != nil {
		return err
	}
	if view.Notes != nil {
		view.Notes.Form = form
	}
	if view.Notes != nil && view.Notes.Person != nil && view.Notes.Person.Cost != "" {
		if view.Return, err = s.Reports(c).ReturnOfPerson(c.UserContext(), q.UID, q.AsOf); err != nil {
			return fmt.Errorf("the return of a person: %w", err)
		}
	}
	if view.Worklist, err = s.Reports(c).WorkHistory(c.UserContext(), q.Account, q.UID, q.AsOfMillis()); err != nil {
		return fmt.Errorf("history of the worklist: %w", err)
	}
	return s.Render(c, templates.Invitee(page, view))
}

// rates compares agreed with paid rates of an invitee, under the filters of the page.
func (s *Area) rates(c *fiber.Ctx, q query.Query) (*rates.Report, error) {
	q.Compare, q.Sort, q.Page, q.Per = query.CompareNone, rates.Accepted.Order, 1, query.DefaultPer
	report, err := reports.Ask(c.UserContext(), s.Reports(c), q, rates.Make)
	if err != nil {
		return nil, fmt.Errorf("rates: %w", err)
	}
	return &report, nil
}

// notes returns the notes about an invitee, with a token for writing more. Notes cannot
// be written on a past state.
func (s *Area) notes(c *fiber.Ctx, line invitees.ListLine, q query.Query) (*templates.NotesView, error) {
	if s.Desk == nil {
		return nil, nil
	}
	written, err := s.Desk.For(s.Who(c).Bound).InviteeNotes(c.UserContext(), line.Account, line.UID)
	if err != nil {
		return nil, fmt.Errorf("notes: %w", err)
	}
	view := &templates.NotesView{Account: line.Account, UID: line.UID, Zone: q.Zone, Written: written}
	if q.AsOf.IsZero() && s.May(c, access.MayEdit) {
		view.Token = s.Token(c)
	}
	hidden, err := reports.PeopleOf(s.Desk).NamesHidden(c.UserContext())
	if err != nil {
		return nil, fmt.Errorf("person: %w", err)
	}
	if !hidden || s.May(c, access.MayEdit) {
		person, seen, err := reports.PeopleOf(s.Desk).One(c.UserContext(), line.UID)
		if err != nil {
			return nil, fmt.Errorf("person: %w", err)
		}
		view.Person, view.Seen = &person, seen
	}
	return view, nil
}
