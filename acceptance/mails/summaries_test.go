package mails_test

import (
	"fmt"
	"html"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/mail"
	"rebatedesk/store/outbox"
	"rebatedesk/web"
)

// A form with errors keeps the typed values, and nothing is stored.
func TestScheduleFormErrors(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	m.Plan()
	for _, c := range []struct{ field, value, says string }{
		{"name", "morning", "already"},
		{"name", "", "The name is empty"},
		{"zone", "Mars/Base", "There is no time zone “Mars/Base”"},
		{"zone", "Local", "There is no time zone"},
		{"at", "25:00", "Give a time of the day"},
		{"every", "hourly", "daily, weekly or monthly"},
		{"weekday", "9", "no such day"},
		{"month_day", "32", "from 1 to 31"},
		{"month_day", "x", "Give a day"},
		{"deadline", "21", "from 1 to 20 hours"},
		{"recipients", "a@example.com\nA@example.com", "given twice"},
		{"recipients", "no address", `"no address" is no mail address`},
		{"recipients", "a@example.com\r\nBcc:b@example.com>", "is no mail address"},
		{"recipients", " ", "from 1 to 500 recipients"},
		{"skip_below", "much", "give a number and its coin"},
		{"correct_above", "-1", "give a number and its coin"},
		{"account", "nobody", "there is no such account"},
		{"product", "OPTIONS", "is none of"},
	} {
		t.Run(c.field+" "+c.value, func(t *testing.T) {
			m.Mia.Get("/summaries/new")
			a := m.Mia.Post("/summaries", site.Scheduled("name", "Another", c.field, c.value)...)
			page := html.UnescapeString(a.Body)
			if a.StatusCode != 400 || !strings.Contains(page, c.says) || !strings.Contains(page, "aria-invalid") {
				t.Errorf("status %d, and the page does not say %q", a.StatusCode, c.says)
			}
			if !strings.Contains(page, "boss@example.com") && c.field != "recipients" || !strings.Contains(page, strings.TrimSpace(c.value)) {
				t.Error("the form does not keep the typed values")
			}
		})
	}
	m.Mia.Get("/summaries/new")
	if a := m.Mia.Post("/summaries", "name", "x", "every", "daily"); a.StatusCode != 400 || !strings.Contains(a.Body, "from 1 to 500 recipients") {
		t.Errorf("a form without fields: status %d", a.StatusCode)
	}
	if list, err := m.Mail.Subscriptions(t.Context(), outbox.KindSchedule); err != nil || len(list) != 1 {
		t.Errorf("%d schedules are stored (%v)", len(list), err)
	}
}

// A schedule passes through its form unchanged, and the audit log has a line for each
// step of its life.
func TestScheduleLife(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	at := m.Plan("every", "monthly", "month_day", "31", "product", "SPOT", "coin", "usdt", "skip_empty", "yes", "skip_below", "10.50", "skip_coin", "usdt", "section-movers", "")
	before := m.Only()
	if before.SkipBelow != "10.50" || before.SkipCoin != "USDT" || before.Coin != "USDT" || !before.SkipEmpty || before.MonthDay != 31 || before.Product != "SPOT" {
		t.Errorf("stored: %+v", before)
	}
	fields := formFields(m.Mia.Get(at).Body)
	m.Pass(time.Minute)
	if a := m.Mia.Post(at, fields...); a.StatusCode != 303 {
		t.Fatalf("saving it unchanged: status %d", a.StatusCode)
	}
	after := m.Only()
	after.Updated = before.Updated
	if fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("saving it unchanged gave\n%+v\n%+v", before, after)
	}
	for _, step := range []string{"/pause", "/resume", "/remove"} {
		if a := m.Mia.Press("/summaries", at+step); a.StatusCode != 303 {
			t.Errorf("%s: status %d", step, a.StatusCode)
		}
		if m.Mia.Get("/summaries"); step == "/pause" && !m.Only().Paused.Known() {
			t.Error("the schedule is not paused")
		}
	}
	var actions []string
	for _, line := range m.Audit() {
		if line.Actor == "mia" && line.Object == "Morning" {
			actions = append(actions, line.Action)
		}
	}
	if want := []string{"schedule removed", "schedule resumed", "schedule paused", "schedule changed", "schedule added"}; !slices.Equal(actions, want) {
		t.Errorf("the audit log has %q", actions)
	}
	if a := m.Mia.Get(at); a.StatusCode != 404 {
		t.Errorf("a removed schedule: status %d", a.StatusCode)
	}
}

var (
	inputField  = regexp.MustCompile(`<input[^>]*>`)
	areaField   = regexp.MustCompile(`(?s)<textarea[^>]*name="([^"]+)"[^>]*>(.*?)</textarea>`)
	choiceField = regexp.MustCompile(`(?s)<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>`)
	chosen      = regexp.MustCompile(`<option value="([^"]*)" selected`)
	nameOf      = regexp.MustCompile(` name="([^"]+)"`)
	valueIn     = regexp.MustCompile(` value="([^"]*)"`)
)

