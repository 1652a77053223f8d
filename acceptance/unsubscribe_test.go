package acceptance_test

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/store/audit"
)

// links sends a mail to a recipient and returns the path of the link in it.
func (m *mailSite) link(at, to string) string {
	m.Helper()
	for _, l := range m.arrived(1) {
		if l.to != to {
			continue
		}
		for line := range strings.Lines(l.content) {
			if strings.HasPrefix(line, "List-Unsubscribe:") {
				return "/unsubscribe/" + stopLink.FindStringSubmatch(strings.ReplaceAll(l.content, "\r\n ", ""))[1]
			}
		}
	}
	m.Fatalf("no mail arrived at %s", to)
	return at
}

// A mail program ends the mails with one request and no cookie; opening the link ends
// nothing. The answer does not reveal whether there were mails to end.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	at := m.plan()
	m.send()
	m.mia.get(at + "/send")
	if a := m.mia.post(at+"/send", formFields(m.mia.get(at+"/send").body)...); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	link, stranger := m.link(at, "boss@example.com"), m.visitor()
	before := m.written()
	page := stranger.get(link)
	if page.StatusCode != 200 || !strings.Contains(page.body, "boss@example.com") || m.written() != before {
		t.Errorf("opened: status %d, or the store was written", page.StatusCode)
	}
	checkPolicy(t, page)
	stranger.send("HEAD", link, "")
	oneClick := func(headers ...string) answer {
		return stranger.send("POST", link, "List-Unsubscribe=One-Click", append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
	}
	if a := oneClick("Origin", "https://evil.example"); a.StatusCode != 403 || m.written() != before {
		t.Errorf("from another site: status %d", a.StatusCode)
	}
	first := oneClick()
	again := oneClick()
	if first.StatusCode != 200 || first.body != again.body || first.Header.Get("Set-Cookie") != "" {
		t.Errorf("status %d, or the second answer differs", first.StatusCode)
	}
	if got := m.only().Recipients; !got[0].Stopped.Known() || got[1].Stopped.Known() {
		t.Errorf("stopped: %+v", got)
	}
	if line := m.newest("mails stopped"); line.Via != "link" || line.Object != "Morning" || line.Detail != "boss@example.com" || line.Address != "127.0.0.1" || m.count("mails stopped") != 1 {
		t.Errorf("the audit log has %+v", line)
	}
	if !strings.Contains(m.mia.get("/summaries").body, "unsubscribed 20 Nov 2026") {
		t.Error("the page does not name the recipient who unsubscribed")
	}
	if a := m.mia.press("/summaries", at+"/remove"); a.StatusCode != 303 {
		t.Fatalf("removing: status %d", a.StatusCode)
	}
	if gone := oneClick(); gone.StatusCode != 200 || gone.body != first.body {
		t.Error("the answer reveals that the schedule was removed")
	}
	if strings.Contains(m.log.String(), strings.TrimPrefix(link, "/unsubscribe/")) {
		t.Error("the log contains the link")
	}
}

func (m *mailSite) newest(action string) audit.Line {
	m.Helper()
	for _, line := range m.audit() {
		if line.Action == action {
			return line
		}
	}
	return audit.Line{}
}

// A forged link ends nothing, and trying many is slow.
func TestUnsubscribeIsSlow(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	stranger, before, refused, began := m.visitor(), m.written(), 0, time.Now()
	for i := range 40 {
		a := stranger.send("POST", "/unsubscribe/"+strings.Repeat("A", 20+i), "List-Unsubscribe=One-Click", "Content-Type", "application/x-www-form-urlencoded")
		switch a.StatusCode {
		case 429:
			refused++
		case 404:
		default:
			t.Fatalf("status %d", a.StatusCode)
		}
	}
	// 20 are answered at once, and then one in three seconds.
	if answered := 20 + 1 + int(time.Since(began)/(3*time.Second)); refused == 0 || 40-refused > answered || m.written() != before {
		t.Errorf("%d of 40 were slowed down, or the store was written", refused)
	}
	if a := stranger.get("/unsubscribe/x"); a.StatusCode != 404 || !strings.Contains(a.body, "incomplete") {
		t.Errorf("an incomplete link: status %d", a.StatusCode)
	}
}
