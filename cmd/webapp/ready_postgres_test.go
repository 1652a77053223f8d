package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/doctor"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

// stallable is a network to a database that can stop passing anything on, as if the server
// were cut off: nobody is told.
type stallable struct {
	mu      sync.Mutex
	stalled bool
	pipes   []net.Conn
}

// stallableTo returns the URL of a database through such a network.
func stallableTo(t *testing.T, place string) (string, *stallable) {
	t.Helper()
	u, err := url.Parse(place)
	storetest.Done(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	storetest.Done(t, err)
	n, to := &stallable{}, u.Host
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			n.mu.Lock()
			n.pipes = append(n.pipes, client)
			stalled := n.stalled
			n.mu.Unlock()
			if stalled {
				continue
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				_ = client.Close() // the client notices
				continue
			}
			n.mu.Lock()
			n.pipes = append(n.pipes, server)
			n.mu.Unlock()
			go n.pass(client, server)
			go n.pass(server, client)
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close() // the test is over
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, pipe := range n.pipes {
			_ = pipe.Close()
		}
	})
	u.Host = listener.Addr().String()
	return u.String(), n
}

func (n *stallable) pass(from, to net.Conn) {
	part := make([]byte, 32<<10)
	for {
		size, err := from.Read(part)
		n.mu.Lock()
		stalled := n.stalled
		n.mu.Unlock()
		if stalled {
			return
		}
		if err != nil {
			_, _ = from.Close(), to.Close() // one end is gone, so the other goes too
			return
		}
		if _, err := to.Write(part[:size]); err != nil {
			return
		}
	}
}

func (n *stallable) stall() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stalled = true
}

// readyAt asks /readyz.
func readyAt(t *testing.T, node *server, accept string) (status int, body string, took time.Duration) {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, node.url+"/readyz", nil)
	storetest.Done(t, err)
	request.Header.Set("Accept", accept)
	begun := time.Now()
	answer, err := http.DefaultClient.Do(request)
	storetest.Done(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	storetest.Done(t, err)
	return answer.StatusCode, string(text), time.Since(begun)
}

// On a database that nodes share, /readyz, /metrics, the doctor and the page of the collection
// tell the engine and who does which work. A server that is cut off shows within two seconds.
func TestHealthOnPostgres(t *testing.T) {
	storetest.PostgresOnly(t)
	const password = "seven lanterns uphill"
	const leases = 5 // of the collector, mail, scheduled deliveries, trading and backups
	place := databaseWith(t, "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'").String()
	through, network := stallableTo(t, place)
	env := []string{"REBATEDESK_MASTER_KEY=" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))), "REBATEDESK_BACKUP_DIR=" + t.TempDir()}
	add := process(t, append(env, "REBATEDESK_DB="+place), "user", "add", "--name", "mia", "--role", "viewer", "--password-stdin")
	add.Stdin = strings.NewReader(password)
	if said, err := add.CombinedOutput(); err != nil {
		t.Fatal(err, string(said))
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	storetest.Done(t, err)
	metrics := free.Addr().String()
	storetest.Done(t, free.Close())
	first := serving(t, append(env, "REBATEDESK_DB="+place, "REBATEDESK_NODE=web-1", "REBATEDESK_METRICS_LISTEN="+metrics))
	waitFor(t, func() bool {
		_, body, _ := readyAt(t, first, "text/plain")
		return strings.Count(body, "\nlease ") == leases
	})
	second := serving(t, append(env, "REBATEDESK_DB="+through, "REBATEDESK_NODE=web-2"))

	status, body, _ := readyAt(t, second, "text/plain")
	for _, line := range []string{"ready", "database: ok", "schema: ok", "database clock: ok", "engine: PostgreSQL 1", "node: web-2", "lease collector: web-1, for "} {
		if !strings.Contains("\n"+body, "\n"+line) {
			t.Errorf("no %q in %d %s", line, status, body)
		}
	}
	status, asJSON, _ := readyAt(t, second, "application/json")
	var said struct {
		State, Node string
		Engine      struct {
			Name, Version string
			Schema        int
			Clock         *int64 `json:"clock_ahead_ms"`
		}
		Leases map[string]struct {
			Node   string
			Age    int64 `json:"age_ms"`
			Number int64
			Ends   int64 `json:"ends_in_ms"`
		}
	}
	storetest.Done(t, json.Unmarshal([]byte(asJSON), &said))
	if l := said.Leases["collector"]; status != http.StatusOK || said.State != "ready" || said.Node != "web-2" || said.Engine.Name != store.PostgreSQL || said.Engine.Schema != store.KnownSchema() ||
		said.Engine.Clock == nil || l.Node != "web-1" || l.Number != 1 || l.Ends <= 0 || l.Ends > 20_000 || len(said.Leases) != leases {
		t.Errorf("%d %s", status, asJSON)
	}
	for _, secret := range []string{"127.0.0.1", "canary", "postgres:"} {
		if strings.Contains(body+asJSON, secret) {
			t.Errorf("it shows %s: %s%s", secret, body, asJSON)
		}
	}
	page := fetch(t, "http://"+metrics+"/metrics")
	for _, line := range []string{
		`rebatedesk_database_info{citus="",engine="PostgreSQL",node="web-1",version="1`, "rebatedesk_database_schema_version ", "rebatedesk_database_clock_ahead_seconds ",
		`rebatedesk_lease_holder{lease="collector",node="web-1"} 1`, `rebatedesk_lease_number{lease="trading"} 1`, `rebatedesk_lease_ends_seconds{lease="backup"} `,
	} {
		if !strings.Contains(page, "\n"+line) {
			t.Errorf("no %s", line)
		}
	}
	if strings.Contains(page, "rebatedesk_database_wal_bytes") {
		t.Error("a server has no log of writes of its own")
	}
	for _, node := range []*server{first, second} {
		browser := signedInAt(t, node.url, "mia", password)
		waitFor(t, func() bool { // what is known is two seconds old at most
			answer, err := browser.Get(node.url + "/collection")
			storetest.Done(t, err)
			content, err := io.ReadAll(answer.Body)
			storetest.Done(t, errors.Join(err, answer.Body.Close()))
			return strings.Contains(string(content), "Collecting is the work of") && strings.Contains(string(content), ">web-1</bdi>")
		})
	}

	network.stall()
	stalled := time.Now()
	for {
		status, body, took := readyAt(t, second, "text/plain")
		if took > 5*time.Second {
			t.Errorf("the answer took %s", took)
		}
		if status == http.StatusServiceUnavailable {
			if !strings.HasPrefix(body, "not ready\ndatabase: failed: does not answer\n") {
				t.Error(body)
			}
			break
		}
		if time.Since(stalled) > time.Minute {
			t.Fatal("it stays ready")
		}
	}
	if status, body, _ := readyAt(t, first, "text/plain"); status != http.StatusOK {
		t.Errorf("the other node: %d %s", status, body)
	}
	if _, err := first.terminated(); err != nil {
		t.Error(err, first.stderr)
	}
	// The process of the second node cannot reach its database any more.
	storetest.Done(t, second.Process.Kill())
	_ = second.Wait() // it was killed
}