// formFields returns the fields of a page as a browser would send them.
func formFields(page string) (fields []string) {
	for _, tag := range inputField.FindAllString(page, -1) {
		name, value := nameOf.FindStringSubmatch(tag), valueIn.FindStringSubmatch(tag)
		if name == nil || value == nil || name[1] == "token" || strings.Contains(tag, "checkbox") && !strings.Contains(tag, " checked") {
			continue
		}
		fields = append(fields, name[1], html.UnescapeString(value[1]))
	}
	for _, area := range areaField.FindAllStringSubmatch(page, -1) {
		fields = append(fields, area[1], html.UnescapeString(area[2]))
	}
	for _, choice := range choiceField.FindAllStringSubmatch(page, -1) {
		if value := chosen.FindStringSubmatch(choice[2]); value != nil {
			fields = append(fields, choice[1], html.UnescapeString(value[1]))
		}
	}
	return fields
}

// A preview shows the exact message: its parts on the page equal those of its file and
// those that the mail server receives.
func TestPreviewIsTheMessage(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	at := m.Plan("recipients", "boss@example.com", "attach_xlsx", "yes")
	m.Send()
	page := m.Mia.Get(at + "/preview")
	message := m.Mia.Get(at + "/preview/message.eml")
	l, err := mail.ParseLetter([]byte(message.Body))
	if err != nil || l.HTML == "" || len(l.Files) != 2 {
		t.Fatal(err, len(l.Files))
	}
	if got := m.Mia.Get(at + "/preview/message").Body; got != l.Page() || !strings.Contains(got, "data:image/png;base64,") || strings.Contains(got, "cid:") {
		t.Error("the frame does not show the message")
	}
	if text := html.UnescapeString(page.Body); !strings.Contains(text, l.Text) || !strings.Contains(text, "List-Unsubscribe-Post") {
		t.Error("the page does not show the text part and the header")
	}
	for _, f := range l.Files {
		got := m.Mia.Get(at + "/preview/attached" + path.Ext(f.Name))
		same := got.Body == string(f.Content) || strings.HasSuffix(f.Name, ".xlsx") && strings.HasPrefix(got.Body, "PK") // a workbook contains the time when it was made
		if !same || !strings.Contains(got.Header.Get("Content-Disposition"), f.Name) {
			t.Errorf("%s differs from the file", f.Name)
		}
	}
	m.Mia.Get(at + "/send")
	review := formFields(m.Mia.Get(at + "/send").Body)
	sent := m.Mia.Post(at+"/send", review...)
	letters := m.Arrived(1)
	if sent.StatusCode != 303 || len(letters) != 1 {
		t.Fatalf("status %d, %d letters", sent.StatusCode, len(letters))
	}
	got, err := mail.ParseLetter([]byte(letters[0].Content))
	if err != nil || strings.ReplaceAll(got.Text, "\r\n", "\n") != strings.ReplaceAll(l.Text, "\r\n", "\n") {
		t.Errorf("the mail differs from its preview (%v)", err)
	}
	one := strings.SplitN(sent.Header.Get("Location"), "?", 2)[0]
	if kept := m.Mia.Get(one + "/message.eml").Body; kept != letters[0].Content {
		t.Error("the message in the log differs from that of the mail server")
	}
	for _, wrong := range []string{"?date=2026-02-30", "?date=tomorrow", "?date=2030-01-01"} {
		if a := m.Mia.Get(at + "/preview" + wrong); a.StatusCode != 400 || !strings.Contains(a.Body, "date") {
			t.Errorf("%s: status %d", wrong, a.StatusCode)
		}
	}
}

// The form of one review sends each recipient one mail, however often and by however many
// users it is sent. A second mail needs another review and a confirmation.
func TestSendNowOnce(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	at := m.Plan()
	m.Send()
	review := formFields(m.Mia.Get(at + "/send").Body)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			again := &site.Visitor{TB: t, Address: m.Address, Cookies: m.Mia.Cookies, Token: m.Mia.Token}
			if a := again.Post(at+"/send", review...); a.StatusCode != 303 {
				t.Errorf("status %d", a.StatusCode)
			}
		})
	}
	work.Wait()
	first := m.Arrived(2)
	if len(first) != 2 {
		t.Fatalf("%d mails for 2 recipients", len(first))
	}
	page := m.Mia.Get(at + "/send").Body
	if !strings.Contains(page, "already got it") {
		t.Error("the review does not name the recipients")
	}
	review = formFields(page)
	if a := m.Mia.Post(at+"/send", review...); a.StatusCode != 409 || len(m.Box.Letters()) != 2 {
		t.Errorf("without a confirmation: status %d, %d mails", a.StatusCode, len(m.Box.Letters()))
	}
	for range 2 {
		if a := m.Mia.Post(at+"/send", append(review, "again", "yes")...); a.StatusCode != 303 {
			t.Errorf("again: status %d", a.StatusCode)
		}
	}
	ids := map[string]bool{}
	for _, l := range m.Arrived(4) {
		ids[l.Id] = true
	}
	if len(ids) != 4 || len(m.Box.Letters()) != 4 {
		t.Errorf("%d mails with %d ids after the second time", len(m.Box.Letters()), len(ids))
	}
	if lines := m.Count("summary sent"); lines < 2 {
		t.Errorf("%d lines in the audit log", lines)
	}
}

