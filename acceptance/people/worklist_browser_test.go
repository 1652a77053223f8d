package people_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// first is the id of the first line of the worklist; the last line of a page that has none is "".
const first = `(document.querySelector("[data-row]")?.id ?? "")`

// rowInFocus is the id of the line that has the focus.
const rowInFocus = `(document.activeElement?.closest("[data-row]")?.id ?? "")`

// From the overview to a noted contact it takes three clicks. The keys do the same, and leave the
// focus on the next line. What is refused is shown with its entries, and without scripts the forms
// work as well.
func TestBrowserWorklist(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	mia := p.As("mia", access.Manager)
	b := site.OpenApart(t, p.Address+"/login", site.Desktop)
	b.EnterAs(mia, p.Address)
	b.Goes(p.Address + "/")
	clicks := 0
	click := func(selector string) {
		t.Helper()
		clicks++
		b.Press(selector)
	}
	gone := func(row string) {
		t.Helper()
		b.Until(fmt.Sprintf(`location.pathname === "/worklist" && document.getElementById("latest") !== null && document.getElementById(%q) === null`, row))
	}

	click(`#nav a[href^="/worklist"]`)
	b.Until(first + ` !== ""`)
	row := site.Eval[string](b, first)
	click(`#` + row + ` summary[data-key=n]`)
	b.Until(`document.activeElement === document.querySelector("#` + row + ` details[open] textarea")`)
	b.Keys("Called: comes back on Monday.")
	click(`#` + row + ` details[open] button[value=done]`)
	gone(row)
	if clicks != 3 {
		t.Errorf("it takes %d clicks", clicks)
	}

	b.Goes(p.Address + "/worklist?show=done")
	b.Until(`document.getElementById("` + row + `")?.textContent.includes("Called: comes back on Monday.")`)

	b.Goes(p.Address + "/worklist")
	b.Until(first + ` !== ""`)
	lines := site.Eval[[]string](b, `[...document.querySelectorAll("[data-row]")].map(e => e.id)`)
	if len(lines) < 4 {
		t.Fatalf("%d lines", len(lines))
	}
	at := func(row string) {
		t.Helper()
		b.Until(fmt.Sprintf("%s === %q", rowInFocus, row))
	}
	b.Keys("j")
	at(lines[0])
	b.Keys("j")
	at(lines[1])
	b.Keys(kb.ArrowUp)
	at(lines[0])
	b.Keys("d")
	gone(lines[0])
	at(lines[1])
	b.Keys("u")
	b.Until(first + ` === "` + lines[0] + `"`)
	b.Goes(p.Address + "/worklist")
	b.Until(first + ` === "` + lines[0] + `"`)
	b.Keys("j")
	b.Keys("a")
	b.Until(`document.activeElement?.value === "mia"`)
	b.Keys(kb.Enter)
	b.Until(`document.getElementById("` + lines[0] + `")?.textContent.includes("Owner: mia")`)
	at(lines[0])
	b.Keys("s")
	b.Until(`document.activeElement?.textContent === "Tomorrow"`)
	b.Keys(kb.Enter)
	gone(lines[0])
	b.Keys("x")
	gone(lines[1])

	// While a form is open letters do nothing, wherever the focus is; Escape closes it, and keeps
	// what was typed.
	left := site.Eval[[]string](b, `[...document.querySelectorAll("[data-row]")].map(e => e.id)`)
	form := `#` + left[0] + ` details:has(textarea)`
	b.Press(form + ` > summary`)
	b.Until(`document.activeElement === document.querySelector("` + form + ` textarea")`)
	b.Keys("called")
	site.Eval[bool](b, `document.querySelector("`+form+` > summary").focus(), true`)
	b.Keys("d")
	b.Keys("x")
	site.Eval[bool](b, `document.activeElement.blur(), true`)
	b.Keys("d")
	b.Keys("j")
	if site.Eval[bool](b, first+` !== "`+left[0]+`" || document.activeElement !== document.body || document.querySelector("`+form+` textarea").value !== "called"`) {
		t.Fatal("a letter acted while a form was open")
	}
	b.Keys(kb.Escape)
	at(left[0])
	b.Until(`!document.querySelector("` + form + `").open`)
	b.Keys("n")
	b.Until(`document.activeElement?.value === "called"`)
	site.Eval[bool](b, `document.activeElement.value = "", true`)
	b.Keys(kb.Escape)
	b.Keys(kb.Escape)
	at(left[0])
	b.Keys("?")
	b.Until(`document.getElementById("help").open && document.getElementById("help").textContent.includes("No contact needed")`)
	b.Keys(kb.Escape)

	// Someone else is faster.
	max := p.As("max", access.Manager)
	uid := lines[2][len("line-main-"):]
	_, version := seen(max, "/worklist")
	if a := max.Post("/worklist/"+uid, "account", "main", "version", version, "act", "assigned", "owner", "max"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	b.Press(`#` + lines[2] + ` summary[data-key=n]`)
	b.Until(`document.querySelector("#` + lines[2] + ` details[open] textarea") !== null`)
	b.Do(chromedp.SendKeys(chromedp.CSS("#"+lines[2]+" textarea"), "Not lost."))
	b.Press(`#` + lines[2] + ` details[open] button[value=done]`)
	b.Until(`document.getElementById("refused")?.textContent.includes("max made max the owner") && document.querySelector("#` + lines[2] + ` details[open] textarea").value === "Not lost."`)
	b.LooksRight("worklist-overtaken")
	b.Press(`#` + lines[2] + ` details[open] button[value=done]`)
	b.Until(`document.getElementById("latest") !== null && document.getElementById("refused") === null`)

	b.Look(site.Plain)
	b.Goes(p.Address + "/worklist")
	b.Press(`#` + lines[3] + ` button[data-key=d]`)
	b.Arrives(fmt.Sprintf(`document.getElementById("latest") !== null && document.getElementById(%q) === null`, lines[3]))
}
