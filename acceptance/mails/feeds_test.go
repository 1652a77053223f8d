package mails_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"html"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

var feedAddress = regexp.MustCompile(`select-all">(http[^<]+/(?:calendar\.ics|changes\.atom)\?token=[^<]+)<`)

// subscribe makes an address on the page of the account, and returns its path with the token.
func subscribe(t *testing.T, v *site.Visitor, feed, name string) (path, token string) {
	t.Helper()
	v.Get("/account")
	page := v.Post("/account/feeds", "feed", feed, "name", name)
	found := feedAddress.FindStringSubmatch(page.Body)
	if page.StatusCode != 200 || found == nil {
		t.Fatalf("no address: status %d", page.StatusCode)
	}
	u, err := url.Parse(html.UnescapeString(found[1]))
	storetest.Done(t, err)
	if strings.Contains(v.Get("/account").Body, u.Query().Get("token")) {
		t.Error("the address is shown again")
	}
	return u.RequestURI(), u.Query().Get("token")
}

// eventsOf parses a calendar by another program's rules.
func eventsOf(t *testing.T, a site.Answer) (events map[string]*ics.VEvent) {
	t.Helper()
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "text/calendar; charset=utf-8" {
		t.Fatalf("status %d, %s", a.StatusCode, a.Header.Get("Content-Type"))
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(a.Body, "\r\n"), "\r\n") {
		if len(line) > 75 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line of %d bytes: %q", len(line), line)
		}
	}
	calendar, err := ics.ParseCalendar(strings.NewReader(a.Body))
	storetest.Done(t, err)
	events = map[string]*ics.VEvent{}
	for _, e := range calendar.Events() {
		begins, wrong := e.GetAllDayStartAt()
		ends, missing := e.GetAllDayEndAt()
		stamp := e.GetProperty(ics.ComponentPropertyDtstamp)
		switch {
		case wrong != nil || missing != nil || stamp == nil || !ends.Equal(begins.AddDate(0, 0, 1)):
			t.Errorf("%s is no whole day: %v, %v", e.Id(), wrong, missing)
		case e.Id() == "" || events[e.Id()] != nil:
			t.Errorf("%q is the id of two events", e.Id())
		}
		events[e.Id()] = e
	}
	return events
}

