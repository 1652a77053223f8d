// These tests hold the structure of this repository: which package may import
// which, where a library may be used, and what the tree looks like.
// docs/architecture.md gives the reasons.
package rebatedesk_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "rebatedesk"

// A layer may import itself, the layers that it stands on, and nothing else of ours.
type layer struct {
	packages string // with what is below them
	on       string
}

// tools know files, secrets and addresses, and nothing of the desk but its vocabulary.
const tools = "evidence internal/crashpoint internal/guard pdf people safehttp secret syndication tabular terms workbook"

// adapters are the folders of exchanges but the one whose console and trading the desk has, and simulators
// stand beside them.
const (
	adapters   = "exchange/bitget exchange/kucoin exchange/mexc exchange/okx"
	simulators = "exchange/bitget/simulator exchange/kucoin/simulator exchange/mexc/simulator exchange/okx/simulator"
)

// layers hold the direction of the data: exchange, collector, store, reports, and on top what
// people read. The most particular path decides where a package belongs. Tests import what they need.
var layers = []layer{
	{"affiliate", ""},
	{tools, "affiliate"},
	{"exchange", "affiliate " + tools},
	{"exchange/weex", "affiliate exchange " + tools},
	{"exchange/weex/simulator", "affiliate exchange exchange/weex"},
	{adapters, "affiliate exchange " + tools},
	{"exchange/simulated", "affiliate"},
	{simulators, "affiliate exchange/simulated"},
	{"exchange/known", "affiliate exchange exchange/weex " + adapters + " " + tools},
	{"store", "affiliate " + tools},
	{"access collector evidence/keyring", "affiliate exchange store " + tools},
	{"market trading", "affiliate exchange exchange/weex store " + tools},
	{"reports", "affiliate store " + tools},
	{"dispatch", "affiliate store " + tools},
	{"mail delivery", "affiliate dispatch reports store " + tools},
	{"web", "access affiliate collector delivery dispatch evidence/keyring exchange exchange/known exchange/weex mail market reports store trading " + tools},
	{"cmd", "access affiliate collector delivery dispatch evidence/keyring exchange exchange/known exchange/weex exchange/weex/simulator exchange/simulated " + simulators + " mail market reports store trading web " + tools},
	{"client", "safehttp"},
	{"acceptance", "access affiliate collector delivery dispatch evidence/keyring exchange exchange/weex exchange/weex/simulator internal mail market reports store store/storetest trading web " + tools},
	{"collector/collectortest", "affiliate collector exchange exchange/simulated store store/storetest " + tools},
	{"internal delivery/sftptest store/storetest reports/reporttest", "affiliate reports store internal " + tools}, // helpers of tests
}

// shared are the packages below web and web/templates that its features have in common. Features
// do not import each other. The console is a feature of several subjects, which have web/console
// itself in common.
var shared = map[string]string{
	"web":                   "admin charts handler route templates",
	"web/templates":         "guide navigation totals ui",
	"web/console":           "",
	"web/templates/console": "frame",
}

