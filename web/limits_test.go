package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// A query that takes too long is answered with an explanation, even if the time limit of
// the request has passed. Only a stopped server gives no answer.
//
// The test sets the limit of this package; package acceptance has the other tests of the
// server.
func TestPageTimeout(t *testing.T) {
	usual := pageTimeout
	pageTimeout = time.Nanosecond
	t.Cleanup(func() { pageTimeout = usual })
	key := secret.NewKey()
	st, err := store.Open(t.Context(), storetest.Empty(t), store.Options{AuditKey: key.Derive("audit")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	users := access.NewForTests(access.Options{Store: st, Box: key.Box(), SecondFactor: access.OfNobody})
	const word = "correct horse battery staple"
	if err := users.AddUser(t.Context(), access.Actor{Name: "test", Via: access.ViaCommand}, access.NewUser{Name: "mia", Role: access.Manager, Password: word}); err != nil {
		t.Fatal(err)
	}
	session, err := users.SignIn(t.Context(), "mia", word, access.Origin{Address: netip.MustParseAddr("127.0.0.1")})
	if err != nil {
		t.Fatal(err)
	}
	server := New(Options{Access: users, Reports: reports.New(st, time.Now)})
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()

	request, err := http.NewRequest(http.MethodGet, "http://"+ln.Addr().String()+"/commissions", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", "session="+session.Secret)
	a, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if body, err := io.ReadAll(a.Body); err != nil || a.StatusCode != 503 || !strings.Contains(string(body), "took too long") {
		t.Errorf("status %d, %.200s (%v)", a.StatusCode, body, err)
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := server.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	request = httptest.NewRequest(http.MethodGet, "/commissions", nil)
	request.Host = "localhost"
	request.Header.Set("Cookie", "session="+session.Secret)
	stopped, err := server.App().Test(request, -1)
	if err != nil || stopped.StatusCode != 503 {
		t.Errorf("after the time limit: %v, %v", stopped, err)
	}
}
