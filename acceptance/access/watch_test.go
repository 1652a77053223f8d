package access_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/reports/export"
	"rebatedesk/web"
	"rebatedesk/web/handler"
)

// tally counts the events of a server.
type tally struct {
	mutex sync.Mutex
	seen  map[string]int
	rows  int64
}

func (t *tally) add(what string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.seen[what]++
}

func (t *tally) count(what string) int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.seen[what]
}

func (t *tally) watch() handler.Observer {
	t.seen = map[string]int{}
	return handler.Observer{
		Request: func(route string, status int, took time.Duration) {
			if took <= 0 || took > time.Minute {
				t.add("strange duration")
			}
			t.add(fmt.Sprint(route, " ", status))
		},
		Export: func(kind string, format export.Format, rows int64) {
			t.add(kind + " " + string(format))
			t.mutex.Lock()
			defer t.mutex.Unlock()
			t.rows += rows
		},
		SignIn: func(outcome handler.SignInOutcome) { t.add("sign-in " + string(outcome)) },
	}
}

// Requests are counted by the pattern of their route, and all addresses without a route
// by one name.
func TestWatchRequests(t *testing.T) {
	t.Parallel()
	var told tally
	address, server := site.Serve(t, web.Options{Reports: site.SharedReports(t), Access: site.SharedAccess(t), Watch: told.watch()})
	viewer := site.SignedIn(t, access.Viewer)
	for _, path := range []string{"/", "/commissions?range=7d", "/invitees/4667776811", "/invitees/1", "/nowhere/7", "/%7b%22%0a", "/invitees/1/2/3", "/static/none"} {
		site.Get(t, address+path, "Cookie", viewer)
	}
	site.Get(t, address+"/commissions", "Host", "evil.example")
	site.Get(t, address+"/healthz")
	site.Shutdown(t, server)
	want := map[string]int{
		"/ 200": 1, "/commissions 200": 1, "/invitees/:uid 200": 1, "/invitees/:uid 404": 1, "/static/* 404": 1, "/healthz 200": 1,
		"none 404": 3, "none 421": 1,
	}
	if !maps.Equal(told.seen, want) {
		t.Errorf("told %v, want %v", told.seen, want)
	}
}

// An export counts when it is completely written.
func TestWatchExports(t *testing.T) {
	t.Parallel()
	var told tally
	watch := told.watch()
	address, server := site.Serve(t, web.Options{Reports: site.SharedReports(t), Access: site.SharedAccess(t), Watch: watch})
	tornAddress, tornServer := site.Serve(t, web.Options{Reports: site.Torn(t), Access: site.SharedAccess(t), Watch: watch})
	manager := site.SignedIn(t, access.Manager)
	whole := site.Get(t, address+"/commissions.csv?range=7d", "Cookie", manager)
	request, err := http.NewRequest(http.MethodGet, tornAddress+"/commissions.csv?range=7d", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Cookie", manager)
	if response, err := site.Client.Do(request); err == nil { // otherwise the connection broke before the first byte
		_, err = io.Copy(io.Discard, response.Body)
		if err == nil {
			t.Error("a file that is not whole looks whole")
		}
		_ = response.Body.Close()
	}
	site.Shutdown(t, server)
	site.Shutdown(t, tornServer)
	if lines := int64(strings.Count(whole.Body, "\n")) - 1; told.count("commissions csv") != 1 || told.rows != lines || lines == 0 {
		t.Errorf("told %v and %d rows, want one file with %d", told.seen, told.rows, lines)
	}
}

// Each attempt to sign in is counted by its outcome alone.
func TestWatchSignIns(t *testing.T) {
	t.Parallel()
	var told tally
	_, service := site.NewAccess(t, filepath.Join(t.TempDir(), "desk.db"), access.Options{SecondFactor: access.OfNobody})
	site.AddUser(t, service, "ann", access.Viewer, site.PasswordOf(access.Viewer))
	address, server := site.Serve(t, web.Options{Reports: site.SharedReports(t), Access: service, Watch: told.watch()})
	for _, password := range []string{"seven lanterns for nobody", site.PasswordOf(access.Viewer)} {
		site.Visit(t, address).SignIn("ann", password)
	}
	site.Shutdown(t, server)
	if told.count("sign-in wrong") != 1 || told.count("sign-in done") != 1 {
		t.Errorf("told %v", told.seen)
	}
}
