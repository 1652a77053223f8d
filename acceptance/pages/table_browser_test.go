package pages_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/internal/golden"
	"rebatedesk/web"
)

// On a laptop every column of the records is visible without scrolling. On a smaller
// screen a note says that there are more columns, until the reader reaches the end.
func TestBrowserRecordsFit(t *testing.T) {
	t.Parallel()
	const table, cue = `document.querySelector("#rows [data-scroll]")`, `getComputedStyle(document.querySelector("#rows .scroll-cue")).display !== "none"`
	address := site.LookedAt(t)
	b := site.Open(t, address+"/commissions?range=90d", site.Laptop)
	b.Until(site.Drawn)
	b.Shoot("commissions-laptop")
	if over := site.Eval[int](b, table+".scrollWidth - "+table+".clientWidth"); over > 0 {
		t.Errorf("the records are %d pixels wider than a laptop shows", over)
	}
	if site.Eval[bool](b, cue) {
		t.Error("the page mentions further columns, and there are none")
	}
	b = site.Open(t, address+"/commissions", site.Phone)
	b.Until(site.AllSeen + `, !(` + cue + `)`)
	if over := site.Eval[int](b, table+".scrollWidth - "+table+".clientWidth"); over > 0 {
		t.Errorf("the records are %d pixels wider than a phone shows", over)
	}
}

// Copying a cell yields the printed text, without text that only screen readers read.
func TestBrowserCopy(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/commissions", site.Desktop)
	b.Until(site.Drawn)
	const copied = `(cell => { getSelection().selectAllChildren(cell); return getSelection().toString() })(document.querySelector("#rows tbody:not(.totals) tr > :nth-child(%d)"))`
	if uid := site.Eval[string](b, strings.Replace(copied, "%d", "2", 1)); !isDigits(uid) {
		t.Errorf("a copied UID reads %q", uid)
	}
	unknown := site.Eval[string](b, `(mark => { getSelection().selectAllChildren(mark.closest("td")); return getSelection().toString() })(document.querySelector("#rows tbody:not(.totals) [role=img]"))`)
	if strings.TrimSpace(unknown) != "—" {
		t.Errorf("a copied unknown reads %q", unknown)
	}
	if away := site.Eval[int](b, `document.querySelectorAll("#rows a[target]").length`); away > 0 {
		t.Errorf("%d links of the rows leave the tab", away)
	}
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// The chart above a table is small at first. The table of a chart is folded at first. Both keep
// the state that the reader chose, and the first rows are on the first screen.
func TestBrowserFoldsTable(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/commissions", site.Desktop)
	b.Until(site.Drawn)
	b.Until(`!document.querySelector("#daily-chart-table").open`)
	if site.Eval[bool](b, `document.querySelector("#daily-chart-table table") !== null`) {
		t.Error("the folded table has elements")
	}
	golden.Equal(t, "aloud/table.txt", []byte(b.Aloud("#rows", 58)))
	if top := site.Eval[float64](b, `document.querySelector("#rows tbody:not(.totals) tr").getBoundingClientRect().top + scrollY`); top > 420 {
		t.Errorf("the first record is at %v pixels", top)
	}
	b.Until(`!document.querySelector("#band-fold").open && !document.querySelector("#daily-chart-table").checkVisibility()`)
	b.Do(chromedp.Click(chromedp.CSS("#band-fold summary")))
	b.Until(`document.cookie.includes("unfolded=commissions")`)
	b.Do(chromedp.Reload())
	b.Until(`document.querySelector("#band-fold").open`)
	b.Until(site.Drawn)
	b.Do(chromedp.Click(chromedp.CSS("#daily-chart-table summary")))
	b.Until(`document.querySelector("#daily-chart-table").open && document.querySelector("#daily-chart-table table")?.offsetHeight > 0`)
	if left := site.Eval[int](b, `document.querySelectorAll("#daily-chart-table noscript").length`); left != 0 {
		t.Error("the table was read, and its text is still there")
	}
	golden.Equal(t, "aloud/chart.txt", []byte(b.Aloud("section:has(> * #daily-chart)", 40)))
	b.Shoot("chart-as-table")
}

// A long range is drawn by week, and its rows show the year.
func TestBrowserLongRange(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/commissions?range=12m&compare=previous", site.Desktop)
	b.Until(site.Drawn)
	b.Shoot("commissions-year")
	if title := site.Eval[string](b, `document.getElementById("daily-title").textContent`); !strings.Contains(title, "per week") {
		t.Errorf("the chart has the name %q", title)
	}
	if cell := site.Eval[string](b, `document.querySelector("#rows tbody:not(.totals) td").innerText`); !strings.HasPrefix(cell, "20 Nov 2026 ") {
		t.Errorf("a time reads %q", cell)
	}
}

// If the script of charts does not load, the charts remain as the server drew them. The script is
// asked for again, and then they answer.
func TestBrowserScriptMissing(t *testing.T) {
	t.Parallel()
	address := site.OpenSharedSite(t).Address
	site.SignedIn(t, access.Manager) // so that a user exists
	// Where a test clicked, the pointer rests, and it moves onto the next page.
	b := site.OpenApart(t, address+"/login", site.Desktop)
	b.ComeIn(address, string(access.Manager), site.PasswordOf(access.Manager))
	b.Goes(address + "/")
	b.Arrives(`document.querySelector(".still") !== null`)
	site.Eval[bool](b, `(() => {
		const place = document.documentElement.dataset;
		address = place.charts, place.charts = "", failed = 0;
		addEventListener("error", ({ target }) => failed += target.tagName === "SCRIPT", true);
		document.querySelector(".still").scrollIntoView();
		return true;
	})()`)
	b.Until(`dispatchEvent(new Event("pointermove")), failed > 0`)
	b.Until(`document.querySelector(".still .bar-1").checkVisibility({visibilityProperty: true}) && document.querySelector("canvas") === null`)
	site.Eval[bool](b, `document.documentElement.dataset.charts = address, true`)
	b.Until(site.Drawn)
}

// The page states what the filters exclude and what they do not affect.
func TestBrowserFilterNotes(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/?code=vip50&product=SPOT&compare=previous", site.Desktop)
	b.Until(site.Drawn)
	b.Shoot("overview-filtered")
	text := site.Eval[string](b, `document.body.innerText`)
	for _, want := range []string{
		"records of the range belong to invitees whose code is not known; they are not included.",
		"not narrowed by product; active traders are.",
		"compared with ", "; today is still running",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	b.Accessible()
}

// More programmes than a phone has columns for are lines below each figure, each with its name.
func TestBrowserManyProgrammes(t *testing.T) {
	site.AllBrowsers(t, "TestBrowserSeveralAccounts visits the page with fewer programmes")
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.OpenSeason(t, "main", "second", "a-programme-of-a-long-name", "latin-america", "asia")})
	b := site.Open(t, address+"/programmes", site.Desktop)
	b.Looks("many-programmes")
	for _, s := range []site.Screen{site.Narrow, site.Phone, site.Laptop} {
		b.Look(s)
		b.Fits("many-programmes")
		table := `document.querySelector("[aria-labelledby=programmes-title] table")`
		if cells := site.Eval[int](b, table+`.tBodies[0].rows[0].cells.length`); cells != 7 {
			t.Errorf("%s: %d cells for six columns and their name", s.Name, cells)
		}
		for _, wrong := range site.Eval[[]string](b, `[...`+table+`.tBodies[0].querySelectorAll("td")].filter((cell) => {
			const figure = cell.firstElementChild.getBoundingClientRect(), row = cell.parentElement.getBoundingClientRect();
			const names = getComputedStyle(cell, "::before").content.includes(cell.dataset.column);
			return figure.right > innerWidth || figure.width === 0 || (innerWidth < 640 && (!names || row.right - figure.right > 20));
		}).map((cell) => cell.dataset.column + ": " + cell.textContent)`) {
			t.Errorf("%s: %s", s.Name, wrong)
		}
	}
}

