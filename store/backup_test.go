package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/soak"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// busy is a database into which slices are written without a pause. In state k two thirds
// of its records have the commission k, the others 1.
type busy struct {
	*store.Store
	path    string
	written atomic.Int64 // last state whose write has returned
	longest atomic.Int64 // longest write, in nanoseconds
}

const busyRows = 300

func newBusy(t *testing.T) *busy {
	t.Helper()
	b := &busy{path: filepath.Join(t.TempDir(), "busy.db")}
	b.Store = storetest.OpenAt(t, b.path, store.Options{})
	b.write(t, 1)
	return b
}

func (b *busy) write(t *testing.T, k int64) {
	t.Helper()
	rows := make([]affiliate.Commission, busyRows)
	for i := range rows {
		commission := affiliate.Number(fmt.Sprint(k))
		if i%3 == 0 {
			commission = "1"
		}
		rows[i] = storetest.Record(i, commission)
	}
	begun := time.Now()
	if _, err := records.ReplaceCommissions(context.Background(), b.Store, storetest.DaySlice(storetest.OneDay), rows); err != nil {
		t.Error(err)
	}
	b.longest.Store(max(b.longest.Load(), int64(time.Since(begun))))
	b.written.Store(k)
}

// load writes until the test calls end.
func (b *busy) load(t *testing.T) (end func()) {
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for k := b.written.Load() + 1; !closed(stop) && !t.Failed(); k++ {
			b.write(t, k)
		}
	})
	return func() { close(stop); writer.Wait() }
}

// checkState fails the test unless the contents are one of the states from first to last.
func (b *busy) checkState(t *testing.T, c upkeep.Contents, first, last int64) {
	t.Helper()
	if len(c.Open) != 1 || c.Open[0].Records != busyRows {
		t.Fatalf("open commissions %v, want %d records of one coin", c.Open, busyRows)
	}
	for k := first; k <= last; k++ {
		if string(c.Open[0].Commission) == fmt.Sprint(busyRows/3+busyRows*2/3*k) {
			return
		}
	}
	t.Fatalf("the commission is %s, which is of no state from %d to %d", c.Open[0].Commission, first, last)
}

// Every backup made while slices are written holds one state of the database, and the
// drill restores and verifies it. The writer never waits for a backup.
func TestSoakBackupsUnderLoadRestore(t *testing.T) {
	t.Parallel()
	times := int64(soak.Times(4, 12))
	for range soak.Times(1, 17) { // the database grows with every state, so each round uses a new one
		backUpUnderLoad(t, times)
	}
}

func backUpUnderLoad(t *testing.T, times int64) {
	t.Helper()
	b := newBusy(t)
	end := b.load(t)
	defer end()
	dir := t.TempDir()
	for n := range times {
		first := b.written.Load()
		made, err := upkeep.Backup(t.Context(), b.Store, filepath.Join(dir, fmt.Sprintf("%d.db", n)))
		if err != nil {
			t.Fatal(err)
		}
		b.checkState(t, made.Contents, first, b.written.Load()+1)
		if err := upkeep.Drill(t.Context(), made, store.Options{}); err != nil {
			t.Fatal(err)
		}
		if err := upkeep.RemoveBackup(made.File); err != nil {
			t.Fatal(err)
		}
	}
	if left := storetest.Names(t, dir); len(left) > 0 {
		t.Errorf("the drills left %v", left)
	}
	t.Logf("%d states written meanwhile, the longest in %v", b.written.Load(), time.Duration(b.longest.Load()))
	if b.written.Load() < times {
		t.Errorf("only %d states were written meanwhile: the writer waited", b.written.Load())
	}
}

// A backup is a single file that only its owner can read, and it describes its content.
func TestBackupIsOneFile(t *testing.T) {
	b := newBusy(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "copy.db")
	made, err := upkeep.Backup(t.Context(), b.Store, file)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != made.Bytes {
		t.Errorf("%v, %v; want %d bytes, readable by the owner only", info, err, made.Bytes)
	}
	if left := storetest.Names(t, dir); !slices.Equal(left, []string{"copy.db", "copy.db.sha256"}) {
		t.Errorf("the directory contains %v", left)
	}
	content, err := os.ReadFile(file)
	if err != nil || content[18] != 1 || content[19] != 1 { // both versions of the format: 2 would mean a write-ahead log
		t.Errorf("the copy is not a database in a single file: %v, %v", content[:20], err)
	}
	want := "SPOT USDT: 300 records, fee 204.7713, commission 300"
	if c := made.Contents; len(c.Open) != 1 || c.Open[0].String() != want || c.Tables["commissions"] != busyRows || c.Rows() <= busyRows {
		t.Errorf("contents %+v, want %s", c, want)
	}
}

