package site

import (
	"fmt"
	"testing"
)

// Browse opens a browser in which the manager of the site is signed in.
func (m *MailSite) Browse(t *testing.T, s Screen) *Tab {
	t.Helper()
	b := OpenApart(t, m.Address+"/healthz", s)
	b.Refused = false
	b.EnterAs(m.Mia, m.Address)
	return b
}

// Framed waits until the message is drawn in its frame, and checks that the page cannot
// read the frame.
func (b *Tab) Framed() {
	b.T.Helper()
	b.Until(`performance.getEntriesByType("resource").some(e => e.initiatorType === "iframe" && e.responseStatus === 200)`)
	if Eval[bool](b, `document.querySelector("iframe").contentDocument !== null`) {
		b.T.Error("the message has the origin of the page")
	}
}

// Put writes into the field with an id.
func (b *Tab) Put(id, text string) {
	b.T.Helper()
	Eval[bool](b, fmt.Sprintf(`document.getElementById(%q).value = %q, true`, id, text))
}

// SendTestTo sends the test of a preview to an address.
func (b *Tab) SendTestTo(to string) {
	b.T.Helper()
	Eval[bool](b, fmt.Sprintf(`document.querySelector("#test [name=to]").value = %q, true`, to))
	b.Submit("#test [name=to]")
}
