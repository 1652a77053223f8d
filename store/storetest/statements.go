package storetest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"rebatedesk/store"
)

// Unreported are the tables that no file of a report shows: who has access, and what was done. Only
// they may be changed by [store.Store.UpdateAside].
var Unreported = []string{"audit", "audit_head", "sessions", "devices", "tokens", "throttles", "users", "recovery_codes", "favourite_pairs", "preferences", "setup_marks"}

var (
	changedTable = regexp.MustCompile(`(?i)\b(?:INSERT(?:\s+OR\s+\w+)?\s+INTO|UPDATE|DELETE\s+FROM)\s+([a-z_][a-z_0-9]*)`)
	readTable    = regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+([a-z_][a-z_0-9]*)`)
)

// ChangedReported returns a table that a statement changes although files of reports show it; empty: none.
func ChangedReported(statement string) string {
	for _, found := range changedTable.FindAllStringSubmatch(statement, -1) {
		table := strings.ToLower(found[1])
		if table != "set" && !slices.Contains(Unreported, table) { // DO UPDATE SET names no table
			return table
		}
	}
	return ""
}

// ReadUnreported returns a table that a statement reads although no file of a report shows it;
// empty: none.
func ReadUnreported(statement string) string {
	for _, found := range readTable.FindAllStringSubmatch(statement, -1) {
		if table := strings.ToLower(found[1]); slices.Contains(Unreported, table) {
			return table
		}
	}
	return ""
}

// listeners get the statements of their stores, as func(string).
var listeners sync.Map

// Every test of a package that imports this one refuses a write that says that it changes nothing
// that files of reports show, and does: the tag of a file would stay, and its readers the old file.
func init() {
	store.Watch(func(s *store.Store, statement string, aside bool) {
		if aside {
			if table := ChangedReported(statement); table != "" {
				panic(fmt.Sprintf("Store.UpdateAside changes %s, which files of reports show; use Store.Update: %s", table, statement))
			}
		}
		if listen, ok := listeners.Load(s); ok {
			listen.(func(string))(statement)
		}
	})
}

// ReadsReported runs f, which writes a file of a report, and fails if it reads a table of
// [Unreported]: the tag of the file would stay when that table changes.
func ReadsReported(t testing.TB, s *store.Store, f func()) {
	t.Helper()
	listeners.Store(s, func(statement string) {
		if table := ReadUnreported(statement); table != "" {
			t.Errorf("a file of a report reads %s, which may change without its knowing: %s", table, statement)
		}
	})
	defer listeners.Delete(s)
	f()
}
