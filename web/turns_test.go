package web_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/web"
	"rebatedesk/web/handler"
)

// While one user requests far more pages than can be computed, another user's page is
// answered before any of theirs; they get theirs one after the other, and are told when
// there are too many. The test checks the order, without a clock.
func TestOneUserDoesNotHoldUpAnother(t *testing.T) {
	g := newGate()
	address, _ := serve(t, web.Options{Reports: g.reports(t)})
	viewer, manager := signedIn(t, access.Viewer), signedIn(t, access.Manager)
	const flood = 64
	answers := make(chan answer, flood)
	for range flood {
		go func() { answers <- get(t, address+"/commissions", "Cookie", viewer) }()
	}
	for range g.most {
		<-g.came
	}
	for _, path := range []string{"/", "/invitees", "/codes", "/collection", "/overview.csv"} {
		if a := get(t, address+path, "Cookie", manager); a.StatusCode != http.StatusOK {
			t.Errorf("%s beside a flood: status %d", path, a.StatusCode)
		}
	}
	// The flooder must be able to end the flood meanwhile.
	if a := get(t, address+"/account", "Cookie", viewer); a.StatusCode != http.StatusOK {
		t.Errorf("the account of the flooder: status %d", a.StatusCode)
	}
	statuses := map[int]int{}
	first := <-answers // nothing but a refusal gets out as long as the gate is closed
	if first.StatusCode != http.StatusTooManyRequests || first.Header.Get("Retry-After") == "" || !strings.Contains(first.body, "Try again") {
		t.Errorf("the first answer has status %d, Retry-After %q", first.StatusCode, first.Header.Get("Retry-After"))
	}
	checkPolicy(t, first)
	statuses[first.StatusCode]++
	close(g.open)
	for range flood - 1 {
		statuses[(<-answers).StatusCode]++
	}
	if statuses[200] < 32 || statuses[200]+statuses[429] != flood || statuses[429] == 0 {
		t.Errorf("the flood was answered with %v", statuses)
	}
}

// A client that disconnects while it waits takes no more places: neither in the line
// nor, if its turn comes before the disconnection is noticed, among the computed pages.
func TestGoneClientsLeaveTheirPlaces(t *testing.T) {
	g := newGate()
	ended := make(chan int, 100)
	address, _ := serve(t, web.Options{Reports: g.reports(t), Watch: handler.Observer{Request: func(route string, status int, _ time.Duration) {
		if route == "/commissions" {
			ended <- status
		}
	}}})
	viewer := signedIn(t, access.Viewer)
	there, leave := context.WithCancel(t.Context())
	statuses := make(chan int, 40)
	for range cap(statuses) {
		go func() { statuses <- statusOf(there, address+"/commissions", viewer) }()
	}
	for range g.most {
		<-g.came
	}
	if status := <-statuses; status != http.StatusTooManyRequests { // the line is full
		t.Fatalf("the first answer has status %d", status)
	}
	leave() // closes the connections
	for range cap(statuses) - 1 {
		<-statuses
	}
	// The line empties while all places are taken, and nothing is computed for it.
	for range cap(statuses) - int(g.most) {
		if status := <-ended; status == http.StatusOK {
			t.Error("a page was computed for a client that had gone")
		}
	}
	close(g.open)
	eventually(t, http.StatusOK, func() answer { return get(t, address+"/", "Cookie", viewer) })
}

// statusOf asks for a page; 0 where there is no answer.
func statusOf(ctx context.Context, url, cookie string) int {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	request.Header.Set("Cookie", cookie)
	response, err := client.Do(request)
	if err != nil {
		return 0
	}
	_ = response.Body.Close() // nothing of it is read
	return response.StatusCode
}

// Data that arrives on a connection while its client waits is kept: the client's next
// request is answered too.
func TestNextRequestWhileWaiting(t *testing.T) {
	g := newGate()
	address, _ := serve(t, web.Options{Reports: g.reports(t)})
	for range 4 { // as many as one user may have at once, or more
		asked(t, address, "/commissions", access.Viewer)
	}
	conn := asked(t, address, "/commissions", access.Viewer)
	<-g.came
	get(t, address+"/healthz") // the server has seen the others by then
	if _, err := conn.Write([]byte("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	get(t, address+"/healthz")
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
