package store_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// backedUp holds a backup of a few records and its content.
func backedUp(t *testing.T) (made upkeep.Copy, content []byte) {
	t.Helper()
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "0.11111111"), storetest.Record(8, "0.22222222"), storetest.Record(2, "3"))
	wallet := storetest.DaySlice(storetest.OneDay)
	wallet.Stream = affiliate.Stream{Kind: affiliate.FundingBills}
	bill := affiliate.Bill{Wallet: affiliate.FundingWallet, ID: "b", Coin: "USDT", Business: "rr_agent_reward", Amount: "0.44444444", Created: storetest.At(storetest.Day)}
	if _, err := payments.ReplaceBills(t.Context(), s, wallet, []affiliate.Bill{bill}); err != nil {
		t.Fatal(err)
	}
	made, err := upkeep.Backup(t.Context(), s, filepath.Join(t.TempDir(), "copy.db"))
	if err != nil {
		t.Fatal(err)
	}
	if content, err = os.ReadFile(made.File); err != nil {
		t.Fatal(err)
	}
	return made, content
}

func TestRestoreGivesTheDatabaseBack(t *testing.T) {
	storetest.Engines(t, "rows and types that a backup takes along", testRestoreGivesTheDatabaseBack)
}

func testRestoreGivesTheDatabaseBack(t *testing.T) {
	made, content := backedUp(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "again.db")
	restored, err := upkeep.Restore(t.Context(), made.File, path, upkeep.RestoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if words := made.Contents.Differences(restored.Contents); len(words) > 0 || restored.Path != path || restored.Schema != made.Contents.Schema {
		t.Errorf("restored %+v: %v", restored, words)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want a file that only the owner can read", info, err)
	}
	if left := storetest.Names(t, dir); !slices.Equal(left, []string{"again.db", "again.db.lock"}) {
		t.Errorf("the directory contains %v", left)
	}
	if after, err := os.ReadFile(made.File); err != nil || !bytes.Equal(after, content) {
		t.Errorf("the backup was changed, %v", err)
	}
	s := storetest.OpenAt(t, path, store.Options{})
	rows := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays})
	if !equalMultiset(rows, []affiliate.Commission{storetest.Record(1, "0.11111111"), storetest.Record(8, "0.22222222"), storetest.Record(2, "3")}) {
		t.Errorf("the restored database contains %v", rows)
	}
	for finding, err := range upkeep.Verify(t.Context(), s) {
		if err != nil || !finding.Sound() {
			t.Errorf("%s: %v, %v", finding.Check, finding.Faults, err)
		}
	}
}

// A live database can be restored like a backup. Its state includes the write-ahead log,
// and its files remain unchanged.
func TestRestoreOfALiveDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.db")
	s := storetest.OpenAt(t, path, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "7"))
	restored, err := upkeep.Restore(t.Context(), path, path+".again", upkeep.RestoreOptions{})
	if err != nil || len(restored.Contents.Open) != 1 || restored.Contents.Open[0].Commission != "7" {
		t.Fatalf("restored %+v, %v", restored, err)
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "8"))
	if err := upkeep.CheckIntegrity(t.Context(), s); err != nil {
		t.Error(err)
	}
}

// A restore leaves an existing file unchanged.
func TestRestoreIntoAnEmptyPlaceOnly(t *testing.T) {
	storetest.Engines(t, "tables that are there already", testRestoreIntoAnEmptyPlaceOnly)
}

func testRestoreIntoAnEmptyPlaceOnly(t *testing.T) {
	made, _ := backedUp(t)
	for _, there := range []string{"", "-wal", "-shm", "-journal"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "main.db")
		if err := os.WriteFile(path+there, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := upkeep.Restore(t.Context(), made.File, path, upkeep.RestoreOptions{}); err == nil || !strings.Contains(err.Error(), path+there+" is there") {
			t.Errorf("over the file main.db%s: %v", there, err)
		}
		content, err := os.ReadFile(path + there)
		if err != nil || string(content) != "mine" || len(storetest.Names(t, dir)) != 2 {
			t.Errorf("main.db%s became %q, %v, beside %v", there, content, err, storetest.Names(t, dir))
		}
	}
}

// Restore refuses a path whose files were moved away under a running collector.
func TestRestoreSeesARunningCollector(t *testing.T) {
	storetest.Engines(t, "the lock of the collector", testRestoreSeesARunningCollector)
}

func testRestoreSeesARunningCollector(t *testing.T) {
	made, _ := backedUp(t)
	path := filepath.Join(t.TempDir(), "main.db")
	s := storetest.OpenAt(t, path, store.Options{})
	_, release, err := s.Lock(t.Context(), store.CollectorLease)
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
	if _, err := upkeep.Restore(t.Context(), made.File, path, upkeep.RestoreOptions{}); !errors.Is(err, store.ErrLocked) {
		t.Errorf("restored under a running collector: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a database was created: %v", err)
	}
}

func TestRestoreRefusesOtherFiles(t *testing.T) {
	storetest.Engines(t, "what is no backup", testRestoreRefusesOtherFiles)
}

