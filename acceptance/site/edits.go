package site

import (
	"html"
	"net/http"
	"strings"
	"testing"
)

// VersionOf returns the version in the form that posts to an address, or an empty text if
// the page has no such form.
func VersionOf(page, action string) string {
	_, form, _ := strings.Cut(page, `action="`+action+`"`)
	form, _, _ = strings.Cut(form, "</form>")
	_, version, _ := strings.Cut(form, `name="version" value="`)
	version, _, _ = strings.Cut(version, `"`)
	return version
}

// Press sends a form of a page with the version that the page shows.
func (v *Visitor) Press(page, action string) Answer {
	return v.Post(action, "version", VersionOf(v.Get(page).Body, action))
}

// Conflicts checks that a form that lost to a concurrent change shows the stored and the
// entered values, and that it can be sent again.
func Conflicts(t *testing.T, send func(path string, fields ...string) Answer, what, action string, a Answer, shows []string, fields ...string) {
	t.Helper()
	page := html.UnescapeString(a.Body)
	if a.StatusCode != http.StatusConflict {
		t.Fatalf("%s, the second form: status %d", what, a.StatusCode)
	}
	for _, text := range append(shows, "Somebody else changed this", "Stored now", "Your entry") {
		if !strings.Contains(page, text) {
			t.Errorf("%s does not show %q", what, text)
		}
	}
	if a := send(action, append(fields, "version", VersionOf(a.Body, action))...); a.StatusCode != http.StatusSeeOther {
		t.Errorf("%s, sent again: status %d", what, a.StatusCode)
	}
}
