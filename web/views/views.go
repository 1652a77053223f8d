package views

import (
	"fmt"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/ui"
	templates "rebatedesk/web/templates/views"
)

// WithViews runs before a report page: it opens a page without parameters with its
// default view, and loads the menu of views.
func (s *Area) WithViews(c *fiber.Ctx) error {
	if s.Desk == nil {
		return c.Next()
	}
	views, err := s.views(c)
	if err != nil {
		return err
	}
	if v, ok := views.Default(c.Path()); ok && asksNothing(c) {
		return c.Redirect(v.Path+"?"+v.Query, fiber.StatusFound)
	}
	c.Locals(handler.ViewsKey, views)
	return c.Next()
}

// asksNothing reports whether a page is opened by its bare address. A page that
// refreshes its figures is not being opened.
func asksNothing(c *fiber.Ctx) bool {
	renewed := c.Get("HX-Request") == "true" && c.Get("HX-Boosted") != "true"
	return len(c.Request().URI().QueryString()) == 0 && !renewed
}

func (s *Area) views(c *fiber.Ctx) (ui.ViewMenu, error) {
	list, err := s.Desk.Views(c.UserContext(), s.Reader(c))
	if err != nil {
		return ui.ViewMenu{}, fmt.Errorf("saved views: %w", err)
	}
	if s.IsBound(c) { // names of shared views may name what is of others
		list = slices.DeleteFunc(slices.Clone(list), func(v identity.View) bool { return v.Owner != s.Reader(c) })
	}
	views := ui.ViewMenu{List: list, Pages: &s.Map}
	if s.May(c, access.MayEdit) {
		views.Token = s.Token(c)
	}
	return views, nil
}

// ViewList is the page where views are renamed and deleted.
func (s *Area) ViewList(c *fiber.Ctx) error {
	if _, err := s.Query(c); err != nil {
		return err
	}
	return s.showViews(c, 0, ui.Form{})
}

// showViews is the page of views. A view that could not be changed shows the reason.
func (s *Area) showViews(c *fiber.Ctx, changed int64, form ui.Form) error {
	views, err := s.views(c)
	if err != nil {
		return err
	}
	views.Changed, views.Form = changed, form
	return s.Render(c, templates.ViewList(s.Page(c, "Saved views", "/views"), views))
}

// SaveView saves the page that contains the form under a name, and redirects to it.
func (s *Area) SaveView(c *fiber.Ctx) error {
	fields := s.Form(c)
	query, err := askable(fields.Get("query"))
	if err != nil {
		return err
	}
	v := identity.View{Owner: s.Reader(c), Name: fields.Get("name"), Path: fields.Get("path"),
		Query: query, Default: fields.Get("default") != ""}
	return s.Act(c, func(*handler.Sent) (string, error) {
		return v.Path + "?" + v.Query, s.Desk.SaveView(c.UserContext(), v)
	}, nil)
}

// askable returns the stored query of a view. The page decides whether its values are
// valid; a query that is not empty distinguishes the address of a view from the bare
// one.
func askable(text string) (string, error) {
	values, err := url.ParseQuery(text)
	if err != nil || len(values) == 0 {
		return "", handler.NewProblem(fiber.StatusBadRequest, "The view names no question that can be asked.")
	}
	for name, given := range values {
		if !slices.Contains(query.Params, name) || len(given) > 1 {
			return "", &query.ParamError{Param: name, Value: given[0], Problem: "cannot be part of a view"}
		}
	}
	return values.Encode(), nil
}

func (s *Area) RenameView(c *fiber.Ctx) error {
	name := s.Form(c).Get("name")
	return s.changeView(c, handler.FormOf("name", name), func(id int64, seen affiliate.Millis) error {
		return s.Desk.RenameView(c.UserContext(), s.Reader(c), id, seen, name)
	})
}

// SetDefaultView makes a view the default of its page, or removes that setting if the
// form says no.
func (s *Area) SetDefaultView(c *fiber.Ctx) error {
	on := s.Form(c).Get("default") != "no"
	return s.changeView(c, handler.ButtonOf("default", templates.DefaultWords(on)), func(id int64, seen affiliate.Millis) error {
		return s.Desk.SetDefaultView(c.UserContext(), s.Reader(c), id, seen, on)
	})
}

func (s *Area) DeleteView(c *fiber.Ctx) error {
	return s.changeView(c, handler.ButtonOf("view", "deleted"), func(id int64, seen affiliate.Millis) error {
		return s.Desk.DeleteView(c.UserContext(), s.Reader(c), id, seen)
	})
}

// changeView changes the view in the address, in the version from which the form was
// made, and redirects back.
func (s *Area) changeView(c *fiber.Ctx, form ui.Form, change func(id int64, seen affiliate.Millis) error) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		f.Form = form
		seen, err := f.Seen()
		if err != nil {
			return "", err
		}
		own, err := s.views(c)
		if err != nil {
			return "", err
		}
		if s.IsBound(c) && !slices.ContainsFunc(own.List, func(v identity.View) bool { return v.ID == f.ID }) {
			return "", fiber.ErrNotFound
		}
		return "/views", change(f.ID, seen)
	}, func(f *handler.Sent) error {
		now, err := s.views(c)
		if err != nil {
			return err
		}
		for _, v := range now.List {
			switch {
			case v.ID == f.ID && f.Overtaken():
				f.Conflict(templates.ViewFields(v), templates.ViewLabels)
				fallthrough
			case v.ID == f.ID:
				return s.showViews(c, f.ID, f.Form)
			}
		}
		return &store.RuleError{Problem: "There is no such view any more.", Missing: true}
	})
}
