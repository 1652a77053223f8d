package store_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"rebatedesk/internal/race"
	"rebatedesk/internal/soak"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

// unguarded returns a log of n lines without its guards. Any process that can write the
// file can remove them.
func unguarded(t *testing.T, n int) *store.Store {
	t.Helper()
	s := storetest.Audited(t)
	for i := range n {
		appendLines(t, s, audit.Line{Actor: "ann", Via: "session", Address: "::1", Action: "export", Object: "/x" + strconv.Itoa(i), Detail: "é", Outcome: "ok"})
	}
	tamper(t, s, strings.Join(dropGuards(t), ";"))
	if !storetest.Postgres(t) {
		tamper(t, s, `PRAGMA synchronous = OFF`) // thousands of changes follow
	}
	return s
}

// dropGuards returns the statements that remove the guards of the log.
func dropGuards(t *testing.T) []string {
	return []string{
		storetest.DropTrigger(t, "audit", "audit_keep"), storetest.DropTrigger(t, "audit", "audit_keep_all"), storetest.DropTrigger(t, "audit", "audit_in_line"),
		storetest.DropTrigger(t, "audit_head", "audit_head_forward"), storetest.DropTrigger(t, "audit_head", "audit_head_keep"), storetest.DropTrigger(t, "audit_head", "audit_head_once"),
	}
}

