package identity_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
)

// seen lists the views of an owner as "path name?query", with a star at the default.
func seen(t *testing.T, s *store.Store, owner string) []string {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	views, err := identity.Views(context.Background(), r, owner)
	storetest.Done(t, err)
	var list []string
	for _, v := range views {
		line := fmt.Sprintf("%s %s?%s", v.Path, v.Name, v.Query)
		if v.Default {
			line += "*"
		}
		list = append(list, line)
	}
	return list
}

func idOf(t *testing.T, s *store.Store, owner, name string) int64 {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	views, err := identity.Views(context.Background(), r, owner)
	storetest.Done(t, err)
	i := slices.IndexFunc(views, func(v identity.View) bool { return v.Name == name })
	if i < 0 {
		t.Fatalf("%q sees no view %q", owner, name)
	}
	return views[i].ID
}

func TestViewsKeepWhatWasSaved(t *testing.T) {
	storetest.Engines(t, "texts with odd characters", testViewsKeepWhatWasSaved)
}

func testViewsKeepWhatWasSaved(t *testing.T) {
	ctx, s := context.Background(), storetest.Open(t, store.Options{})
	view := identity.View{Name: "  Größte Kunden 🐋 ", Path: "/commissions", Query: "range=30d&sort=-commission"}
	storetest.Done(t, identity.SaveView(ctx, s, view))
	storetest.Done(t, identity.SaveView(ctx, s, view)) // the same view again
	view.Query = "range=7d"
	if rule := storetest.Broken(t, identity.SaveView(ctx, s, view)); rule.Missing || !strings.Contains(rule.Problem, "another view of this page called “Größte Kunden 🐋”") {
		t.Errorf("the same name for another query: %v", rule)
	}
	view.Path = "/"
	storetest.Done(t, identity.SaveView(ctx, s, view)) // on another page
	if got, want := seen(t, s, ""), []string{"/ Größte Kunden 🐋?range=7d", "/commissions Größte Kunden 🐋?range=30d&sort=-commission"}; !slices.Equal(got, want) {
		t.Errorf("the views are %q, want %q", got, want)
	}
	r := storetest.Reader(t, s)
	views, err := identity.Views(ctx, r, "")
	if err != nil || !views[0].Created.Known() || views[0].Updated != views[0].Created {
		t.Errorf("created %s, updated %s (%v)", views[0].Created, views[0].Updated, err)
	}
}

func TestViewRules(t *testing.T) {
	ctx, s := context.Background(), storetest.Open(t, store.Options{})
	good := identity.View{Name: strings.Repeat("é", identity.MaxViewName), Path: "/sub-affiliates/123_a", Query: "range=30d"}
	storetest.Done(t, identity.SaveView(ctx, s, good))
	for _, name := range []string{"", "  ", "\u200b", strings.Repeat("x", identity.MaxViewName+1), "a\nb", "a\x00", "a\u0085b", "a\xff", "VIP\u200b", "\u202eexe.gpj", "a\ufeffb", "a\u00adb"} {
		bad := good
		bad.Name = name
		storetest.Broken(t, identity.SaveView(ctx, s, bad))
		storetest.Broken(t, identity.RenameView(ctx, s, "", idOf(t, s, "", good.Name), store.AnyVersion, name))
	}
	for _, path := range []string{"", "commissions", "//evil.example", `/\evil.example`, "/a?b", "/a#b", "/a%2fb", "/a b", "/" + strings.Repeat("x", 200)} {
		bad := good
		bad.Path = path
		storetest.Broken(t, identity.SaveView(ctx, s, bad))
	}
	for _, query := range []string{"a b", "q=\n", "q=é", "a#b", strings.Repeat("x", 4001)} {
		bad := good
		bad.Query = query
		storetest.Broken(t, identity.SaveView(ctx, s, bad))
	}
	if got := seen(t, s, ""); len(got) != 1 {
		t.Errorf("refused views were stored: %q", got)
	}
}

func TestOneDefaultOfAPath(t *testing.T) {
	storetest.Engines(t, "the unique default of a path", testOneDefaultOfAPath)
}

func testOneDefaultOfAPath(t *testing.T) {
	ctx, s := context.Background(), storetest.Open(t, store.Options{})
	for _, v := range []identity.View{
		{Name: "a", Path: "/", Query: "range=7d", Default: true},
		{Name: "b", Path: "/", Query: "range=90d", Default: true},
		{Name: "c", Path: "/codes", Query: "range=1d", Default: true},
	} {
		storetest.Done(t, identity.SaveView(ctx, s, v))
	}
	if got, want := seen(t, s, ""), []string{"/ a?range=7d", "/ b?range=90d*", "/codes c?range=1d*"}; !slices.Equal(got, want) {
		t.Errorf("the views are %q, want %q", got, want)
	}
	storetest.Done(t, identity.SetDefaultView(ctx, s, "", idOf(t, s, "", "a"), store.AnyVersion, true))
	storetest.Done(t, identity.SetDefaultView(ctx, s, "", idOf(t, s, "", "c"), store.AnyVersion, false))
	if got, want := seen(t, s, ""), []string{"/ a?range=7d*", "/ b?range=90d", "/codes c?range=1d"}; !slices.Equal(got, want) {
		t.Errorf("the views are %q, want %q", got, want)
	}
}

