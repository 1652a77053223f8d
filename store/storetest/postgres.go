package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of [admin]

	"rebatedesk/store"
)

// server is the URL of a PostgreSQL server with the right to create databases; empty: none.
func server() string { return os.Getenv("REBATEDESK_TEST_POSTGRES") }

// emptyPostgres creates a database for the test from the template, and drops it when the
// test ends.
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

// template is the name of a database with the tables and nothing else. The packages of a run share
// it: the first one creates it, while the others wait. It is dropped with the server; its name has
// what the tables are made of, so that programs of other versions have their own.
var template = sync.OnceValues(func() (name string, err error) {
	made, err := fingerprint()
	if err != nil {
		return "", err
	}
	name = "rebatedesk_template_" + made
	ctx := context.Background()
	db, err := sql.Open("pgx", server())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	turn, err := db.Conn(ctx) // it takes the lock with it
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, turn.Close()) }()
	var there bool
	if _, err = turn.ExecContext(ctx, `SELECT pg_advisory_lock(hashtext('rebatedesk_template'))`); err == nil {
		err = turn.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)`, name).Scan(&there)
	}
	if err != nil || there {
		return name, err
	}
	unfinished := name + "_unfinished" // of a process that was killed, if it is there
	if err := Admin(`DROP DATABASE IF EXISTS ` + unfinished + ` WITH (FORCE)`); err != nil {
		return "", err
	}
	if err := Admin(`CREATE DATABASE ` + unfinished + ` TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`); err != nil {
		return "", err
	}
	s, err := store.Open(ctx, onServer(unfinished), store.Options{})
	if err != nil {
		return "", err
	}
	_, err = s.Writer().Exec(testWords)
	if err := errors.Join(err, s.Close()); err != nil {
		return "", err
	}
	return name, Admin(`ALTER DATABASE ` + unfinished + ` RENAME TO ` + name)
})

// fingerprint is a hash of the source of the store. It is found from the working folder.
func fingerprint() (string, error) {
	script, err := controlScript()
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	folder := filepath.Join(filepath.Dir(script), "..", "store")
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".go", ".sql"}, filepath.Ext(path)) || strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n%s", path, len(content), content)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}

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

// Admin runs a statement on the server's own database.
func Admin(statement string) error { return apply(server(), statement) }

func apply(place, statements string) (err error) {
	db, err := sql.Open("pgx", place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.Exec(statements)
	return err
}
