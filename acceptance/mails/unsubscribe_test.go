package mails_test

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
)

// A mail program ends the mails with one request and no cookie; opening the link ends
// nothing. The answer does not reveal whether there were mails to end.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	at := m.Plan()
	m.Send()
	m.Mia.Get(at + "/send")
	if a := m.Mia.Post(at+"/send", formFields(m.Mia.Get(at+"/send").Body)...); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	link, stranger := m.Link(at, "boss@example.com"), m.Visitor()
	before := m.Written()
	page := stranger.Get(link)
	if page.StatusCode != 200 || !strings.Contains(page.Body, "boss@example.com") || m.Written() != before {
		t.Errorf("opened: status %d, or the store was written", page.StatusCode)
	}
	site.CheckPolicy(t, page)
	stranger.Send("HEAD", link, "")
	oneClick := func(headers ...string) site.Answer {
		return stranger.Send("POST", link, "List-Unsubscribe=One-Click", append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
	}
	if a := oneClick("Origin", "https://evil.example"); a.StatusCode != 403 || m.Written() != before {
		t.Errorf("from another site: status %d", a.StatusCode)
	}
	first := oneClick()
	again := oneClick()
	if first.StatusCode != 200 || first.Body != again.Body || first.Header.Get("Set-Cookie") != "" {
		t.Errorf("status %d, or the second answer differs", first.StatusCode)
	}
	if got := m.Only().Recipients; !got[0].Stopped.Known() || got[1].Stopped.Known() {
		t.Errorf("stopped: %+v", got)
	}
	if line := m.Newest("mails stopped"); line.Via != "link" || line.Object != "Morning" || line.Detail != "boss@example.com" || line.Address != "127.0.0.1" || m.Count("mails stopped") != 1 {
		t.Errorf("the audit log has %+v", line)
	}
	if !strings.Contains(m.Mia.Get("/summaries").Body, "unsubscribed 20 Nov 2026") {
		t.Error("the page does not name the recipient who unsubscribed")
	}
	if a := m.Mia.Press("/summaries", at+"/remove"); a.StatusCode != 303 {
		t.Fatalf("removing: status %d", a.StatusCode)
	}
	if gone := oneClick(); gone.StatusCode != 200 || gone.Body != first.Body {
		t.Error("the answer reveals that the schedule was removed")
	}
	if strings.Contains(m.Lines.String(), strings.TrimPrefix(link, "/unsubscribe/")) {
		t.Error("the log contains the link")
	}
}

// A forged link ends nothing, and trying many is slow.
func TestUnsubscribeIsSlow(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	stranger, before, refused, began := m.Visitor(), m.Written(), 0, time.Now()
	for i := range 40 {
		a := stranger.Send("POST", "/unsubscribe/"+strings.Repeat("A", 20+i), "List-Unsubscribe=One-Click", "Content-Type", "application/x-www-form-urlencoded")
		switch a.StatusCode {
		case 429:
			refused++
		case 404:
		default:
			t.Fatalf("status %d", a.StatusCode)
		}
	}
	// 20 are answered at once, and then one in three seconds.
	if answered := 20 + 1 + int(time.Since(began)/(3*time.Second)); refused == 0 || 40-refused > answered || m.Written() != before {
		t.Errorf("%d of 40 were slowed down, or the store was written", refused)
	}
	if a := stranger.Get("/unsubscribe/x"); a.StatusCode != 404 || !strings.Contains(a.Body, "incomplete") {
		t.Errorf("an incomplete link: status %d", a.StatusCode)
	}
}
