// Package help has the handlers of what the program says about its own pages: the help, the
// hints of a first visit, and the tour of the demonstration.
package help

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/guide"
	templates "rebatedesk/web/templates/help"
	"rebatedesk/web/templates/navigation"
)

// Area holds the handlers of the guide.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }

// Help is the help about one page, or about all.
func (s *Area) Help(c *fiber.Ctx) error {
	page := s.Page(c, "Help", "/help")
	v := templates.HelpView{Admin: s.May(c, access.MayAdminister), Demo: page.Guide.Demo, Opens: map[string]bool{"/account": true, "/docs/api": true}}
	for _, entry := range navigation.For(page.User) {
		for _, item := range entry.Tabs {
			v.Opens[item.Path] = true
		}
	}
	asked := c.Query("page")
	if asked == "" {
		v.All = s.Base.Help
		return s.Render(c, templates.Help(page, v))
	}
	help, ok := s.Base.Help.At(strings.TrimSuffix(asked, "/"))
	if asked == "/" {
		help, ok = s.Base.Help.At("/")
	}
	if !ok || help.Admin && !v.Admin {
		return fiber.ErrNotFound
	}
	page.Title = "Help: " + help.Name
	v.One = guide.FrameView{Help: help, Path: handler.LocalPath(asked), Files: page.Guide.Files}
	return s.Render(c, templates.Help(page, v))
}

// HintAway puts the hint of a page away for good.
func (s *Area) HintAway(c *fiber.Ctx) error {
	route := s.Form(c).Get("page")
	if !slices.Contains(s.Base.Help.Hints(), route) {
		return handler.NewProblem(fiber.StatusBadRequest, "There is no hint of that page.")
	}
	return s.prefer(c, handler.CameFrom(c, "/"), true, access.HintAway(route))
}

// SetPreferences changes what users decide about pages in their account.
func (s *Area) SetPreferences(c *fiber.Ctx) error {
	switch fields := s.Form(c); fields.Get("what") {
	case "keys":
		return s.prefer(c, "/account?done=keys#keys", fields.Get("keys") != "on", access.KeysOff)
	case "hints":
		var names []string
		for _, route := range s.Base.Help.Hints() {
			names = append(names, access.HintAway(route))
		}
		return s.prefer(c, "/account?done=hints#keys", fields.Get("hints") != "on", names...)
	}
	return handler.NewProblem(fiber.StatusBadRequest, "The form could not be read: it does not say what to change.")
}

// prefer keeps what the caller decided, and leads to an address.
func (s *Area) prefer(c *fiber.Ctx, to string, on bool, names ...string) error {
	return s.Act(c, func(*handler.Sent) (string, error) {
		return to, s.Access.Prefer(c.UserContext(), s.Who(c).User, on, names...)
	}, nil)
}

// Tour lists the stops, and where the reader left the tour.
func (s *Area) Tour(c *fiber.Ctx) error {
	return s.Render(c, templates.Tour(s.Page(c, "Tour", "/tour"), handler.StopOfTour(s.Base, c)))
}

// Stop notes that the reader goes to a stop, and leads to its page.
func (s *Area) Stop(c *fiber.Ctx) error {
	number, err := strconv.Atoi(c.Params("stop"))
	if err != nil || number < 1 || number > len(guide.Tour) {
		return fiber.ErrNotFound
	}
	handler.GoToStop(s.Base, c, number)
	return c.Redirect(guide.Tour[number-1].Href, fiber.StatusSeeOther)
}

// Leave ends the tour where the reader is.
func (s *Area) Leave(c *fiber.Ctx) error {
	handler.LeaveTour(s.Base, c)
	return handler.BackTo(c, "/")
}