func tamper(t *testing.T, s *store.Store, statement string) {
	t.Helper()
	if err := storetest.Corrupt(s, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// auditFaults returns the faults of the log without those of the guards.
func auditFaults(t *testing.T, s *store.Store) []string {
	t.Helper()
	f, err := audit.VerifyChain(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(f.Faults, func(fault string) bool { return strings.Contains(fault, "guards") })
}

// attempt makes a change, returns the faults that are found, and reverts the change.
func attempt(t *testing.T, s *store.Store, statement string) []string {
	t.Helper()
	tamper(t, s, `CREATE TEMP TABLE kept AS SELECT * FROM audit; CREATE TEMP TABLE kept_head AS SELECT * FROM audit_head`)
	tamper(t, s, statement)
	faults := auditFaults(t, s)
	tamper(t, s, `DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM kept_head; DROP TABLE kept; DROP TABLE kept_head`)
	return faults
}

// Every change of one byte in any column of any row, or of the head, is found.
func TestSoakEveryChangedByteIsFound(t *testing.T) {
	t.Parallel()
	race.Skip(t, "a thousand changes, one after the other")
	s := unguarded(t, 4)
	changes := 0
	for _, table := range []struct {
		name, ids    string
		numbers      []string
		texts, blobs []string
	}{
		{"audit", `SELECT id FROM audit`, []string{"id", "at_ms"}, []string{"actor", "via", "address", "action", "object", "detail", "outcome"}, []string{"mac"}},
		{"audit_head", `SELECT id FROM audit_head`, []string{"rows"}, []string{"key_id"}, []string{"mac", "seal"}},
	} {
		ids, err := storetest.Lines(s, table.ids)
		if err != nil || len(ids) == 0 {
			t.Fatal(ids, err)
		}
		for _, id := range ids {
			where := ` WHERE id = ` + id
			for _, column := range table.numbers {
				lines, err := storetest.Lines(s, `SELECT `+column+` FROM `+table.name+where)
				if err != nil || len(lines) != 1 {
					t.Fatal(lines, err)
				}
				number, err := strconv.ParseInt(lines[0], 10, 64)
				storetest.Done(t, err)
				for bit := 0; bit < 64; bit += soak.Times(9, 1) {
					changes++
					changed := number ^ 1<<bit
					statement := fmt.Sprintf(`UPDATE %s SET %s = %d%s`, table.name, column, changed, where)
					if column == "id" {
						statement = fmt.Sprintf(`DELETE FROM audit WHERE id = %d; `, changed) + statement
					}
					check(t, s, statement)
				}
			}
			for _, column := range slices.Concat(table.texts, table.blobs) {
				changes += everyByte(t, s, table.name, column, where, slices.Contains(table.texts, column))
			}
		}
	}
	if faults := auditFaults(t, s); len(faults) > 0 {
		t.Errorf("after all changes were reverted: %q", faults)
	}
	if changes < 1000/soak.Times(5, 1) {
		t.Errorf("only %d changes were tested", changes)
	}
	t.Logf("%d changes", changes)
}

// oneIn returns how many of n changes a test makes one of: 1 for a whole test, n for a short one, and
// on a server, which has to agree with the whole test of SQLite rather than repeat it.
func oneIn(t storetest.Named, n int) int {
	if testing.Short() || storetest.Postgres(t) {
		return n
	}
	return 1
}

// everyByte changes each byte of a cell, inserts one before it, removes it, and appends
// one at the end.
func everyByte(t *testing.T, s *store.Store, table, column, where string, text bool) (changes int) {
	t.Helper()
	lines, err := storetest.Lines(s, `SELECT hex(`+column+`) FROM `+table+where)
	if err != nil || len(lines) != 1 {
		t.Fatal(lines, err)
	}
	cell := lines[0]
	set := func(value string) {
		bytes := `unhex('` + value + `')`
		if text {
			if storetest.Postgres(t) && !storableBytes(t, value) {
				return
			}
			bytes = storetest.TextOf(t, bytes)
		}
		changes++
		check(t, s, fmt.Sprintf(`UPDATE %s SET %s = %s%s`, table, column, bytes, where))
	}
	for i := 0; i < len(cell); i += 2 * soak.Times(5, 1) {
		before, this, after := cell[:i], cell[i:i+2], cell[i+2:]
		b, err := strconv.ParseUint(this, 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []uint64{b ^ 1, b ^ 0x20, b ^ 0x80, 0} {
			if other != b {
				set(fmt.Sprintf("%s%02X%s", before, other, after))
			}
		}
		set(before + "00" + this + after)
		set(before + after)
	}
	set(cell + "00")
	return changes
}

// storableBytes reports whether PostgreSQL takes bytes, in hexadecimal digits, as a text.
func storableBytes(t *testing.T, digits string) bool {
	t.Helper()
	text, err := hex.DecodeString(digits)
	storetest.Done(t, err)
	return utf8.Valid(text) && !bytes.ContainsRune(text, 0)
}

func check(t *testing.T, s *store.Store, statement string) {
	t.Helper()
	if faults := attempt(t, s, statement); len(faults) == 0 {
		t.Errorf("a change was not found: %s", statement)
	}
}

// Every kind of tampering with lines is found and named, with the first wrong line.
func TestTamperedLinesAreNamed(t *testing.T) {
	storetest.Engines(t, "bytes of seals, triggers", testTamperedLinesAreNamed)
}

func testTamperedLinesAreNamed(t *testing.T) {
	const n = 6
	type change struct{ statement, words string }
	var changes []change
	swap := func(i, j int) string {
		return fmt.Sprintf(`UPDATE audit SET id = -1 WHERE id = %d; UPDATE audit SET id = %d WHERE id = %d; UPDATE audit SET id = %d WHERE id = -1`, i, i, j, j)
	}
	for i := 1; i <= n; i++ {
		removed, inserted := "line %d was removed in the middle", "line %d was inserted: what stood there stands at %[2]d"
		if i == n {
			removed = "line %d was removed at the end"
		}
		shift := fmt.Sprintf(`UPDATE audit SET id = id + 100 WHERE id >= %d; UPDATE audit SET id = id - 99 WHERE id > 100`, i)
		changes = append(changes,
			change{fmt.Sprintf(`DELETE FROM audit WHERE id = %d`, i), fmt.Sprintf(removed, i)},
			change{fmt.Sprintf(`UPDATE audit SET outcome = 'no' WHERE id = %d`, i), fmt.Sprintf("line %d was changed", i)},
			change{fmt.Sprintf(`%s; INSERT INTO audit SELECT %d, at_ms, 'eve', via, address, action, object, detail, outcome, mac FROM audit WHERE id = %d`, shift, i, i+1), fmt.Sprintf(inserted, i, i+1)},
			change{fmt.Sprintf(`DELETE FROM audit WHERE id >= %d`, i), "removed at the end"},
		)
		if i < n {
			renumber := fmt.Sprintf(`DELETE FROM audit WHERE id = %d; UPDATE audit SET id = id + 99 WHERE id > %[1]d; UPDATE audit SET id = id - 100 WHERE id > 100`, i)
			changes = append(changes, change{renumber, fmt.Sprintf("line %d was removed in the middle, and those behind renumbered", i)})
		}
		for j := i + 1; j <= n; j++ {
			named := fmt.Sprintf("line %d was reordered: what stood there stands at %d", i, j)
			contents := fmt.Sprintf(`CREATE TEMP TABLE two AS SELECT * FROM audit WHERE id IN (%d, %d);
				UPDATE audit SET (at_ms, object) = (SELECT at_ms, object FROM two WHERE two.id = %[1]d + %[2]d - audit.id) WHERE id IN (%[1]d, %[2]d); DROP TABLE two`, i, j)
			changes = append(changes, change{swap(i, j), named}, change{contents, named})
		}
	}
	changes = append(changes,
		change{`INSERT INTO audit SELECT 7, at_ms, actor, via, address, action, object, detail, outcome, mac FROM audit WHERE id = 6`, "line 7 was inserted at the end"},
		change{`INSERT INTO audit SELECT 0, at_ms, actor, via, address, action, object, detail, outcome, mac FROM audit WHERE id = 6`, "line 0 was inserted"},
		change{`DELETE FROM audit WHERE id IN (2, 3)`, "lines 2 to 3 were removed in the middle"},
		change{`DELETE FROM audit`, "lines 1 to 6 were removed at the end"},
		change{`UPDATE audit_head SET rows = 5; DELETE FROM audit WHERE id = 6`, "head is forged"},
		change{`UPDATE audit_head SET rows = 5, mac = (SELECT mac FROM audit WHERE id = 5); DELETE FROM audit WHERE id = 6`, "head is forged"},
		change{`UPDATE audit_head SET key_id = 'ffffffffffffffff'`, "head is forged"},
		change{`DELETE FROM audit_head`, "head was removed"},
		change{`INSERT INTO exchange_accounts VALUES ('x', '', '', '', '', unhex(''), unhex(''), 1, 1, 0, 1, 'weex'); DELETE FROM audit_head; DELETE FROM audit`, "all its lines and its head were removed"},
	)
	s := unguarded(t, n)
	for _, c := range changes {
		if faults := attempt(t, s, c.statement); !strings.Contains(strings.Join(faults, "\n"), c.words) {
			t.Errorf("%s: %q, want %q", c.statement, faults, c.words)
		}
	}
	t.Logf("%d changes", len(changes))
}

// An earlier state of the log, restored with its head, did exist, so nothing in the file
// can reveal it. But the later lines belong to a different chain.
func TestEarlierHeadWithLaterLines(t *testing.T) {
	storetest.Engines(t, "triggers", testEarlierHeadWithLaterLines)
}

func testEarlierHeadWithLaterLines(t *testing.T) {
	s := unguarded(t, 3)
	tamper(t, s, `CREATE TEMP TABLE old_head AS SELECT * FROM audit_head`)
	appendLines(t, s, audit.Line{Action: "order placed"})
	if faults := attempt(t, s, `DELETE FROM audit_head; INSERT INTO audit_head SELECT * FROM old_head`); len(faults) != 1 || !strings.Contains(faults[0], "line 4 was inserted at the end") {
		t.Errorf("%q", faults)
	}
}

// The guards prevent mistakes and other programs from changing lines. Removing them is a
// separate fault.
func TestAuditIsGuarded(t *testing.T) { storetest.Engines(t, "triggers", testAuditIsGuarded) }

func testAuditIsGuarded(t *testing.T) {
	s := storetest.Audited(t)
	appendLines(t, s, audit.Line{Action: "a"}, audit.Line{Action: "b"})
	for _, statement := range slices.Concat([]string{
		`UPDATE audit SET actor = 'x'`, `DELETE FROM audit`, `DELETE FROM audit WHERE id = 2`, `UPDATE audit SET id = 9 WHERE id = 2`,
		`INSERT INTO audit SELECT * FROM audit WHERE id = 1 ON CONFLICT (id) DO UPDATE SET actor = 'x'`, `INSERT INTO audit SELECT NULL, at_ms, actor, via, address, action, object, detail, outcome, mac FROM audit WHERE id = 1`,
		`INSERT INTO audit SELECT 9, at_ms, actor, via, address, action, object, detail, outcome, mac FROM audit WHERE id = 1`,
		`UPDATE audit_head SET rows = 1`, `UPDATE audit_head SET rows = rows`, `UPDATE audit_head SET rows = rows + 1, key_id = ''`, `DELETE FROM audit_head`,
		`INSERT INTO audit_head SELECT * FROM audit_head WHERE id = 1 ON CONFLICT (id) DO UPDATE SET rows = 1`,
	}, byEngine(t, []string{`REPLACE INTO audit SELECT * FROM audit WHERE id = 1`, `REPLACE INTO audit_head SELECT * FROM audit_head`},
		[]string{`TRUNCATE audit`, `TRUNCATE audit_head`})) {
		if _, err := s.Writer().Exec(statement); err == nil || !strings.Contains(err.Error(), "audit log") && !strings.Contains(err.Error(), "constraint") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if faults := unsound(verify(t, s)); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
	for _, statement := range slices.Concat(dropGuards(t), byEngine(t,
		[]string{`DROP TRIGGER audit_keep; CREATE TRIGGER audit_keep BEFORE UPDATE ON audit WHEN 0 BEGIN SELECT 1; END`},
		[]string{
			`ALTER TABLE audit DISABLE TRIGGER audit_keep`,
			`CREATE OR REPLACE FUNCTION audit_keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'`,
			`DROP TRIGGER audit_keep ON audit; CREATE TRIGGER audit_keep AFTER UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_keep()`,
			`DROP TRIGGER audit_keep ON audit; CREATE TRIGGER audit_keep BEFORE UPDATE ON audit FOR EACH ROW WHEN (false) EXECUTE FUNCTION audit_keep()`,
			`DROP TRIGGER audit_keep ON audit; CREATE TRIGGER audit_keep BEFORE UPDATE OF id ON audit FOR EACH ROW EXECUTE FUNCTION audit_keep()`,
			`DROP TRIGGER audit_keep ON audit; CREATE TRIGGER audit_keep BEFORE UPDATE ON audit_head FOR EACH ROW EXECUTE FUNCTION audit_keep()`,
			`DROP TRIGGER audit_keep_all_truncate ON audit`,
		})) {
		s := storetest.Audited(t)
		appendLines(t, s, audit.Line{Action: "a"})
		tamper(t, s, statement)
		faults := slices.DeleteFunc(unsound(verify(t, s)), func(f string) bool { return strings.HasPrefix(f, "schema: ") }) // of the engine that compares whole schemas
		if len(faults) != 1 || !strings.Contains(faults[0], "1 of the guards") {
			t.Errorf("%s: %q", statement, faults)
		}
	}
}

// byEngine returns the statements for the engine of the test.
func byEngine(t *testing.T, sqlite, postgres []string) []string {
	if storetest.Postgres(t) {
		return postgres
	}
	return sqlite
}

// No line is appended to a log whose end was tampered with, because the log would become
// valid again.
func TestNothingIsAddedToATamperedEnd(t *testing.T) {
	storetest.Engines(t, "triggers, bytes of seals", testNothingIsAddedToATamperedEnd)
}

func testNothingIsAddedToATamperedEnd(t *testing.T) {
	for _, statement := range []string{
		`UPDATE audit_head SET rows = 1, mac = (SELECT mac FROM audit WHERE id = 1); DELETE FROM audit WHERE id = 2`,
		`UPDATE audit_head SET seal = unhex('` + strings.Repeat("00", 32) + `')`, `DELETE FROM audit_head`,
	} {
		s := unguarded(t, 2)
		tamper(t, s, statement)
		err := audit.Write(t.Context(), s, audit.Line{Action: "sign-in"})
		if !errors.Is(err, audit.ErrBroken) || len(auditFaults(t, s)) == 0 {
			t.Errorf("%s: %v", statement, err)
		}
	}
	s := unguarded(t, 2)
	tamper(t, s, `DELETE FROM audit WHERE id = 2`)
	appendLines(t, s, audit.Line{Action: "sign-in"})
	if faults := auditFaults(t, s); len(faults) != 1 || !strings.Contains(faults[0], "line 2 was removed in the middle") {
		t.Errorf("%q", faults)
	}
}

// Another key proves nothing.
func TestAuditOfAnotherKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	s := storetest.OpenAt(t, path, store.Options{})
	if err := s.UseAuditKey(t.Context(), bytes.Repeat([]byte{8}, 32)); err != nil {
		t.Fatal(err)
	}
	late := storetest.OpenAt(t, path, store.Options{AuditKey: storetest.AuditKey})
	appendLines(t, s, audit.Line{Action: "a"})
	if faults := auditFaults(t, late); len(faults) != 2 || !strings.Contains(faults[0], "head is forged") || !strings.Contains(faults[1], "line 1 was changed") {
		t.Errorf("%q", faults)
	}
}
