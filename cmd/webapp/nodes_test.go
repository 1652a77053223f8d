package main

import (
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
	"rebatedesk/store/storetest"
)

// Two nodes serve one database behind a proxy. When one of them is killed, no reader sees an
// error but in the request that was cut, and nobody has to sign in again.
func TestNodeIsKilled(t *testing.T) {
	storetest.PostgresOnly(t)
	const password, people, each = "seven lanterns uphill", 8, 4
	key := "REBATEDESK_MASTER_KEY=" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
	env := []string{"REBATEDESK_DB=" + storetest.Empty(t), key, "REBATEDESK_BACKUP_KEEP=0"}
	for n := range people {
		add := process(t, env, "user", "add", "--name", fmt.Sprint("reader", n), "--role", "viewer", "--password-stdin")
		add.Stdin = strings.NewReader(password)
		if said, err := add.CombinedOutput(); err != nil {
			t.Fatal(err, string(said))
		}
	}
	proxy := &twoNodes{}
	nodes := make([]*server, 2)
	for n := range nodes {
		nodes[n] = serving(t, append(env, fmt.Sprint("REBATEDESK_NODE=node", n), "REBATEDESK_PUBLIC_URL=http://127.0.0.1"))
		proxy.add(t, nodes[n].url)
	}
	front := httptest.NewServer(proxy)
	defer front.Close()

	var pages, cut atomic.Int64
	var readers sync.WaitGroup
	killed, end := make(chan struct{}), make(chan struct{})
	for n := range people {
		browser := signedInAt(t, front.URL, fmt.Sprint("reader", n), password)
		for range each {
			readers.Go(func() {
				errors := 0
				for page := 0; ; page++ {
					select {
					case <-end:
						return
					default:
					}
					status := answered(browser, front.URL+[]string{"/", "/invitees", "/commissions", "/collection"}[page%4])
					pages.Add(1)
					if status == http.StatusOK {
						continue
					}
					select {
					case <-killed:
					default:
						t.Errorf("status %d before a node was killed", status)
					}
					cut.Add(1)
					if errors++; errors > 1 {
						t.Errorf("a reader got the status %d, and it was not the first error", status)
						return
					}
				}
			})
		}
	}
	waitFor(t, func() bool { return pages.Load() > 200 })
	close(killed)
	if err := nodes[0].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = nodes[0].Wait() // it was killed
	before := pages.Load()
	waitFor(t, func() bool { return pages.Load() > before+200 })
	close(end)
	readers.Wait()
	t.Logf("%d pages, %d of them cut", pages.Load(), cut.Load())
}

// waitFor waits up to a minute for a condition.
func waitFor(t testing.TB, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("waited for a minute in vain")
		}
	}
}

// twoNodes is a proxy that asks the nodes in turn. Like the one of deploy/, it asks the other
// node if one gives no answer to a request that changes nothing.
type twoNodes struct {
	nodes []*url.URL
	next  atomic.Int64
}

func (p *twoNodes) add(t *testing.T, address string) {
	t.Helper()
	node, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	p.nodes = append(p.nodes, node)
}

func (p *twoNodes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	first := int(p.next.Add(1))
	p.ask(w, r, first, func(err error) {
		if r.Method != http.MethodGet {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		p.ask(w, r, first+1, func(err error) { http.Error(w, err.Error(), http.StatusBadGateway) })
	})
}

func (p *twoNodes) ask(w http.ResponseWriter, r *http.Request, n int, failed func(error)) {
	node := p.nodes[n%len(p.nodes)]
	(&httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(node) },
		ErrorLog:     log.New(io.Discard, "", 0),
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed(err) },
	}).ServeHTTP(w, r)
}

// formBrowser is a browser that sends the forms of pages.
type formBrowser struct {
	*testing.T
	http.Client
	address string
}

// open returns a page.
func (b *formBrowser) open(path string) string {
	b.Helper()
	answer, err := b.Get(b.address + path)
	if err != nil {
		b.Fatal(err)
	}
	return b.read(answer, http.StatusOK)
}

