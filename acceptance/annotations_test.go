package acceptance_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
)

var annotationChange = regexp.MustCompile(`href="(/annotations/\d+)"`)

// A manager annotates a day, from the chart and back to it; the chart, its table and the file show
// it. A viewer reads it only.
func TestAnnotateADay(t *testing.T) {
	t.Parallel()
	p := openPaid(t)
	manager, other, viewer := p.as("mia", access.Manager), p.as("max", access.Manager), p.as("vera", access.Viewer)
	day := (affiliate.DayOf(now, now.Location()) - 3).String()
	page := manager.get("/?range=7d").body
	if !strings.Contains(page, "Annotate a day") || !strings.Contains(page, "/annotations/new?back=%2F%3Frange%3D7d") {
		t.Fatal("the chart does not lead to the form")
	}
	if a := manager.get("/annotations/new?from=" + day + "&back=%2F%3Frange%3D7d"); a.StatusCode != 200 || !strings.Contains(a.body, `value="`+day+`"`) || !strings.Contains(a.body, `value="/?range=7d"`) {
		t.Errorf("the form: status %d", a.StatusCode)
	}
	for field, wrong := range map[string][]string{
		"a day such as":  {"from", "soon", "words", "x"},
		"is before":      {"from", day, "to", "2020-01-01", "words", "x"},
		"is empty":       {"from", day, "words", ""},
		"no account":     {"from", day, "words", "x", "account", "other"},
		"between 2000-0": {"from", "1970-01-01", "words", "x"},
	} {
		if a := manager.post("/annotations", wrong...); a.StatusCode != 400 || !strings.Contains(a.body, field) {
			t.Errorf("%q: status %d", wrong, a.StatusCode)
		}
	}
	a := manager.post("/annotations", "from", day, "words", "campaign <Autumn> began", "back", "/?range=7d")
	if a.StatusCode != 303 || a.Header.Get("Location") != "/?range=7d" {
		t.Fatalf("adding: status %d, to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := manager.post("/annotations", "from", day, "words", "x", "back", "https://elsewhere.example/"); a.Header.Get("Location") != "/" {
		t.Errorf("the form leads to %q", a.Header.Get("Location"))
	}
	for _, path := range []string{"/?range=7d", "/commissions?range=7d", "/codes?range=7d"} {
		page := viewer.get(path).body
		if strings.Count(page, "campaign &lt;Autumn&gt; began") < 3 || !strings.Contains(page, `class="noted"`) || strings.Contains(page, "Annotate a day") {
			t.Errorf("%s: the annotation is there %d times", path, strings.Count(page, "campaign &lt;Autumn&gt; began"))
		}
	}
	if file := manager.get("/overview.json?" + url.Values{"range": {"7d"}}.Encode()).body; !strings.Contains(file, `"words":"campaign \u003cAutumn\u003e began"`) {
		t.Error("the file lacks the annotation")
	}
	if a := viewer.post("/annotations", "from", day, "words", "y"); a.StatusCode != 403 {
		t.Errorf("an annotation of a viewer: status %d", a.StatusCode)
	}
	list := manager.get("/annotations?done=added").body
	if !strings.Contains(list, "2 annotations, the newest days first") || !strings.Contains(list, "mia") {
		t.Error("the list lacks the annotations")
	}
	one := annotationChange.FindStringSubmatch(list)[1]
	if annotationChange.MatchString(other.get("/annotations").body) {
		t.Error("another manager is offered to change it")
	}
	for _, path := range []string{one, one + "/remove"} {
		a := other.post(path, "from", day, "words", "not mine")
		if a.StatusCode != 403 || !strings.Contains(wordsOf(a.body), "Only mia, who wrote this annotation, and administrators change or remove it.") {
			t.Errorf("%s by another manager: status %d, %s", path, a.StatusCode, wordsOf(a.body))
		}
	}
	if a := other.get(one); a.StatusCode != 403 {
		t.Errorf("the form of another's: status %d", a.StatusCode)
	}
	if a := manager.post(one, "from", day, "words", "later"); a.StatusCode != 303 || a.Header.Get("Location") != "/annotations?done=changed" {
		t.Errorf("changing: status %d, to %q", a.StatusCode, a.Header.Get("Location"))
	}
	if a := manager.post(one + "/remove"); a.StatusCode != 409 {
		t.Errorf("removing an old version: status %d", a.StatusCode)
	}
	one = annotationChange.FindStringSubmatch(manager.get("/annotations").body)[1]
	if a := manager.post(one + "/remove"); a.StatusCode != 303 || !strings.Contains(manager.get("/annotations?done=removed").body, "1 annotation,") {
		t.Errorf("removing: status %d", a.StatusCode)
	}
}

// A page offers to annotate a day exactly if its chart shows annotations.
func TestAnnotatedPages(t *testing.T) {
	t.Parallel()
	p := openPaid(t)
	manager := p.as("mia", access.Manager)
	day := now.AddDate(0, 0, -3).Format(time.DateOnly)
	manager.get("/annotations/new")
	if a := manager.post("/annotations", "from", day, "words", "A campaign began"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	offered := 0
	for _, page := range everyPage {
		if strings.Contains(page.route, ":") || page.route == "/annotations" {
			continue
		}
		body := manager.get(page.route).body
		offers, shows := strings.Contains(body, `href="/annotations/new?`), strings.Contains(body, "A campaign began")
		if offers != shows {
			t.Errorf("%s: offered %v, shown %v", page.route, offers, shows)
		}
		if offers {
			offered++
		}
	}
	if offered < 3 {
		t.Errorf("%d pages offer it", offered)
	}
}
