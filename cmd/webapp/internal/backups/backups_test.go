package backups

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/store"
	"rebatedesk/store/upkeep"
)

// daily returns the backups of a new database with a separate clock.
type daily struct {
	*backups
	clock time.Time
	log   bytes.Buffer
}

func newDaily(t *testing.T, keep int) *daily {
	t.Helper()
	d := &daily{clock: time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)}
	cfg := config.Config{DB: config.Database(filepath.Join(t.TempDir(), "desk.db")), Timezone: time.UTC}
	cfg.Backups = config.BackupSettings{Dir: cfg.DB.Beside(".backups"), Keep: keep}
	now := func() time.Time { return d.clock }
	st, err := store.Open(t.Context(), cfg.DB.Reveal(), store.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	if d.backups, err = newBackups(cfg, st, slog.New(slog.NewTextHandler(&d.log, nil))); err != nil {
		t.Fatal(err)
	}
	d.backups.now = now
	return d
}

// logged lists the log, newest first.
func (d *daily) logged(t *testing.T) []upkeep.BackupRun {
	t.Helper()
	r, err := d.store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, err := upkeep.BackupRuns(t.Context(), r, 100)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Looking every ten minutes, one backup is made at once, then one after each
// quiet time; the newest are kept, and what others put there stays.
func TestDailyBackups(t *testing.T) {
	d := newDaily(t, 2)
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(d.dir, "desk-of-mine.db")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 4 * 24 * 6 {
		d.check(t.Context())
		d.clock = d.clock.Add(10 * time.Minute)
	}
	var times []string
	for _, b := range d.logged(t) {
		times = append(times, b.Started.Time().Format("02 15:04"))
		if !b.Good() {
			t.Errorf("not a good backup: %+v", b)
		}
	}
	if want := []string{"05 03:40", "04 03:40", "03 03:40", "02 03:40", "01 12:00"}; !slices.Equal(times, want) {
		t.Errorf("backups at %v, want %v", times, want)
	}
	want := []string{
		"desk-20260904T034000Z.db", "desk-20260904T034000Z.db.sha256", "desk-20260905T034000Z.db", "desk-20260905T034000Z.db.sha256", "desk-of-mine.db",
	}
	if left := names(t, d.dir); !slices.Equal(left, want) {
		t.Errorf("kept are %v, want %v", left, want)
	}
}

// A program that did not run at the quiet time catches up; one whose clock was
// years ahead once goes by the clock of now.
func TestMissedBackup(t *testing.T) {
	d := newDaily(t, 5)
	for _, step := range []struct {
		to   time.Time
		want bool
	}{
		{time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC), true}, // the first
		{time.Date(2026, 9, 2, 3, 39, 0, 0, time.UTC), false},
		{time.Date(2026, 9, 7, 18, 0, 0, 0, time.UTC), true}, // was off for days
		{time.Date(2026, 9, 8, 3, 40, 0, 0, time.UTC), true},
		{time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC), true},
		{time.Date(2026, 9, 8, 12, 0, 0, 0, time.UTC), true},
		{time.Date(2026, 9, 8, 14, 0, 0, 0, time.UTC), false},
		{time.Date(2026, 9, 9, 4, 0, 0, 0, time.UTC), true},
	} {
		d.clock = step.to
		before := len(d.logged(t))
		d.check(t.Context())
		if made := len(d.logged(t)) > before; made != step.want {
			t.Errorf("at %s: made %t, want %t; log %s", step.to, made, step.want, &d.log)
		}
	}
}

