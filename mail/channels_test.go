package mail

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/outbox"
	"rebatedesk/store/storetest"
)

// hook is a receiver that keeps what it got and answers as it is told.
type hook struct {
	*httptest.Server
	mutex  sync.Mutex
	got    []posted
	answer http.HandlerFunc // nil: 200
}

// posted is a request that a receiver got.
type posted struct {
	path   string
	header http.Header
	body   string
}

func newHook(t testing.TB) *hook {
	h := &hook{}
	h.Server = httptest.NewServer(h.keep(t))
	t.Cleanup(h.Close)
	return h
}

// keep keeps each request and answers it.
func (h *hook) keep(t testing.TB) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h.mutex.Lock()
		h.got = append(h.got, posted{r.URL.Path, r.Header, string(body)})
		answer := h.answer
		h.mutex.Unlock()
		if answer != nil {
			answer(w, r)
		}
	}
}

func (h *hook) answers(f http.HandlerFunc) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.answer = f
}

func (h *hook) all() []posted {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.Clone(h.got)
}

// withBox is a fixture whose service can seal, without a mail server.
func withBox(t testing.TB, d *fixture) *fixture {
	t.Helper()
	d.sealed = secret.NewKey().Box()
	return d
}

func (d *fixture) channel(kind, address string, events ...string) (c outbox.Channel, secret string) {
	d.Helper()
	name := fmt.Sprintf("%s %d", kind, d.channels())
	secret, err := d.Service.AddChannel(d.Context(), NewChannel{Name: name, Kind: kind, Address: address, Events: events}, someone)
	if err != nil {
		d.Fatal(err)
	}
	if c, err = d.Service.ChannelNamed(d.Context(), name); err != nil {
		d.Fatal(err)
	}
	return c, secret
}

func (d *fixture) channels() int {
	d.Helper()
	list, err := d.Service.Channels(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	return len(list)
}

// verified checks a signature as the Standard Webhooks specification describes it.
func (p posted) verified(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !strings.HasPrefix(secret, "whsec_") || len(key) < 24 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(p.header.Get("webhook-id") + "." + p.header.Get("webhook-timestamp") + "." + p.body))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	return slices.Contains(strings.Split(p.header.Get("webhook-signature"), " "), want)
}

