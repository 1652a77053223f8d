package store_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// backedUp is a backup of a few records, and its content.
func backedUp(t *testing.T) (made store.Copy, content []byte) {
	t.Helper()
	s := openStore(t, store.Options{})
	replace(t, s, daySlice(oneDay), record(1, "0.11111111"), record(8, "0.22222222"), record(2, "3"))
	made, err := s.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db"))
	if err != nil {
		t.Fatal(err)
	}
	if content, err = os.ReadFile(made.File); err != nil {
		t.Fatal(err)
	}
	return made, content
}

func TestRestoreGivesTheDatabaseBack(t *testing.T) {
	made, content := backedUp(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "again.db")
	restored, err := store.Restore(t.Context(), made.File, path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if words := made.Contents.Differences(restored.Contents); len(words) > 0 || restored.Path != path || restored.Schema != made.Contents.Schema {
		t.Errorf("restored %+v: %v", restored, words)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want it for the owner only", info, err)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"again.db", "again.db.lock"}) {
		t.Errorf("the folder holds %v", left)
	}
	if after, err := os.ReadFile(made.File); err != nil || !bytes.Equal(after, content) {
		t.Errorf("the backup was changed, %v", err)
	}
	s := openAt(t, path, store.Options{})
	rows := stored(t, s, store.CommissionFilter{Days: anyDays})
	if !equalMultiset(rows, []affiliate.Commission{record(1, "0.11111111"), record(8, "0.22222222"), record(2, "3")}) {
		t.Errorf("the restored database holds %v", rows)
	}
	for finding, err := range s.Verify(t.Context()) {
		if err != nil || !finding.Sound() {
			t.Errorf("%s: %v, %v", finding.Check, finding.Faults, err)
		}
	}
}

// A live database in the place of a backup gives its state, write-ahead log
// included, and is not touched.
func TestRestoreOfALiveDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.db")
	s := openAt(t, path, store.Options{})
	replace(t, s, daySlice(oneDay), record(1, "7"))
	restored, err := store.Restore(t.Context(), path, path+".again", store.Options{})
	if err != nil || len(restored.Contents.Open) != 1 || restored.Contents.Open[0].Commission != "7" {
		t.Fatalf("restored %+v, %v", restored, err)
	}
	replace(t, s, daySlice(oneDay), record(1, "8"))
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// What stands in the way of a restore is left as it is.
func TestRestoreIntoAnEmptyPlaceOnly(t *testing.T) {
	made, _ := backedUp(t)
	for _, there := range []string{"", "-wal", "-shm", "-journal"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "main.db")
		if err := os.WriteFile(path+there, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Restore(t.Context(), made.File, path, store.Options{}); err == nil || !strings.Contains(err.Error(), path+there+" is there") {
			t.Errorf("over main.db%s: %v", there, err)
		}
		content, err := os.ReadFile(path + there)
		if err != nil || string(content) != "mine" || len(names(t, dir)) != 2 {
			t.Errorf("main.db%s became %q, %v, beside %v", there, content, err, names(t, dir))
		}
	}
}

// Somebody took the file of a running collector away: its place is not empty.
func TestRestoreSeesARunningCollector(t *testing.T) {
	made, _ := backedUp(t)
	path := filepath.Join(t.TempDir(), "main.db")
	s := openAt(t, path, store.Options{})
	release, err := s.LockCollector()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := release(); err != nil {
			t.Error(err)
		}
	}()
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Rename(name, name+".away"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Restore(t.Context(), made.File, path, store.Options{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("restored beside a running collector: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a database: %v", err)
	}
}

func TestRestoreRefusesWhatIsNoBackup(t *testing.T) {
	_, content := backedUp(t)
	half := len(content) / 2
	newer := slices.Clone(content)
	newer[60+2] = 9 // user_version, at offset 60: 9·256 and more
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":     {nil, "is no database of Rebatedesk"},
		"text":      {bytes.Repeat([]byte("not a database\n"), 200), "is no database of Rebatedesk"},
		"foreign":   {foreign(t), "is no database of Rebatedesk"},
		"newer":     {newer, "use the newer program"},
		"truncated": {content[:half], "malformed"},
		"index":     {otherIndex(content), "is not sound"},
		"damaged":   {slices.Concat(content[:half], bytes.Repeat([]byte{0xa5}, 4096), content[half+4096:]), ""},
	} {
		file, dir := filepath.Join(t.TempDir(), name+".db"), t.TempDir()
		if err := os.WriteFile(file, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "main.db")
		if _, err := store.Restore(t.Context(), file, path, store.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if left := names(t, dir); !slices.Equal(left, []string{"main.db.lock"}) {
			t.Errorf("%s left %v", name, left)
		}
	}
}

// otherIndex is a database of which an index says otherwise than its table:
// rows and sums are as they were.
func otherIndex(content []byte) []byte {
	r := record(8, "")
	deal := binary.BigEndian.AppendUint64(nil, uint64(r.DealTime))
	entry := append([]byte(r.UID), deal[2:]...) // of commissions_by_uid: the time in six bytes
	other := append([]byte{'5'}, entry[1:]...)
	return bytes.Replace(content, entry, other, 1)
}

// foreign is the database of another program.
func foreign(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "foreign.db")
	if err := store.MakeOld(t.Context(), path, 0, `CREATE TABLE meta (id); PRAGMA user_version = 3`); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// A digit that changed on the disk leaves a readable database. The drill says
// what it was.
func TestDrillFindsAChangedDigit(t *testing.T) {
	made, content := backedUp(t)
	for old, want := range map[string]string{
		"0.11111111": "open commission", // in a record
		"0.33333333": "roll-ups",        // in a sum of two
	} {
		if !bytes.Contains(content, []byte(old)) {
			t.Fatalf("the backup does not hold %s", old)
		}
		changed := bytes.ReplaceAll(content, []byte(old), []byte(old[:9]+"7"))
		if err := os.WriteFile(made.File, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := store.Drill(t.Context(), made, store.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("with another digit in %s: %v, want %q", old, err, want)
		}
	}
	if left := names(t, filepath.Dir(made.File)); !slices.Equal(left, []string{"copy.db"}) {
		t.Errorf("the drills left %v", left)
	}
}
