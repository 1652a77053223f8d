package mail

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/dispatch"
	"rebatedesk/safehttp"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// gate is a listener that holds connections back until it is opened, and resets them while reset.
type gate struct {
	net.Listener
	open  chan struct{}
	once  sync.Once
	mutex sync.Mutex
	reset bool
}

func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		<-g.open
		g.mutex.Lock()
		reset := g.reset
		g.mutex.Unlock()
		if !reset {
			return conn, nil
		}
		if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
			return nil, err
		}
		if err := conn.Close(); err != nil {
			return nil, err
		}
	}
}

func (g *gate) opens() { g.once.Do(func() { close(g.open) }) }

func (g *gate) resets(reset bool) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.reset = reset
}

// receiverFault is what is wrong with a receiver.
type receiverFault struct {
	name   string
	answer http.HandlerFunc
	reset  bool // connections are reset before the request is read
	secure bool // by a certificate of nobody known
	says   string
	first  time.Duration // until the second try
	unread bool          // the request does not arrive
}

func receiverFaults(elsewhere string) []receiverFault {
	return []receiverFault{
		{name: "hangs", answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, says: "did not answer in time"},
		{name: "500", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			_, _ = io.WriteString(w, "broken")
		}, says: "500 Internal Server Error"},
		{name: "301", answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusMovedPermanently)
		}, says: "redirects are not followed"},
		{name: "429", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "600")
			w.WriteHeader(429)
			_, _ = io.WriteString(w, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 600","parameters":{"retry_after":600},"message":"You are being rate limited.","retry_after":600.0}`)
		}, says: "429 Too Many Requests", first: 10 * time.Minute},
		{name: "reset before the request is read", reset: true, says: "connection", unread: true},
		{name: "the answer is lost", answer: func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			}
		}, says: "connection"},
		{name: "the answer breaks off", answer: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, says: "without an answer"},
		{name: "endless", answer: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(502)
			for part := strings.Repeat("x", 1<<20); ; {
				if _, err := io.WriteString(w, part); err != nil {
					return
				}
			}
		}, says: "502 Bad Gateway"},
		{name: "wrong certificate", secure: true, says: "certificate", unread: true},
	}
}

// Each fault of a receiver is in the log in words, is tried again by the schedule with the same
// bytes and ID, survives a restart and a clock that is set back, and delays neither another channel
// nor a mail: the receiver does nothing until those have arrived.
func TestFaultsOfReceivers(t *testing.T) {
	paths := map[string]string{"webhook": "/hook", "telegram": "/bot1:canary-token?chat_id=1", "slack": "/canary-path", "discord": "/canary-path"}
	for kind, path := range paths {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			o := newMailServer(t)
			d := withBox(t, newFixture(t, o.Server))
			good := newHook(t)
			other, _ := d.channel("webhook", good.URL)
			faults := receiverFaults(good.URL + "/elsewhere")
			for _, f := range faults {
				answer := 4 * time.Second
				if f.name == "hangs" {
					answer = time.Second
				}
				d.poster = safehttp.NewPoster(safehttp.Options{Reach: safehttp.Reach{Private: true}, Answer: answer})
				h, g := newGatedHook(t, f)
				c, _ := d.channel(kind, h.URL+path)
				d.now = d.now.Add(time.Hour)
				before, mails := len(good.all()), len(o.copies("boss@example.com"))
				d.queueTo(outbox.ChannelAddress(c.ID), outbox.ChannelAddress(other.ID), "boss@example.com")
				var work sync.WaitGroup
				for _, hand := range []func(context.Context) error{d.Service.drainChannels, func(ctx context.Context) error { return d.Service.drain(ctx, outbox.MailServer) }} {
					work.Go(func() {
						if err := hand(t.Context()); err != nil {
							t.Error(err)
						}
					})
				}
				soon(t, f.name+": the other channel and the mail", func() bool {
					return len(good.all()) == before+1 && len(o.copies("boss@example.com")) == mails+1
				})
				g.opens()
				work.Wait()

				first := max(f.first, dispatch.Pause(1))
				at := d.newestOf(c)
				if at.State != outbox.Waiting || at.Tries != 1 || !strings.Contains(at.Answer, f.says) || strings.Contains(at.Answer, "canary") || strings.Contains(at.Answer, "broken") || at.Next.Time().Sub(d.now) != first {
					t.Errorf("%s: %+v, next in %s", f.name, at, at.Next.Time().Sub(d.now))
				}
				arrived := len(h.all())
				if want := map[bool]int{false: 1, true: 0}[f.unread]; arrived != want {
					t.Errorf("%s: %d requests arrived, want %d", f.name, arrived, want)
				}
				d.now = d.now.Add(first - time.Second)
				d.post()
				if n := len(h.all()); n != arrived {
					t.Errorf("%s: it was tried before the time", f.name)
				}

				restarted := d.secondProcess()
				restarted.sealed, restarted.now = d.sealed, d.now.Add(time.Second)
				if f.secure { // its owner gets a certificate that is known
					roots := x509.NewCertPool()
					roots.AddCert(h.Certificate())
					restarted.poster = safehttp.NewPoster(safehttp.Options{Reach: safehttp.Reach{Private: true}, Roots: roots})
				}
				g.resets(false)
				h.answers(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"ok":true}`) })
				restarted.post()
				restarted.now = restarted.now.Add(-2 * time.Hour)
				restarted.post()
				got := h.all()
				if at := d.newestOf(c); at.State != outbox.Sent || len(got) != arrived+1 || got[0].body != got[arrived].body ||
					kind == "webhook" && (got[0].header.Get("webhook-id") != at.HeaderID || got[arrived].header.Get("webhook-id") != at.HeaderID) {
					t.Errorf("%s: after a restart: %+v, %d requests", f.name, at, len(got))
				}
			}
			if n := len(good.all()); n != len(faults) {
				t.Errorf("the other channel got %d requests, want %d: a redirect was followed?", n, len(faults))
			}
		})
	}
}

// newGatedHook is a receiver with a fault that does nothing until its gate is opened.
func newGatedHook(t *testing.T, f receiverFault) (*hook, *gate) {
	t.Helper()
	h := &hook{answer: f.answer}
	h.Server = httptest.NewUnstartedServer(h.keep(t))
	g := &gate{Listener: h.Listener, open: make(chan struct{}), reset: f.reset}
	h.Listener = g
	h.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that refuse the certificate
	if f.secure {
		h.StartTLS()
	} else {
		h.Start()
	}
	t.Cleanup(func() {
		g.opens()
		h.Close()
	})
	return h, g
}

// drainChannels posts all messages that are due and returns when none is left.
func (s *Service) drainChannels(ctx context.Context) error {
	places, err := store.Reading(ctx, s.store, func(r *store.Tx) ([]int64, error) { return outbox.Places(ctx, r, s.now()) })
	return errors.Join(err, s.drain(ctx, slices.DeleteFunc(places, func(place int64) bool { return place == outbox.MailServer })...))
}