// A calendar is read with nothing but its address, which shows what its user may see at that moment
// and opens nothing else.
func TestCalendarFeed(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	log := new(site.LockedBuffer)
	service := reports.New(o.Store, o.Now)
	o.Address, o.Server = site.Serve(t, web.Options{Reports: service, Desk: service, Access: o.Access, Collect: site.Nothing,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	mia := o.As("mia", access.Manager)
	path, token := subscribe(t, mia, "calendar", "Phone")
	program := o.Visitor()
	first := program.Get(path)
	events := eventsOf(t, first)

	var overdue int
	for _, state := range []string{"missing", "short"} {
		var lines struct{ Rows []map[string]any }
		storetest.Done(t, json.Unmarshal([]byte(mia.Get("/payments.json?range=all&state="+state).Body), &lines))
		overdue += len(lines.Rows)
	}
	var late, ends, closings int
	for id, e := range events {
		summary := e.GetProperty(ics.ComponentPropertySummary).Value
		switch {
		case strings.HasPrefix(id, "overdue-"):
			late++
			if !strings.HasPrefix(summary, "Payment overdue: ") {
				t.Errorf("%s is %q", id, summary)
			}
		case strings.HasPrefix(id, "month-end-"):
			ends++
		case strings.HasPrefix(id, "month-close-"):
			closings++
		}
	}
	if late == 0 || late != overdue || ends < 4 || closings != ends {
		t.Errorf("%d overdue payments, the page has %d; %d ends of months and %d closings", late, overdue, ends, closings)
	}

	if again := program.Get(path, "If-None-Match", first.Header.Get("ETag")); again.StatusCode != 304 || again.Body != "" {
		t.Errorf("the same calendar: status %d", again.StatusCode)
	}
	if second := program.Get(path); second.Body != first.Body {
		t.Error("a second reading differs")
	}
	if a := program.Send("HEAD", path, ""); a.StatusCode != 200 || a.Body != "" {
		t.Errorf("HEAD: status %d", a.StatusCode)
	}
	for _, wrong := range []string{"/changes.atom?token=" + token, "/calendar.ics?token=" + token + "x", "/calendar.ics", "/calendar.ics?token="} {
		if a := program.Get(wrong); a.StatusCode != 404 {
			t.Errorf("%.20s: status %d", wrong, a.StatusCode)
		}
	}
	bearer := o.Visitor("Authorization", "Bearer "+token)
	for _, page := range []string{"/commissions.json", "/payments.json", "/months"} {
		if a := bearer.Get(page); a.StatusCode != 403 {
			t.Errorf("%s by the token of a calendar: status %d", page, a.StatusCode)
		}
	}
	strong, _, err := o.Access.CreateToken(t.Context(), site.Command, access.NewToken{User: "mia", Name: "strong", Scopes: []access.Scope{access.ScopeRead}})
	storetest.Done(t, err)
	if a := program.Get("/calendar.ics?token=" + strong); a.StatusCode != 404 {
		t.Errorf("a token for pages opens the calendar: status %d", a.StatusCode)
	}

	storetest.Done(t, o.Access.Disable(t.Context(), site.Command, "mia", store.AnyVersion))
	if a := program.Get(path); a.StatusCode != 404 {
		t.Errorf("of a disabled user: status %d", a.StatusCode)
	}
	if text := log.String(); strings.Contains(text, token) || strings.Contains(text, strong) || !strings.Contains(text, "/calendar.ics") {
		t.Error("the log contains a token, or not the requests")
	}
	refused := 0
	for range 40 {
		if program.Get("/calendar.ics?token=rbd_wrong").StatusCode == 429 {
			refused++
		}
	}
	if refused == 0 {
		t.Error("guesses are not slowed down")
	}
}

// A revoked address is gone, and the other one of the same user goes on.
func TestRevokedFeed(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	mia := o.As("mia", access.Viewer)
	phone, _ := subscribe(t, mia, "calendar", "Phone")
	reader, _ := subscribe(t, mia, "feed", "Reader")
	tokens, err := o.Access.Tokens(t.Context(), "mia")
	storetest.Done(t, err)
	i := slices.IndexFunc(tokens, func(a access.Token) bool { return a.Name == "Phone" })
	mia.Get("/account")
	if a := mia.Post("/account/tokens/" + strconv.FormatInt(tokens[i].ID, 10) + "/revoke"); a.StatusCode != 303 {
		t.Fatalf("revoking: status %d", a.StatusCode)
	}
	if a, b := o.Visitor().Get(phone), o.Visitor().Get(reader); a.StatusCode != 404 || b.StatusCode != 200 {
		t.Errorf("the revoked one: status %d; the other one: %d", a.StatusCode, b.StatusCode)
	}
}

// atomFeed is RFC 4287 as a reader sees it.
type atomFeed struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  []string `xml:"author>name"`
	Entries []struct {
		ID      string `xml:"id"`
		Title   string `xml:"title"`
		Updated string `xml:"updated"`
		Content string `xml:"content"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Href string `xml:"href,attr"`
		} `xml:"link"`
	} `xml:"entry"`
}

func feedOf(t *testing.T, a site.Answer) (f atomFeed) {
	t.Helper()
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/atom+xml; charset=utf-8" {
		t.Fatalf("status %d, %s", a.StatusCode, a.Header.Get("Content-Type"))
	}
	strict := xml.NewDecoder(bytes.NewReader([]byte(a.Body)))
	strict.Strict = true
	storetest.Done(t, strict.Decode(&f))
	ids := map[string]bool{}
	for _, at := range append([]string{f.Updated}, func() (list []string) {
		for _, e := range f.Entries {
			list = append(list, e.Updated)
			if e.ID == "" || ids[e.ID] || e.Title == "" || len(e.Links) != 1 || e.Links[0].Rel != "alternate" {
				t.Errorf("an entry is incomplete: %+v", e)
			}
			ids[e.ID] = true
		}
		return list
	}()...) {
		if updated, err := time.Parse(time.RFC3339, at); err != nil || updated.Year() < 2020 {
			t.Errorf("updated %s: %v", at, err)
		}
	}
	if f.ID == "" || f.Title == "" || len(f.Author) != 1 {
		t.Errorf("the feed lacks what it must have: %.300s", a.Body)
	}
	return f
}

// The feeds of a bound user are those of a store that holds the share of the user, without what
// cannot be divided.
func TestBoundFeeds(t *testing.T) {
	t.Parallel()
	everybody := func(affiliate.Account, affiliate.UID) bool { return true }
	read := func(d *site.SharedDesk, feed string) site.Answer {
		t.Helper()
		path, _ := subscribe(t, d.Visitor, feed, feed)
		a := site.Visit(t, d.Address).Get(path)
		a.Body = strings.ReplaceAll(a.Body, d.Address, "")
		return a
	}
	whole := read(site.OpenSharedDesk(t, everybody), "feed")
	if len(feedOf(t, whole).Entries) == 0 {
		t.Error("the feed has no entry")
	}
	differ := 0
	for _, c := range []struct {
		bound affiliate.Binding
		keeps func(affiliate.Account, affiliate.UID) bool
	}{
		{affiliate.Binding{By: affiliate.BoundByAccount, Name: "second"}, func(account affiliate.Account, _ affiliate.UID) bool { return account == "second" }},
		{affiliate.Binding{By: affiliate.BoundByTag, Name: "Harbour"}, func(_ affiliate.Account, uid affiliate.UID) bool {
			return slices.Contains([]affiliate.UID{"49317700", "49317703", "49317713"}, uid)
		}},
	} {
		bound := site.OpenSharedDesk(t, everybody, c.bound)
		feed, own := read(bound, "feed"), read(site.OpenSharedDesk(t, c.keeps), "feed")
		feedOf(t, feed)
		if feed.Body != own.Body {
			t.Errorf("%+v: the bound user reads\n%s\nand alone\n%s", c.bound, feed.Body, own.Body)
		}
		if feed.Body != whole.Body {
			differ++
		}
		for id, e := range eventsOf(t, read(bound, "calendar")) {
			if !strings.HasPrefix(id, "month-end-") || e.GetProperty(ics.ComponentPropertyDescription) != nil {
				t.Errorf("%+v: the bound user reads %s", c.bound, id)
			}
		}
	}
	if differ == 0 {
		t.Error("bound users read what everybody reads")
	}
}
