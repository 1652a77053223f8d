package money_test

import (
	"html"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
)

var peopleLink = regexp.MustCompile(`href="(/worklist[^"]*)"[^>]*>See them under To do`)

var riskOfFirst = regexp.MustCompile(`(?s)id="line-main-(\d+)".*?<span class="font-medium"[^>]*>([\d,.]+) <bdi`)

var riskWords = regexp.MustCompile(`At risk: ([\d,.]+) USDT a month \(([^)]*)\)\.`)

// What is at risk is one figure with the same parts wherever it stands, and the parts add up to it.
func TestAtRiskIsOneFigure(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	said := map[string]string{}
	list := peopleLink.FindStringSubmatch(site.Get(t, h.Address+"/forecast/at-risk").Body)
	if list == nil {
		t.Fatal("the revenue at risk does not lead to the list of the people")
	}
	for _, path := range []string{"/worklist", "/worklist?show=all", "/worklist?show=snoozed", "/attention", "/forecast/at-risk", html.UnescapeString(list[1])} {
		page := strings.ReplaceAll(html.UnescapeString(site.Tags.ReplaceAllString(site.Get(t, h.Address+path).Body, " ")), "\u00a0", " ")
		found := riskWords.FindStringSubmatch(page)
		if found == nil {
			t.Fatalf("%s does not say what is at risk", path)
		}
		said[path] = found[0]
		sum, rest := new(big.Rat), exactly(t, strings.ReplaceAll(found[1], ",", ""))
		for _, part := range regexp.MustCompile(`(stopped|slowing|lower rate|bring less) ([\d,.]+)`).FindAllStringSubmatch(found[2], -1) {
			sum.Add(sum, exactly(t, strings.ReplaceAll(part[2], ",", "")))
		}
		if off := sum.Sub(sum, rest); off.Abs(off).Cmp(big.NewRat(2, 100)) > 0 { // of rounding
			t.Errorf("%s: the parts of %q do not add up", path, found[0])
		}
	}
	for path, words := range said {
		if words != said["/worklist"] {
			t.Errorf("%s says %q, the worklist %q", path, words, said["/worklist"])
		}
	}
	// What is at risk with the first line is what its own page says.
	first := riskOfFirst.FindStringSubmatch(site.Get(t, h.Address+"/worklist?reason=silent").Body)
	if first == nil {
		t.Fatal("the worklist has no line with an amount")
	}
	own := strings.Join(strings.Fields(html.UnescapeString(site.Tags.ReplaceAllString(site.Get(t, h.Address+"/invitees/"+first[1]).Body, " "))), " ")
	if !strings.Contains(own, "At risk a month "+first[2]+" USDT it stopped trading") {
		t.Errorf("the page of %s does not say that %s are at risk", first[1], first[2])
	}
	if page := site.Get(t, h.Address+"/attention").Body; strings.Contains(page, "are at risk") {
		t.Error("a finding about one part says that this is at risk")
	}
}
