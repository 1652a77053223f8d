package access_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/web"
	"rebatedesk/web/handler"
)

// While one user requests far more pages than can be computed, another user's page is
// answered before any of these. The first user's pages are computed one after the other,
// and refused beyond a limit. The test checks the order and uses no clock.
func TestOneUserDoesNotHoldUpAnother(t *testing.T) {
	g := newGate()
	address, _ := site.Serve(t, web.Options{Reports: g.reports(t)})
	viewer, manager := site.SignedIn(t, access.Viewer), site.SignedIn(t, access.Manager)
	const flood = 64
	answers, began := make(chan site.Answer, flood), time.Now()
	for range flood {
		go func() { answers <- site.Get(t, address+"/commissions", "Cookie", viewer) }()
	}
	for range g.most {
		<-g.came
	}
	for _, path := range []string{"/", "/invitees", "/codes", "/collection", "/overview.csv"} {
		if a := site.Get(t, address+path, "Cookie", manager); a.StatusCode != http.StatusOK {
			t.Errorf("%s beside a flood: status %d", path, a.StatusCode)
		}
	}
	// The user who floods the server must be able to end the flood meanwhile.
	if a := site.Get(t, address+"/account", "Cookie", viewer); a.StatusCode != http.StatusOK {
		t.Errorf("the account page of the user who floods: status %d", a.StatusCode)
	}
	statuses := map[int]int{}
	first := <-answers // while the gate is closed, only refusals are answered
	if first.StatusCode != http.StatusTooManyRequests || first.Header.Get("Retry-After") == "" || !strings.Contains(first.Body, "Try again") {
		t.Errorf("the first answer has status %d, Retry-After %q", first.StatusCode, first.Header.Get("Retry-After"))
	}
	site.CheckPolicy(t, first)
	statuses[first.StatusCode]++
	close(g.open)
	for range flood - 1 {
		statuses[(<-answers).StatusCode]++
	}
	// Whoever has waited for 10 s is refused too, as on a machine that is very busy.
	if waited := time.Since(began) > 10*time.Second; statuses[200] < 32 && !waited || statuses[200]+statuses[429] != flood || statuses[429] == 0 {
		t.Errorf("the flood was answered with %v", statuses)
	}
}

// A client that disconnects while it waits frees its place in the queue. If its turn
// comes before the server notices, no page is computed for it.
func TestDisconnectedClientsFreePlaces(t *testing.T) {
	g := newGate()
	ended := make(chan int, 100)
	address, _ := site.Serve(t, web.Options{Reports: g.reports(t), Watch: handler.Observer{Request: func(route string, status int, _ time.Duration) {
		if route == "/commissions" {
			ended <- status
		}
	}}})
	viewer := site.SignedIn(t, access.Viewer)
	there, leave := context.WithCancel(t.Context())
	statuses := make(chan int, 40)
	for range cap(statuses) {
		go func() { statuses <- site.StatusOf(there, address+"/commissions", viewer) }()
	}
	for range g.most {
		<-g.came
	}
	if status := <-statuses; status != http.StatusTooManyRequests { // the queue is full
		t.Fatalf("the first answer has status %d", status)
	}
	leave() // closes the connections
	for range cap(statuses) - 1 {
		<-statuses
	}
	// The queue empties while all places are taken, and no page is computed.
	for range cap(statuses) - int(g.most) {
		if status := <-ended; status == http.StatusOK {
			t.Error("a page was computed for a client that had disconnected")
		}
	}
	close(g.open)
	site.Eventually(t, http.StatusOK, func() site.Answer { return site.Get(t, address+"/", "Cookie", viewer) })
}

// Data that arrives while a client waits for its answer is kept, so that its next request
// on the connection is answered too.
func TestNextRequestWhileWaiting(t *testing.T) {
	g := newGate()
	address, _ := site.Serve(t, web.Options{Reports: g.reports(t)})
	for range 4 { // at least as many as one user may have at once
		site.Asked(t, address, "/commissions", access.Viewer)
	}
	conn := site.Asked(t, address, "/commissions", access.Viewer)
	<-g.came
	site.Get(t, address+"/healthz") // by now the server has received the others
	if _, err := conn.Write([]byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	site.Get(t, address+"/healthz")
	close(g.open)
	reader := bufio.NewReader(conn)
	for _, want := range []string{"Commissions", "ok\n"} {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), want) {
			t.Errorf("status %d, %v, %.100q", response.StatusCode, err, body)
		}
	}
}
