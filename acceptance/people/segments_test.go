package people_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

var (
	segmentLink    = regexp.MustCompile(`href="(/segments/new\?[^"]*)"`)
	segmentForm    = regexp.MustCompile(`action="(/segments/\d+)/(?:freeze|thaw)"`)
	segmentVersion = regexp.MustCompile(`name="version" value="(\d+)"`)
)

// A manager saves the filters of the list of invitees as a segment, and uses, changes, freezes
// and removes it. What is wrong with one stands at its field; a viewer uses segments only.
func TestSegmentsPage(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager, viewer := p.As("mia", access.Manager), p.As("vera", access.Viewer)
	if page := manager.Get("/segments").Body; !strings.Contains(site.WordsOf(page), "No segment is saved.") {
		t.Fatalf("the empty page says %s", site.WordsOf(page))
	}
	found := segmentLink.FindStringSubmatch(manager.Get("/invitees?product=SPOT&range=90d&sort=uid").Body)
	if found == nil || html.UnescapeString(found[1]) != "/segments/new?product=SPOT&range=90d" {
		t.Fatalf("the list of invitees leads to %q", found)
	}
	if page := site.WordsOf(manager.Get("/invitees?range=90d").Body) + site.WordsOf(viewer.Get("/invitees?product=SPOT").Body); strings.Contains(page, "Save as segment") {
		t.Error("a list without a filter, or of a viewer, can be saved")
	}
	form := site.WordsOf(manager.Get(html.UnescapeString(found[1])).Body)
	if !strings.Contains(form, "now: commission from Spot in the last 90 days") {
		t.Errorf("the form says %s", form)
	}
	for _, wrong := range [][]string{
		{"The name is empty", "name", "", "state", "silent"}, {"Give at least one condition", "name", "x", "range", "30d"}, {"needs its coin", "name", "x", "commission_least", "5"},
		{"is not an amount in digits", "name", "x", "risk_least", "<b>"}, {"is not a day such as", "name", "x", "registered", "days", "registered_from", "soon"}, {"from 1 to 3660", "name", "x", "silent_least", "-1"},
		{"count only with “From – to, as below”", "name", "x", "product", "SPOT", "range", "90d", "from", "2001-01-01"},
		{"count only with “From – to, as below”", "name", "x", "product", "SPOT", "registered", "", "registered_to", "2001-01-01"},
		{"has control characters", "name", "x", "symbol", "a\x01b"},
	} {
		a := manager.Post("/segments", wrong[1:]...)
		if a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), wrong[0]) {
			t.Errorf("%q: status %d, %s", wrong, a.StatusCode, site.WordsOf(a.Body))
		}
	}
	if a := manager.Post("/segments", "name", "", "product", "SPOT", "do", "count"); a.StatusCode != 200 || !strings.Contains(site.WordsOf(a.Body), "now: commission from Spot in the last 30 days") {
		t.Errorf("counting: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	const name = `Spot & <b>`
	if a := manager.Post("/segments", "name", name, "product", "SPOT", "range", "90d", "from", "", "registered", ""); a.StatusCode != 303 || a.Header.Get("Location") != "/segments?done=added" {
		t.Fatalf("saving: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if a := manager.Post("/segments", "name", "spot & <B>", "product", "SPOT"); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), "There is a segment called “Spot & <b>” already") {
		t.Errorf("the same name again: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	page := manager.Get("/segments?done=added")
	for _, want := range []string{"The segment is saved.", "1 segment.", name, "Commission from Spot in the last 90 days", "Members change with the data", "made by mia"} {
		if !strings.Contains(site.WordsOf(page.Body), want) {
			t.Errorf("the list lacks %q: %s", want, site.WordsOf(page.Body))
		}
	}
	if page := viewer.Get("/segments").Body; !strings.Contains(site.WordsOf(page), name) || segmentForm.MatchString(page) || strings.Contains(page, "/segments/new") {
		t.Error("a viewer does not read the segments, or may change them")
	}
	of := url.Values{"segment": {name}}.Encode()
	for _, path := range []string{"/", "/commissions", "/invitees", "/codes", "/cohorts", "/drivers", "/pivot", "/changes", "/rates", "/forecast", "/collection/restatements"} {
		if a := viewer.Get(path + "?" + of); a.StatusCode != 200 || !strings.Contains(site.WordsOf(a.Body), name) {
			t.Errorf("%s with the segment: status %d", path, a.StatusCode)
		}
	}
	for _, path := range []string{"/attention", "/forecast/at-risk", "/forecast.json"} {
		if a := viewer.Get(path + "?" + of); a.StatusCode != 200 && a.StatusCode != 409 {
			t.Errorf("%s with the segment: status %d", path, a.StatusCode)
		}
	}
	for _, path := range []string{"/sub-affiliates", "/payments", "/months", "/collection", "/statements"} {
		if a := viewer.Get(path + "?" + of); a.StatusCode != 400 {
			t.Errorf("%s cannot be divided by invitee: status %d", path, a.StatusCode)
		}
	}
	if a := manager.Get("/commissions.csv?range=all&" + of); a.StatusCode != 200 || strings.Contains(a.Body, "FUTURES") && !strings.Contains(a.Body, "SPOT") {
		t.Errorf("the file: status %d", a.StatusCode)
	}
	manager.Get("/?" + of)
	if a := manager.Post("/views", "name", "Mine", "path", "/", "query", "range=7d&"+of); a.StatusCode != 303 {
		t.Errorf("a view with the segment: status %d", a.StatusCode)
	}
	if page := site.WordsOf(manager.Get("/segments").Body); !strings.Contains(page, "Used by 1 saved view") || !strings.Contains(page, "It is used by 1 saved view .") {
		t.Errorf("the list does not say what uses the segment: %s", page)
	}
	at, version := segmentForm.FindStringSubmatch(page.Body)[1], segmentVersion.FindStringSubmatch(page.Body)[1]
	for _, path := range []string{at, at + "/freeze", at + "/remove", "/segments"} {
		if a := viewer.Post(path, "version", version, "name", "x", "state", "silent"); a.StatusCode != 403 {
			t.Errorf("%s by a viewer: status %d", path, a.StatusCode)
		}
	}
	if a := manager.Post(at, "version", version, "name", "Renamed", "product", "SPOT", "range", "90d"); a.StatusCode != 303 {
		t.Fatalf("renaming: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if a := manager.Post(at, "version", version, "name", "Otherwise", "product", "SPOT"); a.StatusCode != 409 || !strings.Contains(site.WordsOf(a.Body), "Somebody else changed this segment meanwhile") {
		t.Errorf("a stale change: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if page := manager.Get("/views").Body; !strings.Contains(page, "segment=Renamed") {
		t.Error("the saved view does not follow the new name")
	}
	if a := manager.Get("/?" + of); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), "there is no such segment; the page /segments lists them") {
		t.Errorf("the former name: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	for _, step := range []struct{ action, says string }{{"/freeze", "Frozen on"}, {"/thaw", "Members change with the data"}} {
		version = segmentVersion.FindStringSubmatch(manager.Get("/segments").Body)[1]
		if a := manager.Post(at+step.action, "version", version); a.StatusCode != 303 {
			t.Errorf("%s: status %d", step.action, a.StatusCode)
		}
		if a := manager.Post(at+step.action, "version", version); a.StatusCode != 409 && step.action == "/freeze" {
			t.Errorf("%s from an old page: status %d", step.action, a.StatusCode)
		}
		if page := site.WordsOf(manager.Get("/segments").Body); !strings.Contains(page, step.says) {
			t.Errorf("after %s the page says %s", step.action, page)
		}
	}
	version = segmentVersion.FindStringSubmatch(manager.Get("/segments").Body)[1]
	if a := manager.Post(at+"/remove", "version", version); a.StatusCode != 303 {
		t.Fatalf("removing: status %d", a.StatusCode)
	}
	if a := manager.Get("/?segment=Renamed"); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), "the segment was removed on") {
		t.Errorf("the removed segment: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	for _, path := range []string{at, "/segments/x", "/segments/999"} {
		if a := manager.Get(path); a.StatusCode != 404 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
	}
	if a := manager.Get("/segments/new?colour=red"); a.StatusCode != 400 {
		t.Errorf("an unknown condition: status %d", a.StatusCode)
	}
}