// fences say in which directories and files alone an import may stand, in tests too.
var fences = []struct {
	prefix string
	inside []string
}{
	{"github.com/gofiber/", []string{"web", "cmd/webapp/floor_bench_test.go"}},
	{"github.com/valyala/fasthttp", []string{"web", "cmd/webapp/floor_bench_test.go"}},
	{"github.com/klauspost/compress", []string{"web", "store/received", "workbook"}},
	{"github.com/chromedp/", []string{"acceptance"}},
	{"database/sql", []string{"store"}},
	{"modernc.org/", []string{"store", "internal/crashtest"}},
	{"github.com/jackc/pgx", []string{"store"}},
	{"github.com/go-echarts/", []string{"web/charts"}},
	{"github.com/a-h/templ", []string{"web", "mail", "acceptance/gallery"}},
	{"gonum.org/", []string{"reports/estimate"}},
	{"codeberg.org/", []string{"pdf", "mail/picture"}},
	{"github.com/wneessen/go-mail", []string{"mail"}},
	{"github.com/emersion/", []string{"mail", "cmd", "acceptance"}},                   // the mail server of their tests, and that of the demo
	{"github.com/pquerna/otp", []string{"access", "web/signin", "acceptance", "cmd"}}, // acceptance and cmd: their tests hold the authenticator
	{"github.com/minio/minio-go", []string{"delivery/carrier"}},
	{"github.com/pkg/sftp", []string{"delivery"}},
	{"github.com/johannesboyne/gofakes3", []string{"delivery"}}, // the storage of its tests
	{"golang.org/x/crypto/ssh", []string{"delivery"}},
	{"github.com/parquet-go/parquet-go", []string{"reports", "cmd", "delivery"}}, // cmd and delivery: their tests read what was exported
	{"golang.org/x/crypto/argon2", []string{"access"}},
	{"golang.org/x/crypto/chacha20poly1305", []string{"secret"}},
	{"github.com/prometheus/", []string{"web", "cmd"}},
	{"github.com/swaggest/", []string{"web/api"}},
	{"github.com/santhosh-tekuri/", []string{"acceptance"}}, // its tests compare answers with their description
	{"github.com/alecthomas/kong", []string{"cmd"}},
	{"github.com/BurntSushi/toml", []string{"cmd/webapp/internal/config"}},
	{"github.com/schollz/progressbar", []string{"cmd"}},
	{"github.com/maypok86/otter", []string{"reports"}},
	{"github.com/xuri/excelize", []string{"reports", "people", "acceptance", "cmd", "workbook"}}, // only their tests, which read what was written as another program does
}

// goFile is one parsed Go file of the repository.
type goFile struct {
	path string // relative to the root, with slashes
	dir  string
	test bool
	set  *token.FileSet
	tree *ast.File
}

// imports lists the import paths of the file.
func (f goFile) imports(t *testing.T) []string {
	t.Helper()
	paths := make([]string, len(f.tree.Imports))
	for i, spec := range f.tree.Imports {
		text, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatalf("%s: %v", f.path, err)
		}
		paths[i] = text
	}
	return paths
}

// at is a position in the file, for messages.
func (f goFile) at(pos token.Pos) string {
	return f.path + ":" + strconv.Itoa(f.set.Position(pos).Line)
}

// helper reports whether the file belongs to a package that is for tests: it imports package testing.
func (f goFile) helper(t *testing.T) bool {
	t.Helper()
	return slices.ContainsFunc(parsed(t), func(other goFile) bool {
		return other.dir == f.dir && !other.test && slices.Contains(other.imports(t), "testing")
	})
}

// goFiles parses every Go file of the repository, once.
var goFiles = sync.OnceValues(func() ([]goFile, error) {
	var files []goFile
	err := walk(func(name string, _ fs.DirEntry) error {
		if path.Ext(name) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, filepath.FromSlash(name), nil, parser.ParseComments|parser.SkipObjectResolution)
		files = append(files, goFile{path: name, dir: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), set: set, tree: tree})
		return err
	})
	return files, err
})

// parsed is goFiles for a test.
func parsed(t *testing.T) []goFile {
	t.Helper()
	files, err := goFiles()
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d Go files found: the walk is broken", len(files))
	}
	return files
}

// walk visits every file of the repository but what belongs to git and npm.
func walk(visit func(name string, entry fs.DirEntry) error) error {
	return filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if entry.Name() == ".git" || entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		return visit(filepath.ToSlash(name), entry)
	})
}

// within reports whether dir is the directory top or lies below it.
func within(dir, top string) bool {
	return dir == top || strings.HasPrefix(dir, top+"/")
}

// layerOf returns the layer of a package of ours: the one with the longest path that fits.
func layerOf(dir string) (of layer, path string) {
	for _, l := range layers {
		for _, top := range strings.Fields(l.packages) {
			if within(dir, top) && len(top) > len(path) {
				of, path = l, top
			}
		}
	}
	return of, path
}

func TestLayers(t *testing.T) {
	for _, f := range parsed(t) {
		if f.test || f.dir == "." {
			continue
		}
		own, _ := layerOf(f.dir)
		if own.packages == "" {
			t.Errorf("%s: the package belongs to no layer", f.path)
		}
		for _, imported := range f.imports(t) {
			target, ours := strings.CutPrefix(imported, module+"/")
			if _, top := layerOf(target); ours && !slices.Contains(strings.Fields(own.packages+" "+own.on), top) {
				t.Errorf("%s imports %s, which its layer does not stand on", f.path, target)
			}
		}
	}
}

