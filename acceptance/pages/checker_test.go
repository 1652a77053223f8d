package pages_test

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/outside"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// acceptedMessage is a message of the checker that is no fault of ours.
type acceptedMessage struct {
	why           string
	message, file *regexp.Regexp // file is the name of the document
}

var accepted = []acceptedMessage{
	{"htmx reads these names as well as those with data-, and browsers read neither", regexp.MustCompile(`^Attribute “hx-[a-z-]+” not allowed`), regexp.MustCompile(``)},
	{"htmx puts these parts into a page", regexp.MustCompile(`^(Start tag seen without seeing a doctype first|Element “head” is missing a required instance of child element “title”|Consider adding a “lang” attribute)`),
		regexp.MustCompile(`-(collection-progress|console-trading-state|payments-line|summaries-(new|\d+)-preview(-date-[0-9-]+)?)\.html$`)},
	{"mail programs need them", regexp.MustCompile(`^(The “(align|valign|bgcolor|border|cellpadding|cellspacing|width|height)” attribute on the “[a-z]+” element is obsolete|The “type” attribute for the “style” element|CSS: “(mso-hide|supported-color-schemes)”)`),
		regexp.MustCompile(`-message(-date-[0-9-]+)?\.html$`)},
}

// pageLink finds the addresses that a page links to.
var pageLink = regexp.MustCompile(`(?:href|action|src)="(/[^"#]*)`)

// pageCrawl holds the documents of the pages that some users can read, by names that are file names.
type pageCrawl struct {
	testing.TB
	documents map[string]string
}

var notOfNames = regexp.MustCompile(`[^a-zA-Z0-9]+`)

func (c *pageCrawl) add(name, document string) {
	c.documents[strings.Trim(notOfNames.ReplaceAllString(name, "-"), "-")+".html"] = document
}

// crawl adds every page of the routes that a visitor may read: those without parameters as they are,
// and one of each of the others, once a page links to it.
func (c *pageCrawl) crawl(who string, v *site.Visitor, routes []string, queries map[string]string) {
	c.Helper()
	var waiting []string
	sought := map[string]bool{}
	for _, route := range routes {
		if strings.ContainsAny(route, ":*") {
			sought[route] = true
		} else {
			waiting = append(waiting, route+queries[route])
		}
	}
	for at := 0; at < len(waiting); at++ {
		a := v.Get(waiting[at])
		if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") || a.StatusCode >= 300 && a.StatusCode < 400 {
			continue
		}
		c.add(who+waiting[at], a.Body)
		for _, link := range pageLink.FindAllStringSubmatch(a.Body, -1) {
			to := html.UnescapeString(link[1])
			for route := range sought {
				if leadsTo(route, to) {
					delete(sought, route)
					waiting = append(waiting, to)
				}
			}
		}
	}
}

// leadsTo reports whether an address is one of a route with parameters.
func leadsTo(route, address string) bool {
	path, _, _ := strings.Cut(address, "?")
	a, b := strings.Split(route, "/"), strings.Split(path, "/")
	if len(a) != len(b) || strings.Contains(route, "*") {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (!strings.HasPrefix(a[i], ":") || b[i] == "new") {
			return false
		}
	}
	return true
}

// pageRoutes are the routes that answer with pages at once.
func pageRoutes(server *web.Server) (list []string) {
	file := regexp.MustCompile(`\.(csv|xlsx|json|parquet|zip|pdf|eml|ics|atom|ico|txt)$`)
	for _, route := range server.App().GetRoutes(true) {
		if route.Method == http.MethodGet && !file.MatchString(route.Path) && !strings.Contains(route.Path, "stream") && !slices.Contains(list, route.Path) {
			list = append(list, route.Path)
		}
	}
	return list
}

