package money_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
)

// storedForty serves the real reports over a database with forty days of commission of
// some invitees, completely collected.
func storedForty(t *testing.T) string {
	t.Helper()
	return site.StoredYear(t, site.People12)
}

func TestOverviewOfStoredRecords(t *testing.T) {
	t.Parallel()
	address := storedForty(t)
	a := site.Get(t, address+"/?compare=previous&by=source")
	for _, text := range []string{
		">1,440.00<",           // 12 invitees, 30 days
		">40.0\u00a0%<",        // commission of the net fees
		"so far",               // the day is not over
		"2 others",             // ten of twelve have a line
		"By source</bdi>",      // the switch
		"Sub-agent",            // a layer of the chart
		"From registration to", // the funnel
		"1 of the 4 with a deposit (25.0\u00a0%)", // one of four with a deposit traded
		"half within 1.5 days of registration",
		"neither a deposit nor a trade needs it", // KYC
		`hx-get="/attention"`,
	} {
		if !strings.Contains(a.Body, text) {
			t.Errorf("the overview does not say %q", text)
		}
	}
	var known []string
	for page, beyond := range map[string]string{ // one names the figure before it, the other after it
		"/":      `Registered(?:<span[^>]*>: show in the chart</span></a>)?</(?:h2|dt)>.{0,400}?>≥\x{a0}(\d+)<`,
		"/codes": `>≥\x{a0}(\d+)</span></span>\s*</p><p class="band-note"[^>]*>Registered<`,
	} {
		if found := regexp.MustCompile(beyond).FindStringSubmatch(site.Get(t, address+page+"?from=2025-11-01&to=2026-11-20").Body); found != nil {
			known = append(known, found[1])
		}
	}
	if len(known) != 2 || known[0] != known[1] {
		t.Errorf("for registrations beyond the reach the pages say at least: %v", known)
	}
	if a := site.Get(t, address+"/overview.csv?by=source"); a.StatusCode != 200 || strings.Count(a.Body, "\n") != 1+30*4 {
		t.Errorf("the file of the same query: %d, %d lines", a.StatusCode, strings.Count(a.Body, "\n"))
	}
	for path, want := range map[string]int{
		"/?by=coin": 400, "/?by=source&by=product": 400, "/commissions?by=source": 200, "/attention": 200, "/attention?account=main&as_of=2026-11-20T10:00:00Z": 200,
		"/attention?range=7d": 400, "/attention?account=nobody": 400, "/attention?as_of=x": 400, "/?range=all&by=source&compare=year": 200, "/?from=2030-01-01&to=2030-01-02": 200,
	} {
		if a := site.Get(t, address+path); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
		}
	}
}

// Each change of the strip of figures says what it refers to: the figure and the days that the page of
// the compared days shows.
func TestStripSaysWhatItComparesWith(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	strip := func(address string) string {
		_, part, _ := strings.Cut(site.Get(t, h.Address+address).Body, `aria-label="Other figures"`)
		part, _, _ = strings.Cut(part, "</section>")
		return part
	}
	page, before := strip("/?range=7d&compare=previous"), strip("/?from=2026-11-07&to=2026-11-13&compare=none")
	against := regexp.MustCompile(`title="[^"]*against ([^"]+) in 7–13 Nov 2026[".]`).FindAllStringSubmatch(page, -1)
	if len(against) < 5 {
		t.Errorf("only %d changes say what they refer to: %s", len(against), page)
	}
	for _, found := range against {
		if figure := found[1]; !strings.Contains(before, `title="`+figure+`"`) && !strings.Contains(before, ">"+strings.TrimPrefix(figure, "≈\u00a0")+"<") {
			t.Errorf("a change is against %s, which the compared days do not show: %s", figure, before)
		}
	}
	if strings.Contains(strip("/?range=7d&compare=none"), "against") {
		t.Error("without a comparison something is compared")
	}
}

func TestAttentionPage(t *testing.T) {
	t.Parallel()
	a := site.Get(t, storedForty(t)+"/attention")
	for _, text := range []string{"sub-affiliates", "730 days not collected", "The oldest is 364 days old", "One invitee earns you 8.3\u00a0%", "120.00 USDT", "The top 5 of 12 earn 41.7\u00a0%, the top 10 83.3\u00a0%.", "What was checked"} {
		if !strings.Contains(a.Body, text) {
			t.Errorf("the list does not say %q", text)
		}
	}
}

// firstLoad is how much the overview may transfer until it is complete.
const firstLoad = 350_000

func TestFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	address := storedForty(t)
	page := site.Get(t, address+"/")
	paths := []string{"/", "/attention"}
	for _, m := range regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`).FindAllStringSubmatch(page.Body, -1) {
		paths = append(paths, m[1])
	}
	if len(paths) < 5 {
		t.Fatalf("the page loads %v", paths)
	}
	sum := 0
	for _, path := range paths {
		a := site.Get(t, address+path, "Accept-Encoding", "gzip")
		if a.StatusCode != 200 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
		sum += len(a.Body)
	}
	if sum > firstLoad {
		t.Errorf("the first load takes %d bytes, more than %d", sum, firstLoad)
	}
	t.Logf("%d bytes in %d answers", sum, len(paths))
}

// The page arrives before the list, and the figures change without the list.
func TestBrowserOverview(t *testing.T) {
	t.Parallel()
	address := storedForty(t)
	t.Run("split", func(t *testing.T) {
		b := site.Open(t, address+"/", site.Desktop)
		b.Until(`document.querySelector("#attention h3") !== null`)
		site.Eval[bool](b, `window.same = document.querySelector("#attention"), [...document.querySelectorAll("[aria-label='Columns split by'] a")].find(a => a.textContent === "By source").click(), true`)
		b.Until(`location.search === "?by=source" && document.querySelector("#daily-title").parentElement.textContent.includes("Sub-agent")`)
		b.Until(site.Drawn)
		b.Until(`document.querySelector("#attention") === window.same`)
		b.Until(`document.querySelector("#nav [aria-current]").textContent.includes("Home") && document.querySelector("h1").textContent.trim() === "Home"`)
		site.Eval[bool](b, `history.back(), true`)
		b.Until(`location.search === "" && document.querySelector("#daily-title").parentElement.textContent.includes("Futures")`)
	})
	t.Run("nothing moves", func(t *testing.T) {
		for name, s := range map[string]site.Screen{"desktop": site.Desktop, "phone": site.Phone} {
			fresh := storedForty(t)
			b := site.Open(t, fresh+"/", s)
			b.Until(`document.querySelector("#attention h3") !== null && document.querySelector("#attention-brief a") !== null`)
			if moved := site.Eval[[]string](b, shifts); len(moved) > 0 {
				t.Errorf("%s: while the findings came, there moved %s", name, strings.Join(moved, ", "))
			}
			b.Goes(fresh + "/?range=7d")
			if !site.Eval[bool](b, `document.querySelector("#attention h3") !== null`) {
				t.Errorf("%s: findings that were made before do not come with the page", name)
			}
		}
	})
	t.Run("exact values", func(t *testing.T) {
		b := site.Open(t, address+"/", site.Desktop)
		const words = `document.querySelector("#exact-panel [data-exact=words]").textContent`
		site.Eval[bool](b, `(document.querySelector(".front-figure .exact").focus(), document.activeElement.click(), true)`)
		b.Until(`document.querySelector("#exact-panel:popover-open") !== null`)
		if got, want := site.Eval[string](b, words), site.Eval[string](b, `document.querySelector(".front-figure .exact").title`); got != want || !strings.HasPrefix(got, "1440 USDT") {
			t.Errorf("the panel says %q of the figure with %q", got, want)
		}
		b.Accessible()
		if n := site.Eval[int](b, `document.querySelectorAll("#page .exact").length`); n > 6 {
			t.Errorf("the page has %d stops for exact values", n)
		}
		// By arrows each figure with more to say is reached, and the last is followed by the first.
		reached := site.Eval[[]string](b, `(() => {
			const words = new Set();
			for (let i = 0; i < 500; i++) {
				document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}));
				words.add(`+words+`);
			}
			return [...words];
		})()`)
		missing := site.Eval[[]string](b, `[...document.querySelectorAll("#page .coin-lines span[title], #page .strip dd span[title]")].filter(e => e.checkVisibility()).map(e => e.title)`)
		for _, title := range missing {
			if !slices.Contains(reached, title) {
				t.Errorf("%q is not reached", title)
			}
		}
		b.Keys(kb.Escape)
		b.Until(`document.querySelector("#exact-panel:popover-open") === null && document.activeElement.matches(".front-figure .exact")`)
	})
}

// shifts lists what moved on the page after it was drawn. Browsers measure that from 0 to 1 and call
// a tenth good; below a hundredth the page is still arriving, on a machine that has other work.
const shifts = `new Promise(done => {
	const moved = [];
	const rect = r => [r.x, r.y, r.width, r.height].map(Math.round).join(" ");
	new PerformanceObserver(list => {
		for (const e of list.getEntries()) if (!e.hadRecentInput && e.value > 0.01) moved.push(...e.sources.map(s => e.value.toFixed(4) + ": " + (s.node?.outerHTML ?? s.node?.textContent ?? "?").slice(0, 80) + " from " + rect(s.previousRect) + " to " + rect(s.currentRect)));
	}).observe({type: "layout-shift", buffered: true});
	setTimeout(() => done(moved), 300);
})`
