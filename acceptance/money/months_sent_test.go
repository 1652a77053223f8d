package money_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/reports/months"
	"rebatedesk/store/closings"
	"rebatedesk/store/storetest"
)

// A manager closes a month and sends it to finance with one press, and again with another. However often
// a form is sent, one mail goes out, with the workbook of the page and the evidence pack that can be
// downloaded. An address that nobody could be reached at leaves the month open.
func TestMonthIsSentToFinance(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	viewer := m.As("vera", access.Viewer)
	month := months.DaysOf(months.DaysOf(affiliate.DayOf(m.Now(), m.Store.Zone())).First - 1)
	at := "/months/" + closings.MonthText(month.First)
	m.Mia.Get(at)
	close := []string{"reason", "history begins later", "incomplete", "yes"}
	if a := m.Mia.Post(at+"/close", append(close, "to", "finance")...); a.StatusCode != 400 || !strings.Contains(a.Body, `value="finance"`) || strings.Contains(site.Words(m.Mia.Get(at).Body), "October 2026 is closed") {
		t.Errorf("closed and sent to no address: status %d: %s", a.StatusCode, site.Words(a.Body))
	}
	if a := m.Mia.Post(at+"/send", "to", "finance@example.com", "queued", "0"); a.StatusCode != 409 {
		t.Errorf("an open month was sent: status %d", a.StatusCode)
	}
	if a := m.Mia.Post(at+"/close", append(close, "to", "finance@example.com")...); a.Header.Get("Location") != at+"?done=both" {
		t.Fatalf("closed and sent: status %d, to %s: %s", a.StatusCode, a.Header.Get("Location"), site.Words(a.Body))
	}
	m.Send()
	site.Soon(t, "the page says who got the month", func() bool { return strings.Contains(site.Words(m.Mia.Get(at).Body), "finance@example.com sent") })
	if !strings.Contains(m.Mia.Get(at).Body, `value="finance@example.com"`) {
		t.Error("the page does not remember the address")
	}
	if strings.Contains(viewer.Get(at).Body, "finance@example.com") {
		t.Error("a viewer reads the address")
	}
	for range 2 {
		if a := m.Mia.Post(at+"/send", "to", "books@example.com", "queued", "1"); a.StatusCode != 303 {
			t.Errorf("sent again: status %d: %s", a.StatusCode, site.Words(a.Body))
		}
	}
	site.Soon(t, "the second mail is sent", func() bool { return strings.Contains(site.Words(m.Mia.Get(at).Body), "books@example.com sent") })
	letters := m.Box.Letters()
	if n := m.Count("month mailed"); n != 2 || len(letters) != 2 {
		t.Fatalf("%d mails, %d lines of the audit log", len(letters), n)
	}
	book, pack := m.Mia.Get(at+".xlsx"), m.Mia.Get(at+".zip")
	for i, one := range letters {
		letter, err := mail.ParseLetter([]byte(one.Content))
		storetest.Done(t, err)
		if len(letter.Files) != 2 || !slices.Equal(sheetRows(t, string(letter.Files[0].Content))[0], sheetRows(t, book.Body)[0]) || !bytes.Equal(letter.Files[1].Content, []byte(pack.Body)) {
			t.Errorf("mail %d has %d files", i, len(letter.Files))
		}
		for _, want := range []string{months.State(months.ClosedIncomplete).Label(), "history begins later", "unchanged"} {
			if !strings.Contains(strings.ToLower(strings.Join(strings.Fields(letter.Text), " ")), strings.ToLower(want)) {
				t.Errorf("mail %d lacks %q: %s", i, want, letter.Text)
			}
		}
	}
	if next := m.Mia.Get("/months").Body; !strings.Contains(next, `href="`+at+`#send"`) {
		t.Error("the list does not offer to send the month")
	}
}

// All months that are complete are closed by one form, the oldest first. One that cannot be closed ends
// it, and says which were closed before.
func TestMonthsAreClosedTogether(t *testing.T) {
	t.Parallel()
	s := site.OpenClosing(t)
	manager, viewer := s.As("mia", access.Manager), s.As("vera", access.Viewer)
	manager.Get("/months")
	viewer.Token = manager.Token
	if a := viewer.Post("/months/close", "months", "2026-10"); a.StatusCode != 403 {
		t.Errorf("a viewer closes months: status %d", a.StatusCode)
	}
	for _, bad := range []string{"soon", "2026-13"} {
		if a := manager.Post("/months/close", "months", bad); a.StatusCode != 400 {
			t.Errorf("month %q: status %d", bad, a.StatusCode)
		}
	}
	a := manager.Post("/months/close", "months", "2026-11 2026-10", "reason", "")
	if words := site.Words(a.Body); a.StatusCode != 409 || !strings.Contains(words, "1 month closed, from October 2026 on. Then: November 2026 is not over") {
		t.Errorf("status %d: %s", a.StatusCode, words)
	}
	if words := site.Words(manager.Get("/months/2026-10").Body); !strings.Contains(words, "October 2026 is closed at") {
		t.Errorf("October is not closed: %s", words)
	}
}
