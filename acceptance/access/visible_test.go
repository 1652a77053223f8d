package access_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"html"
	netmail "net/mail"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/outbox"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/web"
)

// unseen is a name with invisible characters, and seenAs is how pages show it.
const (
	unseen = "\u202e\u2066gpj\u2069.\u200bvip\ufeff\u200f\u2060\u061c"
	seenAs = "[U+202E][U+2066]gpj[U+2069].[U+200B]vip[U+FEFF][U+200F][U+2060][U+061C]"
)

// aged replaces marks in a name by the invisible characters that older versions accepted,
// in the same number of bytes.
var aged = strings.NewReplacer("€", "\u202e", "₩", "\u200b")

const own, ownUnseen, ownShown = "€own₩", "\u202eown\u200b", "[U+202E]own[U+200B]"

// unseenSite is a site whose data and users have such names, some written by an older
// version. An administrator and a trader are signed in.
func unseenSite(t *testing.T) (o *site.Site, box *site.MailServer, ada, theo *site.Visitor) {
	t.Helper()
	o = &site.Site{TB: t, Clock: &site.Clock{At: site.Now}, Path: filepath.Join(t.TempDir(), "unseen.db")}
	sim, client := site.StartExchange(t, simulator.Options{})
	today := affiliate.DayOf(site.Now, time.UTC)
	for i, uid := range []affiliate.UID{"4667776811", unseen} {
		at := affiliate.MillisOf((today - affiliate.Day(i+6)).Start(time.UTC))
		sim.InsertInvitee(affiliate.Invitee{UID: uid, InviteCode: unseen, RegisterTime: at})
		for _, product := range affiliate.Products() {
			for _, coin := range []affiliate.Coin{unseen, "USDT"} {
				sim.Insert(affiliate.Commission{DealTime: at + 5000, UID: uid, Product: product, Symbol: unseen, Coin: coin, Source: affiliate.Direct,
					TakerAmount: "100000", MakerAmount: "50", Fee: "20", Rate: "0.4", Commission: "90000"})
			}
			sim.InsertSubAffiliateDay(affiliate.SubAffiliateDay{UID: uid, Product: product, Date: today - 6, TradingVolume: "1000", NetTradingFee: "10", PaidCommission: "900"})
		}
	}
	ctx := t.Context()
	key := secret.NewKey()
	open := func() (*store.Store, error) {
		return store.Open(ctx, o.Path, store.Options{Now: o.Now, AuditKey: key.Derive("audit")})
	}
	st, err := open()
	if err != nil {
		t.Fatal(err)
	}
	report, err := collector.New(collector.Options{Store: st, Accounts: []collector.Target{{Name: "main", Source: client}}, History: 40 * 24 * time.Hour, Now: o.Now}).
		Collect(ctx, collector.RunRequest{Cause: "command"})
	if err != nil || !report.Complete {
		t.Fatalf("the run is not complete: %+v (%v)", report, err)
	}
	box = site.OpenMailServer(t)
	post := func(st *store.Store) (*reports.Service, *mail.Service) {
		service := reports.New(st, o.Now)
		return service, mail.New(mail.Options{Store: st, Reports: service, Server: box.Server, Now: o.Now, Key: []byte("links"),
			From: &netmail.Address{Address: "desk@example.com"}, PublicURL: "https://desk.example.com"})
	}
	service, letters := post(st)
	to := []outbox.Recipient{{Address: "boss@example.com"}}
	run, err := records.StartRun(ctx, st, "main", "test")
	for _, err := range []error{
		err,
		records.FinishRun(ctx, st, run, 1, 1, "the exchange said "+own),
		service.AddTag(ctx, "main", "4667776811", own, audit.Line{Actor: "ann"}),
		service.AddNote(ctx, people.Note{Account: "main", UID: "4667776811", Author: own, Text: "of " + own}),
		service.SaveView(ctx, identity.View{Name: own, Path: "/commissions", Query: url.Values{"code": {unseen}, "range": {"30d"}}.Encode()}),
		letters.Save(ctx, outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindSchedule}, Name: own, Every: "weekly", Weekday: time.Monday, MonthDay: 1, Hour: 7, Zone: "UTC", Deadline: 1, Code: unseen, Recipients: to, AttachCSV: true}, audit.Line{}),
		letters.Save(ctx, outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindSchedule}, Name: "all of it", Every: "weekly", Weekday: time.Monday, MonthDay: 1, Hour: 7, Zone: "UTC", Deadline: 1, Recipients: to}, audit.Line{}),
		letters.Save(ctx, outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindAlert}, Name: own, Watches: "collection", Hours: 1, Zone: "UTC", Recipients: to}, audit.Line{}),
		st.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	age(t, o.Path)
	if o.Store, err = open(); err != nil {
		t.Fatal(err)
	}
	o.Access = access.NewForTests(access.Options{Store: o.Store, Box: key.Box(), Now: o.Now, SecondFactor: access.OfNobody})
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	service, letters = post(o.Store)
	o.Address, o.Server = site.Serve(t, web.Options{Reports: service, Access: o.Access, Desk: service, Collect: site.Nothing, Mail: letters,
		Console: &site.ConsoleExchange{Upstream: client}, Audit: service,
		Progress: func() collector.Progress {
			return collector.Progress{Failures: []collector.Failure{{Account: "main", Error: unseen}}, Finished: site.Now, Account: "main"}
		}})
	o.AddUser("ada", access.Admin)
	o.AddUser("theo", access.Trader)
	(&site.MailSite{Site: o, Mail: letters}).Send()
	return o, box, o.SignedInAs("ada"), o.SignedInAs("theo")
}

