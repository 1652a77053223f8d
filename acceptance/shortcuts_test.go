package acceptance_test

import (
	"strings"
	"testing"

	"rebatedesk/web/templates/guide"
)

// Keys choose the range and turn the comparison on and off, as the menus print them and the help
// lists them. In a field they are letters.
func TestBrowserRangeKeys(t *testing.T) {
	t.Parallel()
	h := openSharedSite(t)
	b := open(t, h.address+"/?product=FUTURES", desktop)
	b.arrives(`document.querySelector("#earned") !== null`)
	listed := ""
	for _, k := range guide.GeneralKeys {
		listed += k.Key
	}
	for _, one := range []struct{ key, want string }{
		{"w", "range=7d"}, {"m", "range=mtd"}, {"c", "compare=none"}, {"l", "range=last-month"}, {"y", "range=ytd"}, {"t", ""}, {"c", ""},
	} {
		marked := eval[bool](b, `document.querySelector("[data-shortcut=`+one.key+`] kbd")?.textContent === "`+one.key+`"`)
		if !marked || !strings.Contains(listed, one.key) {
			t.Errorf("%s: printed in the menu: %t, keys of the help %q", one.key, marked, listed)
		}
		before := eval[string](b, `location.search`)
		b.keys(one.key)
		b.arrives(`location.search !== "` + before + `" && location.search.includes("` + one.want + `") && location.search.includes("product=FUTURES") && document.querySelector("#earned") !== null`)
		if one.key == "t" && strings.Contains(eval[string](b, `location.search`), "range") {
			t.Error("the usual range is not chosen")
		}
	}
	before := eval[string](b, `location.search`)
	b.keys("/")
	b.until(`document.activeElement.id === "finder-text"`)
	b.keys("w")
	if eval[string](b, `location.search`) != before {
		t.Error("a letter in a field chose a range")
	}
}