// A view has an owner, and no other user sees or changes it.
func TestViewOwners(t *testing.T) {
	storetest.Engines(t, "statements about saved views", testViewOwners)
}

func testViewOwners(t *testing.T) {
	ctx, s := context.Background(), storetest.Open(t, store.Options{})
	storetest.Done(t, identity.SaveView(ctx, s, identity.View{Name: "mine", Owner: "ann", Path: "/", Query: "range=7d", Default: true}))
	storetest.Done(t, identity.SaveView(ctx, s, identity.View{Name: "ours", Path: "/", Query: "range=90d", Default: true}))
	if got, want := seen(t, s, "ann"), []string{"/ mine?range=7d*", "/ ours?range=90d*"}; !slices.Equal(got, want) {
		t.Errorf("ann sees %q, want %q", got, want)
	}
	if got, want := seen(t, s, "bob"), []string{"/ ours?range=90d*"}; !slices.Equal(got, want) {
		t.Errorf("bob sees %q, want %q", got, want)
	}
	id := idOf(t, s, "ann", "mine")
	if !storetest.Broken(t, identity.RenameView(ctx, s, "bob", id, store.AnyVersion, "his")).Missing || !storetest.Broken(t, identity.SetDefaultView(ctx, s, "bob", id, store.AnyVersion, false)).Missing {
		t.Error("a view of another user and a missing one give different errors")
	}
	storetest.Done(t, identity.DeleteView(ctx, s, "bob", id, store.AnyVersion))
	storetest.Done(t, identity.RenameView(ctx, s, "ann", id, store.AnyVersion, "my own"))
	if got := seen(t, s, "ann"); got[0] != "/ my own?range=7d*" {
		t.Errorf("ann sees %q", got)
	}
	storetest.Done(t, identity.DeleteView(ctx, s, "ann", id, store.AnyVersion))
	storetest.Done(t, identity.DeleteView(ctx, s, "ann", id, store.AnyVersion)) // already deleted
	if !storetest.Broken(t, identity.RenameView(ctx, s, "ann", id, store.AnyVersion, "x")).Missing {
		t.Error("a deleted view gives no error")
	}
	// The id of a deleted view is not reused.
	storetest.Done(t, identity.SaveView(ctx, s, identity.View{Name: "new", Owner: "ann", Path: "/", Query: "range=7d"}))
	if again := idOf(t, s, "ann", "new"); again == id {
		t.Errorf("the id %d was used twice", id)
	}
}

func TestRenamedViewsStayUnique(t *testing.T) {
	storetest.Engines(t, "what is unique", testRenamedViewsStayUnique)
}

func testRenamedViewsStayUnique(t *testing.T) {
	ctx, s := context.Background(), storetest.Open(t, store.Options{})
	for _, name := range []string{"a", "b"} {
		storetest.Done(t, identity.SaveView(ctx, s, identity.View{Name: name, Path: "/", Query: "range=7d"}))
	}
	id := idOf(t, s, "", "b")
	storetest.Broken(t, identity.RenameView(ctx, s, "", id, store.AnyVersion, " a "))
	storetest.Done(t, identity.RenameView(ctx, s, "", id, store.AnyVersion, "b"))
	if got, want := seen(t, s, ""), []string{"/ a?range=7d", "/ b?range=7d"}; !slices.Equal(got, want) {
		t.Errorf("the views are %q, want %q", got, want)
	}
}

func TestViewLimit(t *testing.T) { storetest.Engines(t, "a count within the write", testViewLimit) }

func testViewLimit(t *testing.T) {
	ctx, s := context.Background(), storetest.Open(t, store.Options{})
	for i := range identity.MaxViews {
		storetest.Done(t, identity.SaveView(ctx, s, identity.View{Name: fmt.Sprint(i), Path: "/", Query: "range=7d"}))
	}
	one := identity.View{Name: "one more", Path: "/codes", Query: "range=7d"}
	storetest.Broken(t, identity.SaveView(ctx, s, one))
	storetest.Done(t, identity.SaveView(ctx, s, identity.View{Name: "7", Path: "/", Query: "range=7d"})) // already exists
	one.Owner = "ann"
	storetest.Done(t, identity.SaveView(ctx, s, one))
}
