package people_test

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

var (
	rankingLine = regexp.MustCompile(`<a [^>]*href="([^"]*)" title="(?:[^":]*: )?([^" ]+ [^"]+?) of ([\d,]+) records?, fees`)
	rankingAll  = regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>All<span class="sr-only"> [a-z, ]+</span></a>`)
)

// sumOn returns the exact total of a page in a coin: that of its card or of its band of totals.
func sumOn(page, coin string) string {
	for _, label := range []string{`aria-label="Total in ` + coin + `"`, `aria-label="Earned in ` + coin + `"`, `aria-label="Totals"`} {
		if _, part, found := strings.Cut(page, label); found {
			part, _, _ = strings.Cut(part, "</section>")
			if title := regexp.MustCompile(`title="([^"]* ` + regexp.QuoteMeta(coin) + `)"`).FindStringSubmatch(part); title != nil {
				return title[1]
			}
		}
	}
	return ""
}

// A line of a ranking leads to a page whose total is the figure that was clicked, to the last digit,
// whatever filters the overview has. All of them go with it.
func TestRankingLinesLeadToTheirSums(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	manager := o.As("mia", access.Manager)
	code := o.SomeCode(manager)
	if a := manager.Post("/segments", "name", "Spot people", "product", "SPOT"); a.StatusCode != 303 {
		t.Fatalf("saving a segment: status %d", a.StatusCode)
	}
	clicked := map[string]int{}
	for _, filters := range []string{
		"", "coin=BTC", "coin=USDT&product=FUTURES", "source=direct&product=SPOT", "source=sub", "segment=Spot+people&coin=USDT",
		"code=" + code, "symbol=BTCUSDT_SPBL", "q=BTC&product=SPOT,FUTURES", "range=90d&compare=year&account=main&product=SPOT",
		"from=2026-11-01&to=2026-11-10&product=FUTURES",
	} {
		page := manager.Get("/?" + filters).Body
		parts := site.RankingsOn(page)
		if len(parts) < 5 {
			t.Errorf("?%s: the overview ranks only %d things", filters, len(parts))
		}
		for by, part := range parts {
			lines := rankingLine.FindAllStringSubmatch(part, -1)
			if len(lines) == 0 && (by != "code" || filters != "source=sub") { // nobody knows the codes of clients of sub-agents
				t.Errorf("?%s: no line of the ranking by %s leads anywhere", filters, by)
			}
			for i, line := range lines {
				if i > 3 && i < len(lines)-1 || strings.Contains(line[0], "/pivot") || strings.Contains(line[0], "state=traded") {
					continue // enough of a kind, and the line of others, which leads to the list
				}
				clicked[by]++
				href, amount := html.UnescapeString(line[1]), html.UnescapeString(line[2])
				_, coin, _ := strings.Cut(amount, " ")
				reached := manager.Get(href)
				if got := html.UnescapeString(sumOn(reached.Body, coin)); reached.StatusCode != 200 || got != amount {
					t.Errorf("?%s: the line of %s by %s leads to %s: status %d, sum %q", filters, amount, by, href, reached.StatusCode, got)
				}
				carriesAll(t, filters, href)
			}
		}
	}
	for _, by := range []string{"invitee", "pair", "code", "product", "source", "coin"} {
		if clicked[by] < 4 {
			t.Errorf("only %d lines by %s were clicked", clicked[by], by)
		}
	}
}

// carriesAll checks that an address has the filters of another, or is narrowed further.
func carriesAll(t *testing.T, filters, href string) {
	t.Helper()
	had, err := url.ParseQuery(filters)
	to, err2 := url.Parse(href)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for name, values := range had {
		got := to.Query().Get(name)
		person := strings.HasPrefix(to.Path, "/invitees/") && slices.Contains([]string{"code", "segment"}, name)
		if narrowed := got != "" && strings.Contains(values[0], got); !narrowed && !person {
			t.Errorf("?%s leads to %s, which lost %s", filters, href, name)
		}
	}
}

// "All" and the line of the others lead to a list that begins with the lines of the ranking, in
// their order and with the filters of the overview.
func TestRankingsLeadToTheirLists(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	viewer := o.As("vera", access.Viewer)
	others := 0
	for _, filters := range []string{"range=90d", "product=FUTURES&coin=USDT", "source=direct&q=USDT"} {
		for by, part := range site.RankingsOn(viewer.Get("/?" + filters).Body) {
			all := rankingAll.FindStringSubmatch(part)
			if all == nil {
				t.Errorf("?%s: the ranking by %s leads to no list", filters, by)
				continue
			}
			href := html.UnescapeString(all[1])
			carriesAll(t, filters, href)
			list := viewer.Get(href)
			if list.StatusCode != 200 {
				t.Errorf("?%s: all by %s, %s: status %d", filters, by, href, list.StatusCode)
			}
			_, rows, _ := strings.Cut(list.Body, "<tbody")
			at := 0
			for _, name := range regexp.MustCompile(`<bdi class="font-medium[^"]*">([^<]*)</bdi>`).FindAllStringSubmatch(part, -1) {
				next := strings.Index(rows[at:], ">"+name[1]+"<")
				if by != "coin" && next < 0 {
					t.Errorf("?%s: %s by %s is not next in %s", filters, name[1], by, href)
					break
				}
				at += max(0, next)
			}
			if strings.Contains(part, " others</span>") {
				others++
				if n := strings.Count(part, all[1]); n != 2 {
					t.Errorf("?%s: the others by %s lead elsewhere", filters, by)
				}
			}
		}
	}
	if others < 2 {
		t.Errorf("only %d rankings have others: this test shows nothing", others)
	}
}
