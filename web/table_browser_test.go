package web_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rebatedesk/web"
)

// On a laptop every column of the records is visible without scrolling; on a smaller
// screen a note says that there are more, until the end is reached.
func TestBrowserRecordsFit(t *testing.T) {
	const table, cue = `document.querySelector("#rows [data-scroll]")`, `getComputedStyle(document.querySelector("#rows .scroll-cue")).display !== "none"`
	address := lookedAt(t)
	b := open(t, address+"/commissions?range=90d", laptop)
	b.until(drawn)
	b.shoot("commissions-laptop")
	if over := eval[int](b, table+".scrollWidth - "+table+".clientWidth"); over > 0 {
		t.Errorf("the records are %d pixels wider than a laptop shows", over)
	}
	if eval[bool](b, cue) {
		t.Error("a word about further columns, and there are none")
	}
	b = open(t, address+"/commissions", phone)
	b.until(cue)
	eval[bool](b, table+".scrollLeft = 10000, true")
	b.until("!(" + cue + ")")
}

// Copying a cell yields the printed text and nothing that is only read aloud.
func TestBrowserCopy(t *testing.T) {
	b := open(t, lookedAt(t)+"/commissions", desktop)
	b.until(drawn)
	const copied = `(cell => { getSelection().selectAllChildren(cell); return getSelection().toString() })(document.querySelector("#rows tbody tr td:nth-child(%d)"))`
	if uid := eval[string](b, strings.Replace(copied, "%d", "2", 1)); !isDigits(uid) {
		t.Errorf("a copied UID reads %q", uid)
	}
	unknown := eval[string](b, `(mark => { getSelection().selectAllChildren(mark.closest("td")); return getSelection().toString() })(document.querySelector("#rows tbody [role=img]"))`)
	if strings.TrimSpace(unknown) != "—" {
		t.Errorf("a copied unknown reads %q", unknown)
	}
	if hint := eval[string](b, `(link => document.getElementById(link.getAttribute("aria-describedby")).textContent)(document.querySelector("#rows tbody a[target]"))`); hint != "opens in a new tab" {
		t.Errorf("the link is described as %q", hint)
	}
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// The table of the chart is folded, and stays as the reader left it.
func TestBrowserFoldsTable(t *testing.T) {
	b := open(t, lookedAt(t)+"/commissions", desktop)
	b.until(drawn)
	b.until(`!document.querySelector("#daily-chart-table").open`)
	b.do(chromedp.Click(chromedp.CSS("#daily-chart-table summary")))
	b.until(`document.querySelector("#daily-chart-table").open && document.querySelector("#daily-chart-table table").offsetHeight > 0`)
	b.shoot("chart-as-table")
}

// A long range is drawn by week, and its rows carry the year.
func TestBrowserLongRange(t *testing.T) {
	b := open(t, lookedAt(t)+"/commissions?range=12m&compare=previous", desktop)
	b.until(drawn)
	b.shoot("commissions-year")
	if title := eval[string](b, `document.getElementById("daily-title").textContent`); !strings.Contains(title, "per week") {
		t.Errorf("the chart is called %q", title)
	}
	if cell := eval[string](b, `document.querySelector("#rows tbody td").innerText`); !strings.HasPrefix(cell, "20 Nov 2026 ") {
		t.Errorf("a time reads %q", cell)
	}
}

// Where the script of charts does not load, the charts stay as the server drew them.
func TestBrowserScriptMissing(t *testing.T) {
	address := openHouse(t).address
	b := open(t, address+"/", desktop)
	eval[bool](b, `document.documentElement.dataset.charts = "", dispatchEvent(new Event("pointermove"))`)
	b.until(`document.querySelector("head script[src='']") !== null`)
	b.until(`document.querySelector(".still .bar-1").checkVisibility({visibilityProperty: true}) && document.querySelector("canvas") === null`)
}

// The page states what the filters leave out, and what they do not affect.
func TestBrowserFilterNotes(t *testing.T) {
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

func TestBrowserSeveralAccounts(t *testing.T) {
	address, _ := serve(t, web.Options{Reports: twoSeasons(t), Collect: nothing})
	b := open(t, address+"/collection", desktop)
	b.shoot("collection-accounts")
	if rows := eval[int](b, `document.querySelectorAll("[aria-labelledby=streams-title] tbody tr").length`); rows != 10 {
		t.Errorf("%d rows for five streams of two accounts", rows)
	}
	b.accessible()
}
