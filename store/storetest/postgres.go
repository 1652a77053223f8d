package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of [admin]

	"rebatedesk/store"
)

// server is the URL of a PostgreSQL server with the right to create databases, on which
// the tests run instead of SQLite.
func server() string { return os.Getenv("REBATEDESK_TEST_POSTGRES") }

// Postgres reports whether the tests run on PostgreSQL.
func Postgres() bool { return server() != "" }

// SQLiteOnly skips a test of what only SQLite has, such as its file.
func SQLiteOnly(t testing.TB, why string) {
	t.Helper()
	if Postgres() {
		t.Skip("of SQLite only: " + why)
	}
}

// PostgresOnly skips a test of what only PostgreSQL has, and returns the URL of the server
// otherwise.
func PostgresOnly(t testing.TB) string {
	t.Helper()
	if !Postgres() {
		t.Skip("REBATEDESK_TEST_POSTGRES names no PostgreSQL server")
	}
	return server()
}

// emptyPostgres creates a database for the test from the template of this process, and
// drops it when the test ends.
func emptyPostgres(t testing.TB) string {
	t.Helper()
	from, err := template()
	if err != nil {
		t.Fatal(err)
	}
	place, _ := NewDatabase(t, "TEMPLATE "+from)
	return place
}

// NewDatabase creates a database on the server with the given clauses, and drops it when the
// test ends. It returns its URL and its name.
func NewDatabase(t testing.TB, clauses string) (place, name string) {
	t.Helper()
	name = "rebatedesk_" + strings.ToLower(rand.Text())
	if err := Admin(fmt.Sprintf(`CREATE DATABASE %s %s STRATEGY file_copy`, name, clauses)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Admin(fmt.Sprintf(`DROP DATABASE IF EXISTS %s WITH (FORCE)`, name)); err != nil {
			t.Error(err)
		}
	})
	return onServer(name), name
}

// CutOff ends all connections to a database and refuses new ones.
func CutOff(t testing.TB, name string) {
	t.Helper()
	for _, statement := range []string{
		fmt.Sprintf(`ALTER DATABASE %s ALLOW_CONNECTIONS false`, name),
		fmt.Sprintf(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '%s'`, name),
	} {
		if err := Admin(statement); err != nil {
			t.Fatal(err)
		}
	}
}

// template is the name of a database with the tables and nothing else. It is dropped with
// the server; its name has the schema version and the process, so that programs of other
// versions have their own.
var template = sync.OnceValues(func() (string, error) {
	name := fmt.Sprintf("rebatedesk_template_%d_%d", store.KnownSchema(), os.Getpid())
	if err := Admin(fmt.Sprintf(`DROP DATABASE IF EXISTS %s WITH (FORCE)`, name)); err != nil {
		return "", err
	}
	if err := Admin(fmt.Sprintf(`CREATE DATABASE %s TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`, name)); err != nil {
		return "", err
	}
	s, err := store.Open(context.Background(), onServer(name), store.Options{})
	if err != nil {
		return "", err
	}
	_, err = s.Writer().Exec(testWords)
	return name, errors.Join(err, s.Close())
})

// testWords are what tests use of SQLite for bytes, and the program does not.
const testWords = `
	CREATE DOMAIN blob AS bytea;
	CREATE FUNCTION hex(bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT upper(encode($1, 'hex'))$$;
	CREATE FUNCTION hex(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT hex(convert_to($1, 'UTF8'))$$;
	CREATE FUNCTION unhex(text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$SELECT decode($1, 'hex')$$`

// onServer is the URL of a database on the server.
func onServer(name string) string {
	u, err := url.Parse(server())
	if err != nil {
		return server()
	}
	u.Path = "/" + name
	return u.String()
}

// Run runs statements on the database of a URL.
func Run(t testing.TB, place, statements string) {
	t.Helper()
	if err := apply(place, statements); err != nil {
		t.Fatal(err)
	}
}

// creating keeps two databases from being copied from one template at once, which the server
// refuses.
var creating sync.Mutex

// Admin runs a statement on the server's own database.
func Admin(statement string) error {
	creating.Lock()
	defer creating.Unlock()
	return apply(server(), statement)
}

func apply(place, statements string) (err error) {
	db, err := sql.Open("pgx", place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.Exec(statements)
	return err
}
