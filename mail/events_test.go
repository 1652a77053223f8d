package mail

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

// toldEvent is an event as a webhook gets it.
type toldEvent struct {
	Type, Timestamp string
	Data            map[string]any
}

// Each event of the contract is caused as in life, and told once to a webhook and once to a chat,
// with its type, its link and the facts that programs need. It is not told again after a restart.
func TestEveryEvent(t *testing.T) {
	august := affiliate.NewDay(2026, time.August, 1)
	causes := map[string]struct {
		made  func(testing.TB, mailer.Server) *fixture
		cause func(*testing.T, *fixture, outbox.Channel)
		link  string
		facts map[string]string // of the first finding, or of the event itself
	}{
		"collection.failed": {steadyFixture, func(_ *testing.T, d *fixture, _ outbox.Channel) { d.run("the exchange is away") },
			"/collection?account=main", map[string]string{"account": "main", "error": "the exchange is away"}},
		"collection.incomplete": {steadyFixture, func(t *testing.T, d *fixture, _ outbox.Channel) {
			d.now = tomorrow(9, 0)
			for _, stream := range affiliate.Streams() {
				slice := records.Slice{Account: "main", Stream: stream, Days: daysOf(first+1, first+1), Started: d.now, Through: affiliate.MillisOf(d.now)}
				if err := records.FailSlice(t.Context(), d.store, slice, "HTTP 502"); err != nil {
					t.Fatal(err)
				}
			}
		}, "/collection", map[string]string{"account": "main", "day": "2026-09-02"}},
		"figures.restated": {steadyFixture, func(_ *testing.T, d *fixture, _ outbox.Channel) {
			d.collect(daysOf(first-9, first-9), brings(first-9, "510.000000000000000001", "USDT"), brings(first-9, "1", "BTC"))
		}, "/collection/restatements?", map[string]string{"coin": "USDT", "difference": "500.000000000000000001", "from": "2026-08-23"}},
		"payment.missing": {func(t testing.TB, o mailer.Server) *fixture {
			d := paidDaily(t, o, first-30)
			d.pays(append(bills(first-70, first-1, first-30), reward(first-30, "1", "BTC", 0))...)
			return d
		}, nil,
			"/payments/line?", map[string]string{"account": "main", "coin": "USDT", "state": "missing", "earned": "10", "paid": "0", "difference": "-10"}},
		"payment.short": {func(t testing.TB, o mailer.Server) *fixture {
			d := paidDaily(t, o, first-30)
			d.pays(append(bills(first-70, first-1, first-30), reward(first-30, "10", "USDT", 0), reward(first-30, "0.4", "BTC", 0))...)
			return d
		}, nil, "/payments/line?", map[string]string{"account": "main", "coin": "BTC", "state": "short", "earned": "1", "paid": "0.4", "difference": "-0.6"}},
		"rate.changed": {func(t testing.TB, o mailer.Server) *fixture {
			d := newFixture(t, o)
			d.paidAt(first-40, first+40, first)
			return d
		}, func(_ *testing.T, d *fixture, _ outbox.Channel) { d.paidAt(first-40, first+1, first+8) },
			"/rates?from=", map[string]string{"from": "2026-09-02", "coin": "USDT", "difference": "-80"}},
		"invitee.silent": {steadyFixture, func(_ *testing.T, d *fixture, _ outbox.Channel) {
			d.now = (first + 10).Start(time.UTC).Add(32 * time.Hour)
			d.collect(daysOf(first+1, first+11))
		}, "/invitees/4667776801?account=main", map[string]string{"account": "main", "uid": "4667776801", "coin": "BTC", "at_risk": "30", "last_trade": "2026-09-01"}},
		"summary.ready": {func(t testing.TB, o mailer.Server) *fixture { return collected(t, o) }, func(_ *testing.T, d *fixture, _ outbox.Channel) {
			d.schedule(func(s *outbox.Subscription) { s.Through = first - 1 })
			d.now = d.now.Add(24 * time.Hour)
			d.collect(daysOf(first-40, first+2), programme(daysOf(first-40, first+1))...)
			d.queueAll()
			d.queueAll()
		}, "", map[string]string{"schedule": "Morning", "period": "daily", "from": "2026-09-02", "to": "2026-09-02"}},
		"month.closed": {steadyFixture, func(t *testing.T, d *fixture, _ outbox.Channel) {
			if _, err := d.reports.CloseMonth(t.Context(), august, true, "to see the event", someone); err != nil {
				t.Fatal(err)
			}
		}, "/months/2026-08", map[string]string{"month": "2026-08", "by": "anna"}},
		"test": {steadyFixture, func(t *testing.T, d *fixture, _ outbox.Channel) {
			list, err := d.Service.Channels(t.Context())
			for _, c := range list {
				err = errors.Join(err, d.Service.TestChannel(t.Context(), c, someone))
			}
			if err != nil {
				t.Fatal(err)
			}
		}, "/channels", map[string]string{}},
	}
	for name, c := range causes {
		t.Run(name, func(t *testing.T) {
			d := withBox(t, c.made(t, mailer.Server{}))
			h := newHook(t)
			others := slices.DeleteFunc(slices.Clone(findings.EventNames()), func(one string) bool { return one == name })
			webhook, secret := d.channel("webhook", h.URL+"/hook", name)
			d.channel("slack", h.URL+"/chat", name)
			d.channel("webhook", h.URL+"/others", others...)
			d.now = d.now.Add(time.Minute)
			if c.cause != nil {
				c.cause(t, d, webhook)
			}
			for range 2 {
				d.lookForEvents()
			}
			again := d.secondProcess()
			again.sealed, again.now = d.sealed, d.now.Add(time.Hour)
			again.lookForEvents()

			got := map[string][]posted{}
			for _, p := range h.all() {
				got[p.path] = append(got[p.path], p)
			}
			want := 1 // a program gets a message for each finding
			if name == "invitee.silent" {
				want = 2 // one for each coin
			}
			if len(got["/hook"]) != want || len(got["/chat"]) != 1 {
				t.Fatalf("the webhook got %d messages and the chat %d: %v", len(got["/hook"]), len(got["/chat"]), h.all())
			}
			var event toldEvent
			p := got["/hook"][0]
			if err := json.Unmarshal([]byte(p.body), &event); err != nil || event.Type != name || !p.verified(secret) {
				t.Errorf("%v, signed %v: %s", err, p.verified(secret), p.body)
			}
			link, _ := event.Data["link"].(string)
			if !strings.HasPrefix(link, "https://desk.example.com"+c.link) || event.Data["text"] == "" || event.Timestamp == "" {
				t.Errorf("the event is %s", p.body)
			}
			facts := event.Data
			if list, ok := event.Data["findings"].([]any); ok && len(list) > 0 {
				facts = list[0].(map[string]any)
				if facts["key"] == "" || facts["text"] == "" {
					t.Errorf("the finding has no key or text: %v", facts)
				}
			}
			for key, want := range c.facts {
				if facts[key] != want {
					t.Errorf("%s is %v, want %s, in %s", key, facts[key], want, p.body)
				}
			}
			for _, other := range got["/others"] {
				if strings.Contains(other.body, `"type":"`+name+`"`) && name != "test" {
					t.Errorf("a channel that is not told of it got it: %s", other.body)
				}
			}
		})
	}
}