func TestFeaturesDoNotImportEachOther(t *testing.T) {
	for _, f := range parsed(t) {
		for top, common := range shared {
			feature, below := strings.CutPrefix(f.dir, top+"/")
			if feature, _, _ = strings.Cut(feature, "/"); f.test || !below || slices.Contains(strings.Fields(common), feature) {
				continue
			}
			for _, imported := range f.imports(t) {
				other, beside := strings.CutPrefix(imported, module+"/"+top+"/")
				if other, _, _ = strings.Cut(other, "/"); f.dir == "web/templates/earnings" && other == "drivers" {
					continue // home shows the card of another page
				}
				if beside && other != feature && !slices.Contains(strings.Fields(common), other) {
					t.Errorf("%s imports %s, another feature", f.path, imported)
				}
			}
		}
	}
}

func TestFences(t *testing.T) {
	for _, f := range parsed(t) {
		for _, imported := range f.imports(t) {
			for _, fence := range fences {
				if !strings.HasPrefix(imported, fence.prefix) {
					continue
				}
				if !slices.ContainsFunc(fence.inside, func(top string) bool { return within(f.path, top) }) {
					t.Errorf("%s imports %s, which belongs in %s only", f.path, imported, strings.Join(fence.inside, ", "))
				}
			}
		}
	}
}

// clients are the names that make or send HTTP requests, by import path.
var clients = map[string][]string{
	"net/http": {
		"Client", "DefaultClient", "Get", "Head", "Post", "PostForm",
		"NewRequest", "NewRequestWithContext", "RoundTripper", "Transport", "DefaultTransport",
	},
	"github.com/gofiber/fiber/v2": {
		"AcquireAgent", "AcquireClient", "Agent", "Client",
		"Delete", "Get", "Head", "Patch", "Post", "Put",
	},
	"github.com/valyala/fasthttp": {
		"Client", "HostClient", "LBClient", "PipelineClient", "Dial", "Do", "DoDeadline", "DoTimeout",
		"Get", "GetDeadline", "GetTimeout", "Post",
	},
}

// Only package exchange and package safehttp talk HTTP to others: two places hold the time-outs,
// the limits and the rule that a redirect is not followed.
func TestHTTPClientsOnlyInExchangeAndOutbound(t *testing.T) {
	for _, f := range parsed(t) {
		if f.test || f.helper(t) || within(f.dir, "exchange") || within(f.dir, "safehttp") || f.dir == "client" || within(f.dir, "delivery/carrier") { // the last for the library of the storage
			continue
		}
		for imported, names := range clients {
			used := importName(t, f, imported)
			if used == "" {
				continue
			}
			ast.Inspect(f.tree, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if from, ok := selector.X.(*ast.Ident); ok && from.Name == used && slices.Contains(names, selector.Sel.Name) {
					t.Errorf("%s uses %s.%s; HTTP clients belong in package exchange or safehttp", f.at(n.Pos()), used, selector.Sel.Name)
				}
				return true
			})
		}
	}
}

// importName is the name that the file uses for an import path, empty where it
// does not import it.
func importName(t *testing.T, f goFile, imported string) string {
	t.Helper()
	for i, candidate := range f.imports(t) {
		if candidate != imported {
			continue
		}
		if name := f.tree.Imports[i].Name; name != nil {
			if name.Name == "." {
				t.Errorf("%s imports %s with a dot", f.path, imported)
			}
			return name.Name
		}
		return path.Base(strings.TrimSuffix(imported, "/v2"))
	}
	return ""
}

// testsOnly are exported for the tests of other packages: in the program nothing
// may happen besides its work, and no password may be cheap.
var testsOnly = []struct{ imported, name string }{
	{module + "/internal/crashpoint", "Watch"},
	{module + "/access", "NewForTests"},
}

