package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
	"rebatedesk/store/orders"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// nodeLease is the time of leases in the tests of nodes. With the time of the program, 20 s,
// a node is followed within 30 s, half as long again.
const nodeLease = 3 * time.Second

// followed is how long a node is waited for that follows another one. The program itself
// needs one and a fifth times the lease; the rest is for a busy machine.
const followed = nodeLease*3/2 + 20*time.Second

// nodesFixture is a database that two nodes share, with an exchange in this process. The
// nodes reach the exchange at different addresses, which tell them apart.
type nodesFixture struct {
	testing.TB
	env    []string
	place  string
	store  *store.Store // of the test
	sim    *simulator.Simulator
	fronts [2]*httptest.Server
	// ahead sees each request of a node before the simulator. If it answers, the request
	// goes no further.
	ahead atomic.Pointer[func(node int, w http.ResponseWriter, r *http.Request) (answered bool)]
}

func newNodes(t testing.TB) *nodesFixture {
	t.Helper()
	storetest.PostgresOnly(t)
	place := storetest.Empty(t)
	f := &nodesFixture{TB: t, place: place, store: storetest.OpenAt(t, place, store.Options{}),
		sim: simulator.New(simulator.Options{Seed: 31, Days: 300, Invitees: 60, Records: 1500, RateLimit: -1, SeparateTrading: true,
			Balances: map[affiliate.Coin]affiliate.Number{"USDT": "1000000"}})}
	for n := range f.fronts {
		f.fronts[n] = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if ahead := f.ahead.Load(); ahead != nil && (*ahead)(n, w, r) {
				return
			}
			f.sim.ServeHTTP(w, r)
		}))
		t.Cleanup(f.fronts[n].Close)
	}
	keys, trading := f.sim.Credentials(), f.sim.TradingCredentials()
	f.env = []string{
		"REBATEDESK_DB=" + place, "REBATEDESK_MASTER_KEY=" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
		leasesLast + "=" + nodeLease.String(), "REBATEDESK_BACKUP_KEEP=0", "REBATEDESK_HISTORY=300d", "REBATEDESK_RATE_BUDGET=1000000",
		"REBATEDESK_LOG_LEVEL=warn", "REBATEDESK_BASE_URL=" + f.fronts[1].URL,
		"REBATEDESK_API_KEY=" + keys.APIKey.Reveal(), "REBATEDESK_API_SECRET=" + keys.APISecret.Reveal(), "REBATEDESK_API_PASSPHRASE=" + keys.APIPassphrase.Reveal(),
		"REBATEDESK_TRADING_API_KEY=" + trading.APIKey.Reveal(), "REBATEDESK_TRADING_API_SECRET=" + trading.APISecret.Reveal(), "REBATEDESK_TRADING_API_PASSPHRASE=" + trading.APIPassphrase.Reveal(),
	}
	return f
}

func (f *nodesFixture) answers(ahead func(node int, w http.ResponseWriter, r *http.Request) bool) {
	f.ahead.Store(&ahead)
}

// collects reports whether a request is one of the collector.
func collects(r *http.Request) bool { return strings.Contains(r.URL.Path, "/rebate/affiliate/") }

// start starts a node.
func (f *nodesFixture) start(n int) *server {
	f.Helper()
	return serving(f, append(f.env, fmt.Sprint("REBATEDESK_NODE=node", n), "REBATEDESK_BASE_URL="+f.fronts[n].URL))
}

// command runs a command that must succeed, and returns its output.
func (f *nodesFixture) command(stdin string, args ...string) string {
	f.Helper()
	c := process(f, f.env, args...)
	c.Stdin = strings.NewReader(stdin)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		f.Fatalf("%v: %v: %s", args, err, errs.String())
	}
	return string(out)
}

// within waits for a channel and returns how long that took.
func within(t testing.TB, what string, most time.Duration, done <-chan struct{}) time.Duration {
	t.Helper()
	begun := time.Now()
	select {
	case <-done:
	case <-time.After(most):
		t.Fatalf("%s: not within %s", what, most)
	}
	return time.Since(begun)
}