func steadyFixture(t testing.TB, o mailer.Server) *fixture { return steady(t, o) }

// lookForEvents does what the service does twice a minute.
func (d *fixture) lookForEvents() {
	d.Helper()
	if err := d.Service.lookAtEvents(d.Context()); err != nil {
		d.Fatal(err)
	}
	d.post()
}

func (d *fixture) numbered(id int64) outbox.Attempt {
	d.Helper()
	list := d.log()
	i := slices.IndexFunc(list, func(one outbox.Attempt) bool { return one.ID == id })
	if i < 0 {
		d.Fatalf("delivery %d is not in the log", id)
	}
	return list[i]
}

// A channel stops after the tries of a message, which take a day. Its owner gets one
// mail, and there is one finding, whatever the number of messages that wait. Once it is resumed,
// they go out, except those that are older than three days.
func TestOwnerOfDeadChannel(t *testing.T) {
	t.Parallel()
	o := newMailServer(t)
	d := withBox(t, newFixture(t, o.Server))
	h := newHook(t)
	broken := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", http.StatusServiceUnavailable) }
	h.answers(broken)
	desk := d.Service
	if _, err := desk.AddChannel(t.Context(), NewChannel{Name: "Ops", Kind: "webhook", Address: h.URL + "/canary-path", Owner: "owner@example.com"}, someone); err != nil {
		t.Fatal(err)
	}
	c, err := desk.ChannelNamed(t.Context(), "Ops")
	if err != nil {
		t.Fatal(err)
	}
	began := d.now
	d.tell(c)
	message := d.newestOf(c).ID
	late := began.Add(5 * time.Hour)
	for step := range 100 {
		if step < 4 || d.now.After(late) { // more messages do not bring the end nearer
			d.now = d.now.Add(time.Minute)
			d.queueTo(outbox.ChannelAddress(c.ID))
			if step >= 4 {
				late = late.Add(24 * time.Hour)
			}
		}
		at := d.numbered(message)
		if at.State != outbox.Waiting {
			break
		}
		if at.Next.Time().After(d.now) {
			d.now = at.Next.Time()
		}
		d.post()
		d.drain()
		d.now = d.now.Add(postHeld)
	}
	d.drain()
	d.drain()
	if c, err = desk.Channel(t.Context(), c.ID); err != nil || !c.Paused.Known() || !strings.Contains(c.Fault, "503 Service Unavailable") {
		t.Fatalf("the channel is %+v, %v", c, err)
	}
	if at := d.numbered(message); at.State != outbox.Dead || at.Tries != dispatch.MostTries {
		t.Errorf("the first message is %+v", at)
	}
	if took := d.now.Sub(began); took < 20*time.Hour || took > 30*time.Hour {
		t.Errorf("it took %s", took)
	}
	letters := o.copies("owner@example.com")
	if len(letters) != 1 {
		t.Fatalf("the owner got %d mails", len(letters))
	}
	_, parts := parse(t, letters[0].content)
	if text := text(parts, "text/plain"); !strings.Contains(text, "Ops") || !strings.Contains(text, "has stopped") || !strings.Contains(text, "503 Service Unavailable") || !strings.Contains(text, "/channels") || strings.Contains(text, "canary") {
		t.Errorf("the mail says\n%s", text)
	}
	d.post()
	tries := len(h.all())
	d.now = d.now.Add(time.Hour)
	d.post()
	if len(h.all()) != tries {
		t.Error("a stopped channel is tried")
	}
	today := affiliate.DayOf(d.now, time.UTC)
	view, err := d.reports.Attention(t.Context(), query.Query{Zone: time.UTC, Today: today, Days: affiliate.Days{First: today, Last: today}, Page: 1, Per: query.DefaultPer})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(slices.DeleteFunc(slices.Clone(view.Findings), func(f findings.Finding) bool { _, ok := f.(findings.Channel); return !ok })); n != 1 {
		t.Errorf("%d findings about the channel", n)
	}
	waiting := func() (n int) {
		for _, one := range d.log() {
			if one.Channel == c.ID && one.State == outbox.Waiting {
				n++
			}
		}
		return n
	}
	kept := waiting()
	d.queueTo(outbox.ChannelAddress(c.ID)) // none of those that are made meanwhile is kept
	if waiting() != kept || kept < 2 {
		t.Errorf("%d messages wait, and then %d", kept, waiting())
	}
	h.answers(nil)
	d.now = began.Add(postOld + 30*time.Minute)
	if err := desk.PauseChannel(t.Context(), c, false, someone); err != nil {
		t.Fatal(err)
	}
	d.post()
	old, sent := 0, 0
	for _, one := range d.log() {
		switch {
		case one.Channel != c.ID || one.ID == message:
		case one.State == outbox.Dead && strings.Contains(one.Answer, "three days"):
			old++
		case one.State == outbox.Sent:
			sent++
		default:
			t.Errorf("a message that waited is %+v", one)
		}
	}
	if old == 0 || sent == 0 || old+sent != kept || len(h.all()) != tries+sent {
		t.Errorf("%d were given up and %d sent, of %d", old, sent, kept)
	}
}

