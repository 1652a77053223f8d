package findings

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every type with the methods of a finding is that of one kind.
func TestEveryFindingHasAKind(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]bool{}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), "_test.go") || !strings.HasSuffix(entry.Name(), ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "words" {
				types[strings.ToLower(f.Recv.List[0].Type.(*ast.Ident).Name)] = true
			}
		}
	}
	names := Names()
	slices.Sort(names)
	if want := slices.Sorted(maps.Keys(types)); !slices.Equal(names, want) {
		t.Errorf("the kinds of findings are\n%q, the types\n%q", names, want)
	}
}

// Names identify what is stored or told, and places order it: neither is there twice. What people
// choose is described.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	seen := map[any]bool{}
	once := func(list string, name any) {
		t.Helper()
		if key := [2]any{list, name}; seen[key] || name == "" || name == 0 {
			t.Errorf("%s: %v is empty, or there twice", list, name)
		} else {
			seen[key] = true
		}
	}
	name := regexp.MustCompile(`^[a-z]+([._][a-z]+)*$`)
	for _, k := range Kinds() {
		if c := k.Check; c != nil {
			once("check", c.Of)
			once("place of check", c.Place)
			if k.Finding == nil || c.Find == nil {
				t.Errorf("the check for %s finds nothing", c.Of)
			}
		}
		if a := k.Alert; a != nil {
			once("alert", a.Name)
			once("place of alert", a.Place)
			once("title", a.Title)
			if a.When == "" || a.Help == "" || a.Words == nil || a.Signals == nil || k.Headline == nil || !name.MatchString(a.Name) {
				t.Errorf("the alert %q has no words, or finds nothing", a.Name)
			}
			if a.Amount != "" && a.Coin != "" || a.Hours > 0 && (a.Amount != "" || a.Coin != "") {
				t.Errorf("the alert %q has settings that exclude each other", a.Name)
			}
			if a.Users && !a.Segments {
				t.Errorf("the alert %q cannot be divided by segments, but by users", a.Name)
			}
		}
		for _, e := range k.Events {
			once("event", e.Name)
			once("place of event", e.Place)
			if e.When == "" || !name.MatchString(e.Name) || e.Signals != nil && (e.Key == "" || e.Label == "" || k.Headline == nil) {
				t.Errorf("the event %q has no words or no keys", e.Name)
			}
			if of, found := EventKind(e.Name); of != k || found.Name != e.Name {
				t.Errorf("the event %q is not found", e.Name)
			}
		}
		for _, g := range k.Gauges {
			once("gauge", g.Name)
			if g.Help == "" || k.Measure == nil || !name.MatchString(g.Name) {
				t.Errorf("the gauge %q has no words, or nothing measures it", g.Name)
			}
		}
	}
}
