package rebatedesk_test

import (
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sharedNames are exported names that several packages may declare, with the reason.
// Two kinds need no entry: another name for the same thing (Intent = orders.Intent), and
// what [drawn] says.
var sharedNames = map[string]string{
	// A role that each package fills once. The package's name says whose.
	"Area": "the handlers of an area", "Cards": "the figures above a list", "Config": "the settings of a package", "Detail": "the report about one of a list",
	"ListLine": "a line of a list", "Make": "makes the report", "MakeOne": "makes the report about one", "New": "the constructor", "Open": "opens what the package is about",
	"Options": "the options of the constructor", "Report": "the report of a package", "Server": "a server, or its address", "Service": "the service of a package",
	"Sorts": "the columns that a list sorts by", "Table": "the table that an export writes",
	"Columns": "describes the columns of the table that an export writes",
	"Covered": "the coverage of the export of a report", "Foreign": "the parameters that an export refuses",

	// Forms of files, each package with its own.
	"Cell": "a cell of a sheet that was read, and of a calendar", "NewWriter": "the constructor of a Writer", "Properties": "what a document says of itself",
	"Read": "reads what the package is about", "Row": "a row of a table that was sent, and of the database", "Sheet": "a sheet of a workbook, and of a pair",
	"Write": "writes what the package is about", "Writer": "writes files of the form that the package is about",

	// One thing in two layers.
	"BySymbol":    "a grouping, and the query that adds up by it",
	"Commissions": "the stream, and the query that reads it", "Coverage": "the coverage of a range, and the query that reads its days",
	"ExchangeAccount": "an account as it is stored, and as pages show it", "Invitees": "the stream, and the query that reads it",
	"Page":          "a part of a list of the exchange, and a page in the browser; the glossary has both",
	"OpenUnchanged": "opens the file as it is, with and without settings",
	"Scope":         "what a token allows, and what a term is about",
	"Session":       "a session as it is stored, and with what it allows", "Summary": "a message as it is stored, and in the making",
	"Transfers": "the stream, and the query that reads it",
	"LineKey":   "what identifies a line, of the roll-ups and of the books",
	"Verdict":   "what was found, by the checks before an order and by people about a payment",
	"Token":     "an API token as it is stored, and with what it allows", "User": "a user as it is stored, and with what it allows",

	// Words of the books of payments, which are also words of other packages.
	"Bill":    "a bill as the exchange lists it, as it is kept, and of which account",
	"Channel": "by what something goes: an intent of an order, and messages",
	"Change":  "what changed: in a figure, or in a record",
	"Day":     "a calendar day, and the period of one day",
	"Direct":  "direct clients, as the source of a commission and as what a payment is for",
	"Input":   "what is given: the field of a form, and what books are made of",
	"Kind":    "the kind of what the package is about",
	"Late":    "what comes late: a record as a fault of the simulator, and a payment",
	"Line":    "a line of the books or of the audit log",
	"Missing": "what is missing: days, a payment, or a file", "Period": "what lies between two payments or two mails", "Rule": "a rule of the package",
	"State": "the state of what the package is about", "Stretch": "a range of time without a gap",
	"Transfer": "a transfer as the exchange lists it, and as it is kept", "Wallet": "one of a user's accounts, and in the simulator its balances",
}

// drawn are packages in which a function is named after the value that it prints.
func drawn(f goFile) bool {
	return strings.HasSuffix(f.path, "_templ.go") || f.dir == "reports/phrase"
}

// helpers are packages that only tests import.
func helpers(dir string) bool {
	return within(dir, "internal") && dir != "internal/crashpoint" && dir != "internal/guard" || dir == "store/storetest" || dir == "client" // has the names of the interface
}

// declared lists the exported names of a file at the top level. again holds those that
// are another name for something of that very name.
func declared(f goFile) (names []string, again map[string]bool) {
	again = map[string]bool{}
	same := func(name string, is ast.Expr) {
		if index, ok := is.(*ast.IndexExpr); ok {
			is = index.X
		}
		if selector, ok := is.(*ast.SelectorExpr); ok && selector.Sel.Name == name {
			again[name] = true
		}
	}
	for _, decl := range f.tree.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil && !drawn(f) {
				names = append(names, decl.Name.Name)
			}
			if body := decl.Body; decl.Recv == nil && body != nil && len(body.List) == 1 {
				if back, ok := body.List[0].(*ast.ReturnStmt); ok && len(back.Results) == 1 {
					if call, ok := back.Results[0].(*ast.CallExpr); ok {
						same(decl.Name.Name, call.Fun)
					}
				}
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
					same(spec.Name.Name, spec.Type)
				case *ast.ValueSpec:
					for i, name := range spec.Names {
						names = append(names, name.Name)
						if i < len(spec.Values) {
							same(name.Name, spec.Values[i])
						}
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !ast.IsExported(name) }), again
}

// An exported name means one thing: who has read one package need not unlearn it in the
// next.
func TestExportedNamesMeanOneThing(t *testing.T) {
	where := map[string]map[string]bool{}
	for _, f := range parsed(t) {
		if f.test || f.dir == "." || helpers(f.dir) {
			continue
		}
		names, again := declared(f)
		for _, name := range names {
			if again[name] {
				continue
			}
			if where[name] == nil {
				where[name] = map[string]bool{}
			}
			where[name][f.dir] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(where)) {
		several := len(where[name]) > 1
		switch reason := sharedNames[name]; {
		case several && reason == "":
			t.Errorf("%s is declared in %s: rename all but one, or list the reason", name, strings.Join(slices.Sorted(maps.Keys(where[name])), ", "))
		case !several && reason != "":
			t.Errorf("%s is declared in one package only: take it off the list", name)
		}
	}
	for name := range sharedNames {
		if where[name] == nil {
			t.Errorf("%s is listed and declared nowhere: take it off the list", name)
		}
	}
}

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
			if decl, ok := decl.(*ast.FuncDecl); ok && ast.IsExported(decl.Name.Name) {
				exported[path.Base(f.dir)+"."+decl.Name.Name] = true
			}
		}
		names, _ := declared(f)
		for _, name := range names {
			exported[path.Base(f.dir)+"."+name] = true
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
