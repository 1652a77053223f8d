package acceptance_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// storedForty serves the real reports over a database with forty days of commission of
// some invitees, completely collected.
func storedForty(t *testing.T) string {
	t.Helper()
	return storedYear(t, people12)
}

// storedYear serves a database with some invitees and their records of the last year.
func storedYear(t *testing.T, programme func(today affiliate.Day) ([]affiliate.Invitee, map[affiliate.Product][]affiliate.Commission)) string {
	t.Helper()
	clock := func() time.Time { return now }
	st, err := store.Open(context.Background(), storetest.Empty(t), store.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	today := affiliate.DayOf(now, time.UTC)
	span := affiliate.Days{First: today - 364, Last: today}
	if err := st.WantFrom(t.Context(), "main", span.First); err != nil {
		t.Fatal(err)
	}
	slice := func(stream affiliate.Stream) records.Slice {
		return records.Slice{Account: "main", Stream: stream, Days: span, Started: now, Through: affiliate.MillisOf(now)}
	}
	invitees, byProduct := programme(today)
	for product, rows := range byProduct {
		if _, err := records.ReplaceCommissions(t.Context(), st, slice(affiliate.Stream{Kind: affiliate.Commissions, Product: product}), rows); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := records.ReplaceInvitees(t.Context(), st, slice(affiliate.Stream{Kind: affiliate.Invitees}), invitees); err != nil {
		t.Fatal(err)
	}
	address, _ := serve(t, web.Options{Reports: reports.New(st, clock)})
	return address
}

// people12 returns twelve invitees, one registered on each of the last days. Every second
// passed KYC, every third deposited and every fourth traded.
func people12(today affiliate.Day) ([]affiliate.Invitee, map[affiliate.Product][]affiliate.Commission) {
	var invitees []affiliate.Invitee
	records := map[affiliate.Product][]affiliate.Commission{}
	for n := range 12 {
		uid, start := affiliate.UID(fmt.Sprint(4667776800+n)), affiliate.MillisOf((today - affiliate.Day(n)).Start(time.UTC))
		one := affiliate.Invitee{UID: uid, InviteCode: "spring26", RegisterTime: start, KYC: affiliate.FlagOf(n%2 == 0)}
		if n%3 == 0 {
			one.FirstDeposit = start + 36*3_600_000
		}
		if n%4 == 0 {
			one.FirstTrade = start + 48*3_600_000
		}
		invitees = append(invitees, one)
		for back := range 40 {
			c := affiliate.Commission{
				DealTime: affiliate.MillisOf((today - affiliate.Day(back)).Start(time.UTC)) + affiliate.Millis(n), UID: uid, Symbol: "BTCUSDT",
				Product: affiliate.Products()[n%2], Source: affiliate.Sources()[n%5%2], Coin: "USDT", Fee: "10", Commission: "4", TakerAmount: "1000", MakerAmount: "0", Rate: "0.4",
			}
			records[c.Product] = append(records[c.Product], c)
		}
	}
	return invitees, records
}

func TestOverviewOfStoredRecords(t *testing.T) {
	t.Parallel()
	address := storedForty(t)
	a := get(t, address+"/?compare=previous&by=source")
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
		if !strings.Contains(a.body, text) {
			t.Errorf("the overview does not say %q", text)
		}
	}
	var known []string
	for page, beyond := range map[string]string{ // one names the figure before it, the other after it
		"/":      `Registered(?:<span[^>]*>: show in the chart</span></a>)?</(?:h2|dt)>.{0,400}?>≥\x{a0}(\d+)<`,
		"/codes": `>≥\x{a0}(\d+)</span></span>\s*</p><p class="band-note"[^>]*>Registered<`,
	} {
		if found := regexp.MustCompile(beyond).FindStringSubmatch(get(t, address+page+"?from=2025-11-01&to=2026-11-20").body); found != nil {
			known = append(known, found[1])
		}
	}
	if len(known) != 2 || known[0] != known[1] {
		t.Errorf("for registrations beyond the reach the pages say at least: %v", known)
	}
	if a := get(t, address+"/overview.csv?by=source"); a.StatusCode != 200 || strings.Count(a.body, "\n") != 1+30*4 {
		t.Errorf("the file of the same query: %d, %d lines", a.StatusCode, strings.Count(a.body, "\n"))
	}
	for path, want := range map[string]int{
		"/?by=coin": 400, "/?by=source&by=product": 400, "/commissions?by=source": 200, "/attention": 200, "/attention?account=main&as_of=2026-11-20T10:00:00Z": 200,
		"/attention?range=7d": 400, "/attention?account=nobody": 400, "/attention?as_of=x": 400, "/?range=all&by=source&compare=year": 200, "/?from=2030-01-01&to=2030-01-02": 200,
	} {
		if a := get(t, address+path); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
		}
	}
}

