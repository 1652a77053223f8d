package rebatedesk_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// entries are what everybody may rely on finding at the top of the tree.
var entries = []string{
	".ci/run", ".editorconfig", ".gitattributes", ".gitignore",
	"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "go.mod", "go.sum", "staticcheck.conf",
	"affiliate", "cmd/webapp", "collector", "exchange", "exchange/weex", "exchange/weex/simulator", "reports", "store", "store/migrations",
	"web", "web/assets", "web/charts", "web/static", "web/templates",
	"docs/architecture.md", "docs/exchange-notes.md", "docs/glossary.md", "docs/guide.md", "docs/method.md", "docs/operations.md", "docs/reference.md", "docs/adr",
}

func TestEntries(t *testing.T) {
	for _, name := range entries {
		if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
			t.Error(err)
		}
	}
	info, err := os.Stat(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode()&0o111 == 0 {
		t.Error(".ci/run is not executable")
	}
}

// Versions that were chosen for a reason, which the decision records give.
const (
	fasthttpVersion = "v1.74.0"
	sqliteVersion   = "v1.60.1"
	libcVersion     = "v1.77.1"
)

// goMod is what `go mod edit -json` prints, as far as it is needed here.
type goMod struct {
	Replace []struct{ Old struct{ Path string } }
	Require []struct{ Path, Version string }
}

// version is the version that the file requires of a module.
func (m goMod) version(module string) string {
	for _, r := range m.Require {
		if r.Path == module {
			return r.Version
		}
	}
	return ""
}

func readGoMod(t *testing.T, name string) (m goMod) {
	t.Helper()
	if err := json.Unmarshal(goCommand(t, "mod", "edit", "-json", name), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func goCommand(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func TestModules(t *testing.T) {
	m := readGoMod(t, "go.mod")
	for _, r := range m.Replace {
		t.Errorf("go.mod replaces %s: whoever installs this program by its path would get another one", r.Old.Path)
	}
	if got := m.version("github.com/valyala/fasthttp"); got != fasthttpVersion {
		t.Errorf("go.mod requires fasthttp %q, want %s", got, fasthttpVersion)
	}
	if got := m.version("modernc.org/sqlite"); got != sqliteVersion {
		t.Errorf("go.mod requires sqlite %q, want %s", got, sqliteVersion)
	}
}

// SQLite's C code is translated against one version of its libc and tested
// with no other.
func TestLibcIsSQLites(t *testing.T) {
	built := strings.TrimSpace(string(goCommand(t, "list", "-m", "-f", "{{.Version}}", "modernc.org/libc")))
	if built != libcVersion {
		t.Errorf("built with libc %s, want %s", built, libcVersion)
	}
	sqlite := strings.TrimSpace(string(goCommand(t, "list", "-m", "-f", "{{.GoMod}}", "modernc.org/sqlite")))
	if wanted := readGoMod(t, sqlite).version("modernc.org/libc"); built != wanted {
		t.Errorf("built with libc %s, and sqlite wants %s", built, wanted)
	}
}

// placeBegins is what can stand before an absolute path.
const placeBegins = `(^|[\s"'` + "`" + `=(:])`

// No file names the place where it was written.
func TestNoPathsOfOneMachine(t *testing.T) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	// This very directory, and the directories of people.
	places := regexp.MustCompile(`(?m)` + placeBegins + `(` + regexp.QuoteMeta(root) + `/|/(home|Users)/[A-Za-z])`)
	err = walk(func(name string, _ fs.DirEntry) error {
		content, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		if binary := slices.Contains(content[:min(len(content), 8000)], 0); binary {
			return nil
		}
		if found := places.Find(content); found != nil {
			t.Errorf("%s names a path of one machine: %q", name, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

var decisionName = regexp.MustCompile(`^(\d{4})-[a-z0-9-]+\.md$`)

// The decision records are numbered without a gap and listed in their README.
func TestDecisionRecords(t *testing.T) {
	entries, err := os.ReadDir("docs/adr")
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("docs/adr/README.md")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, record := range entries {
		if record.Name() == "README.md" {
			continue
		}
		count++
		number := decisionName.FindStringSubmatch(record.Name())
		if number == nil || strings.TrimLeft(number[1], "0") != strconv.Itoa(count) {
			t.Errorf("docs/adr/%s does not have the number %d or is not named after its title", record.Name(), count)
		}
		if !bytes.Contains(list, []byte("("+record.Name()+")")) {
			t.Errorf("docs/adr/README.md does not list %s", record.Name())
		}
	}
}

var (
	link       = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	heading    = regexp.MustCompile("(?m)^#{1,6} (.+)$")
	codeBlocks = regexp.MustCompile("(?ms)^```.*?^```")
	unslugged  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the places of a document that links lead to, as GitHub names its headings.
func anchors(document string) map[string]bool {
	places := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(codeBlocks.ReplaceAllString(document, ""), -1) {
		text := link.ReplaceAllString(found[1], "]")
		places[strings.ReplaceAll(unslugged.ReplaceAllString(strings.ToLower(text), ""), " ", "-")] = true
	}
	return places
}

// Links between the documents lead somewhere, to a heading that exists if they name one.
func TestLinks(t *testing.T) {
	read := map[string]map[string]bool{}
	err := walk(func(name string, _ fs.DirEntry) error {
		if filepath.Ext(name) != ".md" {
			return nil
		}
		content, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		for _, match := range link.FindAllStringSubmatch(string(content), -1) {
			if strings.Contains(match[1], ":") {
				continue // another site
			}
			target := filepath.Join(filepath.Dir(name), filepath.FromSlash(match[1]))
			if match[1] == "" {
				target = filepath.FromSlash(name)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", name, match[1], err)
				continue
			}
			if match[2] == "" || filepath.Ext(target) != ".md" {
				continue
			}
			if read[target] == nil {
				document, err := os.ReadFile(target)
				if err != nil {
					return err
				}
				read[target] = anchors(string(document))
			}
			if !read[target][match[2]] {
				t.Errorf("%s links to %s#%s, and no heading there has that name", name, match[1], match[2])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
