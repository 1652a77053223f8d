package acceptance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// browse opens a browser in which the manager of the site is signed in.
func (m *mailSite) browse(t *testing.T, s screen) *tab {
	t.Helper()
	b := openApart(t, m.address+"/healthz", s)
	b.refused = false
	b.enterAs(m.mia, m.address)
	return b
}

// A manager makes a schedule, looks at its message, sends a test and then the summary, on
// every screen. No page is too wide, breaks the policy or has a fault that axe finds.
func TestBrowserSummaries(t *testing.T) {
	t.Parallel()
	for _, s := range bothWays {
		t.Run(s.name, func(t *testing.T) {
			m := openMailSite(t)
			m.send()
			b := m.browse(t, s)
			b.goes(m.address + "/summaries")
			b.looksRight("summaries-empty-" + s.name)
			b.do(chromedp.Click(chromedp.CSS(`a[href="/summaries/new"]`)))
			b.arrives(`document.getElementById("schedule-name") !== null`)
			b.looksRight("summaries-new-" + s.name)
			b.put("schedule-name", "Morning of the board")
			b.put("schedule-recipients", "boss@example.com\nnobody@example.com")
			b.submit("#schedule-name")
			b.arrives(`location.pathname === "/summaries" && document.querySelector("[role=status]") !== null`)
			b.looksRight("summaries-list-" + s.name)

			b.do(chromedp.Click(chromedp.CSS(`a[href$="/preview"]`)))
			b.arrives(`document.querySelector("iframe") !== null`)
			b.framed()
			b.looksRight("summaries-preview-" + s.name)
			b.do(chromedp.Click(chromedp.CSS(`[data-period=previous]`)))
			b.arrives(`location.search.includes("date=2026-11-18") && document.querySelector("iframe") !== null`)
			b.sendTestTo("mia@example.com")
			b.arrives(`location.pathname.startsWith("/summaries/deliveries/") && document.querySelector("iframe") !== null`)
			b.looksRight("summaries-delivery-" + s.name)

			b.goes(m.address + "/summaries/1/send")
			b.arrives(`document.querySelector("main form") !== null`)
			b.looksRight("summaries-send-" + s.name)
			b.submit(`main input[name=number]`)
			b.arrives(`location.pathname === "/summaries/deliveries"`)
			b.looksRight("summaries-log-" + s.name)
			if got := m.box.letters(); len(got) != 2 || got[0].to != "mia@example.com" || got[1].to != "boss@example.com" {
				t.Errorf("%d letters arrived", len(got))
			}
			b.goes(m.address + "/summaries")
			b.until(`document.querySelector("main [role=alert]") !== null`)
			b.looksRight("summaries-failing-" + s.name)

			link := m.link("", "boss@example.com")
			b.goes(m.address + link)
			b.looksRight("unsubscribe-" + s.name)
			b.submit("main form button")
			b.until(`document.querySelector("main [role=status]")?.innerText.includes("boss@example.com")`)
			b.looksRight("unsubscribed-" + s.name)
		})
	}
}

// The preview next to the form of a schedule appears by itself and follows the form. The mail is
// made once for each state of the form.
func TestBrowserPreviewFollowsTheForm(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	b := m.browse(t, desktop)
	b.goes(m.address + "/summaries/new")
	drawn := func(every string) string {
		return fmt.Sprintf(`document.querySelector("#draft iframe")?.src.includes("every=%s") &&
			performance.getEntriesByType("resource").some(e => e.initiatorType === "iframe" && e.name.includes("every=%s") && e.responseStatus === 200)`, every, every)
	}
	b.arrives(drawn("daily"))
	daily := eval[string](b, `document.getElementById("draft").innerText`)
	eval[bool](b, `(() => {
		const often = document.querySelector("#schedule-form [name=every]");
		often.value = "monthly";
		return often.dispatchEvent(new Event("change", { bubbles: true }));
	})()`)
	b.until(drawn("monthly"))
	if monthly := eval[string](b, `document.getElementById("draft").innerText`); monthly == daily || !strings.Contains(monthly, "October 2026") {
		t.Errorf("the preview of a month says %q, that of a day %q", monthly, daily)
	}
	eval[bool](b, `(() => {
		const zone = document.querySelector("#schedule-form [name=zone]");
		zone.value = "Mars/Base";
		return zone.dispatchEvent(new Event("change", { bubbles: true }));
	})()`)
	b.until(`document.querySelector("#draft iframe") === null && document.getElementById("draft").innerText.includes("Mars/Base")`)
}

// framed waits until the message is drawn in its frame, and checks that the page cannot
// read the frame.
func (b *tab) framed() {
	b.t.Helper()
	b.until(`performance.getEntriesByType("resource").some(e => e.initiatorType === "iframe" && e.responseStatus === 200)`)
	if eval[bool](b, `document.querySelector("iframe").contentDocument !== null`) {
		b.t.Error("the message has the origin of the page")
	}
}

// put writes into the field with an id.
func (b *tab) put(id, text string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`document.getElementById(%q).value = %q, true`, id, text))
}

// sendTestTo sends the test of a preview to an address.
func (b *tab) sendTestTo(to string) {
	b.t.Helper()
	eval[bool](b, fmt.Sprintf(`document.querySelector("#test [name=to]").value = %q, true`, to))
	b.submit("#test [name=to]")
}

// A refused form returns to its page, with the error at its field.
func TestBrowserScheduleRefused(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	for _, s := range bothWays {
		b := openApart(t, m.address+"/login", s)
		b.enterAs(m.mia, m.address)
		b.goes(m.address + "/summaries/new")
		b.arrives(`document.getElementById("schedule-name") !== null`)
		b.put("schedule-name", "Mars")
		b.put("schedule-zone", "Mars/Base")
		b.put("schedule-recipients", "boss@example.com")
		eval[bool](b, `document.querySelectorAll("[name^=section-]").forEach(e => e.checked = false), true`)
		b.submit("#schedule-name")
		b.arrives(`document.querySelector("#schedule-zone[aria-invalid]") !== null`)
		b.looksRight("summaries-refused-" + s.name)
		kept := eval[[]string](b, `["name", "zone", "recipients"].map(n => document.getElementById("schedule-" + n).value)`)
		if got := strings.Join(kept, "|"); got != "Mars|Mars/Base|boss@example.com" {
			t.Errorf("the form shows the error %q", got)
		}
	}
}
