package ui

import (
	"strings"
	"testing"

	"rebatedesk/internal/pagetest"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/identity"
	"rebatedesk/web/templates/navigation"
)

func TestViewsMenu(t *testing.T) {
	views := ViewMenu{Token: "secret", List: []identity.View{
		{ID: 3, Name: "All time", Path: "/", Query: "range=all", Default: true},
		{ID: 1, Name: "Spot this month", Path: "/commissions", Query: "product=SPOT&range=mtd"},
		{ID: 2, Name: "The usual days", Path: "/commissions", Query: "range=30d"},
	}}
	at := func(query string) string {
		return pagetest.Text(t, viewsMenu(Links{Path: "/commissions", Query: pagetest.Ask(t, query), Views: views}))
	}
	text := at("range=mtd&product=spot&page=2")
	for _, want := range []string{`title="Spot this month">Spot this month</bdi>`, "a saved view", `name="query" value="product=SPOT&range=mtd"`, `name="path" value="/commissions"`, ">Default<"} {
		if !strings.Contains(text, want) {
			t.Errorf("the menu does not contain %q", want)
		}
	}
	if here, others := strings.Index(text, "Of this page"), strings.Index(text, "Of other pages"); here < 0 || others < here {
		t.Error("the views of this page do not come first")
	}
	if strings.Contains(text, "Without a view") {
		t.Error("the menu links to the page without a view although no view is the default")
	}
	if strings.Count(text, "aria-current") != 1 {
		t.Error("the shown view is not marked, or more than one is")
	}
	if text := at(""); !strings.Contains(text, `title="The usual days">The usual days</bdi>`) || !strings.Contains(text, `value="range=30d"`) {
		t.Error("the usual days are marked as a view")
	}
	if text := at("range=7d"); strings.Contains(text, "a saved view") || strings.Contains(text, "aria-current") {
		t.Error("a view is marked that is not shown")
	}
	views.Token = ""
	if text := at(""); !strings.Contains(text, "The usual days") || strings.Contains(text, "<form") || strings.Contains(text, `href="/views"`) {
		t.Errorf("a user who cannot save views is offered to, or does not see the views of others: %s", text)
	}
	if views.List = nil; at("") != "" {
		t.Error("an empty menu is shown")
	}
}

// If a page has a default view, none of its links is the bare address.
func TestLinksBesideADefault(t *testing.T) {
	links := Links{Path: "/commissions", Query: pagetest.Ask(t, "coin=BTC&range=7d")}
	usual := func(q *query.Query) { q.Coin, q.Range = "", query.Last30 }
	if got := links.With(usual); got != "/commissions" {
		t.Errorf("without a default the link is %s", got)
	}
	links.Views.List = []identity.View{{Path: "/", Default: true}, {Path: "/commissions"}}
	if got := links.With(usual); got != "/commissions" {
		t.Errorf("with the default of another page the link is %s", got)
	}
	links.Views.List[1].Default = true
	if got := links.With(usual); got != "/commissions?range=30d" {
		t.Errorf("with a default the link is %s", got)
	}
	if got := links.With(func(q *query.Query) { q.Coin = "" }); got != "/commissions?range=7d" {
		t.Errorf("with another range the link is %s", got)
	}
}

// The reader's own default takes precedence over the shared one.
func TestOwnDefault(t *testing.T) {
	shared, own := identity.View{ID: 1, Path: "/", Default: true}, identity.View{ID: 2, Owner: "ann", Path: "/", Default: true}
	for _, list := range [][]identity.View{{shared, own}, {own, shared}} {
		if v, ok := (ViewMenu{List: list}).Default("/"); !ok || v.ID != own.ID {
			t.Errorf("the default of %v is %v", list, v)
		}
	}
	if _, ok := (ViewMenu{List: []identity.View{shared}}).Default("/codes"); ok {
		t.Error("the default of another path is used")
	}
}

func TestPageNames(t *testing.T) {
	var pages navigation.Map
	pages.Add(navigation.Item{Place: navigation.Home, Path: "/", Label: "Home"})
	pages.Add(navigation.Item{Place: navigation.Earnings, Path: "/commissions", Label: "Records"})
	pages.Add(navigation.Item{Path: "/collection/restatements", Label: "Restatements"})
	for path, want := range map[string]string{"/": "Home", "/commissions": "Earnings: Records", "/collection/restatements": "Collection › restatements", "/gone/4667": "Gone › 4667"} {
		if got := PageName(&pages, path); got != want {
			t.Errorf("%s is called %q, want %q", path, got, want)
		}
	}
	if got, want := QueryWords("range=7d&as_of=2026-01-02T03%3A04%3A05Z&q=a+b&coin="), "Last 7 days · q"+phrase.Space+"a b · as of"+phrase.Space+"2026-01-02T03:04:05Z"; got != want {
		t.Errorf("the query is described as %q, want %q", got, want)
	}
	if got, want := QueryWords("range=gone"), "range"+phrase.Space+"gone"; got != want {
		t.Errorf("an old range is described as %q, want %q", got, want)
	}
	if got := QueryWords("%zz"); got != "%zz" {
		t.Errorf("a malformed query is described as %q", got)
	}
}
