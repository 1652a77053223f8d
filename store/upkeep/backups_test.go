package upkeep_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

func backups(t *testing.T, s *store.Store) []upkeep.BackupRun {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	list, err := upkeep.BackupRuns(t.Context(), r, 10)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBackupsAreLogged(t *testing.T) {
	storetest.Engines(t, "statements about backups", testBackupsAreLogged)
}

func testBackupsAreLogged(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"), storetest.Record(8, "2"))
	dir := t.TempDir()
	if log := backups(t, s); len(log) != 0 {
		t.Fatalf("before the first backup: %+v", log)
	}
	good, err := upkeep.RunBackup(t.Context(), s, filepath.Join(dir, "good.db"))
	if err != nil || !good.Good() || good.Rows == 0 || good.Bytes == 0 || good.Error+good.Drill != "" {
		t.Fatalf("%+v, %v", good, err)
	}
	if _, err := upkeep.RunBackup(t.Context(), s, filepath.Join(dir, "good.db")); err == nil {
		t.Error("a backup over another one succeeded")
	}
	// The copy equals its source, and both contain the same fault.
	if err := storetest.Corrupt(s, `UPDATE commission_days SET commission = '4'`); err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.RunBackup(t.Context(), s, filepath.Join(dir, "wrong.db")); err == nil || !strings.Contains(err.Error(), "restore drill") {
		t.Errorf("the drill of a wrong database: %v", err)
	}
	log := backups(t, s)
	if len(log) != 3 || log[2] != good {
		t.Fatalf("the log is %+v, the oldest of three entries was %+v", log, good)
	}
	if over := log[1]; over.Sound || over.Drilled.Known() || !over.Ended.Known() || !strings.Contains(over.Error, "is there already") {
		t.Errorf("the entry of the backup over another one: %+v", over)
	}
	if wrong := log[0]; !wrong.Sound || wrong.Good() || !wrong.Drilled.Known() || !strings.Contains(wrong.Drill, "roll-ups") {
		t.Errorf("the entry of the backup of a wrong database: %+v", wrong)
	}
}

// The next backup deletes the files of one whose process died.
func TestBackupAfterADeadOne(t *testing.T) {
	storetest.Engines(t, "the lock of a backup", testBackupAfterADeadOne)
}

func testBackupAfterADeadOne(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	dir := t.TempDir()
	node := ""
	if s.Shared() {
		node = s.Node()
	}
	if err := storetest.Corrupt(s, `INSERT INTO backups (started_ms, file, node) VALUES (1, '`+filepath.Join(dir, "dead.db")+`', nullif('`+node+`', ''))`); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dead.db.sha256"), []byte(strings.Repeat("0", 64)+"  dead.db\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dead.db.partial-1", "dead.db.partial-1-wal", "dead.db.partial-1.sha256", "other.db.partial-2", "dead.db.old"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "dead.db.drill-1", "more"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.RunBackup(t.Context(), s, filepath.Join(dir, "next.db")); err != nil {
		t.Fatal(err)
	}
	if left := storetest.Names(t, dir); !slices.Equal(left, []string{"dead.db.old", "next.db", "next.db.sha256", "other.db.partial-2"}) {
		t.Errorf("the directory contains %v", left)
	}
	if dead := backups(t, s)[1]; dead.Error != "ended abruptly" || !dead.Ended.Known() || dead.Sound {
		t.Errorf("the entry of the dead process: %+v", dead)
	}
}

// A log can come from a database of another machine. Files that it names in other
// directories must not be deleted.
func TestBackupLeavesOtherFoldersAlone(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "live.db.partial-1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := storetest.Corrupt(s, `INSERT INTO backups (started_ms, file) VALUES (1, '`+filepath.Join(other, "live.db")+`')`); err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.RunBackup(t.Context(), s, filepath.Join(t.TempDir(), "next.db")); err != nil {
		t.Fatal(err)
	}
	if left := storetest.Names(t, other); !slices.Equal(left, []string{"live.db.partial-1"}) {
		t.Errorf("the other directory contains %v", left)
	}
}

// A backup that was stopped is logged as stopped, not as a failed drill.
func TestStoppedBackupIsLogged(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stop := &stopAfter{Context: ctx, cancel: cancel}
	stop.looks.Store(8)
	if _, err := upkeep.RunBackup(stop, s, filepath.Join(t.TempDir(), "copy.db")); err == nil {
		t.Fatal("the backup did not stop")
	}
	b := backups(t, s)[0]
	if !b.Ended.Known() || b.Drilled.Known() || b.Drill != "" || !b.Sound && !strings.Contains(b.Error, "canceled") {
		t.Errorf("logged as %+v", b)
	}
}

// stopAfter is a context that ends after the given number of checks.
type stopAfter struct {
	context.Context
	cancel context.CancelFunc
	looks  atomic.Int64
}

func (s *stopAfter) Err() error {
	if s.looks.Add(-1) < 0 {
		s.cancel()
	}
	return s.Context.Err()
}
