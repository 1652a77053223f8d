package acceptance_test

import (
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/web"
)

// alertSite is a site with alerts whose manager and viewer are signed in.
type alertSite struct {
	*site
	mia, vera *visitor
}

func openAlertSite(t testing.TB) *alertSite {
	t.Helper()
	o := &site{TB: t, clock: &clock{at: now}, path: filepath.Join(t.TempDir(), "office.db")}
	o.store, o.access = newAccess(t, o.path, access.Options{Now: o.now})
	t.Cleanup(func() {
		if err := o.store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := o.store.WantFrom(t.Context(), "main", affiliate.DayOf(now, time.UTC)); err != nil {
		t.Fatal(err)
	}
	service := reports.New(o.store, o.now)
	o.address, o.server = serve(t, web.Options{Reports: sharedReports(t), Access: o.access, Desk: service, Collect: nothing,
		Mail: mail.New(mail.Options{Store: o.store, Reports: service, Now: o.now, Server: mailer.Server{Host: "mail.example.com", Port: 587}})})
	o.addUser("mia", access.Manager)
	o.addUser("vera", access.Viewer)
	return &alertSite{o, o.signedInAs("mia"), o.signedInAs("vera")}
}

// drop returns the form of a drop alert, changed by the given pairs of names and values.
func drop(changes ...string) []string {
	fields := map[string]string{"watches": "drop", "name": "Low days", "account": "main", "percent": "60", "coin": "usdt", "recipients": "boss@example.com\r\ncfo@example.com",
		"quiet": "22:00-07:00", "zone": "Europe/Berlin", "apart": "6"}
	for i := 0; i+1 < len(changes); i += 2 {
		fields[changes[i]] = changes[i+1]
	}
	var list []string
	for name, value := range fields {
		list = append(list, name, value)
	}
	return list
}

func (d *alertSite) alerts() []outbox.Subscription {
	d.Helper()
	r, err := d.store.Read(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	defer r.Close()
	list, err := outbox.Subscriptions(d.Context(), r, outbox.KindAlert)
	if err != nil {
		d.Fatal(err)
	}
	return list
}

// Each step in the life of an alert, from its form to its deletion, adds a line to the
// audit log.
func TestAlertPages(t *testing.T) {
	t.Parallel()
	d := openAlertSite(t)
	if page := d.vera.get("/summaries/alerts").body; !strings.Contains(page, "No alerts yet") || strings.Contains(page, "/summaries/alerts/new") {
		t.Error("a viewer sees something other than an empty page")
	}
	d.mia.get("/summaries/alerts/new?watches=drop")
	if a := d.mia.post("/summaries/alerts", drop()...); a.StatusCode != 303 || a.Header.Get("Location") != "/summaries/alerts?done=added" {
		t.Fatalf("adding: status %d, %s", a.StatusCode, a.body)
	}
	got := d.alerts()[0]
	if got.Watches != "drop" || got.Percent != 60 || got.Coin != "usdt" || got.Account != "main" || got.QuietFrom != 22*60 || got.QuietUntil != 7*60 || got.Zone != "Europe/Berlin" ||
		got.Apart != 6 || len(got.Recipients) != 2 || got.Hours != 0 || got.Amount != "" {
		t.Errorf("stored: %+v", got)
	}
	for _, v := range []*visitor{d.mia, d.vera} {
		page := v.get("/summaries/alerts").body
		for _, want := range []string{"Low days", "USDT commission is below 60\u00a0% of usual", "boss@example.com", "quiet hours 22:00-07:00 Europe/Berlin", "at most one mail in 6 hours", "nothing yet"} {
			if !strings.Contains(strings.ToLower(page), strings.ToLower(want)) {
				t.Errorf("the page lacks %q", want)
			}
		}
		if forms := strings.Contains(page, `/pause"`); forms != (v == d.mia) {
			t.Errorf("the page shows forms: %t", forms)
		}
	}
	one := fmt.Sprint("/summaries/alerts/", got.Number)
	page := d.mia.get(one).body
	if !strings.Contains(page, `value="22:00-07:00"`) || !strings.Contains(page, "cfo@example.com</textarea>") {
		t.Error("the form does not contain the stored values")
	}
	if a := d.mia.post(one, drop("watches", "gap", "percent", "40", "quiet", "", "version", versionOf(page, one))...); a.StatusCode != 303 {
		t.Fatalf("changing: status %d", a.StatusCode)
	}
	if got := d.alerts()[0]; got.Watches != "drop" || got.Percent != 40 || got.QuietFrom != got.QuietUntil {
		t.Errorf("changed: %+v", got)
	}
	for _, step := range []struct{ does, shows string }{{"/pause", "paused"}, {"/resume", "active"}, {"/remove", "No alerts yet"}} {
		if a := d.mia.press("/summaries/alerts", one+step.does); a.StatusCode != 303 || !strings.Contains(d.mia.get("/summaries/alerts").body, step.shows) {
			t.Errorf("%s: status %d", step.does, a.StatusCode)
		}
	}
	if a := d.mia.get(one); a.StatusCode != 404 {
		t.Errorf("a removed alert: status %d", a.StatusCode)
	}
	var actions []string
	for _, line := range d.audit() {
		if strings.HasPrefix(line.Action, "alert ") && line.Actor == "mia" && line.Object == "Low days" {
			actions = append(actions, line.Action)
		}
	}
	if want := []string{"alert removed", "alert resumed", "alert paused", "alert changed", "alert added"}; !slices.Equal(actions, want) {
		t.Errorf("the audit log has %q", actions)
	}
}

// An invalid form is returned with the typed values and its errors.
func TestAlertFormRefused(t *testing.T) {
	t.Parallel()
	d := openAlertSite(t)
	d.mia.get("/summaries/alerts/new")
	for _, c := range []struct{ field, value, says string }{
		{"name", " ", "The name is empty."}, {"percent", "100", "from 1 to 99"}, {"percent", "many", "Give a percentage."}, {"quiet", "late", "times of day"}, {"quiet", "07:00-07:00", "two different times of day"},
		{"zone", "Mars/<b>", "There is no time zone “Mars/&lt;b&gt;”"}, {"apart", "-1", "from 0 to 168"}, {"recipients", "boss@example.com\r\nnot an address", "is no mail address"},
		{"account", "nobody", "there is no such account"}, {"watches", "weather", "What should the alert watch?"},
	} {
		a := d.mia.post("/summaries/alerts", drop(c.field, c.value)...)
		if a.StatusCode != 400 || !strings.Contains(a.body, c.says) {
			t.Errorf("%s=%q: status %d without %q", c.field, c.value, a.StatusCode, c.says)
		}
		if c.field != "watches" && (!strings.Contains(a.body, "cfo@example.com") && c.field != "recipients" || strings.Count(a.body, `aria-invalid="true"`) != 1) {
			t.Errorf("%s=%q: the typed values are lost, or not exactly one field is marked", c.field, c.value)
		}
	}
	if len(d.alerts()) != 0 {
		t.Error("an invalid alert was stored")
	}
	for _, who := range []string{"/summaries/alerts/new", "/summaries/alerts/1"} {
		if a := d.vera.get(who); a.StatusCode != 403 {
			t.Errorf("a viewer at %s: status %d", who, a.StatusCode)
		}
	}
}

// busyAlerts returns a site whose alerts are in every state.
func busyAlerts(t testing.TB) *alertSite {
	t.Helper()
	d := openAlertSite(t)
	by := audit.Line{Actor: "mia", Via: "session"}
	stamp := affiliate.MillisOf(now.Add(-3 * time.Hour))
	var to []outbox.Recipient
	for i := range 9 {
		to = append(to, outbox.Recipient{Address: fmt.Sprintf("partner.manager-%d@a-rather-long-domain.example.com", i)})
	}
	list := []outbox.Subscription{
		{Name: "Collection", Watches: "collection", Hours: 3, QuietFrom: 8 * 60, QuietUntil: 18 * 60, Zone: "UTC"},
		{Name: "Gaps", Watches: "gap", Hours: 24, Zone: "UTC", Account: "main"},
		{Name: "Low days of a long name that nobody would give but somebody will", Watches: "drop", Percent: 50, Zone: "America/Argentina/Buenos_Aires", QuietFrom: 1, QuietUntil: 2, Apart: 24},
		{Name: "Silent ones", Watches: "silence", Amount: "250", Coin: "USDT", Zone: "UTC"},
	}
	for i, a := range list {
		a.Recipients = to[:1+i*2]
		a.Kind = outbox.KindAlert
		ref, err := outbox.Save(t.Context(), d.store, a, by)
		if err != nil {
			t.Fatal(err)
		}
		list[i].Ref = ref
	}
	held := []outbox.Fact{{Key: "1", Words: "The collection of main has not gone well since 20 Nov 2026 09:02 UTC: HTTP 502", Page: "/collection?account=main", Seen: stamp, Lasting: stamp}}
	var gaps []outbox.Fact
	for i := range 8 {
		gaps = append(gaps, outbox.Fact{Key: fmt.Sprint(i), Words: fmt.Sprintf("%d Nov 2026 (UTC) of main is not collected: Spot commissions – HTTP 502", i+1), Page: "/collection?account=main", Seen: stamp})
	}
	message := outbox.Summary{Of: list[3].Ref, Made: stamp, Scope: "alert", Subject: "Alert: 1 invitee stopped trading – all accounts (UTC)", HTML: "<p>", From: "desk@example.com"}
	_, err := outbox.QueueAlert(t.Context(), d.store, []outbox.Fact{{Key: "1"}}, message, []outbox.Addressee{{Address: "boss@example.com", HeaderID: "1@x"}})
	for _, err := range []error{err, outbox.NoteFacts(t.Context(), d.store, list[0].ID, held, nil), outbox.NoteFacts(t.Context(), d.store, list[1].ID, gaps, nil), outbox.Pause(t.Context(), d.store, list[2], true, by)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// The page shows which findings are held back and why, which are only watched, and the
// last report.
func TestAlertStatesOnPage(t *testing.T) {
	t.Parallel()
	d := busyAlerts(t)
	page := d.vera.get("/summaries/alerts").body
	for _, want := range []string{"1 event is held back", "until 20 Nov 2026 18:00 UTC: quiet time.", "not gone well since 20 Nov 2026 09:02 UTC", "reported if it lasts: 8", "and 3 more", "paused",
		"1 of 1 on the way", "/summaries/deliveries?message="} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if log := d.vera.get("/summaries/deliveries").body; !strings.Contains(log, "Silent ones") {
		t.Error("the log does not name the alert")
	}
	if one := d.vera.get("/summaries/deliveries/1"); one.StatusCode != 200 || !strings.Contains(one.body, "alert, “Silent ones”") {
		t.Errorf("the mail of an alert: status %d", one.StatusCode)
	}
}

// This test opens every page about alerts on every screen.
func TestBrowserAlerts(t *testing.T) {
	t.Parallel()
	d := busyAlerts(t)
	pages := []struct{ name, path string }{{"list", ""}, {"choice", "/new"}, {"new", "/new?watches=" + url.QueryEscape("silence")}, {"edit", "/1"}}
	b := openApart(t, d.address+"/login", desktop)
	b.enterAs(d.mia, d.address)
	for _, s := range []screen{desktop, phone, darkness} {
		b.look(s)
		for _, p := range pages {
			b.goes(d.address + "/summaries/alerts" + p.path)
			b.arrives(`document.querySelector("nav[aria-label=Summaries] [aria-current]") !== null`)
			b.looksRight("alerts-" + p.name + "-" + s.name)
			if p.name == "list" {
				eval[bool](b, `document.querySelectorAll("main details:not([data-menu])").forEach(d => d.open = true), true`)
				b.looksRight("alerts-open-" + s.name)
			}
		}
	}
}

// The choice offers each condition; its form asks for its limits only, and what is usual can be saved. The
// form of a channel offers each event.
func TestEveryConditionAndEvent(t *testing.T) {
	t.Parallel()
	d := openAlertSite(t)
	choice := d.mia.get("/summaries/alerts/new").body
	for _, a := range findings.Alerts() {
		if !strings.Contains(choice, `href="/summaries/alerts/new?watches=`+a.Name+`"`) || !strings.Contains(choice, html.EscapeString(a.Title)) {
			t.Errorf("there is no choice %s", a.Name)
		}
		form := d.mia.get("/summaries/alerts/new?watches=" + a.Name).body
		for field, asked := range map[string]bool{"hours": a.Hours > 0, "percent": a.Percent > 0, "amount": a.Amount != "", "coin": a.Amount != "" || a.Coin != ""} {
			if strings.Contains(form, `name="`+field+`"`) != asked {
				t.Errorf("the form of %s asks for %s: %t, want %t", a.Name, field, !asked, asked)
			}
		}
		amount := ""
		if a.Amount != "" {
			amount = "100"
		}
		saved := d.mia.post("/summaries/alerts", drop("name", "On "+a.Name, "watches", a.Name, "hours", fmt.Sprint(a.Hours), "percent", fmt.Sprint(a.Percent), "amount", amount, "coin", "USDT")...)
		if saved.StatusCode != 303 || !strings.Contains(d.mia.get("/summaries/alerts").body, "On "+a.Name) {
			t.Errorf("the alert on %s is not saved: status %d", a.Name, saved.StatusCode)
		}
	}
	channels := d.mia.get("/channels").body
	for _, e := range findings.Events() {
		if strings.Contains(channels, `name="event-`+e.Name+`"`) != (e.Label != "") {
			t.Errorf("the event %s is offered, or is not, against its label %q", e.Name, e.Label)
		}
	}
}

// Alerts about payments have a coin, and what is outstanding has an amount. The overview loads
// what was paid after the page, if it can be narrowed as the page is.
func TestAlertsOfPayments(t *testing.T) {
	t.Parallel()
	d := openAlertSite(t)
	d.mia.get("/summaries/alerts/new?watches=outstanding")
	if a := d.mia.post("/summaries/alerts", drop("watches", "outstanding", "percent", "", "amount", "")...); a.StatusCode != 400 || !strings.Contains(a.body, "Give the amount with its coin") {
		t.Errorf("without an amount: status %d", a.StatusCode)
	}
	d.mia.get("/summaries/alerts/new?watches=payment")
	for _, fields := range [][]string{{"watches", "outstanding", "name", "Unpaid", "amount", "100", "coin", "USDT"}, {"watches", "payment", "name", "Payments", "coin", ""}} {
		if a := d.mia.post("/summaries/alerts", drop(fields...)...); a.StatusCode != 303 {
			t.Errorf("%v: status %d, %s", fields, a.StatusCode, a.body)
		}
	}
	list := d.vera.get("/summaries/alerts").body
	for _, want := range []string{"More than 100 USDT is due and not paid", "A payment is missing, too low, late or made twice"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if page := d.vera.get("/?coin=USDT").body; !strings.Contains(page, `id="payments-card"`) {
		t.Error("the overview does not say what was paid")
	}
	if page := d.vera.get("/?product=SPOT").body; strings.Contains(page, "payments-card") {
		t.Error("the overview shows payments of a product")
	}
	_, paidCard, _ := strings.Cut(d.vera.get("/?range=30d&coin=USDT").body, `id="payments-card"`)
	paid := regexp.MustCompile(`title="([0-9.]+ USDT)"`).FindStringSubmatch(paidCard)
	if paid == nil || !strings.Contains(d.vera.get("/payments?range=30d").body, paid[1]) {
		t.Errorf("paid: %q, which the page of payments does not say", paid)
	}
}
