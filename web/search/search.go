// Package search has the handler of the search from everywhere.
package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/query"
	"rebatedesk/reports/search"
	"rebatedesk/store/identity"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/navigation"
	templates "rebatedesk/web/templates/search"
	"rebatedesk/web/templates/ui"
)

// Area holds the handler of the search.
type Area struct {
	*handler.Base
	Views *reports.Service // of the saved views; nil: they are off
	// Markets finds pages of pairs for a user, who may see the console. earned are the pairs that the
	// search found among those with commission. Nil: there is no console.
	Markets func(ctx context.Context, user, text string, earned []string) ([]ui.FoundLink, error)
}

func New(b *handler.Base, views *reports.Service) *Area { return &Area{Base: b, Views: views} }

// Search lists what is called like the text of the query: people, codes, pairs, saved views, pages
// and actions, as far as the caller may see them.
func (s *Area) Search(c *fiber.Ctx) error {
	values, err := handler.Parameters(c)
	if err != nil {
		return err
	}
	text := strings.TrimSpace(values.Get("q"))
	for name, given := range values {
		if name != "q" || len(given) > 1 {
			return &query.ParamError{Param: name, Value: given[0], Problem: "is not part of a search, which has one q"}
		}
	}
	if utf8.RuneCountInString(text) > search.LongestText {
		return &query.ParamError{Param: "q", Value: handler.Quote(text), Problem: fmt.Sprintf("is longer than %d characters", search.LongestText)}
	}
	page := s.Page(c, "Search", "/search")
	view, err := s.found(c, page.User, text)
	if err != nil {
		return err
	}
	if c.Get("HX-Request") == "true" && c.Get("HX-Boosted") != "true" { // the dialog
		return s.Render(c, ui.Found("found", view))
	}
	return s.Render(c, templates.Search(page, view))
}

// found searches on behalf of a user. Without a text it lists the pages.
func (s *Area) found(c *fiber.Ctx, user navigation.Reader, text string) (ui.FoundView, error) {
	view := ui.FoundView{Text: text, Pages: ui.Entries(navigation.PagesFor(user, text))}
	if text == "" {
		return view, nil
	}
	found, err := reports.Search(c.UserContext(), s.Reports(c), text, s.Names(c))
	if err != nil {
		return view, fmt.Errorf("search: %w", err)
	}
	view.People, view.Names = templates.PeopleFound(found), templates.NamesFound(found)
	view.Actions, view.Lists = ui.Entries(navigation.ActionsFor(user, text)), templates.ListsFor(text)
	if s.Markets != nil && s.May(c, access.MayConsole) && !user.Bound {
		if view.Markets, err = s.Markets(c.UserContext(), s.Reader(c), text, found.Symbols); err != nil {
			return view, fmt.Errorf("pages of pairs: %w", err)
		}
	}
	view.Views, err = s.views(c, text)
	return view, err
}

// views returns the saved views that the caller sees and whose name is close to a text.
func (s *Area) views(c *fiber.Ctx, text string) ([]ui.FoundLink, error) {
	if s.Views == nil {
		return nil, nil
	}
	list, err := s.Views.Views(c.UserContext(), s.Reader(c))
	if err != nil {
		return nil, fmt.Errorf("saved views: %w", err)
	}
	if s.IsBound(c) { // names of shared views may name what is of others
		list = slices.DeleteFunc(slices.Clone(list), func(v identity.View) bool { return v.Owner != s.Reader(c) })
	}
	return templates.ViewsFor(&s.Map, list, text), nil
}
