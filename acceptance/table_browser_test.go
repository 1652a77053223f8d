package acceptance_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rebatedesk/access"
	"rebatedesk/web"
)

// On a laptop every column of the records is visible without scrolling. On a smaller
// screen a note says that there are more columns, until the reader reaches the end.
func TestBrowserRecordsFit(t *testing.T) {
	t.Parallel()
	const table, cue = `document.querySelector("#rows [data-scroll]")`, `getComputedStyle(document.querySelector("#rows .scroll-cue")).display !== "none"`
	address := lookedAt(t)
	b := open(t, address+"/commissions?range=90d", laptop)
	b.until(drawn)
	b.shoot("commissions-laptop")
	if over := eval[int](b, table+".scrollWidth - "+table+".clientWidth"); over > 0 {
		t.Errorf("the records are %d pixels wider than a laptop shows", over)
	}
	if eval[bool](b, cue) {
		t.Error("the page mentions further columns, and there are none")
	}
	b = open(t, address+"/commissions", phone)
	b.until(cue)
	eval[bool](b, table+".scrollLeft = 10000, true")
	b.until("!(" + cue + ")")
}

// Copying a cell yields the printed text, without text that only screen readers read.
func TestBrowserCopy(t *testing.T) {
	t.Parallel()
	b := open(t, lookedAt(t)+"/commissions", desktop)
	b.until(drawn)
	const copied = `(cell => { getSelection().selectAllChildren(cell); return getSelection().toString() })(document.querySelector("#rows tbody:not(.totals) tr td:nth-child(%d)"))`
	if uid := eval[string](b, strings.Replace(copied, "%d", "2", 1)); !isDigits(uid) {
		t.Errorf("a copied UID reads %q", uid)
	}
	unknown := eval[string](b, `(mark => { getSelection().selectAllChildren(mark.closest("td")); return getSelection().toString() })(document.querySelector("#rows tbody:not(.totals) [role=img]"))`)
	if strings.TrimSpace(unknown) != "—" {
		t.Errorf("a copied unknown reads %q", unknown)
	}
	if away := eval[int](b, `document.querySelectorAll("#rows a[target]").length`); away > 0 {
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
	b := open(t, lookedAt(t)+"/commissions", desktop)
	b.until(drawn)
	b.until(`!document.querySelector("#daily-chart-table").open`)
	if eval[bool](b, `document.querySelector("#daily-chart-table table") !== null`) {
		t.Error("the folded table has elements")
	}
	if top := eval[float64](b, `document.querySelector("#rows tbody:not(.totals) tr").getBoundingClientRect().top + scrollY`); top > 560 {
		t.Errorf("the first record is at %v pixels", top)
	}
	b.until(`!document.querySelector("#band-fold").open && !document.querySelector("#daily-chart-table").checkVisibility()`)
	b.do(chromedp.Click(chromedp.CSS("#band-fold summary")))
	b.until(`document.cookie.includes("unfolded=commissions")`)
	b.do(chromedp.Reload())
	b.until(`document.querySelector("#band-fold").open`)
	b.until(drawn)
	b.do(chromedp.Click(chromedp.CSS("#daily-chart-table summary")))
	b.until(`document.querySelector("#daily-chart-table").open && document.querySelector("#daily-chart-table table")?.offsetHeight > 0`)
	if left := eval[int](b, `document.querySelectorAll("#daily-chart-table noscript").length`); left != 0 {
		t.Error("the table was read, and its text is still there")
	}
	b.shoot("chart-as-table")
}

// A long range is drawn by week, and its rows show the year.
func TestBrowserLongRange(t *testing.T) {
	t.Parallel()
	b := open(t, lookedAt(t)+"/commissions?range=12m&compare=previous", desktop)
	b.until(drawn)
	b.shoot("commissions-year")
	if title := eval[string](b, `document.getElementById("daily-title").textContent`); !strings.Contains(title, "per week") {
		t.Errorf("the chart has the name %q", title)
	}
	if cell := eval[string](b, `document.querySelector("#rows tbody:not(.totals) td").innerText`); !strings.HasPrefix(cell, "20 Nov 2026 ") {
		t.Errorf("a time reads %q", cell)
	}
}

// If the script of charts does not load, the charts remain as the server drew them. The script is
// asked for again, and then they answer.
func TestBrowserScriptMissing(t *testing.T) {
	t.Parallel()
	address := openSharedSite(t).address
	signedIn(t, access.Manager) // so that a user exists
	// Where a test clicked, the pointer rests, and it moves onto the next page.
	b := openApart(t, address+"/login", desktop)
	b.comeIn(address, string(access.Manager), passwordOf(access.Manager))
	b.goes(address + "/")
	b.arrives(`document.querySelector(".still") !== null`)
	eval[bool](b, `(() => {
		const place = document.documentElement.dataset;
		address = place.charts, place.charts = "", failed = 0;
		addEventListener("error", ({ target }) => failed += target.tagName === "SCRIPT", true);
		document.querySelector(".still").scrollIntoView();
		return true;
	})()`)
	b.until(`dispatchEvent(new Event("pointermove")), failed > 0`)
	b.until(`document.querySelector(".still .bar-1").checkVisibility({visibilityProperty: true}) && document.querySelector("canvas") === null`)
	eval[bool](b, `document.documentElement.dataset.charts = address, true`)
	b.until(drawn)
}

// The page states what the filters exclude and what they do not affect.
func TestBrowserFilterNotes(t *testing.T) {
	t.Parallel()
	b := open(t, lookedAt(t)+"/?code=vip50&product=SPOT&compare=previous", desktop)
	b.until(drawn)
	b.shoot("overview-filtered")
	text := eval[string](b, `document.body.innerText`)
	for _, want := range []string{
		"records of the range belong to invitees whose code is not known; they are not included.",
		"not narrowed by product; active traders are.",
		"compared with ", "; today is still running",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	b.accessible()
}

// More programmes than a phone has columns for are lines below each figure, each with its name.
func TestBrowserManyProgrammes(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, web.Options{Reports: openSeason(t, "main", "second", "a-programme-of-a-long-name", "latin-america", "asia")})
	for _, s := range []screen{{name: "narrow", width: 320, height: 700}, phone, darkness} {
		b := open(t, address+"/programmes", s)
		b.arrives(sideways + " <= 0")
		b.shoot("many-programmes-" + s.name)
		table := `document.querySelector("[aria-labelledby=programmes-title] table")`
		if cells := eval[int](b, table+`.tBodies[0].rows[0].cells.length`); cells != 7 {
			t.Errorf("%s: %d cells for six columns and their name", s.name, cells)
		}
		for _, wrong := range eval[[]string](b, `[...`+table+`.tBodies[0].querySelectorAll("td")].filter((cell) => {
			const figure = cell.firstElementChild.getBoundingClientRect(), row = cell.parentElement.getBoundingClientRect();
			const names = getComputedStyle(cell, "::before").content.includes(cell.dataset.column);
			return figure.right > innerWidth || figure.width === 0 || (innerWidth < 640 && (!names || row.right - figure.right > 20));
		}).map((cell) => cell.dataset.column + ": " + cell.textContent)`) {
			t.Errorf("%s: %s", s.name, wrong)
		}
		b.accessible()
	}
}

func TestBrowserSeveralAccounts(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, web.Options{Reports: twoSeasons(t), Collect: nothing})
	for _, s := range []screen{phone, darkness} {
		b := open(t, address+"/programmes", s)
		b.arrives(sideways + " <= 0")
		b.shoot("programmes-" + s.name)
		// On a phone nothing is to the right of the screen, and each figure is below its column.
		for _, wrong := range eval[[]string](b, `(() => {
			const table = document.querySelector("[aria-labelledby=programmes-title] table"), heads = [...table.tHead.rows[0].cells];
			return [...table.tBodies[0].rows].flatMap((row) => [...row.cells].slice(1).filter((cell, i) => {
				const box = cell.getBoundingClientRect(), head = heads[i + 1].getBoundingClientRect();
				return box.right > innerWidth || Math.abs(box.right - head.right) > 1;
			}).map((cell) => row.cells[0].textContent + ": " + cell.textContent));
		})()`) {
			t.Errorf("%s: %s", s.name, wrong)
		}
		b.accessible()
	}
	b := open(t, address+"/collection", desktop)
	b.shoot("collection-accounts")
	if rows := eval[int](b, `document.querySelectorAll("[aria-labelledby=streams-title] tbody tr").length`); rows != 10 {
		t.Errorf("%d rows for five streams of two accounts", rows)
	}
	b.accessible()
}
