package site

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/market"
	"rebatedesk/web"
)

// Patience is how long tests wait for what is to happen. It is far more than anything takes on
// an idle machine, so that a busy one does not fail a test.
const Patience = time.Minute

// Soon waits until something has happened that gives no signal.
func Soon(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !happened(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", Patience, what)
		}
	}
}

// Serve starts a server on a free port and returns its address.
func Serve(t testing.TB, options web.Options) (string, *web.Server) {
	t.Helper()
	if options.Access == nil {
		options.Access = SharedAccess(t)
	}
	if options.Console != nil && options.Market == nil {
		options.Market = OpenFeed(t, market.Options{Accounts: options.Console.Names, Client: options.Console.Client})
	}
	server := web.New(options)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Patience)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return "http://" + ln.Addr().String(), server
}

// Speed is how many times as fast as for users the exchange is polled, and streams are told.
const Speed = 10

// OpenFeed opens a feed of prices at [Speed].
func OpenFeed(t testing.TB, o market.Options) *market.Feed {
	t.Helper()
	o.Speed = Speed
	feed := market.New(o)
	ctx, stop := context.WithCancel(context.Background())
	go feed.Run(ctx)
	t.Cleanup(func() {
		stop()
		<-feed.Done()
	})
	return feed
}

// Client follows no redirects, so that a test sees the first answer.
var Client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: 5 * time.Second},
	Timeout:       Patience,
}

// Answer is a response with its complete body.
type Answer struct {
	*http.Response
	Body string
	Err  error // error while the body was read
}

func Send(t testing.TB, method, url string, headers ...string) Answer {
	t.Helper()
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	return received(t, request)
}

// received sends a request and reads its answer. It signs in as a manager unless the
// request has credentials.
func received(t testing.TB, request *http.Request) Answer {
	t.Helper()
	if _, given := request.Header["Cookie"]; !given && request.Header.Get("Authorization") == "" {
		request.Header.Set("Cookie", SignedIn(t, access.Manager))
	}
	response, err := Client.Do(request)
	// A server that refuses too long a header may close the connection before all of it
	// was written, so that the client sometimes loses the answer.
	for range 5 {
		if request.Method != http.MethodGet || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
			break
		}
		response, err = Client.Do(request)
	}
	if err != nil {
		t.Fatalf("%s %.200s: %v", request.Method, request.URL, err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return Answer{response, string(body), err}
}

func Get(t testing.TB, url string, headers ...string) Answer {
	t.Helper()
	return Send(t, http.MethodGet, url, headers...)
}

// Running returns the progress of an unfinished collection.
func Running() collector.Progress {
	return collector.Progress{
		Running: true, Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Futures},
		Window: affiliate.Days{First: affiliate.NewDay(2026, 8, 24), Last: affiliate.NewDay(2026, 11, 19)},
		Done:   620, Wanted: 1460, Requests: 412, Weight: 8240, Records: 39112, Started: Now.Add(-time.Minute), Remaining: 4 * time.Minute,
	}
}
