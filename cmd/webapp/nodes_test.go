package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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