// The doctor tells about the server and the leases, and what to do if the server does not
// answer or was updated by a newer program.
func TestDoctorOnPostgres(t *testing.T) {
	storetest.PostgresOnly(t)
	d := newHarness(t, atWallClock)
	t.Chdir(t.TempDir())
	place := databaseWith(t, "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'").String()
	on := "REBATEDESK_DB=" + place
	d.done([]string{on}, "collect")
	st := storetest.OpenAt(t, place, store.Options{Node: "web-7"})
	_, release, err := st.Lock(t.Context(), store.CollectorLease)
	storetest.Done(t, err)
	status, found := d.diagnosed([]string{on})
	for check, text := range map[string]string{
		"engine": "PostgreSQL 1", "database clock": " apart", "standbys": "none follows", "leases": "collector by web-7 for ", "disk space": "the disk of the server is not checked", "database": "is sound, schema version",
	} {
		if !strings.Contains(found[check].Text, text) || !slices.Contains([]string{doctor.OK, doctor.Skipped}, found[check].Result) {
			t.Errorf("%s: %+v", check, found[check])
		}
	}
	if status != statusDone {
		t.Errorf("status %d: %+v", status, found)
	}
	storetest.Done(t, release())

	through, network := stallableTo(t, place)
	network.stall()
	begun := time.Now()
	status, found = d.diagnosed([]string{"REBATEDESK_DB=" + through + "&connect_timeout=1"})
	if f := found["database"]; status != statusFailed || f.Result != doctor.Failed || !strings.Contains(f.Hint, "check that it runs") || time.Since(begun) > 30*time.Second {
		t.Errorf("status %d after %s, %+v", status, time.Since(begun), f)
	}

	storetest.Run(t, place, `UPDATE schema_version SET version = version + 1`)
	if status, found := d.diagnosed([]string{on}); status != statusFailed || !strings.Contains(found["database"].Text, "use the newer program") {
		t.Errorf("status %d, %+v", status, found["database"])
	}
	for _, args := range [][]string{{"serve", "--listen=127.0.0.1:0"}, {"verify"}, {"backup", filepath.Join(t.TempDir(), "b.db")}} {
		if status, _, stderr := d.run(t.Context(), []string{on}, args...); status != statusFailed || !strings.Contains(stderr, "use the newer program") {
			t.Errorf("%s: status %d, %s", args[0], status, stderr)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 1 { // the master key
		t.Errorf("it left %v, %v", left, err)
	}
}