func TestProgramLeavesToTestsWhatIsTheirs(t *testing.T) {
	for _, f := range parsed(t) {
		for _, theirs := range testsOnly {
			used := importName(t, f, theirs.imported)
			if f.test || used == "" || f.helper(t) {
				continue
			}
			ast.Inspect(f.tree, func(n ast.Node) bool {
				selector, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if from, ok := selector.X.(*ast.Ident); ok && from.Name == used && selector.Sel.Name == theirs.name {
					t.Errorf("%s uses %s.%s, which only tests may", f.at(n.Pos()), used, theirs.name)
				}
				return true
			})
		}
	}
}

// harmlessFloats are the files and folders that may use floats, with the reason. Anywhere
// else a float is a wrong total in the making.
var harmlessFloats = map[string]string{
	"pdf":                           "positions on paper; figures are text",
	"exchange/weex/simulator":       "it makes programmes and markets up, and writes their amounts as decimals",
	"mail/picture":                  "positions in a picture",
	"reports/estimate":              "it estimates; what was earned passes through it as a decimal",
	"reports/still":                 "positions in a chart; the labels of an axis are rounded to its step",
	"reports/export/xlsx_cells.go":  "a date of a sheet is a number of days",
	"workbook/cell.go":              "a number cell is a float; only what it holds exactly is taken",
	"web/charts":                    "positions in a chart; amounts are shown as text",
	"web/handler/export.go":         "bytes a second of a download",
	"web/handler/export_pace.go":    "bytes a second of a download",
	"web/handler/export_readers.go": "bytes a second of a download",
	"web/metrics":                   "Prometheus has no other numbers; no amount is one",
	"web/templates/totals/spark.go": "positions in a sparkline",
}

// floatWords are the types, methods and functions that make floats.
var floatWords = []string{"float64", "float32", "Float64", "InexactFloat64", "ParseFloat", "NewFromFloat", "NewFromFloat32", "SetFloat64"}

func TestNoFloatsNearMoney(t *testing.T) {
	used := map[string]bool{}
	for _, f := range parsed(t) {
		if f.test || f.helper(t) {
			continue
		}
		place := f.path
		if harmlessFloats[place] == "" {
			for place = f.dir; place != "." && harmlessFloats[place] == ""; {
				place = path.Dir(place)
			}
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			ident, ok := n.(*ast.Ident)
			if !ok || !slices.Contains(floatWords, ident.Name) {
				return true
			}
			used[place] = true
			if harmlessFloats[place] == "" {
				t.Errorf("%s uses %s near money", f.at(n.Pos()), ident.Name)
			}
			return true
		})
	}
	for name := range harmlessFloats {
		if !used[name] {
			t.Errorf("%s is allowed floats and uses none: take it off the list", name)
		}
	}
}

// timeless are the packages whose results depend on the time that they are given, never on the hour
// at which they run.
const timeless = "affiliate document evidence people reports syndication tabular terms web/charts web/templates workbook"

func TestFiguresDoNotAskForTheTime(t *testing.T) {
	for _, f := range parsed(t) {
		used := importName(t, f, "time")
		if f.test || used == "" || !slices.ContainsFunc(strings.Fields(timeless), func(top string) bool { return within(f.dir, top) }) {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains([]string{"Now", "Since", "Until"}, selector.Sel.Name) {
				return true
			}
			if from, ok := selector.X.(*ast.Ident); ok && from.Name == used {
				t.Errorf("%s asks for the time; take it as an argument", f.at(n.Pos()))
			}
			return true
		})
	}
}

// Each package says once what it is for.
func TestPackageComments(t *testing.T) {
	comments := map[string][]string{}
	names := map[string]string{}
	for _, f := range parsed(t) {
		if f.test || ast.IsGenerated(f.tree) {
			continue
		}
		names[f.dir] = f.tree.Name.Name
		if f.tree.Doc == nil {
			continue
		}
		comments[f.dir] = append(comments[f.dir], f.path)
		begins := "Package " + f.tree.Name.Name + " "
		if f.tree.Name.Name == "main" {
			begins = "Command " + path.Base(f.dir) + " "
		}
		if !strings.HasPrefix(f.tree.Doc.Text(), begins) {
			t.Errorf("%s: the package comment does not begin with %q", f.path, begins)
		}
	}
	for dir, name := range names {
		if len(comments[dir]) != 1 {
			t.Errorf("package %s in %s has %d package comments, want 1: %v", name, dir, len(comments[dir]), comments[dir])
		}
	}
}
