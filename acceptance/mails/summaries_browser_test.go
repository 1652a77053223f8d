package mails_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
)

// A manager makes a schedule, looks at its message, sends a test and then the summary. Each page on
// the way looks right.
func TestBrowserSummaries(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	m.Send()
	b := m.Browse(t, site.Desktop)
	b.Goes(m.Address + "/summaries")
	b.Looks("summaries-empty")
	b.Do(chromedp.Click(chromedp.CSS(`a[href="/summaries/new"]`)))
	b.Arrives(`document.getElementById("schedule-name") !== null`)
	b.Looks("summaries-new")
	b.Put("schedule-name", "Morning of the board")
	b.Put("schedule-recipients", "boss@example.com\nnobody@example.com")
	b.Submit("#schedule-name")
	b.Arrives(`location.pathname === "/summaries" && document.querySelector("[role=status]") !== null`)
	b.Looks("summaries-list")

	b.Do(chromedp.Click(chromedp.CSS(`a[href$="/preview"]`)))
	b.Arrives(`document.querySelector("iframe") !== null`)
	b.Framed()
	b.Looks("summaries-preview")
	b.Do(chromedp.Click(chromedp.CSS(`[data-period=previous]`)))
	b.Arrives(`location.search.includes("date=2026-11-18") && document.querySelector("iframe") !== null`)
	b.SendTestTo("mia@example.com")
	b.Arrives(`location.pathname.startsWith("/summaries/deliveries/") && document.querySelector("iframe") !== null`)
	b.Looks("summaries-delivery")

	b.Goes(m.Address + "/summaries/1/send")
	b.Arrives(`document.querySelector("main form") !== null`)
	b.Looks("summaries-send")
	b.Submit(`main input[name=number]`)
	b.Arrives(`location.pathname === "/summaries/deliveries"`)
	b.Looks("summaries-log")
	if got := m.Box.Letters(); len(got) != 2 || got[0].To != "mia@example.com" || got[1].To != "boss@example.com" {
		t.Errorf("%d letters arrived", len(got))
	}
	b.Goes(m.Address + "/summaries")
	b.Until(`document.querySelector("main [role=alert]") !== null`)
	b.Looks("summaries-failing")

	link := m.Link("", "boss@example.com")
	b.Goes(m.Address + link)
	b.Looks("unsubscribe")
	b.Submit("main form button")
	b.Until(`document.querySelector("main [role=status]")?.innerText.includes("boss@example.com")`)
	b.Looks("unsubscribed")
}

// The preview next to the form of a schedule appears by itself and follows the form. The mail is
// made once for each state of the form.
func TestBrowserPreviewFollowsTheForm(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	b := m.Browse(t, site.Desktop)
	b.Goes(m.Address + "/summaries/new")
	drawn := func(every string) string {
		return fmt.Sprintf(`document.querySelector("#draft iframe")?.src.includes("every=%s") &&
			performance.getEntriesByType("resource").some(e => e.initiatorType === "iframe" && e.name.includes("every=%s") && e.responseStatus === 200)`, every, every)
	}
	b.Arrives(drawn("daily"))
	daily := site.Eval[string](b, `document.getElementById("draft").innerText`)
	site.Eval[bool](b, `(() => {
		const often = document.querySelector("#schedule-form [name=every]");
		often.value = "monthly";
		return often.dispatchEvent(new Event("change", { bubbles: true }));
	})()`)
	b.Until(drawn("monthly"))
	if monthly := site.Eval[string](b, `document.getElementById("draft").innerText`); monthly == daily || !strings.Contains(monthly, "October 2026") {
		t.Errorf("the preview of a month says %q, that of a day %q", monthly, daily)
	}
	site.Eval[bool](b, `(() => {
		const zone = document.querySelector("#schedule-form [name=zone]");
		zone.value = "Mars/Base";
		return zone.dispatchEvent(new Event("change", { bubbles: true }));
	})()`)
	b.Until(`document.querySelector("#draft iframe") === null && document.getElementById("draft").innerText.includes("Mars/Base")`)
}

// A refused form returns to its page, with the error at its field.
func TestBrowserScheduleRefused(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	b := site.OpenApart(t, m.Address+"/login", site.Desktop)
	b.EnterAs(m.Mia, m.Address)
	b.Goes(m.Address + "/summaries/new")
	b.Arrives(`document.getElementById("schedule-name") !== null`)
	b.Put("schedule-name", "Mars")
	b.Put("schedule-zone", "Mars/Base")
	b.Put("schedule-recipients", "boss@example.com")
	site.Eval[bool](b, `document.querySelectorAll("[name^=section-]").forEach(e => e.checked = false), true`)
	b.Submit("#schedule-name")
	b.Arrives(`document.querySelector("#schedule-zone[aria-invalid]") !== null`)
	b.Looks("summaries-refused")
	kept := site.Eval[[]string](b, `["name", "zone", "recipients"].map(n => document.getElementById("schedule-" + n).value)`)
	if got := strings.Join(kept, "|"); got != "Mars|Mars/Base|boss@example.com" {
		t.Errorf("the form shows the error %q", got)
	}
}
