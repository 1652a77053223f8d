package mails_test

import (
	"html"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// The log has filters and pages, and offers to send mails again. A user who may only read
// does not see the link that ends another user's mails.
func TestDeliveryLog(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	at := m.Plan("recipients", "a@example.com nobody@example.com")
	m.Send()
	m.Mia.Get(at + "/send")
	if a := m.Mia.Post(at+"/send", formFields(m.Mia.Get(at+"/send").Body)...); a.Header.Get("Location") != "/summaries/deliveries?message=1" {
		t.Fatalf("redirected to %q", a.Header.Get("Location"))
	}
	m.Arrived(1)
	for query, want := range map[string]string{"": "a@example.com nobody@example.com", "?state=sent": "a@example.com", "?state=dead": "nobody@example.com",
		"?state=waiting": "", "?schedule=1": "a@example.com nobody@example.com", "?schedule=7": "", "?message=1&state=sent": "a@example.com", "?before=2": "a@example.com", "?before=1": ""} {
		page := m.Mia.Get("/summaries/deliveries" + query).Body
		for _, address := range []string{"a@example.com", "nobody@example.com"} {
			if strings.Contains(page, ">"+address+"<") != strings.Contains(" "+want+" ", " "+address+" ") {
				t.Errorf("%q: %s", query, address)
			}
		}
	}
	for _, wrong := range []string{"?state=lost", "?before=x", "?schedule=-1", "?message=0"} {
		if a := m.Mia.Get("/summaries/deliveries" + wrong); a.StatusCode != 400 {
			t.Errorf("%s: status %d", wrong, a.StatusCode)
		}
	}
	if a := m.Mia.Get("/summaries/deliveries/1"); !strings.Contains(a.Body, `href="/changes?from=`) {
		t.Error("the page of a delivery does not lead to what changed since")
	}
	if a := m.Mia.Post("/summaries/deliveries/1/resend"); a.StatusCode != 303 {
		t.Errorf("sending again: status %d", a.StatusCode)
	}
	site.Soon(t, "the second copy arrives", func() bool { return len(m.Box.Letters()) == 2 })
	if l := m.Box.Letters(); len(l) != 2 || l[0] != l[1] || m.Count("mail sent again") != 1 {
		t.Errorf("%d letters, want two equal ones", len(l))
	}
	m.AddUser("vera", access.Viewer)
	vera := m.SignedInAs("vera")
	for _, path := range []string{"/summaries/deliveries/1", "/summaries/deliveries/1/message", at + "/preview", at + "/preview/message"} {
		whole, part := m.Mia.Get(path).Body, vera.Get(path).Body
		own := site.StopLink.FindStringSubmatch(whole)
		if own == nil || strings.Contains(part, own[1]) || part == "" {
			t.Errorf("%s shows a viewer the link of another user", path)
		}
	}
}

// Mail that cannot be delivered appears on every page, on the overview and on its page.
func TestFailedMailIsShown(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	page := m.Mia.Get("/summaries").Body
	if strings.Contains(page, "Mail does not get out") || !strings.Contains(page, "No summary is scheduled") || !strings.Contains(page, "Nothing has been sent yet") {
		t.Error("an empty page is not shown as empty")
	}
	at := m.Plan("recipients", "nobody@example.com grey@example.com")
	stop := m.Send()
	m.Mia.Get(at + "/send")
	if a := m.Mia.Post(at+"/send", formFields(m.Mia.Get(at+"/send").Body)...); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	for path, says := range map[string]string{
		"/summaries": "1 mail failed so far, retried for up to a day; 1 mail given up in the last day", "/attention": "1 mail given up",
		"/collection": "mail does not get out", "/summaries/deliveries?state=dead": "no such mailbox",
	} {
		if page := html.UnescapeString(m.Mia.Get(path).Body); !strings.Contains(page, says) {
			t.Errorf("%s does not say %q", path, says)
		}
	}
	stop() // or the next summary could be queued, and given up as well
	m.Pass(25 * time.Hour)
	if page := m.Mia.Get("/attention").Body; strings.Contains(page, "given up</bdi>") {
		t.Error("a mail that was given up more than a day ago still needs attention")
	}
}