func testRestoreRefusesOtherFiles(t *testing.T) {
	_, content := backedUp(t)
	half := len(content) / 2
	newer := slices.Clone(content)
	newer[60+2] = 9 // user_version, at offset 60: at least 9·256
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
		if _, err := upkeep.Restore(t.Context(), file, path, upkeep.RestoreOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if left := storetest.Names(t, dir); !slices.Equal(left, []string{"main.db.lock"}) {
			t.Errorf("%s left %v", name, left)
		}
	}
}

// otherIndex returns a database in which an index disagrees with its table, while rows
// and sums are intact.
func otherIndex(content []byte) []byte {
	r := storetest.Record(8, "")
	deal := binary.BigEndian.AppendUint64(nil, uint64(r.DealTime))
	entry := append([]byte(r.UID), deal[2:]...) // key of commissions_by_uid: the time in six bytes
	other := append([]byte{'5'}, entry[1:]...)
	return bytes.Replace(content, entry, other, 1)
}

// foreign returns the database of another program.
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

// A changed digit on the disk leaves a readable database. The drill names the digit's
// place.
func TestDrillFindsAChangedDigit(t *testing.T) {
	storetest.Engines(t, "rows that a backup takes along", testDrillFindsAChangedDigit)
}

func testDrillFindsAChangedDigit(t *testing.T) {
	made, content := backedUp(t)
	for _, c := range []struct{ old, other, want string }{
		{"0.11111111", "0.11111117", "roll-ups"},                     // in a record, so that its sums differ
		{"0.44444444", "0.44444447", "open bills"},                   // in a bill
		{"\x08\xd5\xc0\xf2\x0f", "\x08\xd9\xc0\xf2\x0f", "roll-ups"}, // in a sum of two: 0.33333333 in the bytes of a block
	} {
		if !bytes.Contains(content, []byte(c.old)) {
			t.Fatalf("the backup does not contain %q", c.old)
		}
		changed := bytes.ReplaceAll(content, []byte(c.old), []byte(c.other))
		if err := os.WriteFile(made.File, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		away := made.Checksum + ".away"
		for _, step := range []struct{ from, to, want string }{{away, made.Checksum, "was changed or damaged"}, {made.Checksum, away, c.want}} {
			if err := os.Rename(step.from, step.to); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if err := upkeep.Drill(t.Context(), made, store.Options{}); err == nil || !strings.Contains(err.Error(), step.want) {
				t.Errorf("with another digit in %q: %v, want %q", c.old, err, step.want)
			}
		}
	}
	if left := storetest.Names(t, filepath.Dir(made.File)); !slices.Equal(left, []string{"copy.db", "copy.db.sha256.away"}) {
		t.Errorf("the drills left %v", left)
	}
}

// Before the database exists, Restore finds every fault that verify would find in it,
// with and without a checksum file.
func TestRestoreFindsWhatVerifyFinds(t *testing.T) {
	t.Parallel()
	race.Skip(t, "backups of damaged databases, one after the other")
	key := bytes.Repeat([]byte{7}, 32)
	sources := store.Options{AuditKey: key}
	for name, c := range map[string]struct {
		damage    string
		want      string
		rebuilds  bool // rebuilt from the records
		needsNone bool // also found without the key
	}{
		"nothing":            {damage: `SELECT 1`},
		"blocks":             {damage: `UPDATE commission_blocks SET lines = unhex(replace(hex(lines), '08D5C0F20F', '08D6C0F20F'))`, want: "roll-ups", rebuilds: true, needsNone: true},
		"blocks, no figures": {damage: `UPDATE commission_blocks SET lines = unhex(replace(hex(lines), '08D5C0F20F', '1FD5C0F20F'))`, want: "roll-ups", rebuilds: true, needsNone: true},
		"a day":              {damage: `UPDATE commission_days SET commission = '7'`, want: "roll-ups", rebuilds: true, needsNone: true},
		"an audit line":      {damage: storetest.DropTrigger(t, "audit", "audit_keep") + `; UPDATE audit SET actor = 'eve'`, want: map[bool]string{true: "audit log", false: "the trigger audit_keep is missing"}[storetest.Postgres(t)], needsNone: !storetest.Postgres(t)}, // a backup of PostgreSQL has guards of its own
		"the audit's head":   {damage: `UPDATE audit_head SET rows = 2`, want: "audit log"},
		"coverage":           {damage: `UPDATE coverage SET through_ms = 1`, want: "coverage", needsNone: true},
		"a stamp":            {damage: `UPDATE meta SET last_write_ms = 5`, want: "stamps", needsNone: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.Open(t, sources)
			storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "0.11111111"), storetest.Record(8, "0.22222222"), storetest.Record(2, "3"))
			appendLines(t, s, audit.Line{Actor: "mia", Action: "sign-in"})
			if err := storetest.Corrupt(s, c.damage); err != nil {
				t.Fatal(err)
			}
			made, err := upkeep.Backup(t.Context(), s, filepath.Join(t.TempDir(), "copy.db"))
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			path := filepath.Join(dir, "main.db")
			for _, o := range []upkeep.RestoreOptions{{Options: sources}, {}, {Options: sources, Rebuild: true}} {
				want := c.want
				if o.AuditKey == nil && !c.needsNone || o.Rebuild && c.rebuilds {
					want = ""
				}
				done, err := upkeep.Restore(t.Context(), made.File, path, o)
				if want == "" {
					if err != nil || !done.Checksum {
						t.Errorf("%+v: %+v, %v", o, done, err)
					}
					if o.Rebuild || c.want == "" {
						sound(t, path, sources)
					}
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
				} else if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, upkeep.ErrRollups) != c.rebuilds {
					t.Errorf("%+v: %v, want %q", o, err, want)
				}
				if left := storetest.Names(t, dir); !slices.Equal(left, []string{"main.db.lock"}) {
					t.Errorf("it left %v", left)
				}
			}
		})
	}
}

