package worklist

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	"rebatedesk/store"
	acts "rebatedesk/store/worklist"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/ui"
	templates "rebatedesk/web/templates/worklist"
)

// undoable is for how long the page offers to undo what its reader did last.
const undoable = 10 * time.Minute

// Worklist is the page of the invitees to call today.
func (s *Area) Worklist(c *fiber.Ctx) error {
	q, err := s.Query(c)
	if err != nil {
		return err
	}
	return s.show(c, q, templates.RefusedWork{})
}

// show answers with the page.
func (s *Area) show(c *fiber.Ctx, q query.Query, refused templates.RefusedWork) error {
	page := s.Page(c, "To do", ui.WorklistPath)
	page.Carry = ui.Carry(q)
	report, err := s.Reports(c).Worklist(c.UserContext(), q)
	if err != nil {
		return fmt.Errorf("worklist: %w", err)
	}
	q = report.Query
	view := templates.WorklistView{Report: report, Refused: refused, Reader: s.Reader(c), Links: ui.Links{
		NoFiles: !s.May(c, access.MayExport), Path: ui.WorklistPath, Query: q, Reported: s.Reported(c), Accepts: worklist.Accepted,
	}}
	var uids []affiliate.UID
	for _, l := range report.Lines {
		uids = append(uids, l.UID)
	}
	if view.Contacts, err = reports.ContactsFor(c.UserContext(), s.Reports(c), s.May(c, access.MayEdit), uids); err != nil {
		return fmt.Errorf("worklist: %w", err)
	}
	if s.Desk != nil && !q.Past() && s.May(c, access.MayEdit) {
		view.Token = s.Token(c)
		if view.Latest, err = s.Reports(c).LatestWork(c.UserContext(), view.Reader, undoable); err != nil {
			return fmt.Errorf("worklist: %w", err)
		}
	}
	return s.Render(c, templates.Worklist(page, view))
}

// Work stores what a manager does about one invitee.
func (s *Area) Work(c *fiber.Ctx) error {
	uid, err := uidOf(c)
	if err != nil {
		return err
	}
	fields := s.Form(c)
	seen, err := handler.SeenIn(fields)
	if err != nil {
		return err
	}
	work := acts.Work{Account: affiliate.Account(fields.Get("account")), UID: uid, Note: fields.Get("note"), Seen: seen}
	refused := templates.RefusedWork{Account: work.Account, UID: uid, Act: fields.Get("act"), Note: work.Note, Day: fields.Get("day"), Next: fields.Get("next"), Owner: fields.Get("owner")}
	values := handler.CameWith(c, ui.WorklistPath)
	return s.Act(c, func(f *handler.Sent) (to string, err error) {
		if work.Acts, err = actsOf(refused); err == nil {
			_, err = s.desk(c).DoWork(c.UserContext(), work, f.By)
		}
		if overtaken, ok := errors.AsType[*acts.OvertakenError](err); ok {
			values = nil
			return "", &store.RuleError{Problem: phrase.Overtaken(overtaken.Acts, s.Zone), Stale: true}
		}
		if rule, ok := errors.AsType[*store.RuleError](err); ok && !rule.Missing {
			err = store.AtField("", err) // the page has one place for what is wrong
		}
		return worked(c), err
	}, func(f *handler.Sent) error {
		if values == nil {
			values = url.Values{"account": {string(work.Account)}, "uid": {string(uid)}, "show": {worklist.ShowAll}}
		}
		refused.Problem = f.Alert
		return s.showAgain(c, refused, values)
	})
}

// showAgain answers with the page of some parameters and what is wrong with a form.
func (s *Area) showAgain(c *fiber.Ctx, refused templates.RefusedWork, values url.Values) error {
	q, err := s.QueryOf(c, values, worklist.Accepted)
	if err != nil {
		return err
	}
	return s.show(c, q, refused)
}

// actsOf returns the acts that a form asks for.
func actsOf(form templates.RefusedWork) (list []acts.Act, err error) {
	switch form.Act {
	case "done", "dismissed":
		list = append(list, acts.Act{Kind: acts.ActKind(form.Act)})
	case "snoozed":
		day, err := dayOf(form.Day)
		if err != nil {
			return nil, err
		}
		list = append(list, acts.Act{Kind: acts.ActSnoozed, Day: day})
	case "assigned":
		list = append(list, acts.Act{Kind: acts.ActAssigned, Owner: form.Owner})
	case "noted":
	default:
		return nil, handler.NewProblem(fiber.StatusBadRequest, "The form does not say what to do: open the page again.")
	}
	if strings.TrimSpace(form.Next) != "" {
		day, err := dayOf(form.Next)
		if err != nil {
			return nil, err
		}
		list = append(list, acts.Act{Kind: acts.ActPlanned, Day: day})
	}
	return list, nil
}

// dayOf reads a day of a form.
func dayOf(text string) (affiliate.Day, error) {
	text = strings.TrimSpace(text)
	day, err := affiliate.ParseDay(text)
	if err != nil || day < query.Earliest || day > query.Latest {
		return 0, &store.RuleError{Problem: "Choose a day, such as 2026-10-07.", Field: "day"}
	}
	return day, nil
}

// Undo undoes an act.
func (s *Area) Undo(c *fiber.Ctx) error {
	uid, err := uidOf(c)
	if err != nil {
		return err
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return worked(c), s.desk(c).UndoWork(c.UserContext(), affiliate.Account(f.Fields.Get("account")), uid, f.ID, f.By)
	}, nil)
}

// worked is the page from which a form was sent. The page of a refused form has no address.
func worked(c *fiber.Ctx) string {
	from := handler.CameFrom(c, ui.WorklistPath)
	if strings.HasPrefix(from, ui.WorklistPath+"/") {
		return ui.WorklistPath
	}
	return from
}

// desk returns the worklist as the caller sees it.
func (s *Area) desk(c *fiber.Ctx) *reports.Service {
	return s.Desk.For(s.Who(c).Bound)
}

func uidOf(c *fiber.Ctx) (affiliate.UID, error) {
	uid, err := url.PathUnescape(c.Params("uid"))
	if err != nil {
		return "", fiber.ErrNotFound
	}
	return affiliate.UID(uid), nil
}