// Each change of the strip of figures says what it refers to: the figure and the days that the page of
// the compared days shows.
func TestStripSaysWhatItComparesWith(t *testing.T) {
	t.Parallel()
	h := openSharedSite(t)
	strip := func(address string) string {
		_, part, _ := strings.Cut(get(t, h.address+address).body, `aria-label="Other figures"`)
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
	a := get(t, storedForty(t)+"/attention")
	for _, text := range []string{"sub-affiliates", "730 days not collected", "The oldest is 364 days old", "One invitee earns you 8.3\u00a0%", "120.00 USDT", "The top 5 of 12 earn 41.7\u00a0%, the top 10 83.3\u00a0%.", "What was checked"} {
		if !strings.Contains(a.body, text) {
			t.Errorf("the list does not say %q", text)
		}
	}
}

// firstLoad is how much the overview may transfer until it is complete.
const firstLoad = 350_000

func TestFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	address := storedForty(t)
	page := get(t, address+"/")
	paths := []string{"/", "/attention"}
	for _, m := range regexp.MustCompile(`(?:src|href)="(/static/[^"]+)"`).FindAllStringSubmatch(page.body, -1) {
		paths = append(paths, m[1])
	}
	if len(paths) < 5 {
		t.Fatalf("the page loads %v", paths)
	}
	sum := 0
	for _, path := range paths {
		a := get(t, address+path, "Accept-Encoding", "gzip")
		if a.StatusCode != 200 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
		sum += len(a.body)
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
		b := open(t, address+"/", desktop)
		b.until(`document.querySelector("#attention h3") !== null`)
		eval[bool](b, `window.same = document.querySelector("#attention"), [...document.querySelectorAll("[aria-label='Columns split by'] a")].find(a => a.textContent === "By source").click(), true`)
		b.until(`location.search === "?by=source" && document.querySelector("#daily-title").parentElement.textContent.includes("Sub-agent")`)
		b.until(drawn)
		b.until(`document.querySelector("#attention") === window.same`)
		b.until(`document.querySelector("#nav [aria-current]").textContent.includes("Overview") && document.querySelector("h1").textContent === "Overview"`)
		eval[bool](b, `history.back(), true`)
		b.until(`location.search === "" && document.querySelector("#daily-title").parentElement.textContent.includes("Futures")`)
	})
	t.Run("nothing moves", func(t *testing.T) {
		for name, s := range map[string]screen{"desktop": desktop, "phone": phone} {
			fresh := storedForty(t)
			b := open(t, fresh+"/", s)
			b.until(`document.querySelector("#attention h3") !== null && document.querySelector("#attention-brief a") !== null`)
			if moved := eval[[]string](b, shifts); len(moved) > 0 {
				t.Errorf("%s: while the findings came, there moved %s", name, strings.Join(moved, ", "))
			}
			b.goes(fresh + "/?range=7d")
			if !eval[bool](b, `document.querySelector("#attention h3") !== null`) {
				t.Errorf("%s: findings that were made before do not come with the page", name)
			}
		}
	})
	t.Run("exact values", func(t *testing.T) {
		b := open(t, address+"/", desktop)
		const words = `document.querySelector("#exact-panel [data-exact=words]").textContent`
		eval[bool](b, `(document.querySelector(".front-figure .exact").focus(), document.activeElement.click(), true)`)
		b.until(`document.querySelector("#exact-panel:popover-open") !== null`)
		if got, want := eval[string](b, words), eval[string](b, `document.querySelector(".front-figure .exact").title`); got != want || !strings.HasPrefix(got, "1440 USDT") {
			t.Errorf("the panel says %q of the figure with %q", got, want)
		}
		b.accessible()
		if n := eval[int](b, `document.querySelectorAll("#page .exact").length`); n > 6 {
			t.Errorf("the page has %d stops for exact values", n)
		}
		// By arrows each figure with more to say is reached, and the last is followed by the first.
		reached := eval[[]string](b, `(() => {
			const words = new Set();
			for (let i = 0; i < 500; i++) {
				document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, cancelable: true}));
				words.add(`+words+`);
			}
			return [...words];
		})()`)
		missing := eval[[]string](b, `[...document.querySelectorAll("#page .coin-lines span[title], #page .strip dd span[title]")].filter(e => e.checkVisibility()).map(e => e.title)`)
		for _, title := range missing {
			if !slices.Contains(reached, title) {
				t.Errorf("%q is not reached", title)
			}
		}
		b.keys(kb.Escape)
		b.until(`document.querySelector("#exact-panel:popover-open") === null && document.activeElement.matches(".front-figure .exact")`)
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