// age writes invisible characters into a closed database.
func age(t *testing.T, path string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err == nil && !bytes.Contains(content, []byte("€")) {
		err = errors.New("no name is in it")
	}
	if err == nil {
		err = os.WriteFile(path, []byte(aged.Replace(string(content))), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var (
	identified  = regexp.MustCompile(`/(?:\d+|\d{4}-\d{2}|[0-9a-f-]{20,}|%[^/]*)(/|$)`)
	ledTo       = regexp.MustCompile(`(?:href|hx-get|action|src)="(/[^"]*)"`)
	elsewhereTo = regexp.MustCompile(`(?:href|hx-get|action|src)="[^"]*(?:\[U\+|&#x)`)
)

// walk opens the pages that a visitor can reach, up to some of each kind, and returns
// their paths.
func walk(v *site.Visitor, begin []string, look func(path, page string)) (paths []string) {
	v.Helper()
	seen, of := map[string]bool{}, map[string]int{}
	for queue := begin; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		bare, _, _ := strings.Cut(path, "?")
		kind := identified.ReplaceAllString(bare, "/:id$1")
		if seen[path] || of[kind] == 2 || isLeaving(bare) {
			continue
		}
		seen[path] = true
		a := v.Get(path)
		if !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
			continue
		}
		look(path, a.Body)
		if a.StatusCode != 200 {
			continue
		}
		of[kind]++
		paths = append(paths, path)
		for _, link := range ledTo.FindAllStringSubmatch(a.Body, -1) {
			queue = append(queue, html.UnescapeString(link[1]))
		}
	}
	return paths
}

// isLeaving reports whether a path is a file.
func isLeaving(path string) bool {
	return strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/console/proxy/") || slices.Contains([]string{".csv", ".xlsx", ".json", ".eml"}, filepath.Ext(path))
}

// No invisible or reversing character reaches a reader raw, from any source or version.
// Values that are sent back or exported remain unchanged.
func TestInvisibleNamesAreShown(t *testing.T) {
	t.Parallel()
	o, box, ada, theo := unseenSite(t)
	var begin []string
	for _, route := range o.Server.App().GetRoutes(true) {
		if route.Method == "GET" && !strings.ContainsAny(route.Path, ":*") {
			begin = append(begin, route.Path)
		}
	}
	asking := "?" + url.Values{"range": {"30d"}, "code": {unseen}}.Encode()
	begin = append(begin, "/invitees/"+url.PathEscape(unseen), "/commissions?range=nonsense"+unseen, "/commissions?q="+url.QueryEscape(unseen),
		"/commissions"+asking, "/invitees"+asking, "/codes"+asking, "/"+asking, "/invitees/4667776811?range=30d", "/sub-affiliates/4667776811?range=30d", "/codes?range=30d",
		"/commissions?range=30d&symbol="+url.QueryEscape(unseen))
	told := map[string]bool{}
	for name, v := range map[string]*site.Visitor{"ada": ada, "theo": theo} {
		begin := slices.Clone(begin)
		if v == theo { // ada has seen the others
			begin = slices.DeleteFunc(begin, func(path string) bool { return !strings.HasPrefix(path, "/console") })
		}
		paths := walk(v, begin, func(path, page string) {
			if i := strings.IndexFunc(page, affiliate.InvisibleInLines); i >= 0 {
				t.Errorf("%s, %s: %q stands in the page", name, path, page[max(0, i-80):min(len(page), i+40)])
			}
			if found := elsewhereTo.FindString(page); found != "" {
				t.Errorf("%s, %s leads astray: %s", name, path, found)
			}
			bare, _, _ := strings.Cut(path, "?")
			told[bare] = told[bare] || strings.Contains(page, seenAs) || strings.Contains(page, ownShown)
		})
		t.Logf("%s sees %d pages", name, len(paths))
		if len(paths) < 40 {
			t.Errorf("%s sees %q only", name, paths)
		}
	}
	for _, path := range []string{"/", "/attention", "/commissions", "/invitees", "/invitees/4667776811", "/codes", "/sub-affiliates", "/collection", "/views",
		"/summaries", "/summaries/1", "/summaries/1/preview", "/summaries/1/preview/message", "/summaries/2/preview/message", "/summaries/alerts", "/summaries/alerts/1"} {
		if !told[path] {
			t.Errorf("%s does not tell what cannot be seen", path)
		}
	}

	// Forms return the exact names, and objects with such names can be removed.
	page := ada.Get("/invitees/4667776811?range=30d").Body
	tag := html.UnescapeString(site.Between(t, page, `name="tag" value="`, `"`))
	if tag != ownUnseen {
		t.Fatalf("the form sends %q", tag)
	}
	if a := ada.Post("/invitees/4667776811/tags/delete", "account", "main", "tag", tag); a.StatusCode != 303 {
		t.Errorf("the tag is not taken away: status %d", a.StatusCode)
	}
	page = ada.Get("/commissions" + asking).Body
	if got := html.UnescapeString(site.Between(t, page, `name="code" value="`, `"`)); got != unseen {
		t.Errorf("the filter sends %q", got)
	}

	// Files contain the exact names.
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(ada.Get("/commissions.csv"+asking).Body, "\ufeff"))).ReadAll()
	if err != nil || len(rows) < 3 || !slices.ContainsFunc(rows[1], func(cell string) bool { return strings.TrimPrefix(cell, "'") == unseen }) {
		t.Errorf("exported are %q (%v)", rows, err)
	}
	sentHarmlessly(t, ada, box)
}