// runs reads the log of the runs, newest first.
func (f *nodesFixture) runs() []records.Run {
	f.Helper()
	r, err := f.store.Read(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	list, _, err := records.Runs(f.Context(), r, "main", 100, 0)
	if err != nil {
		f.Fatal(err)
	}
	return list
}

// hasCollected waits until the newest run is complete.
func (f *nodesFixture) hasCollected() {
	f.Helper()
	waitFor(f, func() bool {
		list := f.runs()
		return len(list) > 0 && list[0].Finished.Known() && list[0].Error == "" && list[0].Slices > 0
	})
}

// holdsTheLedger compares everything that is stored with the ledger of the exchange. A run
// over all days changes nothing.
func (f *nodesFixture) holdsTheLedger() {
	f.Helper()
	for kind, known := range map[string]int{"commissions": 14, "sub-affiliates": 7, "invitees": 9} {
		_, got := table(f, f.command("", "export", kind))
		_, want := table(f, fetch(f, f.fronts[1].URL+"/ledger/"+kind+".csv"))
		if kind == "invitees" { // those of the history
			want = slices.DeleteFunc(want, func(row []string) bool { return row[3] < time.Now().AddDate(0, 0, -300).Format(time.DateOnly) })
		}
		if len(want) < 10 {
			f.Fatalf("the ledger has %d %s", len(want), kind)
		}
		if kind == "commissions" { // codes are known as far back as invitees are
			got, want = blank(got, 4), blank(want, 4)
		}
		compare(f, kind, counted(got, known), counted(want, known))
	}
	if out := f.command("", "collect", "--json", "--since", affiliate.DayOf(time.Now().AddDate(0, 0, -299), time.UTC).String()); !strings.Contains(out, `"complete":true`) || !strings.Contains(out, `"opened":0,"closed":0`) {
		f.Errorf("everything again: %s", out)
	}
	if out := f.command("", "verify"); strings.Contains(out, "failed") || !strings.Contains(out, "ok: roll-ups") {
		f.Errorf("verify: %s", out)
	}
}

// queueMail queues a message by hand for some recipients, as the pages do.
func (f *nodesFixture) queueMail(recipients int) {
	f.Helper()
	today := affiliate.DayOf(time.Now(), time.UTC)
	m := outbox.Summary{Every: "daily", Days: affiliate.Days{First: today - 1, Last: today - 1}, Kind: outbox.SummaryManual,
		Made: affiliate.MillisOf(time.Now()), From: "desk@example.com", Subject: "Yesterday", Text: "text", HTML: "<p>text</p>"}
	var to []outbox.Addressee
	for n := range recipients {
		to = append(to, outbox.Addressee{Address: fmt.Sprintf("r%02d@example.com", n), HeaderID: fmt.Sprintf("copy-%02d@example.com", n)})
	}
	if queued, err := outbox.QueueSummary(f.Context(), f.store, m, to); err != nil || !queued {
		f.Fatal(queued, err)
	}
}

// sentMails counts the deliveries that are recorded as sent.
func (f *nodesFixture) sentMails() (sent int) {
	f.Helper()
	r, err := f.store.Read(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	list, err := outbox.Attempts(f.Context(), r, outbox.AttemptQuery{Limit: 1000, State: outbox.Sent})
	if err != nil {
		f.Fatal(err)
	}
	return len(list)
}

// stateOfOrder returns the state of the only intent.
func (f *nodesFixture) stateOfOrder() orders.IntentState {
	f.Helper()
	r, err := f.store.Read(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	list, err := orders.Intents(f.Context(), r, orders.IntentQuery{})
	if err != nil || len(list) != 1 {
		f.Fatal(len(list), err)
	}
	return list[0].Orders[0].State
}

// headerID finds the Message-ID of a letter.
var headerID = regexp.MustCompile(`(?m)^Message-ID: (\S+)`)

// A node is killed in the middle of a run, while it sends mail and while the exchange works
// on its order. The other node follows and completes what can be completed: all records are
// there once; each recipient has the message, and a second copy with the same Message-ID
// only if the mail server had not answered; the order is unknown and was sent once.
func TestNodeFollowsAKilledOne(t *testing.T) {
	t.Parallel()
	const mails, answered, connections = 12, 3, 2
	f := newNodes(t)
	letters := &letterBox{got: map[string][]string{}}
	smtpd := newMailServer(t, nil, false)
	f.env = append(f.env, "REBATEDESK_SMTP_URL=smtp://"+smtpd.address+"?tls=none", "REBATEDESK_MAIL_FROM=desk@example.com", "REBATEDESK_TRADING=live")
	f.command("seven lanterns uphill", "user", "add", "--name", "mia", "--role", "trader", "--password-stdin")
	token := strings.TrimSpace(f.command("", "token", "create", "--user", "mia", "--name", "robot", "--scope", "trade"))
	f.queueMail(mails)

	killed, ordered, sending, collecting, follows := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	smtpd.accepts = func(to string, letter []byte) {
		if n := letters.keep(to, letter); n > answered {
			if n == answered+connections {
				close(sending)
			}
			<-killed
		}
	}
	inRun, follow, read := sync.OnceFunc(func() { close(collecting) }), sync.OnceFunc(func() { close(follows) }), atomic.Int64{}
	f.answers(func(node int, w http.ResponseWriter, r *http.Request) bool {
		switch {
		case node == 1 && collects(r):
			follow()
		case node == 0 && strings.HasSuffix(r.URL.Path, "/trade/orders"):
			f.sim.ServeHTTP(httptest.NewRecorder(), r)
			close(ordered)
			<-killed
			return true
		case node == 0 && collects(r) && read.Add(1) > 3:
			select {
			case <-ordered: // until then the run is slow, so that it does not end
				inRun()
				<-killed
			case <-time.After(100 * time.Millisecond):
			}
		}
		return false
	})
	first := f.start(0)
	second := f.start(1)
	order := func(node *server, id string) (status int, word string) {
		t.Helper()
		body := fmt.Sprintf(`{"symbol":"BTCUSDT_SPBL","side":"buy","orderType":"limit","force":"normal","price":"%s","quantity":"0.01","clientOrderId":%q}`, f.lowPrice(), id)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, node.url+"/console/proxy/main/api/v2/trade/orders", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			return 0, err.Error()
		}
		return answer.StatusCode, answer.Header.Get("X-Rebatedesk") + " " + string(text)
	}
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		if status, word := order(first, "first"); status != 0 {
			t.Errorf("the order of the killed node: %d %s", status, word)
		}
	}()
	for what, happens := range map[string]chan struct{}{"order": ordered, "mails": sending, "collection": collecting} {
		within(t, what, time.Minute, happens)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // it was killed
	begun := time.Now()
	close(killed)
	<-cut
	within(t, "the other node collects", followed, follows)
	t.Logf("followed after %s, with leases of %s", time.Since(begun), nodeLease)
	f.hasCollected()
	waitFor(t, func() bool { return f.sentMails() == mails-connections })
	waitFor(t, func() bool { return f.stateOfOrder() == orders.IntentUnknown })
	if status, word := order(second, "second"); status != http.StatusConflict || !strings.HasPrefix(word, "blocked ") {
		t.Errorf("another order while the first one is unknown: %d %s", status, word)
	}
	f.holdsTheLedger()

	// The mails that were being sent are sent again when nobody can be sending them any more.
	if _, err := second.terminated(); err != nil {
		t.Errorf("%v: %s", err, second.stderr)
	}
	storetest.Run(t, f.place, `UPDATE deliveries SET next_ms = 0 WHERE state = 'waiting'`)
	third := f.start(1)
	waitFor(t, func() bool { return f.sentMails() == mails })
	if _, err := third.terminated(); err != nil {
		t.Errorf("%v: %s", err, third.stderr)
	}
	letters.check(t, mails, connections)
	if executions := f.sim.Ledger().Executions; executions["first"].Received != 1 || executions["second"].Received != 0 || f.stateOfOrder() != orders.IntentUnknown {
		t.Errorf("the exchange received %+v, and the order is %s", executions, f.stateOfOrder())
	}
}

// lowPrice is a price at which an order to buy rests.
func (f *nodesFixture) lowPrice() string {
	return f.sim.Price("BTCUSDT_SPBL").Decimal().Mul(affiliate.Number("0.95").Decimal()).Truncate(2).String()
}

// letterBox holds the Message-IDs of the letters to each recipient.
type letterBox struct {
	mu    sync.Mutex
	count int
	got   map[string][]string
}

// keep returns how many letters there are then.
func (b *letterBox) keep(to string, letter []byte) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := ""
	if m := headerID.FindSubmatch(letter); m != nil {
		id = string(m[1])
	}
	b.got[to] = append(b.got[to], id)
	b.count++
	return b.count
}

// check requires one letter for each recipient, and a second copy for some.
func (b *letterBox) check(t *testing.T, recipients, twice int) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.got) != recipients || b.count != recipients+twice {
		t.Errorf("%d letters to %d recipients, want %d to %d", b.count, len(b.got), recipients+twice, recipients)
	}
	for to, ids := range b.got {
		if len(ids) > 2 || ids[0] == "" || ids[len(ids)-1] != ids[0] {
			t.Errorf("%s got %q", to, ids)
		}
	}
}

