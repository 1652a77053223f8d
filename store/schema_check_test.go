package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// What someone else made in a backup, or took from it, is named by a verification and refused by a
// restore.
func TestForeignSchema(t *testing.T) {
	t.Parallel()
	race.Skip(t, "files that somebody changed, one after the other")
	for statement, want := range map[string]string{
		``: "",
		`CREATE TRIGGER helpful AFTER INSERT ON sessions BEGIN UPDATE users SET role = 'admin'; END`: "the trigger helpful was not made by this program",
		`ALTER TABLE payees RENAME TO hidden; CREATE VIEW payees AS SELECT * FROM hidden`:            "the table hidden was not made by this program",
		`CREATE TABLE mine (x INTEGER) STRICT`:                                                       "the table mine was not made by this program",
		`CREATE INDEX mine ON sessions (hash)`:                                                       "the index mine was not made by this program",
		`ALTER TABLE sessions ADD COLUMN mine TEXT`:                                                  "the table sessions is not as this program makes it",
		`DROP TRIGGER audit_log_kept`:                                                                "the trigger audit_log_kept is missing",
		`ANALYZE`:                                                                                    "",
		written(`INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_stat9', 'sessions', 0, 'CREATE TRIGGER sqlite_stat9 AFTER INSERT ON sessions BEGIN UPDATE users SET role = ''admin''; END')`):                         "the trigger sqlite_stat9 was not made by this program",
		written(`INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_sequence', 'sessions', 0, 'CREATE TRIGGER sqlite_sequence AFTER INSERT ON sessions BEGIN UPDATE users SET role = ''admin''; END')`):                   "the trigger sqlite_sequence was not made by this program",
		written(`INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_autoindex_users_9', 'sessions', 0, 'CREATE TRIGGER sqlite_autoindex_users_9 AFTER INSERT ON sessions BEGIN UPDATE users SET role = ''admin''; END')`): "the trigger sqlite_autoindex_users_9 was not made by this program",
		written(`UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (whole IN (0, 1)), --', ', -- CHECK (whole IN (0, 1)),') WHERE name = 'sessions'`):                                                                     "the table sessions is not as this program makes it",
		written(`UPDATE sqlite_schema SET sql = replace(sql, 'BEFORE UPDATE ON audit', 'BEFORE UPDATE ON audit WHEN 0') WHERE name = 'audit_keep'`):                                                                         "the trigger audit_keep is not as this program makes it",
		written(`UPDATE sqlite_schema SET sql = replace(sql, 'hash       BLOB', 'hash BLOB /* */') WHERE name = 'sessions'`):                                                                                                "",
		written(`UPDATE sqlite_schema SET sql = replace(sql, 'CREATE TABLE sessions', 'CREATE TABLE "sessions"') WHERE name = 'sessions'`):                                                                                  "",
	} {
		dir := t.TempDir()
		s, err := store.Open(t.Context(), filepath.Join(dir, "desk.db"), store.Options{})
		storetest.Done(t, err)
		if strings.HasPrefix(statement, "DROP") {
			name, err := store.ReadColumn[string](t.Context(), s.Readers(), `SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name LIMIT 1`)
			storetest.Done(t, err)
			statement, want = "DROP TRIGGER "+name[0], "the trigger "+name[0]+" is missing"
		}
		storetest.Done(t, s.Close())
		raw, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "desk.db")) // as any other program does
		storetest.Done(t, err)
		_, err = raw.ExecContext(t.Context(), statement)
		storetest.Done(t, errors.Join(err, raw.Close()))
		if s, err = store.Open(t.Context(), filepath.Join(dir, "desk.db"), store.Options{}); err != nil {
			t.Errorf("%s: %v", statement, err)
			continue
		}
		backup := filepath.Join(dir, "backup.db")
		_, err = upkeep.Backup(t.Context(), s, backup)
		storetest.Done(t, err)
		found := false
		for f, err := range upkeep.Verify(t.Context(), s) {
			if want != "" && err != nil {
				break // a view in place of a table ends it
			}
			storetest.Done(t, err)
			if f.Check == "schema" {
				found = true
				if words := strings.Join(f.Faults, "; "); want == "" != f.Sound() || !strings.Contains(words, want) {
					t.Errorf("%s: verify found %q", statement, words)
				}
			}
		}
		if !found {
			t.Errorf("%s: verify did not look at the schema", statement)
		}
		storetest.Done(t, s.Close())
		_, err = upkeep.Restore(t.Context(), backup, filepath.Join(dir, "restored.db"), upkeep.RestoreOptions{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "was changed by somebody else")) {
			t.Errorf("%s: restore says %v", statement, err)
		}
		if _, err := store.OpenReadOnly(t.Context(), filepath.Join(dir, "restored.db"), store.Options{}); want != "" && err == nil {
			t.Errorf("%s: it was restored", statement)
		}
	}
}

// written returns a statement that changes the schema itself, which whoever can write the file can.
func written(statement string) string {
	return `PRAGMA writable_schema = ON; ` + statement + `; PRAGMA writable_schema = RESET`
}
