package storetest

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// Citus returns the URL of a new database on a cluster of PostgreSQL with the extension
// Citus. It skips a test without a cluster: REBATEDESK_TEST_CITUS is the URL of a
// coordinator, and of a database of it that knows the workers.
func Citus(t testing.TB) string {
	t.Helper()
	place, attach := CitusLater(t)
	attach(Workers(t)...)
	return place
}

// Servers returns, by the name of their engine, the servers that the environment names. Each
// creates databases for a test. It skips a test without any.
func Servers(t testing.TB) map[string]func(testing.TB) string {
	t.Helper()
	servers := map[string]func(testing.TB) string{}
	if server() != "" {
		servers["PostgreSQL"] = emptyPostgres
	}
	if coordinator() != "" {
		servers["Citus"] = Citus
	}
	if len(servers) == 0 {
		t.Skip("neither REBATEDESK_TEST_POSTGRES nor REBATEDESK_TEST_CITUS names a server")
	}
	return servers
}

// coordinator is the URL of a database on the coordinator of the cluster.
func coordinator() string { return os.Getenv("REBATEDESK_TEST_CITUS") }

// CitusLater is [Citus] with a database that gets the extension and workers only when attach
// is called with them.
func CitusLater(t testing.TB) (place string, attach func(workers ...string)) {
	t.Helper()
	coordinator := coordinator()
	if coordinator == "" {
		t.Skip("REBATEDESK_TEST_CITUS names no coordinator of Citus")
	}
	name := "rebatedesk_" + strings.ToLower(rand.Text())
	nodes := append([]string{""}, Workers(t)...) // the first is the coordinator
	t.Cleanup(func() {
		for _, node := range slices.Backward(nodes) {
			if err := dropDatabase(serverOf(t, coordinator, node, "postgres"), name); err != nil {
				t.Error(err)
			}
		}
	})
	for _, node := range nodes {
		Done(t, run(serverOf(t, coordinator, node, "postgres"), fmt.Sprintf(`CREATE DATABASE %s TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`, name)))
	}
	place = serverOf(t, coordinator, "", name)
	return place, func(workers ...string) {
		t.Helper()
		own, err := url.Parse(place)
		Done(t, err)
		for _, node := range append([]string{""}, workers...) {
			Done(t, run(serverOf(t, coordinator, node, name), `CREATE EXTENSION IF NOT EXISTS citus`))
		}
		Done(t, run(place, fmt.Sprintf(`SELECT citus_set_coordinator_host('%s', %s)`, own.Hostname(), own.Port())))
		for _, node := range workers {
			host, port, _ := strings.Cut(node, ":")
			// A busy machine can cost Citus its connection to the worker. Nothing was added then.
			add := fmt.Sprintf(`SELECT citus_add_node('%s', %s)`, host, port)
			err := run(place, add)
			for range 2 {
				if lost, ok := errors.AsType[*pgconn.PgError](err); ok && strings.Contains(lost.Message, "failure on connection") {
					err = run(place, add)
				}
			}
			Done(t, err)
		}
	}
}

// dropDatabase drops a database of a node. Citus keeps starting its maintenance there, which
// a database that is being dropped refuses only if it refuses everybody.
func dropDatabase(server, name string) error {
	if err := run(server, fmt.Sprintf(`ALTER DATABASE %s ALLOW_CONNECTIONS false`, name)); err != nil {
		return err
	}
	drop := fmt.Sprintf(`DROP DATABASE %s WITH (FORCE)`, name)
	err := run(server, drop)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == "55006" { // one was starting already
		err = run(server, drop)
	}
	return err
}

// StopWorker makes a worker refuse the database at place, as if it were away, until the
// returned function is called or the test ends.
func StopWorker(t testing.TB, place string, n int) (back func()) {
	t.Helper()
	u, err := url.Parse(place)
	Done(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	server := serverOf(t, place, Workers(t)[n], "postgres")
	back = sync.OnceFunc(func() {
		t.Helper()
		Done(t, run(server, fmt.Sprintf(`ALTER DATABASE %s ALLOW_CONNECTIONS true`, name)))
	})
	t.Cleanup(back)
	Done(t, run(server, fmt.Sprintf(`ALTER DATABASE %s ALLOW_CONNECTIONS false`, name)))
	Done(t, run(server, fmt.Sprintf(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'`, name)))
	return back
}

// Workers returns the hosts and ports of the workers of the cluster.
func Workers(t testing.TB) (nodes []string) {
	t.Helper()
	db, err := sql.Open("pgx", coordinator())
	Done(t, err)
	defer db.Close()
	rows, err := db.Query(`SELECT nodename || ':' || nodeport FROM pg_dist_node WHERE noderole = 'primary' AND groupid > 0 ORDER BY 1`)
	Done(t, err)
	defer rows.Close()
	for rows.Next() {
		var node string
		Done(t, rows.Scan(&node))
		nodes = append(nodes, node)
	}
	Done(t, rows.Err())
	return nodes
}

// serverOf returns a URL with another host and port, unless they are empty, and another
// database.
func serverOf(t testing.TB, place, node, database string) string {
	t.Helper()
	u, err := url.Parse(place)
	Done(t, err)
	if node != "" {
		u.Host = node
	}
	u.Path = "/" + database
	return u.String()
}

// run runs a statement on a server.
func run(server, statement string) (err error) {
	db, err := sql.Open("pgx", server)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.Exec(statement)
	return err
}
