package money_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
)

var annotationChange = regexp.MustCompile(`href="(/annotations/\d+)"`)

// A manager annotates a day, from the chart and back to it; the chart, its table and the file show
// it. A viewer reads it only.
func TestAnnotateADay(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager, other, viewer := p.As("mia", access.Manager), p.As("max", access.Manager), p.As("vera", access.Viewer)
	day := (affiliate.DayOf(site.Now, site.Now.Location()) - 3).String()
	page := manager.Get("/?range=7d").Body
	if !strings.Contains(page, "Annotate a day") || !strings.Contains(page, "/annotations/new?back=%2F%3Frange%3D7d") {
		t.Fatal("the chart does not lead to the form")
	}
	if a := manager.Get("/annotations/new?from=" + day + "&back=%2F%3Frange%3D7d"); a.StatusCode != 200 || !strings.Contains(a.Body, `value="`+day+`"`) || !strings.Contains(a.Body, `value="/?range=7d"`) {
		t.Errorf("the form: status %d", a.StatusCode)
	}
	for field, wrong := range map[string][]string{
		"a day such as":  {"from", "soon", "words", "x"},
		"is before":      {"from", day, "to", "2020-01-01", "words", "x"},
		"is empty":       {"from", day, "words", ""},
		"no account":     {"from", day, "words", "x", "account", "other"},
		"between 2000-0": {"from", "1970-01-01", "words", "x"},
	} {
		if a := manager.Post("/annotations", wrong...); a.StatusCode != 400 || !strings.Contains(a.Body, field) {
			t.Errorf("%q: status %d", wrong, a.StatusCode)
		}
	}
	a := manager.Post("/annotations", "from", day, "words", "campaign <Autumn> began", "back", "/?range=7d")
	if a.StatusCode != 303 || a.Header.Get("Location") != "/?range=7d" {
		t.Fatalf("adding: status %d, to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := manager.Post("/annotations", "from", day, "words", "x", "back", "https://elsewhere.example/"); a.Header.Get("Location") != "/" {
		t.Errorf("the form leads to %q", a.Header.Get("Location"))
	}
	for _, path := range []string{"/?range=7d", "/commissions?range=7d", "/codes?range=7d"} {
		page := viewer.Get(path).Body
		if strings.Count(page, "campaign &lt;Autumn&gt; began") < 3 || !strings.Contains(page, `class="noted"`) || strings.Contains(page, "Annotate a day") {
			t.Errorf("%s: the annotation is there %d times", path, strings.Count(page, "campaign &lt;Autumn&gt; began"))
		}
	}
	if file := manager.Get("/overview.json?" + url.Values{"range": {"7d"}}.Encode()).Body; !strings.Contains(file, `"words":"campaign \u003cAutumn\u003e began"`) {
		t.Error("the file lacks the annotation")
	}
	if a := viewer.Post("/annotations", "from", day, "words", "y"); a.StatusCode != 403 {
		t.Errorf("an annotation of a viewer: status %d", a.StatusCode)
	}
	list := manager.Get("/annotations?done=added").Body
	if !strings.Contains(list, "2 annotations, the newest days first") || !strings.Contains(list, "mia") {
		t.Error("the list lacks the annotations")
	}
	one := annotationChange.FindStringSubmatch(list)[1]
	if annotationChange.MatchString(other.Get("/annotations").Body) {
		t.Error("another manager is offered to change it")
	}
	for _, path := range []string{one, one + "/remove"} {
		a := other.Post(path, "from", day, "words", "not mine")
		if a.StatusCode != 403 || !strings.Contains(site.WordsOf(a.Body), "Only mia, who wrote this annotation, and administrators change or remove it.") {
			t.Errorf("%s by another manager: status %d, %s", path, a.StatusCode, site.WordsOf(a.Body))
		}
	}
	if a := other.Get(one); a.StatusCode != 403 {
		t.Errorf("the form of another's: status %d", a.StatusCode)
	}
	if a := manager.Post(one, "from", day, "words", "later"); a.StatusCode != 303 || a.Header.Get("Location") != "/annotations?done=changed" {
		t.Errorf("changing: status %d, to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := manager.Post(one + "/remove"); a.StatusCode != 409 {
		t.Errorf("removing an old version: status %d", a.StatusCode)
	}
	one = annotationChange.FindStringSubmatch(manager.Get("/annotations").Body)[1]
	if a := manager.Post(one + "/remove"); a.StatusCode != 303 || !strings.Contains(manager.Get("/annotations?done=removed").Body, "1 annotation,") {
		t.Errorf("removing: status %d", a.StatusCode)
	}
}

// A page offers to annotate a day exactly if its chart shows annotations.
func TestAnnotatedPages(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager := p.As("mia", access.Manager)
	day := site.Now.AddDate(0, 0, -3).Format(time.DateOnly)
	manager.Get("/annotations/new")
	if a := manager.Post("/annotations", "from", day, "words", "A campaign began"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	offered := 0
	for _, page := range site.EveryPage {
		if strings.Contains(page.Route, ":") || page.Route == "/annotations" {
			continue
		}
		body := manager.Get(page.Route).Body
		offers, shows := strings.Contains(body, `href="/annotations/new?`), strings.Contains(body, "A campaign began")
		if offers != shows {
			t.Errorf("%s: offered %v, shown %v", page.Route, offers, shows)
		}
		if offers {
			offered++
		}
	}
	if offered < 3 {
		t.Errorf("%d pages offer it", offered)
	}
}
