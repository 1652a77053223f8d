package people_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// laptop is a usual laptop, without the bars of its browser.
var laptop = site.Screen{Name: "laptop", Width: 1366, Height: 657}

// One press calls or writes, with the mouse and by the keyboard, and leaves the line as it is; the note
// comes after it. The page of the person has the name, the UID and the rate in its first screen.
func TestBrowserContact(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	mia := p.As("mia", access.Manager)
	rows := cellsOf(mia, "/worklist.csv?show=open")
	uid := rows[slices.IndexFunc(rows, func(row map[string]string) bool { return row["uid"] != rows[0]["uid"] })]["uid"]
	mia.Get("/people/import")
	if a := importPeople(mia, "uid,name,phone,email,telegram\r\n"+uid+",Zoë Quill,+4915550001,quill@example.com,quill_tg\r\n"); a.StatusCode != 303 {
		t.Fatalf("import: status %d", a.StatusCode)
	}
	b := site.OpenApart(t, p.Address+"/login", site.Desktop)
	b.EnterAs(mia, p.Address)
	b.Look(laptop)
	b.Goes(p.Address + "/worklist")
	row := "line-main-" + uid
	b.Until(`document.getElementById("` + row + `") !== null`)
	// The browser would leave for another program.
	pressed := `(window.pressed ??= [])`
	site.Eval[bool](b, pressed+`, document.addEventListener("click", (event) => { const a = event.target.closest("a[data-contact]"); if (a) { event.preventDefault(); pressed.push(a.getAttribute("href")); } }, true), true`)
	shown := `getComputedStyle(document.querySelector("#` + row + ` .acts")).opacity`
	if site.Eval[string](b, shown) != "0" {
		t.Error("the acts of a line are shown before it is pointed at")
	}
	b.Press(`#` + row + ` a[data-contact=telegram]`)
	b.Until(`window.pressed.join() === "https://t.me/quill_tg"`)
	site.Eval[bool](b, `document.activeElement?.blur(), true`)
	b.Keys("j")
	b.Keys("j")
	b.Until(rowInFocus + ` === "` + row + `"`)
	b.Until(shown + ` === "1"`)
	b.Keys("c")
	b.Until(`window.pressed.join() === "https://t.me/quill_tg,tel:+4915550001"`)
	b.Keys("n")
	b.Until(`document.activeElement === document.querySelector("#` + row + ` details[open] textarea")`)
	b.Keys("Answers at once.")
	b.Do(chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.Until(`document.getElementById("` + row + `")?.textContent.includes("Answers at once.")`)
	if site.Eval[int](b, `window.pressed.length`) != 2 {
		t.Error("writing a note begins a contact")
	}
	b.LooksRight("worklist-contacts")

	// The others of the list are one press away, and stay unfolded after an act.
	b.Look(laptop)
	b.Goes(p.Address + "/worklist")
	b.Press(`#later > summary`)
	b.Until(`document.querySelector("#later [data-row]").checkVisibility()`)
	later := site.Eval[string](b, `document.querySelector("#later [data-row]").id`)
	b.Press(`#` + later + ` button[data-key=d]`)
	b.Until(`document.getElementById("latest") !== null && document.getElementById("` + later + `") === null && document.getElementById("later").open`)

	b.Goes(p.Address + "/invitees/" + uid)
	inSight := func(what string) string {
		return `(() => { const box = ` + what + `.getBoundingClientRect(); return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight; })()`
	}
	b.Until(`document.querySelector("h1").textContent === "Zoë Quill"`)
	for name, what := range map[string]string{
		"the UID": `document.getElementById("uid")`, "the rate": `[...document.querySelectorAll("#head dd")][1]`, "the risk": `[...document.querySelectorAll("#head dd")][3]`,
		"the phone": `document.querySelector("a[data-contact=phone]")`,
	} {
		if !site.Eval[bool](b, inSight(what)) {
			t.Errorf("%s is not in the first screen of a laptop", name)
		}
	}
	if rate := site.Eval[string](b, `document.querySelectorAll("#head dd")[1].innerText`); !strings.Contains(rate, "%") {
		t.Errorf("the rate is %q", rate)
	}
	b.Press(`#uid`)
	b.Until(`document.querySelector("#exact-panel [data-exact=copy]").checkVisibility()`)
	b.Keys(kb.Escape)
	b.LooksRight("invitee-head")
}
