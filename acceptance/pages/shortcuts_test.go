package pages_test

import (
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/web/templates/guide"
)

// Keys choose the range and turn the comparison on and off, as the menus print them and the help
// lists them. In a field they are letters.
func TestBrowserRangeKeys(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	b := site.Open(t, h.Address+"/?product=FUTURES", site.Desktop)
	b.Arrives(`document.querySelector("#earned") !== null`)
	listed := ""
	for _, k := range guide.GeneralKeys {
		listed += k.Key
	}
	for _, one := range []struct{ key, want string }{
		{"w", "range=7d"}, {"m", "range=mtd"}, {"c", "compare=none"}, {"l", "range=last-month"}, {"y", "range=ytd"}, {"t", ""}, {"c", ""},
	} {
		marked := site.Eval[bool](b, `document.querySelector("[data-shortcut=`+one.key+`] kbd")?.textContent === "`+one.key+`"`)
		if !marked || !strings.Contains(listed, one.key) {
			t.Errorf("%s: printed in the menu: %t, keys of the help %q", one.key, marked, listed)
		}
		before := site.Eval[string](b, `location.search`)
		b.Keys(one.key)
		b.Arrives(`location.search !== "` + before + `" && location.search.includes("` + one.want + `") && location.search.includes("product=FUTURES") && document.querySelector("#earned") !== null`)
		if one.key == "t" && strings.Contains(site.Eval[string](b, `location.search`), "range") {
			t.Error("the usual range is not chosen")
		}
	}
	before := site.Eval[string](b, `location.search`)
	b.Keys("/")
	b.Until(`document.activeElement.id === "finder-text"`)
	b.Keys("w")
	if site.Eval[string](b, `location.search`) != before {
		t.Error("a letter in a field chose a range")
	}
}