// crawledPages are the pages of all users: readers of the shared site, an administrator, a stranger, a
// trader and a manager with mails.
func crawledPages(t *testing.T) map[string]string {
	t.Helper()
	c := &pageCrawl{TB: t, documents: map[string]string{}}
	shared := site.OpenSharedSite(t)
	known := pageRoutes(web.New(web.Options{Reports: site.SharedReports(t), Access: site.SharedAccess(t), Desk: site.SharedReports(t), Collect: site.Nothing}))
	queries := map[string]string{}
	for _, p := range site.EveryPage {
		queries[p.Route] = p.Query()
	}
	queries["/search"], queries["/help"] = "?q=a", "?page=%2Fpayments"
	c.crawl("reader", site.Visit(t, shared.Address, "Cookie", site.SignedIn(t, access.Manager)), append(known, "/nowhere"), queries)

	admin := site.FilledAdminSite(t)
	c.crawl("admin", admin.Ada, pageRoutes(admin.Server), nil)
	c.crawl("nobody", admin.Visitor(), []string{"/login", "/nowhere"}, nil)

	console := site.OpenConsole(t, simulator.Options{})
	console.Rest()
	if a := console.Browser.Post("/console/favourites", "pair", "BTCUSDT_SPBL", "on", "1"); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("a favourite: status %d", a.StatusCode)
	}
	queries = map[string]string{}
	for _, p := range site.SheetPages {
		queries[p.Path] = p.Query
	}
	c.crawl("trader", console.Browser, pageRoutes(console.Server), queries)

	m := site.OpenMailSite(t)
	m.Plan()
	m.Mia.Get("/summaries/alerts/new?watches=restatement")
	if a := m.Mia.Post("/summaries/alerts", "name", "Restated", "watches", "restatement", "account", "", "amount", "5", "coin", "USDT", "zone", "UTC", "apart", "0", "quiet", "", "recipients", "boss@example.com"); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("an alert: status %d", a.StatusCode)
	}
	c.crawl("manager", m.Mia, pageRoutes(m.Server), nil)
	for who, least := range map[string]int{"reader": 40, "admin": 59, "nobody": 2, "trader": 60, "manager": 60} {
		n := 0
		for name := range c.documents {
			if strings.HasPrefix(name, who) {
				n++
			}
		}
		if n < least {
			t.Errorf("the %s can read %d pages, not %d", who, n, least)
		}
	}
	return c.documents
}

var (
	tableTag = regexp.MustCompile(`<table[^>]*>(?:\s*<caption)?`)
	named    = regexp.MustCompile(`aria-label(?:ledby)?="[^"]|role="presentation"|<caption`)
)

// Screen readers list the tables of a page by their names.
func TestTablesHaveNames(t *testing.T) {
	t.Parallel()
	tables := 0
	for name, document := range crawledPages(t) {
		if strings.Contains(name, "-message") { // of mails, whose headings stand above them
			continue
		}
		for _, tag := range tableTag.FindAllString(document, -1) {
			if tables++; !named.MatchString(tag) {
				t.Errorf("%s: %s has no name", name, tag)
			}
		}
		if strings.Contains(document, `id="finder"`) {
			_, finder, _ := strings.Cut(document, `id="finder"`)
			finder, _, _ = strings.Cut(finder, "</form>")
			if !strings.Contains(finder, `<button type="submit"`) {
				t.Errorf("%s: the search has no button", name)
			}
		}
	}
	if tables < 100 {
		t.Errorf("%d tables", tables)
	}
}

// The Nu checker of the W3C, whose file VNU_JAR names, finds no fault in any page or mail.
func TestOutsideNuChecker(t *testing.T) {
	t.Parallel()
	java, jar := outside.Program(t, "java"), outside.File(t, "VNU_JAR")
	dir, names := t.TempDir(), []string{}
	for name, document := range crawledPages(t) {
		storetest.Done(t, os.WriteFile(filepath.Join(dir, name), []byte(document), 0o600))
		names = append(names, name)
	}
	slices.Sort(names)
	var said bytes.Buffer
	command := exec.Command(java, append([]string{"-Xmx512m", "-jar", jar, "--format", "json", "--exit-zero-always"}, names...)...)
	command.Dir, command.Stderr = dir, &said
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	var found struct {
		Messages []struct{ Type, SubType, URL, Message, Extract string }
	}
	if err := json.Unmarshal(said.Bytes(), &found); err != nil {
		t.Fatalf("%v\n%.2000s", err, said.String())
	}
	wrong, met := map[string][]string{}, map[string]bool{}
	for _, m := range found.Messages {
		at, err := url.Parse(m.URL)
		storetest.Done(t, err)
		name := filepath.Base(at.Path)
		known := slices.IndexFunc(accepted, func(a acceptedMessage) bool { return a.message.MatchString(m.Message) && a.file.MatchString(name) })
		if known >= 0 {
			met[accepted[known].why] = true
		} else {
			wrong[m.Message] = append(wrong[m.Message], name+": "+m.Extract)
		}
	}
	for message, places := range wrong {
		t.Errorf("%s (%d times), as in %s", message, len(places), places[0])
	}
	for _, a := range accepted {
		if !met[a.why] {
			t.Errorf("what is accepted because %s does not occur any more", a.why)
		}
	}
}
