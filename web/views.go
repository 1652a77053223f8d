package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/web/templates"
)

// withViews stands before a report page: a page that is asked nothing opens
// with its default view, and the menu of views is made ready.
func (s *viewsArea) withViews(c *fiber.Ctx) error {
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
	c.Locals(viewsKey, views)
	return c.Next()
}

// asksNothing reports whether a page is opened by its bare address. A page that
// renews its figures under the reader's eyes is not being opened.
func asksNothing(c *fiber.Ctx) bool {
	renewed := c.Get("HX-Request") == "true" && c.Get("HX-Boosted") != "true"
	return len(c.Request().URI().QueryString()) == 0 && !renewed
}

func (s *viewsArea) views(c *fiber.Ctx) (templates.Views, error) {
	list, err := s.Desk.Views(c.UserContext(), s.reader(c))
	if err != nil {
		return templates.Views{}, fmt.Errorf("saved views: %w", err)
	}
	views := templates.Views{List: list}
	if s.may(c, access.Edit) {
		views.Token = s.token(c)
	}
	return views, nil
}

// viewList is the page where views are renamed and deleted.
func (s *viewsArea) viewList(c *fiber.Ctx) error {
	if _, err := s.query(c, query.Choices{Taken: []string{"range", "from", "to", "compare", "account"}}); err != nil {
		return err
	}
	return s.showViews(c, 0, templates.Form{})
}

// showViews is the page of views. The one that was not changed says why not.
func (s *viewsArea) showViews(c *fiber.Ctx, changed int64, form templates.Form) error {
	views, err := s.views(c)
	if err != nil {
		return err
	}
	views.Changed, views.Form = changed, form
	return s.render(c, templates.ViewList(s.page(c, "Saved views", "/views"), views))
}

// saveView keeps the page that the form stands on under a name, and leads to it.
func (s *viewsArea) saveView(c *fiber.Ctx) error {
	fields := s.form(c)
	query, err := askable(fields.Get("query"))
	if err != nil {
		return err
	}
	v := identity.View{Owner: s.reader(c), Name: fields.Get("name"), Path: fields.Get("path"),
		Query: query, Default: fields.Get("default") != ""}
	if err := s.Desk.SaveView(c.UserContext(), v); err != nil {
		return fmt.Errorf("save view: %w", err)
	}
	return c.Redirect(v.Path+"?"+v.Query, fiber.StatusSeeOther)
}

// askable is the query of a view as it is kept. Whether its values mean
// anything is for the page to say; that it asks something is what tells the
// address of a view from the bare one.
func askable(text string) (string, error) {
	values, err := url.ParseQuery(text)
	if err != nil || len(values) == 0 {
		return "", refuse(fiber.StatusBadRequest, "The view names no question that can be asked.")
	}
	for name, given := range values {
		if !slices.Contains(query.Params, name) || len(given) > 1 {
			return "", &query.ParamError{Param: name, Value: given[0], Problem: "cannot be part of a view"}
		}
	}
	return values.Encode(), nil
}

func (s *viewsArea) renameView(c *fiber.Ctx) error {
	name := s.form(c).Get("name")
	return s.changeView(c, changeOf("name", name), func(id int64, seen affiliate.Millis) error {
		return s.Desk.RenameView(c.UserContext(), s.reader(c), id, seen, name)
	})
}

// setDefaultView makes a view the one that its page opens with, or, where the
// form says no, ends that it is.
func (s *viewsArea) setDefaultView(c *fiber.Ctx) error {
	on := s.form(c).Get("default") != "no"
	return s.changeView(c, changeOf("default", templates.DefaultWords(on)), func(id int64, seen affiliate.Millis) error {
		return s.Desk.SetDefaultView(c.UserContext(), s.reader(c), id, seen, on)
	})
}

func (s *viewsArea) deleteView(c *fiber.Ctx) error {
	return s.changeView(c, changeOf("view", "deleted"), func(id int64, seen affiliate.Millis) error {
		return s.Desk.DeleteView(c.UserContext(), s.reader(c), id, seen)
	})
}

// changeView changes the view that the address names, in the version that the form
// was made from, and leads back.
func (s *viewsArea) changeView(c *fiber.Ctx, form templates.Form, change func(id int64, seen affiliate.Millis) error) error {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil {
		return fiber.ErrNotFound
	}
	seen, err := seenIn(s.form(c))
	if err != nil {
		return err
	}
	err = change(id, seen)
	switch {
	case err == nil:
		return c.Redirect("/views", fiber.StatusSeeOther)
	case staleOf(err) == "":
		return fmt.Errorf("change view %d: %w", id, err)
	}
	views, other := s.views(c)
	if other != nil {
		return other
	}
	for _, v := range views.List {
		if v.ID == id {
			s.conflict(c, &form, staleOf(err), templates.ViewFields(v), templates.ViewLabels)
			return s.showViews(c, id, form)
		}
	}
	return &store.RuleError{Problem: "There is no such view any more.", Missing: true}
}