// sound opens and verifies a database.
func sound(t *testing.T, path string, o store.Options) {
	t.Helper()
	s, err := store.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if words := unsound(verify(t, s)); len(words) > 0 {
		t.Errorf("the restored database: %v", words)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// The checksum equals that of sha256sum and detects every change of the file, including
// the last byte.
func TestBackupHasAChecksum(t *testing.T) {
	storetest.Engines(t, "the bytes of a backup", testBackupHasAChecksum)
}

func testBackupHasAChecksum(t *testing.T) {
	made, content := backedUp(t)
	text, err := os.ReadFile(made.Checksum)
	if want := fmt.Sprintf("%x  copy.db\n", sha256.Sum256(content)); err != nil || string(text) != want || made.Checksum != made.File+".sha256" {
		t.Errorf("%s has %q, %v, want %q", made.Checksum, text, err, want)
	}
	path := filepath.Join(t.TempDir(), "main.db")
	for _, c := range []struct {
		content  []byte
		checksum string
		want     string
	}{
		{content, string(text), ""},
		{content, "\\" + strings.ToUpper(string(text[:64])) + " *of\\nold.db\n", ""},
		{content, string(text) + string(text), "not one line"},
		{content, "", "not one line"},
		{content[:len(content)-1], string(text), "was changed or damaged"},
		{append(slices.Clone(content[:len(content)-1]), content[len(content)-1]^1), string(text), "was changed or damaged"},
		{content[:len(content)-1], "none", "is not whole"},
		{append(slices.Clone(content), 0), "none", "is not whole"},
	} {
		err := errors.Join(os.WriteFile(made.File, c.content, 0o600), os.WriteFile(made.Checksum, []byte(c.checksum), 0o600))
		if c.checksum == "none" {
			err = os.Remove(made.Checksum)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = upkeep.Restore(t.Context(), made.File, path, upkeep.RestoreOptions{})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.90q: %v, want %q", c.checksum, err, c.want)
		}
		if err := os.Remove(path); (err == nil) != (c.want == "") {
			t.Errorf("%.90q: a database was created: %v", c.checksum, err == nil)
		}
	}
}

// A checksum that a killed backup left is replaced; a foreign file under its name is not.
func TestChecksumOfAKilledBackup(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"left":    {strings.Repeat("0", 64) + "  copy.db\n", ""},
		"another": {strings.Repeat("0", 64) + "  other.db\n", "is there already"},
		"foreign": {"mine", "is there already"},
	} {
		file := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(file+".sha256", []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := upkeep.Backup(t.Context(), s, file)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		text, err := os.ReadFile(file + ".sha256")
		if kept := string(text) == c.text; err != nil || kept != (c.want != "") {
			t.Errorf("%s: became %q, %v", name, text, err)
		}
	}
}

// Restore refuses a key of another database before it reads anything.
func TestRestoreComparesTheKey(t *testing.T) {
	storetest.Engines(t, "bytes of signatures", testRestoreComparesTheKey)
}

func testRestoreComparesTheKey(t *testing.T) {
	s := storetest.Open(t, store.Options{AuditKey: bytes.Repeat([]byte{7}, 32)})
	appendLines(t, s, audit.Line{Action: "sign-in"})
	made, err := upkeep.Backup(t.Context(), s, filepath.Join(t.TempDir(), "copy.db"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	other := upkeep.RestoreOptions{Options: store.Options{AuditKey: bytes.Repeat([]byte{8}, 32)}}
	if _, err := upkeep.Restore(t.Context(), made.File, filepath.Join(dir, "main.db"), other); !errors.Is(err, store.ErrAuditKey) {
		t.Error(err)
	}
	if left := storetest.Names(t, dir); !slices.Equal(left, []string{"main.db.lock"}) {
		t.Errorf("it left %v", left)
	}
	done, err := upkeep.Restore(t.Context(), made.File, filepath.Join(dir, "main.db"), upkeep.RestoreOptions{})
	if err != nil || done.KeyID == "" || !slices.ContainsFunc(done.Findings, func(f store.VerifyResult) bool { return f.Unproved }) {
		t.Errorf("without a key: %+v, %v", done, err)
	}
}