func TestBrowserSeveralAccounts(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.TwoSeasons(t), Collect: site.Nothing})
	b := site.Open(t, address+"/programmes", site.Desktop)
	b.Looks("programmes")
	for _, s := range []site.Screen{site.Phone, site.Laptop} {
		b.Look(s)
		b.Fits("programmes")
		// On a phone nothing is to the right of the screen, and each figure is below its column.
		for _, wrong := range site.Eval[[]string](b, `(() => {
			const table = document.querySelector("[aria-labelledby=programmes-title] table"), heads = [...table.tHead.rows[0].cells];
			return [...table.tBodies[0].rows].flatMap((row) => [...row.cells].slice(1).filter((cell, i) => {
				const box = cell.getBoundingClientRect(), head = heads[i + 1].getBoundingClientRect();
				return box.right > innerWidth || Math.abs(box.right - head.right) > 1;
			}).map((cell) => row.cells[0].textContent + ": " + cell.textContent));
		})()`) {
			t.Errorf("%s: %s", s.Name, wrong)
		}
	}
	b = site.Open(t, address+"/collection", site.Desktop)
	b.Shoot("collection-accounts")
	if rows := site.Eval[int](b, `document.querySelectorAll("[aria-labelledby=streams-title] tbody tr").length`); rows != 10 {
		t.Errorf("%d rows for five streams of two accounts", rows)
	}
	b.Accessible()
}

// A screen reader reads why a figure is unknown once.
func TestBrowserUnknownIsReadOnce(t *testing.T) {
	t.Parallel()
	b := site.Open(t, site.LookedAt(t)+"/invitees?cols=gap", site.Desktop)
	const unknown = `#rows [title^="unknown: "]`
	if said := b.Aloud(unknown, 3); !strings.HasPrefix(said, "image \"unknown: ") || strings.Count(said, "\n") != 1 || strings.Contains(said, "described") {
		t.Errorf("an unknown figure is read as %q, want its reason once", said)
	}
}