// A node that stands still in the middle of a run is followed. When it goes on, what it has
// read is not written, and its run stays ended.
func TestNodeStandsStillAndGoesOn(t *testing.T) {
	t.Parallel()
	f := newNodes(t)
	reading, release, follows := make(chan struct{}), make(chan struct{}), make(chan struct{})
	begin, follow := sync.OnceFunc(func() { close(reading) }), sync.OnceFunc(func() { close(follows) })
	f.answers(func(node int, w http.ResponseWriter, r *http.Request) bool {
		switch {
		case node == 1 && collects(r):
			follow()
		case node == 0 && collects(r):
			begin()
			<-release
		}
		return false
	})
	still := f.start(0)
	within(t, "the first node collects", time.Minute, reading)
	next := f.start(1)
	if err := still.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Logf("followed after %s, with leases of %s", within(t, "the other node collects", followed, follows), nodeLease)
	f.hasCollected()
	close(release)
	if err := still.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool {
		said := still.stderr.String()
		return strings.Contains(said, `"this node leads no more" lease=collector`) && strings.Contains(said, store.ErrSuperseded.Error())
	})
	// Its last write would be the end of the run, with another reason.
	list := f.runs()
	if old := list[len(list)-1]; old.Error != "ended abruptly" || old.Slices != 0 || len(list) != 2 {
		t.Errorf("the runs are %+v", list)
	}
	f.holdsTheLedger()
	for _, node := range []*server{still, next} {
		if _, err := node.terminated(); err != nil {
			t.Errorf("%v: %s", err, node.stderr)
		}
	}
}