func TestBackupWritesOverNothing(t *testing.T) {
	b := newBusy(t)
	dir := t.TempDir()
	there := filepath.Join(dir, "there.db")
	if err := os.WriteFile(there, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "link.db")
	if err := os.Symlink(filepath.Join(dir, "nothing"), dangling); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		there: "is there already", dangling: "is there already", b.path: "is there already", dir: "is there already",
		filepath.Join(dir, "none", "x.db"): "does not exist", b.path + "-journal": "belongs to a database at work",
	} {
		if _, err := upkeep.Backup(t.Context(), b.Store, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("backup to %s: %v, want %q", file, err, want)
		}
	}
	if content, err := os.ReadFile(there); err != nil || string(content) != "mine" {
		t.Errorf("the file became %q, %v", content, err)
	}
	if left := storetest.Names(t, dir); !slices.Equal(left, []string{"link.db", "there.db"}) {
		t.Errorf("the directory contains %v", left)
	}
}

// A backup that is stopped at any moment leaves no file or a complete one.
func TestStoppedBackupLeavesNothing(t *testing.T) {
	b := newBusy(t)
	if err := storetest.Corrupt(b.Store, bulk(5_000)); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	stopped := 0
	for wait := time.Duration(0); ; wait += wait/4 + time.Millisecond {
		ctx, cancel := context.WithTimeout(t.Context(), wait)
		_, err := upkeep.Backup(ctx, b.Store, filepath.Join(dir, "copy.db"))
		cancel()
		if err == nil {
			break
		}
		stopped++
		if left := storetest.Names(t, dir); len(left) > 0 || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("stopped after %v: %v left, %v", wait, left, err)
		}
	}
	if left := storetest.Names(t, dir); stopped == 0 || !slices.Equal(left, []string{"copy.db", "copy.db.sha256"}) {
		t.Errorf("after %d stops the directory contains %v", stopped, left)
	}
}

// Two concurrent backups would be slower, and one could delete the files of the other.
func TestOneBackupAtATime(t *testing.T) {
	b := newBusy(t)
	_, release, err := b.Lock(t.Context(), store.BackupLease)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "copy.db")
	if _, err := upkeep.Backup(t.Context(), b.Store, file); !errors.Is(err, upkeep.ErrBackupRunning) {
		t.Errorf("a second backup: %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if _, err := upkeep.Backup(t.Context(), b.Store, file); err != nil {
		t.Error(err)
	}
}

// A database of another version of the program is backed up unchanged.
func TestBackupOfAnOlderSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	read := `; UPDATE meta SET last_write_ms = 1790040000000;
		INSERT INTO coverage (account_id, stream, product, day, through_ms, first_read_ms, last_read_ms, agreed, failed_ms, error)
		VALUES (1, 'commissions', 'SPOT', '2026-09-21', 1790035200000, 1790040000000, 1790040000000, 1, 0, '')`
	if err := store.MakeOld(t.Context(), path, 4, bulk(10)+read); err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenUnchanged(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := upkeep.Backup(t.Context(), s, path+".copy")
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	if made.Contents.Schema != 4 || made.Contents.Tables["commissions"] != 10 {
		t.Errorf("the copy contains %+v, want schema 4 and 10 records", made.Contents)
	}
	restored, err := upkeep.Restore(t.Context(), made.File, path+".restored", upkeep.RestoreOptions{})
	if err != nil || restored.Schema <= 4 || restored.Contents.Schema != 4 {
		t.Errorf("restored %+v, %v; want the newest schema", restored, err)
	}
}

// bulk returns a statement that inserts the given number of open records of one
// millionth.
func bulk(records int) string {
	return fmt.Sprintf(`
		INSERT OR IGNORE INTO accounts (id, name) VALUES (1, 'main');
		INSERT INTO commissions (account_id, product, deal_time_ms, uid, symbol, source, coin,
			taker_amount, maker_amount, fee, rate, commission, opened_ms)
		WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < %d)
		SELECT 1, 'SPOT', 1790000000000 + n, '46' || n, 'BTCUSDT_SPBL', 'direct', 'USDT',
			'1', '0', '0.00001', '0.1', '0.000001', 1 FROM n`, records)
}
