package invitees

import (
	"slices"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/invitees"
	"rebatedesk/web/templates/navigation"
	"rebatedesk/web/templates/ui"
)

// InviteeChoices apply to the list and to its files.
var InviteeChoices = query.AcceptedParams{Sorts: invitees.Sorts, Order: handler.MostEarned,
	States: invitees.StateChoices(), Tags: true, Columns: templates.InviteeColumns()}

// InviteeRoutes are the addresses of invitees, and of what people write about them.
func (s *Area) InviteeRoutes() []route.Route {
	list := slices.Concat(
		route.Page("/invitees", access.MayRead, s.Invitees).
			Help("Invitees", "Who are my invitees, and who of them trades?", "invitee", "UID", "state", "new", "active", "active trader", "slowing", "silent", "status", "commission only").
			Try("Choose a state, such as slowing, or those who traded in the range; or open an invitee to see every day.").Listed(navigation.Invitees, "people", "people users traders").Called("List").WithViews().Divided().
			Report(s.Base, "/invitees", invitees.ListFile, InviteeChoices),
		[]route.Route{route.Page("/invitees/:uid", access.MayRead, s.Invitee).
			Help("An invitee", "What did this person do, what did it earn me, and why does it pay more or less than usual?", "state", "usual gap", "usual rate", "at risk", "share of fees").Divided().Takes(inviteeChoices)}, // its files are those of commissions
	)
	if s.Desk != nil {
		list = append(list,
			route.Post("/invitees/:uid/person", access.MayEdit, s.EditPerson).Divided(),
			route.Post("/invitees/:uid/notes", access.MayEdit, s.AddNote).Divided(),
			route.Post("/invitees/:uid/notes/:id/delete", access.MayEdit, s.DeleteNote).Divided(),
			route.Post("/invitees/:uid/tags", access.MayEdit, s.AddTag).Divided(),
			route.Post("/invitees/:uid/tags/delete", access.MayEdit, s.RemoveTag).Divided(),
		)
	}
	return list
}

// Invitees is the list of invitees.
func (s *Area) Invitees(c *fiber.Ctx) error {
	return handler.Show(s.Base, c, s.Reports(c), invitees.MakeList, func(p ui.Page, r invitees.List, l ui.Links) templ.Component {
		return templates.Invitees(p, templates.InviteesView{Report: r, Links: l, Saves: s.Desk != nil && s.May(c, access.MayEdit)})
	})
}
