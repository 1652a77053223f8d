package money_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/web"
)

func TestExport(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	address, _ := site.Serve(t, web.Options{Reports: h.Service})
	a := site.Get(t, address+"/commissions.csv?range=all&page=3&per=10")
	if a.Err != nil || a.StatusCode != 200 {
		t.Fatal(a.StatusCode, a.Err)
	}
	if got := strings.Count(a.Body, "\r\n"); got != 1+len(h.Sim.Ledger().Commissions) {
		t.Errorf("%d lines, want a header and all %d", got, len(h.Sim.Ledger().Commissions))
	}
	if got := a.Header.Get("Content-Disposition"); got != `attachment; filename="commissions_2026-10-27_2026-11-20_UTC.csv"` {
		t.Errorf("Content-Disposition %s", got)
	}
	if got := a.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/csv; charset=utf-8") {
		t.Errorf("Content-Type %s", got)
	}
	head := site.Send(t, "HEAD", address+"/commissions.csv?range=all")
	if got := head.Header.Get("Content-Disposition"); got != a.Header.Get("Content-Disposition") || head.StatusCode != 200 {
		t.Errorf("HEAD: %d %s", head.StatusCode, got)
	}
}

// A truncated file must be recognizable.
func TestBrokenExportCutsTheConnection(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.Torn(t)})
	request, err := http.NewRequest(http.MethodGet, address+"/commissions.csv?range=all", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", site.SignedIn(t, access.Manager))
	response, err := site.Client.Do(request)
	if err != nil {
		return // the connection broke before the first byte was sent
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("the export failed midway, and the client accepted %d bytes as complete", len(body))
	}
}

// When a client disconnects, the query behind its export ends, so that a server that
// stops does not wait for it.
func TestClientGoneEndsExport(t *testing.T) {
	t.Parallel()
	address, server := site.Serve(t, web.Options{Reports: longReports(t)})
	conn := site.Asked(t, address, "/commissions.json?range=all", access.Manager)
	if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
		t.Fatalf("%q %v", line, err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	site.Shutdown(t, server)
}

// Slow readers cannot occupy all places for files: a user without a file gets the place
// of the slowest reader among the users with the most files.
func TestUnreadExportsFreePlaces(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: longReports(t)})
	var slow []net.Conn
	for _, role := range []access.Role{access.Manager, access.Admin, access.Trader} {
		for range 2 {
			conn := site.Asked(t, address, "/commissions.json?range=all", role)
			if line, err := bufio.NewReader(conn).ReadString('\n'); err != nil || !strings.Contains(line, "200") {
				t.Fatalf("%q %v", line, err)
			}
			slow = append(slow, conn)
		}
	}
	// Of three further requests of one user two wait and one is refused.
	there, leave := context.WithCancel(t.Context())
	statuses := make(chan int, 3)
	for range cap(statuses) {
		go func() {
			statuses <- site.StatusOf(there, address+"/commissions.json?range=all", site.SignedIn(t, access.Manager))
		}()
	}
	if status := <-statuses; status != http.StatusTooManyRequests {
		t.Errorf("one file too many: status %d", status)
	}
	leave()
	if page := site.Get(t, address+"/"); page.StatusCode != 200 {
		t.Errorf("a page during the exports: status %d", page.StatusCode)
	}
	site.Soon(t, "a user without a file gets one", func() bool {
		other := site.Asked(t, address, "/commissions.json?range=all", access.Viewer)
		line, err := bufio.NewReader(other).ReadString('\n')
		if err != nil {
			t.Fatalf("a user without a file: %q %v", line, err)
		}
		return strings.Contains(line, "200")
	})
	for _, conn := range slow {
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	site.Eventually(t, 200, func() site.Answer { return site.Send(t, "HEAD", address+"/commissions.csv") })
}

// A panic while a file is made frees its place.
func TestPanickingExportsFreePlaces(t *testing.T) {
	t.Parallel()
	// An export reads the clock twice: for parsing the query and for opening the file.
	var asked atomic.Int64
	address, server := site.Serve(t, web.Options{Reports: reports.New(site.OpenSharedSite(t).Store, func() time.Time {
		if asked.Add(1)%2 == 0 {
			panic("a fault of the fixture")
		}
		return site.Now
	})})
	const tries = 20
	for i := range tries {
		if a := site.Get(t, address+"/commissions.csv"); a.StatusCode != 500 {
			t.Fatalf("file %d: status %d, want 500", i+1, a.StatusCode)
		}
	}
	if n := server.Panics(); n != tries {
		t.Errorf("%d panics were counted, want %d", n, tries)
	}
}

// A stop does not wait for connections on which no request was sent.
func TestShutdownWithUnusedConnection(t *testing.T) {
	address, server := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	site.Get(t, address+"/healthz") // the server accepts connections in order, so it has accepted the idle one
	began := time.Now()
	site.Shutdown(t, server)
	if took := time.Since(began); took > 8*time.Second { // a connection that is waited for lasts 10 s
		t.Errorf("stopping took %v", took)
	}
}