// A partly known period is sent only after the user confirms it, and a test shows the
// mail server's answer at once.
func TestSendPartialAndTests(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	at := m.Plan("recipients", "boss@example.com")
	m.Send()
	today := []string{"date", "2026-11-20", "number", "1"}
	m.Mia.Get(at + "/send?date=2026-11-20")
	if a := m.Mia.Post(at+"/send", today...); a.StatusCode != 409 || !strings.Contains(a.Body, "not collected completely") || len(m.Box.Letters()) != 0 {
		t.Errorf("incomplete: status %d, %d mails", a.StatusCode, len(m.Box.Letters()))
	}
	if a := m.Mia.Post(at+"/send", append(today, "partial", "yes")...); a.StatusCode != 303 {
		t.Errorf("with a confirmation: status %d", a.StatusCode)
	}
	letters := m.Arrived(1)
	if len(letters) != 1 || !strings.Contains(letters[0].Content, "[PARTIAL]") {
		t.Fatalf("%d mails", len(letters))
	}
	for _, c := range []struct{ to, says string }{
		{"me@example.com", "the mail server accepted it"}, {"nobody@example.com", "no such mailbox"}, {"grey@example.com", "retried for up to a day"},
	} {
		m.Mia.Get(at + "/preview")
		a := m.Mia.Post(at+"/test", append(formFields(m.Mia.Get(at+"/preview").Body), "to", c.to)...)
		if page := m.Mia.Get(a.Header.Get("Location")); a.StatusCode != 303 || !strings.Contains(page.Body, c.says) {
			t.Errorf("a test to %s: status %d, then it does not say %q", c.to, a.StatusCode, c.says)
		}
	}
	m.Mia.Get(at + "/preview")
	if a := m.Mia.Post(at+"/test", "number", "9", "to", "me@example.com\r\nBcc: you@example.com"); a.StatusCode != 409 || !strings.Contains(a.Body, "is no mail address") {
		t.Errorf("no address: status %d", a.StatusCode)
	}
	if letters := m.Box.Letters(); len(letters) != 2 || !strings.Contains(letters[1].Content, "[TEST]") {
		t.Errorf("%d mails", len(letters))
	}
}

// Only a message and the page around it have another policy, which is exactly this one.
func TestOnlyMessagesHaveAnotherPolicy(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	at := m.Plan("recipients", "boss@example.com")
	m.Send()
	m.Mia.Get(at + "/send")
	if a := m.Mia.Post(at+"/send", formFields(m.Mia.Get(at+"/send").Body)...); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	usual := site.Policy["Content-Security-Policy"]
	others := map[string]string{}
	for _, form := range []string{"/summaries/new", "/summaries/:id"} { // the mail is shown next to them
		others[form] = usual + "; frame-src 'self'"
	}
	for _, base := range []string{"/summaries/new/preview", "/summaries/:id/preview", "/summaries/deliveries/:id"} {
		others[base] = usual + "; frame-src 'self'"
		others[base+"/message"] = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"
	}
	seen := 0
	for _, r := range m.Server.Routes() {
		if r.Method != "GET" {
			continue
		}
		address := strings.NewReplacer(":id", "1", ":uid", "4667776800", ":token", "x", "*", "x").Replace(r.Path)
		for _, who := range []*site.Visitor{m.Mia, m.Visitor()} {
			a := who.Get(address)
			want, frames := usual, "DENY"
			if other := others[r.Path]; other != "" && a.StatusCode == 200 {
				seen++
				if want = other; strings.HasSuffix(r.Path, "/message") {
					frames = "SAMEORIGIN"
				}
			}
			if got := a.Header.Get("Content-Security-Policy"); got != want {
				t.Errorf("%s: %s", address, got)
			}
			if got := a.Header.Get("X-Frame-Options"); got != frames {
				t.Errorf("%s: X-Frame-Options %s", address, got)
			}
		}
	}
	if seen != len(others) {
		t.Errorf("%d of %d answers have another policy", seen, len(others))
	}
}

// Without a mail server nothing is sent, and the page names the missing settings.
func TestSummariesWithoutServer(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("mia", access.Manager)
	mia := o.SignedInAs("mia")
	if page := mia.Get("/summaries").Body; !strings.Contains(page, `href="/settings/mail"`) {
		t.Error("the page does not say where a mail server is entered")
	}
}