// send sends a form with the token of a page and returns the answer, which must have a status.
func (b *formBrowser) send(page, path string, status int, fields ...string) string {
	b.Helper()
	form := url.Values{"token": {found(b.T, page, `name="token" value="([^"]+)"`)}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	answer, err := b.PostForm(b.address+path, form)
	if err != nil {
		b.Fatal(err)
	}
	return b.read(answer, status)
}

func (b *formBrowser) read(answer *http.Response, status int) string {
	b.Helper()
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		b.Fatalf("%s %s: %s (%v), want %d: %s", answer.Request.Method, answer.Request.URL.Path, answer.Status, err, status, text)
	}
	return string(text)
}

// found returns what a pattern finds in a page.
func found(t *testing.T, page, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no %s in the page: %s", pattern, page)
	}
	return html.UnescapeString(m[1])
}

// What was begun on one node is finished on another: the proxy sends each request to the node
// that did not answer the one before.
func TestFormsChangeTheNode(t *testing.T) {
	t.Parallel()
	storetest.PostgresOnly(t)
	raw := []byte(strings.Repeat("k", 32))
	key, err := secret.KeyOf(raw)
	if err != nil {
		t.Fatal(err)
	}
	place := storetest.Empty(t)
	env := []string{"REBATEDESK_DB=" + place, "REBATEDESK_MASTER_KEY=" + base64.StdEncoding.EncodeToString(raw), "REBATEDESK_BACKUPS=0"}
	proxy := &twoNodes{}
	for n := range 2 {
		proxy.add(t, serving(t, append(env, fmt.Sprint("REBATEDESK_NODE=node", n), "REBATEDESK_PUBLIC_URL=http://127.0.0.1")).url)
	}
	front := httptest.NewServer(proxy)
	defer front.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &formBrowser{T: t, address: front.URL, Client: http.Client{Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}

	// The first start.
	const password = "seven lanterns uphill"
	st := storetest.OpenAt(t, place, store.Options{})
	b.send(b.open("/setup"), "/setup", http.StatusSeeOther, "setup", setupToken(st, key), "username", "ann", "password", password, "repeated", password)

	// An authenticator: two nodes show the same secret, and the other one takes its code.
	secret := func(page string) string {
		return strings.ReplaceAll(found(t, page, `select-all">([A-Z2-7 ]+)<`), " ", "")
	}
	enrolment := b.open("/account/totp")
	if again := b.open("/account/totp"); secret(again) != secret(enrolment) {
		t.Error("another node shows another secret")
	}
	b.open("/healthz") // so that the next request goes to the other node
	code := func(at time.Time) string {
		code, err := totp.GenerateCode(secret(enrolment), at)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	begun := time.Now()
	b.send(enrolment, "/account/totp", http.StatusOK, "totp", code(begun.Add(-30*time.Second)))

	// A form that waits for a proof: asked for by one node, accepted by the other, and the proof
	// counts on both.
	signing := storetest.OpenAt(t, place, store.Options{AuditKey: key.Derive(database.AuditLabel)})
	sessions, err := identity.Sessions(t.Context(), signing, "ann")
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%d sessions (%v)", len(sessions), err)
	}
	storetest.Done(t, identity.NoteProof(t.Context(), signing, audit.Line{}, sessions[0].Session.ID, 1))
	add := func(page, name string, status int) string {
		t.Helper()
		return b.send(page, "/settings/users", status, "name", name, "role", "viewer", "password", password, "repeated", password)
	}
	asked := add(b.open("/settings/users"), "bob", http.StatusForbidden)
	kept := found(t, asked, `name="kept" value="([^"]+)"`)
	b.send(asked, "/settings/users", http.StatusSeeOther, "kept", kept, "totp", code(begun.Add(30*time.Second)))
	users := b.open("/settings/users")
	add(users, "cleo", http.StatusSeeOther)
	add(users, "dora", http.StatusSeeOther)
	if users = b.open("/settings/users"); !strings.Contains(users, "bob") || !strings.Contains(users, "dora") {
		t.Error("the users were not added")
	}
}
