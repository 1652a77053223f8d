package mails_test

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

	"rebatedesk/acceptance/site"
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
	*site.Site
	mia, vera *site.Visitor
}

func openAlertSite(t testing.TB) *alertSite {
	t.Helper()
	o := &site.Site{TB: t, Clock: &site.Clock{At: site.Now}, Path: filepath.Join(t.TempDir(), "office.db")}
	o.Store, o.Access = site.NewAccess(t, o.Path, access.Options{Now: o.Now})
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := o.Store.WantFrom(t.Context(), "main", affiliate.DayOf(site.Now, time.UTC)); err != nil {
		t.Fatal(err)
	}
	service := reports.New(o.Store, o.Now)
	o.Address, o.Server = site.Serve(t, web.Options{Reports: site.SharedReports(t), Access: o.Access, Desk: service, Collect: site.Nothing,
		Mail: mail.New(mail.Options{Store: o.Store, Reports: service, Now: o.Now, Server: mailer.Server{Host: "mail.example.com", Port: 587}})})
	o.AddUser("mia", access.Manager)
	o.AddUser("vera", access.Viewer)
	return &alertSite{o, o.SignedInAs("mia"), o.SignedInAs("vera")}
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
	r, err := d.Store.Read(d.Context())
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
	if page := d.vera.Get("/summaries/alerts").Body; !strings.Contains(page, "No alerts yet") || strings.Contains(page, "/summaries/alerts/new") {
		t.Error("a viewer sees something other than an empty page")
	}
	d.mia.Get("/summaries/alerts/new?watches=drop")
	if a := d.mia.Post("/summaries/alerts", drop()...); a.StatusCode != 303 || a.Header.Get("Location") != "/summaries/alerts?done=added" {
		t.Fatalf("adding: status %d, %s", a.StatusCode, a.Body)
	}
	got := d.alerts()[0]
	if got.Watches != "drop" || got.Percent != 60 || got.Coin != "usdt" || got.Account != "main" || got.QuietFrom != 22*60 || got.QuietUntil != 7*60 || got.Zone != "Europe/Berlin" ||
		got.Apart != 6 || len(got.Recipients) != 2 || got.Hours != 0 || got.Amount != "" {
		t.Errorf("stored: %+v", got)
	}
	for _, v := range []*site.Visitor{d.mia, d.vera} {
		page := v.Get("/summaries/alerts").Body
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
	page := d.mia.Get(one).Body
	if !strings.Contains(page, `value="22:00-07:00"`) || !strings.Contains(page, "cfo@example.com</textarea>") {
		t.Error("the form does not contain the stored values")
	}
	if a := d.mia.Post(one, drop("watches", "gap", "percent", "40", "quiet", "", "version", site.VersionOf(page, one))...); a.StatusCode != 303 {
		t.Fatalf("changing: status %d", a.StatusCode)
	}
	if got := d.alerts()[0]; got.Watches != "drop" || got.Percent != 40 || got.QuietFrom != got.QuietUntil {
		t.Errorf("changed: %+v", got)
	}
	for _, step := range []struct{ does, shows string }{{"/pause", "paused"}, {"/resume", "active"}, {"/remove", "No alerts yet"}} {
		if a := d.mia.Press("/summaries/alerts", one+step.does); a.StatusCode != 303 || !strings.Contains(d.mia.Get("/summaries/alerts").Body, step.shows) {
			t.Errorf("%s: status %d", step.does, a.StatusCode)
		}
	}
	if a := d.mia.Get(one); a.StatusCode != 404 {
		t.Errorf("a removed alert: status %d", a.StatusCode)
	}
	var actions []string
	for _, line := range d.Audit() {
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
	d.mia.Get("/summaries/alerts/new")
	for _, c := range []struct{ field, value, says string }{
		{"name", " ", "The name is empty."}, {"percent", "100", "from 1 to 99"}, {"percent", "many", "Give a percentage."}, {"quiet", "late", "times of day"}, {"quiet", "07:00-07:00", "two different times of day"},
		{"zone", "Mars/<b>", "There is no time zone “Mars/&lt;b&gt;”"}, {"apart", "-1", "from 0 to 168"}, {"recipients", "boss@example.com\r\nnot an address", "is no mail address"},
		{"account", "nobody", "there is no such account"}, {"watches", "weather", "What should the alert watch?"},
	} {
		a := d.mia.Post("/summaries/alerts", drop(c.field, c.value)...)
		if a.StatusCode != 400 || !strings.Contains(a.Body, c.says) {
			t.Errorf("%s=%q: status %d without %q", c.field, c.value, a.StatusCode, c.says)
		}
		if c.field != "watches" && (!strings.Contains(a.Body, "cfo@example.com") && c.field != "recipients" || strings.Count(a.Body, `aria-invalid="true"`) != 1) {
			t.Errorf("%s=%q: the typed values are lost, or not exactly one field is marked", c.field, c.value)
		}
	}
	if len(d.alerts()) != 0 {
		t.Error("an invalid alert was stored")
	}
	for _, who := range []string{"/summaries/alerts/new", "/summaries/alerts/1"} {
		if a := d.vera.Get(who); a.StatusCode != 403 {
			t.Errorf("a viewer at %s: status %d", who, a.StatusCode)
		}
	}
}

// busyAlerts returns a site whose alerts are in every state.
func busyAlerts(t testing.TB) *alertSite {
	t.Helper()
	d := openAlertSite(t)
	by := audit.Line{Actor: "mia", Via: "session"}
	stamp := affiliate.MillisOf(site.Now.Add(-3 * time.Hour))
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
		ref, err := outbox.Save(t.Context(), d.Store, a, by)
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
	_, err := outbox.QueueAlert(t.Context(), d.Store, []outbox.Fact{{Key: "1"}}, message, []outbox.Addressee{{Address: "boss@example.com", HeaderID: "1@x"}})
	for _, err := range []error{err, outbox.NoteFacts(t.Context(), d.Store, list[0].ID, held, nil), outbox.NoteFacts(t.Context(), d.Store, list[1].ID, gaps, nil), outbox.Pause(t.Context(), d.Store, list[2], true, by)} {
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
	page := d.vera.Get("/summaries/alerts").Body
	for _, want := range []string{"1 event is held back", "until 20 Nov 2026 18:00 UTC: quiet time.", "not gone well since 20 Nov 2026 09:02 UTC", "reported if it lasts: 8", "and 3 more", "paused",
		"1 of 1 on the way", "/summaries/deliveries?message="} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if log := d.vera.Get("/summaries/deliveries").Body; !strings.Contains(log, "Silent ones") {
		t.Error("the log does not name the alert")
	}
	if one := d.vera.Get("/summaries/deliveries/1"); one.StatusCode != 200 || !strings.Contains(one.Body, "alert, “Silent ones”") {
		t.Errorf("the mail of an alert: status %d", one.StatusCode)
	}
}

// Every page about alerts looks right.
func TestBrowserAlerts(t *testing.T) {
	t.Parallel()
	d := busyAlerts(t)
	pages := []struct{ name, path string }{{"list", ""}, {"choice", "/new"}, {"new", "/new?watches=" + url.QueryEscape("silence")}, {"edit", "/1"}}
	b := site.OpenApart(t, d.Address+"/login", site.Desktop)
	b.EnterAs(d.mia, d.Address)
	for _, p := range pages {
		b.Goes(d.Address + "/summaries/alerts" + p.path)
		b.Arrives(`document.querySelector("nav[aria-label=Reports] [aria-current]") !== null`)
		if p.name == "list" {
			b.LooksRight("alerts-folded")
			site.Eval[bool](b, `document.querySelectorAll("main details:not([data-menu])").forEach(d => d.open = true), true`)
		}
		b.Looks("alerts-" + p.name)
	}
}

// The choice offers each condition; its form asks for its limits only, and what is usual can be saved. The
// form of a channel offers each event.
func TestEveryConditionAndEvent(t *testing.T) {
	t.Parallel()
	d := openAlertSite(t)
	choice := d.mia.Get("/summaries/alerts/new").Body
	for _, a := range findings.Alerts() {
		if !strings.Contains(choice, `href="/summaries/alerts/new?watches=`+a.Name+`"`) || !strings.Contains(choice, html.EscapeString(a.Title)) {
			t.Errorf("there is no choice %s", a.Name)
		}
		form := d.mia.Get("/summaries/alerts/new?watches=" + a.Name).Body
		for field, asked := range map[string]bool{"hours": a.Hours > 0, "percent": a.Percent > 0, "amount": a.Amount != "", "coin": a.Amount != "" || a.Coin != ""} {
			if strings.Contains(form, `name="`+field+`"`) != asked {
				t.Errorf("the form of %s asks for %s: %t, want %t", a.Name, field, !asked, asked)
			}
		}
		amount := ""
		if a.Amount != "" {
			amount = "100"
		}
		saved := d.mia.Post("/summaries/alerts", drop("name", "On "+a.Name, "watches", a.Name, "hours", fmt.Sprint(a.Hours), "percent", fmt.Sprint(a.Percent), "amount", amount, "coin", "USDT")...)
		if saved.StatusCode != 303 || !strings.Contains(d.mia.Get("/summaries/alerts").Body, "On "+a.Name) {
			t.Errorf("the alert on %s is not saved: status %d", a.Name, saved.StatusCode)
		}
	}
	channels := d.mia.Get("/channels").Body
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
	d.mia.Get("/summaries/alerts/new?watches=outstanding")
	if a := d.mia.Post("/summaries/alerts", drop("watches", "outstanding", "percent", "", "amount", "")...); a.StatusCode != 400 || !strings.Contains(a.Body, "Give the amount with its coin") {
		t.Errorf("without an amount: status %d", a.StatusCode)
	}
	d.mia.Get("/summaries/alerts/new?watches=payment")
	for _, fields := range [][]string{{"watches", "outstanding", "name", "Unpaid", "amount", "100", "coin", "USDT"}, {"watches", "payment", "name", "Payments", "coin", ""}} {
		if a := d.mia.Post("/summaries/alerts", drop(fields...)...); a.StatusCode != 303 {
			t.Errorf("%v: status %d, %s", fields, a.StatusCode, a.Body)
		}
	}
	list := d.vera.Get("/summaries/alerts").Body
	for _, want := range []string{"More than 100 USDT is due and not paid", "A payment is missing, too low, late or made twice"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if page := d.vera.Get("/?coin=USDT").Body; !strings.Contains(page, `id="payments-card"`) {
		t.Error("the overview does not say what was paid")
	}
	if page := d.vera.Get("/?product=SPOT").Body; strings.Contains(page, "payments-card") {
		t.Error("the overview shows payments of a product")
	}
	_, paidCard, _ := strings.Cut(d.vera.Get("/?range=30d&coin=USDT").Body, `id="payments-card"`)
	paid := regexp.MustCompile(`title="([0-9.]+ USDT)"`).FindStringSubmatch(paidCard)
	if paid == nil || !strings.Contains(d.vera.Get("/payments?range=30d").Body, paid[1]) {
		t.Errorf("paid: %q, which the page of payments does not say", paid)
	}
}
