package storetest

import (
	"strings"
	"sync"
	"testing"
)

// Engines runs a test as a subtest on each engine that is there: on SQLite, and on PostgreSQL if
// REBATEDESK_TEST_POSTGRES is the URL of a server on which it may create databases. why says what
// engines could do differently there; a test of which nobody can say that needs no engine but
// SQLite, which is that of tests without Engines. Within the subtest [Empty], and what opens a
// store by it, gives a database of the engine.
func Engines(t *testing.T, why string, test func(t *testing.T)) {
	t.Helper()
	t.Run("SQLite", test)
	if server() == "" {
		return
	}
	t.Run("PostgreSQL", func(t *testing.T) {
		PostgresOnly(t)
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("engines could differ in: %s", why)
			}
		})
		test(t)
	})
}

// PostgresOnly makes PostgreSQL the engine of a test of what only PostgreSQL has, and returns the
// URL of the server. It skips a test without a server, see [Engines].
func PostgresOnly(t testing.TB) string {
	t.Helper()
	if server() == "" {
		t.Skip("REBATEDESK_TEST_POSTGRES names no PostgreSQL server")
	}
	onPostgres.Store(t.Name(), true)
	t.Cleanup(func() { onPostgres.Delete(t.Name()) })
	return server()
}

// onPostgres has the names of the tests and subtests whose engine is PostgreSQL.
var onPostgres sync.Map

// Named is a test, or a check of one.
type Named interface{ Name() string }

// Postgres reports whether the engine of a test, or of the test that it is a part of, is PostgreSQL.
func Postgres(t Named) bool {
	for name := t.Name(); ; {
		if _, found := onPostgres.Load(name); found {
			return true
		}
		end := strings.LastIndexByte(name, '/')
		if end < 0 {
			return false
		}
		name = name[:end]
	}
}