// A receiver that asks for long pauses again and again stops its channel too, before its messages
// are too old, and the owner is told.
func TestChannelOfLongPausesStops(t *testing.T) {
	t.Parallel()
	o := newMailServer(t)
	d := withBox(t, newFixture(t, o.Server))
	h := newHook(t)
	h.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "18000")
		http.Error(w, "busy", http.StatusServiceUnavailable)
	})
	desk := d.Service
	if _, err := desk.AddChannel(t.Context(), NewChannel{Name: "Ops", Kind: "webhook", Address: h.URL + "/canary-path", Owner: "owner@example.com"}, someone); err != nil {
		t.Fatal(err)
	}
	c, err := desk.ChannelNamed(t.Context(), "Ops")
	if err != nil {
		t.Fatal(err)
	}
	began := d.now
	d.tell(c)
	message := d.newestOf(c).ID
	for range 30 {
		at := d.numbered(message)
		if at.State != outbox.Waiting {
			break
		}
		d.now = at.Next.Time().Add(postHeld)
		d.post()
		d.drain()
	}
	d.drain()
	if c, err = desk.Channel(t.Context(), c.ID); err != nil || !c.Paused.Known() {
		t.Fatalf("the channel is %+v, %v", c, err)
	}
	if at := d.numbered(message); at.State != outbox.Dead || at.Tries != slowTries {
		t.Errorf("the message is %+v", at)
	}
	if took := d.now.Sub(began); took < 36*time.Hour || took > postOld {
		t.Errorf("it took %s", took)
	}
	if letters := o.copies("owner@example.com"); len(letters) != 1 {
		t.Errorf("the owner got %d mails", len(letters))
	}
}