// A summary reaches a webhook and chats: signed, with exact amounts, the picture and one ID.
func TestSummaryToChannels(t *testing.T) {
	d := withBox(t, collected(t, mailer.Server{}))
	h := newHook(t)
	webhook, secret := d.channel("webhook", h.URL+"/hook-of-ours")
	telegram, _ := d.channel("telegram", h.URL+"/bot123:token?chat_id=-100")
	slack, _ := d.channel("slack", h.URL+"/services/T/B/x")
	discord, _ := d.channel("discord", h.URL+"/api/webhooks/1/abcdefgh")
	_, _ = d.channel("webhook", h.URL+"/told", "summary.ready")
	var to []string
	for _, c := range []outbox.Channel{webhook, telegram, slack, discord} {
		to = append(to, outbox.ChannelAddress(c.ID))
	}
	d.schedule(func(s *outbox.Subscription) { s.Recipients, s.Through = outbox.Recipients(to), first-1 })
	d.now = d.now.Add(24 * time.Hour)
	d.collect(daysOf(first-40, first+2), programme(daysOf(first-40, first+1))...)
	d.queueAll()
	d.queueAll()
	if err := d.Service.drainChannels(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := h.all()
	if len(got) != 5 {
		t.Fatalf("%d requests, want 5: %+v", len(got), d.log())
	}
	by := map[string]posted{}
	for _, p := range got {
		by[p.path] = p
	}
	hooked := by["/hook-of-ours"]
	var event struct {
		Type, Timestamp string
		Data            struct {
			Schedule, From, Link string
			Totals               []struct{ Coin, Commission string }
		}
	}
	if err := json.Unmarshal([]byte(hooked.body), &event); err != nil || event.Type != "summary.ready" || event.Data.Schedule != "Morning" || len(event.Data.Totals) != 2 ||
		!strings.Contains(hooked.body, `"commission":"253.270370367037037034"`) || event.Data.Link == "" {
		t.Errorf("the event is %s, %v", hooked.body, err)
	}
	if !hooked.verified(secret) || !strings.HasPrefix(hooked.header.Get("webhook-id"), "msg_") {
		t.Errorf("the signature is wrong: %v", hooked.header)
	}
	if p := by["/bot123:token/sendPhoto"]; !strings.Contains(p.body, "\x89PNG") || !strings.Contains(p.body, "Affiliate report") || !strings.Contains(p.body, "-100") {
		t.Errorf("Telegram got %.300q", p.body)
	}
	if p := by["/services/T/B/x"]; !strings.Contains(p.body, "Affiliate report") || strings.Contains(p.body, "<b>") {
		t.Errorf("Slack got %s", p.body)
	}
	if p := by["/api/webhooks/1/abcdefgh"]; !strings.Contains(p.body, "\x89PNG") || !strings.Contains(p.body, `"allowed_mentions":{"parse":[]}`) {
		t.Errorf("Discord got %.300q", p.body)
	}
	for _, one := range d.log() {
		if one.State != outbox.Sent || !one.Posted || one.Group == "" {
			t.Errorf("%+v", one)
		}
	}
}

// tell queues a message for channels and posts it.
func (d *fixture) tell(channels ...outbox.Channel) {
	d.Helper()
	var to []string
	for _, c := range channels {
		to = append(to, outbox.ChannelAddress(c.ID))
	}
	d.queueTo(to...)
	d.post()
}

// queueTo queues a message for recipients.
func (d *fixture) queueTo(to ...string) {
	d.Helper()
	m := outbox.Summary{Kind: outbox.SummaryManual, Scope: fmt.Sprint(d.now.UnixNano()), Days: daysOf(first, first), Every: "daily", Made: 1, From: sender.String(), Subject: "x", Text: "x", HTML: "x", Brief: "text", Event: `{"type":"test"}`}
	copies, err := d.Service.copiesTo(d.Context(), m, to, nil)
	if err != nil {
		d.Fatal(err)
	}
	if _, err := outbox.QueueSummary(d.Context(), d.store, m, copies); err != nil {
		d.Fatal(err)
	}
}

func (d *fixture) post() {
	d.Helper()
	if err := d.Service.drainChannels(d.Context()); err != nil {
		d.Fatal(err)
	}
}

func (d *fixture) newestOf(c outbox.Channel) outbox.Attempt {
	d.Helper()
	list, err := d.Deliveries(d.Context(), outbox.AttemptQuery{Channel: c.ID, Limit: 1})
	if err != nil || len(list) == 0 {
		d.Fatal(list, err)
	}
	return list[0]
}

// A receiver that is gone stops its channel once, whatever the number of messages; they wait for
// it, and go out once it is resumed.
func TestChannelStops(t *testing.T) {
	d := withBox(t, newFixture(t, mailer.Server{}))
	h := newHook(t)
	h.answers(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"ok":false,"error_code":401,"description":"Unauthorized"}`)
	})
	c, _ := d.channel("telegram", h.URL+"/bot1:canary?chat_id=1")
	for range 5 {
		d.now = d.now.Add(time.Second)
		d.tell(c)
	}
	stopped, err := d.Service.Channel(t.Context(), c.ID)
	if err != nil || !stopped.Paused.Known() || stopped.Fault != "401 Unauthorized: Unauthorized" {
		t.Errorf("the channel is %+v, %v", stopped, err)
	}
	if n := len(h.all()); n != 1 {
		t.Errorf("%d tries with a void token", n)
	}
	today := affiliate.DayOf(d.now, time.UTC)
	view, err := d.reports.Attention(t.Context(), query.Query{Zone: time.UTC, Today: today, Days: affiliate.Days{First: today, Last: today}, Page: 1, Per: query.DefaultPer})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range view.Findings {
		switch f.(type) {
		case findings.Channel:
			found++
		case findings.Mail:
			t.Errorf("it is told as a fault of mail too: %+v", f)
		}
	}
	if found != 1 {
		t.Errorf("%d findings about the channel", found)
	}
	h.answers(nil)
	if err := d.Service.PauseChannel(t.Context(), stopped, false, someone); err != nil {
		t.Fatal(err)
	}
	d.post()
	if n := len(h.all()); n != 2 || d.newestOf(c).State != outbox.Sent {
		t.Errorf("%d requests after it was resumed, %+v", n, d.newestOf(c))
	}
}

// During the overlap of two secrets each message carries both signatures.
func TestRotatedSecret(t *testing.T) {
	d := withBox(t, newFixture(t, mailer.Server{}))
	h := newHook(t)
	c, before := d.channel("webhook", h.URL)
	after, err := d.Service.RotateChannel(t.Context(), c, someone)
	if err != nil || after == before {
		t.Fatal(after, err)
	}
	d.tell(c)
	d.now = d.now.Add(secretOverlap + time.Minute)
	d.tell(c)
	got := h.all()
	if len(got) != 2 || !got[0].verified(before) || !got[0].verified(after) || got[1].verified(before) || !got[1].verified(after) {
		t.Errorf("the signatures are %v", got)
	}
}

// The database holds neither the address nor the secret, and the list shows a part of the address.
func TestSecretsOfChannels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	storetest.Place(t, path)
	st, err := store.Open(t.Context(), path, store.Options{AuditKey: []byte("0123456789abcdef0123456789abcdef")})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Store: st, Reports: reports.New(st, time.Now), Box: secret.NewKey().Box(), Reach: safehttp.Reach{Private: true}, Log: slog.New(slog.DiscardHandler)})
	secret, err := s.AddChannel(t.Context(), NewChannel{Name: "Hook", Kind: "webhook", Address: "http://127.0.0.1:1/canary-of-the-address-7788"}, someone)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.Channels(t.Context())
	if err != nil || len(list) != 1 || list[0].Shown != "127.0.0.1:1 …7788" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := s.TestChannel(t.Context(), list[0], someone); err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a test to nobody: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range storetest.Names(t, filepath.Dir(path)) {
		content, err := os.ReadFile(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			t.Fatal(err)
		}
		if text := string(content); strings.Contains(text, "canary-of") || strings.Contains(text, secret) || strings.Contains(text, strings.TrimPrefix(secret, "whsec_")) {
			t.Errorf("%s holds a secret", name)
		}
	}
}

// Faults of a new channel are named, and no error repeats the address.
func TestChannelFaults(t *testing.T) {
	for address, kind := range map[string]string{
		"https://10.0.0.1/canary": "webhook", "http://example.com/canary": "webhook", "canary": "slack", "https://api.telegram.org/canary": "telegram",
		"https://api.telegram.org/bot1:canary": "telegram", "https://169.254.169.254/canary": "discord", "a@example.com,canary@example.com": "email", "https://example.com": "pigeon",
	} {
		err := NewChannel{Name: "x", Kind: kind, Address: address}.CheckChannel(t.Context(), safehttp.Reach{})
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s %s: %v", kind, address, err)
		}
	}
	for _, n := range []NewChannel{{Name: "", Kind: "slack", Address: "https://127.0.0.1/x"}, {Name: "x", Kind: "slack", Address: "https://127.0.0.1/x", Events: []string{"nothing"}},
		{Name: "x", Kind: "slack", Address: "https://127.0.0.1/x", Owner: "nobody"}, {Name: "x", Kind: "slack", Address: "https://127.0.0.1/x", Events: []string{"test", "test"}}} {
		if err := n.CheckChannel(t.Context(), safehttp.Reach{}); err == nil {
			t.Errorf("%+v is accepted", n)
		}
	}
}

// What an event tells is told once, also after a restart.
func TestEventsOnce(t *testing.T) { storetest.Engines(t, "what is unique", testEventsOnce) }

func testEventsOnce(t *testing.T) {
	d := withBox(t, collected(t, mailer.Server{}))
	h := newHook(t)
	_, secret := d.channel("webhook", h.URL, findings.EventNames()...)
	look := func() {
		t.Helper()
		d.now = d.now.Add(10 * time.Minute)
		if err := d.Service.lookAtEvents(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.post()
	}
	look()
	before := len(h.all())
	d.run("the exchange is away")
	look()
	look()
	got := h.all()[before:]
	if len(got) != 1 || !got[0].verified(secret) || !strings.Contains(got[0].body, `"type":"collection.failed"`) || !strings.Contains(got[0].body, "the exchange is away") {
		t.Errorf("%d messages: %v", len(got), got)
	}
}

// A recipient of an alert or a schedule may be a group of addresses; each unsubscribes alone.
func TestGroupOfAddresses(t *testing.T) {
	o := newMailServer(t)
	d := withBox(t, collected(t, o.Server))
	c, _ := d.channel("email", "mailto:a@example.com,b@example.com")
	sc := d.schedule(func(s *outbox.Subscription) { s.Recipients = outbox.Recipients([]string{outbox.ChannelAddress(c.ID)}) })
	if err := d.sendNow(sc, dispatch.Daily.Of(first), []string{outbox.ChannelAddress(c.ID)}, SendOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(o.copies("a@example.com")) != 1 || len(o.copies("b@example.com")) != 1 {
		t.Errorf("the group got %+v", d.log())
	}
	if err := outbox.StopRecipient(t.Context(), d.store, sc.Ref, "a@example.com", someone); err != nil {
		t.Fatal(err)
	}
	if err := d.sendNow(d.named("Morning"), dispatch.Daily.Of(first-1), []string{outbox.ChannelAddress(c.ID)}, SendOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(o.copies("a@example.com")) != 1 || len(o.copies("b@example.com")) != 2 {
		t.Errorf("after one unsubscribed: %+v", d.log())
	}
	if err := d.Service.RemoveChannel(t.Context(), c, someone); err == nil || !strings.Contains(err.Error(), "Morning") {
		t.Errorf("the only recipient was removed: %v", err)
	}
}

// A test to a group of addresses is one message, however often its form is sent.
func TestTestOfGroupOnce(t *testing.T) {
	o := newMailServer(t)
	d := withBox(t, collected(t, o.Server))
	c, _ := d.channel("email", "mailto:a@example.com,b@example.com")
	to := []string{outbox.ChannelAddress(c.ID)}
	sc := d.schedule(func(s *outbox.Subscription) { s.Recipients = outbox.Recipients(to) })
	var first int64
	for i := range 3 {
		ready, err := d.Prepare(t.Context(), sc, dispatch.Daily.Of(monday), to, SendOptions{Test: true, Number: 1})
		if err != nil {
			t.Fatal(err)
		}
		if (ready.Queued() != 0) != (i > 0) {
			t.Errorf("time %d: queued before as %d", i+1, ready.Queued())
		}
		message, err := ready.Queue(t.Context())
		if err != nil || message == 0 || first != 0 && message != first {
			t.Errorf("time %d: message %d, %v", i+1, message, err)
		}
		first = message
	}
	d.drain()
	if len(o.copies("a@example.com")) != 1 || len(o.copies("b@example.com")) != 1 {
		t.Errorf("the group got %+v", d.log())
	}
}

// A group of Telegram that became a supergroup has another number. The channel follows it at once: the
// message arrives once, in the new chat, and the change is in the audit log and in the list.
func TestChannelFollowsItsChat(t *testing.T) {
	d := withBox(t, newFixture(t, mailer.Server{}))
	h := newHook(t)
	arrived := map[string]int{}
	h.answers(func(w http.ResponseWriter, _ *http.Request) {
		got := h.all()
		body := got[len(got)-1].body
		if strings.Contains(body, `"chat_id":"-77"`) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded to a supergroup chat","parameters":{"migrate_to_chat_id":-1001557912345}}`)
			return
		}
		if strings.Contains(body, `"chat_id":"-1001557912345"`) && strings.Contains(body, `"message_thread_id":"4"`) {
			arrived["new"]++
		}
		_, _ = io.WriteString(w, `{"ok":true}`)
	})
	c, _ := d.channel("telegram", h.URL+"/bot1:canary?chat_id=-77&message_thread_id=4")
	for range 3 {
		d.now = d.now.Add(time.Second)
		d.tell(c)
	}
	if n := len(h.all()); arrived["new"] != 3 || n != 4 {
		t.Errorf("%d of %d requests reached the new chat", arrived["new"], n)
	}
	moved, err := d.Service.Channel(t.Context(), c.ID)
	if err != nil || !strings.HasSuffix(moved.Shown, "…2345") || moved.Fault != "" || d.newestOf(c).State != outbox.Sent {
		t.Errorf("the channel is %+v, %v", moved, err)
	}
	r, err := d.store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	page, err := audit.ReadPage(t.Context(), r, audit.LogQuery{Action: "channel moved"})
	if err != nil || len(page.Lines) != 1 || page.Lines[0].Object != c.Name || !strings.Contains(page.Lines[0].Detail, "-1001557912345") {
		t.Errorf("the audit log has %+v, %v", page.Lines, err)
	}
}
