package rebatedesk_test

import (
	"go/ast"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// codeTerm is a name of code in the glossary: `access.SessionState`.
var codeTerm = regexp.MustCompile("`([a-z]+)\\.([A-Z]\\w*)`")

// Each code term that the documents name exists: of the glossary and the architecture.
func TestDocumentsNameCodeThatExists(t *testing.T) {
	exported, packages := map[string]bool{}, map[string]bool{}
	for _, f := range parsed(t) {
		if f.test {
			continue
		}
		packages[path.Base(f.dir)] = true
		for _, decl := range f.tree.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncDecl:
					exported[path.Base(f.dir)+"."+n.Name.Name] = true
				case *ast.TypeSpec:
					exported[path.Base(f.dir)+"."+n.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range n.Names {
						exported[path.Base(f.dir)+"."+name.Name] = true
					}
				}
				_, group := n.(*ast.GenDecl)
				return group
			})
		}
	}
	for _, document := range []string{"docs/glossary.md", "docs/architecture.md", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, term := range codeTerm.FindAllStringSubmatch(string(text), -1) {
			if name := term[1] + "." + term[2]; packages[term[1]] {
				if found++; !exported[name] {
					t.Errorf("%s names %s, which does not exist", document, name)
				}
			}
		}
		if found == 0 && document != "CONTRIBUTING.md" {
			t.Errorf("%s names no code", document)
		}
	}
}

var (
	marked = regexp.MustCompile("(?s)```.*?```|`[^`]*`|<[^>]*>") // code, and tags
	spaces = regexp.MustCompile(`\s+`)
	quoted = regexp.MustCompile(`"([A-Z][^"]{3,60})"`)
)

// What the documents quote of pages, buttons and sentences, is written there.
func TestDocumentsQuotePages(t *testing.T) {
	var documents []string
	var written strings.Builder
	err := walk(func(name string, _ fs.DirEntry) error {
		switch path.Ext(name) {
		case ".md":
			if name == "README.md" || path.Dir(name) == "docs" {
				documents = append(documents, name)
			}
		case ".go", ".templ", ".js":
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_templ.go") || within(path.Dir(name), "web/static") {
				return nil
			}
			text, err := os.ReadFile(name)
			written.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	oneLine := func(text string) string { return spaces.ReplaceAllString(text, " ") }
	source, found := oneLine(written.String()), 0
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range quoted.FindAllStringSubmatch(oneLine(marked.ReplaceAllString(string(text), "")), -1) {
			if found++; !strings.Contains(source, strings.TrimRight(words[1], ".,")) {
				t.Errorf("%s quotes %q, which no page says", document, words[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d quotations found: the search is broken", found)
	}
}