// A backup that fails is logged and tried again an hour later, whether or not
// its log could be begun.
func TestFailedBackupIsTriedAgain(t *testing.T) {
	d := newDaily(t, 2)
	if err := os.WriteFile(d.dir, []byte("no folder"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 61 {
		d.check(t.Context())
		d.clock = d.clock.Add(time.Minute)
	}
	if n := strings.Count(d.log.String(), "the daily backup failed"); n != 2 || !strings.Contains(d.log.String(), "REBATEDESK_BACKUP_DIR") {
		t.Errorf("failed %d times in an hour, want 2: %s", n, &d.log)
	}
	if err := os.Remove(d.dir); err != nil {
		t.Fatal(err)
	}
	d.clock = d.clock.Add(time.Hour)
	d.check(t.Context())
	if log := d.logged(t); len(log) != 1 || !log[0].Good() {
		t.Errorf("after that the log is %+v: %s", log, &d.log)
	}
}

// Whatever a log that came with a restored database names, nothing is removed
// but backups in the folder of now.
func TestOnlyOwnBackupsAreRemoved(t *testing.T) {
	d := newDaily(t, 1)
	for file, want := range map[string]bool{
		filepath.Join(d.dir, "desk-20260904T034000Z.db"):            true,
		filepath.Join(d.dir, "desk-20260904T034000Z.db.old"):        false,
		filepath.Join(d.dir, "desk.db"):                             false,
		filepath.Join(d.dir, "more", "desk-20260904T034000Z.db"):    false,
		filepath.Join(filepath.Dir(d.dir), "desk.db"):               false,
		filepath.Join("/elsewhere", "desk-20260904T034000Z.db"):     false,
		filepath.Join(d.dir, "other-20260904T034000Z.db"):           false,
		filepath.Join(d.dir, "..", "x", "desk-20260904T034000Z.db"): false,
	} {
		if got := d.ours(file); got != want {
			t.Errorf("%s: ours %t, want %t", file, got, want)
		}
	}
}

// A panic ends the backup and not the program.
func TestBackupPanicStaysSmall(t *testing.T) {
	d := newDaily(t, 1)
	d.zone = nil // time.In panics
	d.check(t.Context())
	d.clock = d.clock.Add(24 * time.Hour)
	d.check(t.Context())
	if !strings.Contains(d.log.String(), "panic caught") {
		t.Errorf("the log is %s", &d.log)
	}
}

func TestQuietTime(t *testing.T) {
	for _, c := range []struct{ zone, now, want string }{
		{"UTC", "2026-09-02T03:39:59Z", "2026-09-01T03:40:00Z"},
		{"UTC", "2026-09-02T03:40:00Z", "2026-09-02T03:40:00Z"},
		{"Asia/Tokyo", "2026-09-02T00:00:00Z", "2026-09-01T18:40:00Z"},
		{"Europe/Berlin", "2026-03-29T02:00:00Z", "2026-03-29T01:40:00Z"}, // the hour from two was skipped
		{"America/New_York", "2026-01-01T00:00:00Z", "2025-12-31T08:40:00Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		now, wrong := time.Parse(time.RFC3339, c.now)
		if err := errors.Join(err, wrong); err != nil {
			t.Fatal(err)
		}
		if got := quietBefore(now, zone).UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.now, c.zone, got, c.want)
		}
	}
}

// The loop makes backups by itself, and none where none are wanted. Nothing of
// it goes on once its context has ended.
func TestServeBackups(t *testing.T) {
	for _, keep := range []int{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			cfg := config.Config{DB: config.Database(filepath.Join(t.TempDir(), "desk.db")), Timezone: time.UTC}
			cfg.Backups = config.BackupSettings{Dir: cfg.DB.Beside(".backups"), Keep: keep}
			st, err := store.Open(t.Context(), cfg.DB.Reveal(), store.Options{Zone: cfg.Timezone, Now: cfg.Now})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), 49*time.Hour)
			defer stop()
			Serve(ctx, cfg, st, slog.New(slog.DiscardHandler))
			if keep > 0 {
				<-ctx.Done()
			}
			if err := st.Close(); err != nil {
				t.Error(err)
			}
			made, err := filepath.Glob(filepath.Join(cfg.Backups.Dir, "desk-*.db"))
			if want := keep; err != nil || len(made) != want {
				t.Errorf("%d backups kept in two days, want %d, %v", len(made), want, err)
			}
		})
	}
}

// A backup that a page asks for is one of the daily ones.
func TestBackupsOfPages(t *testing.T) {
	d := newDaily(t, 2)
	page := pages{d.backups, "/data/desk.db"}
	for range 3 {
		if err := page.Make(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.clock = d.clock.Add(time.Minute)
	}
	state, err := page.State(t.Context())
	if err != nil || len(state.Runs) != 3 || state.Keep != 2 || state.Dir != d.dir || state.At != "03:40" || state.Running() {
		t.Errorf("%+v (%v)", state, err)
	}
	if !state.Runs[0].Good() || !state.Runs[2].Removed.Known() {
		t.Errorf("the newest is good: %v, the oldest removed: %v", state.Runs[0].Good(), state.Runs[2].Removed.Known())
	}
	d.keep = 0
	if err := page.Make(t.Context()); err == nil || len(names(t, d.dir)) != 4 { // two, and their checksums
		t.Errorf("a backup was made although none are kept (%v), or others were removed", err)
	}
}

// names lists the file names in a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		list = append(list, entry.Name())
	}
	return list
}