// sentHarmlessly sends a summary and examines the received mail.
func sentHarmlessly(t *testing.T, ada *site.Visitor, box *site.MailServer) {
	t.Helper()
	for _, id := range []string{"1", "2"} {
		page := ada.Get("/summaries/" + id + "/send").Body
		period := site.Between(t, page, `name="date" value="`, `"`)
		if a := ada.Post("/summaries/"+id+"/send", "date", period, "number", "1", "partial", "yes"); a.StatusCode != 303 {
			t.Fatalf("sending %s: status %d: %s", id, a.StatusCode, a.Body)
		}
	}
	site.Soon(t, "both summaries arrive", func() bool { return len(box.Letters()) >= 2 })
	for _, one := range box.Letters() {
		letter, err := mail.ParseLetter([]byte(one.Content))
		if err != nil {
			t.Fatal(err)
		}
		parts := map[string]string{"text": letter.Text, "page": letter.HTML}
		for _, line := range letter.Header {
			parts[line.Name] = line.Value
		}
		for name, text := range parts {
			if strings.ContainsFunc(text, affiliate.InvisibleInLines) {
				t.Errorf("the %s of a mail has what cannot be seen: %q", name, text)
			}
		}
		if !strings.Contains(letter.Text, seenAs) || !strings.Contains(letter.HTML, seenAs) {
			t.Errorf("the mail does not tell of it: %s", letter.Text)
		}
	}
}
