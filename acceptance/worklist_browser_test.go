package acceptance_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/access"
)

// key presses keys, and waits until nothing is under way.
func (b *tab) keys(text string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(text))
	b.until(`document.querySelector(".htmx-request") === null`)
}

// first is the id of the first line of the worklist; the last line of a page that has none is "".
const first = `(document.querySelector("[data-row]")?.id ?? "")`

// rowInFocus is the id of the line that has the focus.
const rowInFocus = `(document.activeElement?.closest("[data-row]")?.id ?? "")`

// From the overview to a noted contact it takes three clicks. The keys do the same, and leave the
// focus on the next line. What is refused is shown with its entries, and without scripts the forms
// work as well.
func TestBrowserWorklist(t *testing.T) {
	t.Parallel()
	p := openPaid(t)
	mia := p.as("mia", access.Manager)
	b := openApart(t, p.address+"/login", desktop)
	b.enterAs(mia, p.address)
	b.goes(p.address + "/")
	clicks := 0
	click := func(selector string) {
		t.Helper()
		clicks++
		b.press(selector)
	}
	gone := func(row string) {
		t.Helper()
		b.until(fmt.Sprintf(`location.pathname === "/worklist" && document.getElementById("latest") !== null && document.getElementById(%q) === null`, row))
	}

	click(`#nav a[href^="/worklist"]`)
	b.until(first + ` !== ""`)
	row := eval[string](b, first)
	click(`#` + row + ` summary[data-key=n]`)
	b.until(`document.activeElement === document.querySelector("#` + row + ` details[open] textarea")`)
	b.keys("Called: comes back on Monday.")
	click(`#` + row + ` details[open] button[value=done]`)
	gone(row)
	if clicks != 3 {
		t.Errorf("it takes %d clicks", clicks)
	}

	b.goes(p.address + "/worklist?show=done")
	b.until(`document.getElementById("` + row + `")?.textContent.includes("Called: comes back on Monday.")`)

	b.goes(p.address + "/worklist")
	b.until(first + ` !== ""`)
	lines := eval[[]string](b, `[...document.querySelectorAll("[data-row]")].map(e => e.id)`)
	if len(lines) < 4 {
		t.Fatalf("%d lines", len(lines))
	}
	at := func(row string) {
		t.Helper()
		b.until(fmt.Sprintf("%s === %q", rowInFocus, row))
	}
	b.keys("j")
	at(lines[0])
	b.keys("j")
	at(lines[1])
	b.keys(kb.ArrowUp)
	at(lines[0])
	b.keys("d")
	gone(lines[0])
	at(lines[1])
	b.keys("u")
	b.until(first + ` === "` + lines[0] + `"`)
	b.goes(p.address + "/worklist")
	b.until(first + ` === "` + lines[0] + `"`)
	b.keys("j")
	b.keys("a")
	b.until(`document.activeElement?.value === "mia"`)
	b.keys(kb.Enter)
	b.until(`document.getElementById("` + lines[0] + `")?.textContent.includes("Owner: mia")`)
	at(lines[0])
	b.keys("s")
	b.until(`document.activeElement?.textContent === "Tomorrow"`)
	b.keys(kb.Enter)
	gone(lines[0])
	b.keys("x")
	gone(lines[1])

	// While a form is open letters do nothing, wherever the focus is; Escape closes it, and keeps
	// what was typed.
	left := eval[[]string](b, `[...document.querySelectorAll("[data-row]")].map(e => e.id)`)
	form := `#` + left[0] + ` details:has(textarea)`
	b.press(form + ` > summary`)
	b.until(`document.activeElement === document.querySelector("` + form + ` textarea")`)
	b.keys("called")
	eval[bool](b, `document.querySelector("`+form+` > summary").focus(), true`)
	b.keys("d")
	b.keys("x")
	eval[bool](b, `document.activeElement.blur(), true`)
	b.keys("d")
	b.keys("j")
	if eval[bool](b, first+` !== "`+left[0]+`" || document.activeElement !== document.body || document.querySelector("`+form+` textarea").value !== "called"`) {
		t.Fatal("a letter acted while a form was open")
	}
	b.keys(kb.Escape)
	at(left[0])
	b.until(`!document.querySelector("` + form + `").open`)
	b.keys("n")
	b.until(`document.activeElement?.value === "called"`)
	eval[bool](b, `document.activeElement.value = "", true`)
	b.keys(kb.Escape)
	b.keys(kb.Escape)
	at(left[0])
	b.keys("?")
	b.until(`document.getElementById("help").open && document.getElementById("help").textContent.includes("No contact needed")`)
	b.keys(kb.Escape)

	// Someone else is faster.
	max := p.as("max", access.Manager)
	uid := lines[2][len("line-main-"):]
	_, version := seen(max, "/worklist")
	if a := max.post("/worklist/"+uid, "account", "main", "version", version, "act", "assigned", "owner", "max"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	b.press(`#` + lines[2] + ` summary[data-key=n]`)
	b.until(`document.querySelector("#` + lines[2] + ` details[open] textarea") !== null`)
	b.do(chromedp.SendKeys(chromedp.CSS("#"+lines[2]+" textarea"), "Not lost."))
	b.press(`#` + lines[2] + ` details[open] button[value=done]`)
	b.until(`document.getElementById("refused")?.textContent.includes("max made max the owner") && document.querySelector("#` + lines[2] + ` details[open] textarea").value === "Not lost."`)
	b.looksRight("worklist-overtaken")
	b.press(`#` + lines[2] + ` details[open] button[value=done]`)
	b.until(`document.getElementById("latest") !== null && document.getElementById("refused") === null`)

	b.look(plain)
	b.goes(p.address + "/worklist")
	b.press(`#` + lines[3] + ` button[data-key=d]`)
	b.arrives(fmt.Sprintf(`document.getElementById("latest") !== null && document.getElementById(%q) === null`, lines[3]))
}
