// Package backups makes the daily backups of a running server and removes old ones. Package
// store writes and proves a backup.
package backups

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/internal/guard"
	"rebatedesk/store"
	"rebatedesk/store/upkeep"
	"rebatedesk/web/admin"
)

// A backup is due at 03:40 of each day in the reporting zone. A missed backup is made when
// the program next runs.
const (
	quietHour     = 3
	quietMinute   = 40
	checkInterval = time.Minute // between two checks
	retryInterval = time.Hour   // after a failed check
)

// backupTime is the layout of the UTC time in a backup's name.
const backupTime = "20060102T150405Z"

// backups makes the daily backups of a database.
type backups struct {
	store *store.Store
	dir   string // absolute
	base  string // of file names
	keep  int
	zone  *time.Location
	now   func() time.Time
	log   *slog.Logger
	tried time.Time // last attempt, even if it could not be logged
}

// Serve makes the daily backups until ctx ends. It returns immediately if none are wanted.
func Serve(ctx context.Context, cfg config.Config, st *store.Store, log *slog.Logger) {
	if cfg.Backups.Keep == 0 {
		return
	}
	b, err := newBackups(cfg, st, log)
	if err != nil {
		log.Error("no backups are made", "error", err)
		return
	}
	st.Lead(ctx, store.BackupLease, log, func(ctx context.Context) {
		ticker := time.NewTicker(checkInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				b.check(ctx)
			}
		}
	})
}

func newBackups(cfg config.Config, st *store.Store, log *slog.Logger) (*backups, error) {
	dir, err := filepath.Abs(cfg.Backups.Dir)
	return &backups{
		store: st, dir: dir, base: database.BackupBase(cfg), keep: cfg.Backups.Keep,
		zone: cfg.Timezone, now: cfg.Clock, log: log,
	}, err
}

// check makes a backup if one is due. Errors and panics are logged.
func (b *backups) check(ctx context.Context) {
	err := guard.Do(b.log, "the daily backup", func() error {
		due, err := b.due(ctx)
		if err == nil && due && b.now().Sub(b.tried).Abs() >= retryInterval {
			b.tried = b.now()
			err = b.make(ctx)
		}
		return err
	})
	switch {
	case err == nil, ctx.Err() != nil: // stopped: the next start makes it
	case errors.Is(err, upkeep.ErrBackupRunning):
		b.tried = time.Time{}
		b.log.Info("the daily backup waits", "reason", err)
	default:
		b.log.Error("the daily backup failed", "error", err, "folder", b.dir)
	}
}

// due reports whether a backup is due: none was made since the last quiet time, or the last
// one failed long enough ago.
func (b *backups) due(ctx context.Context) (bool, error) {
	r, err := b.store.Read(ctx)
	if err != nil {
		return false, err
	}
	defer r.Close()
	list, err := upkeep.BackupRuns(ctx, r, 1)
	if err != nil || len(list) == 0 {
		return err == nil, err
	}
	last, now := list[0], b.now()
	started := last.Started.Time()
	switch {
	case started.After(now.Add(retryInterval)): // logged by a wrong clock
		return true, nil
	case !last.Sound || !last.Drilled.Known():
		return now.Sub(started) >= retryInterval, nil
	}
	return started.Before(quietBefore(now, b.zone)), nil
}

// quietBefore returns the last quiet time that is not after now.
func quietBefore(now time.Time, zone *time.Location) time.Time {
	local := now.In(zone)
	quiet := time.Date(local.Year(), local.Month(), local.Day(), quietHour, quietMinute, 0, 0, zone)
	if quiet.After(now) {
		quiet = time.Date(local.Year(), local.Month(), local.Day()-1, quietHour, quietMinute, 0, 0, zone)
	}
	return quiet
}

// make makes a backup, proves it by a restore drill, and removes old backups.
func (b *backups) make(ctx context.Context) error {
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return fmt.Errorf("%w; set REBATEDESK_BACKUP_DIR to a folder that can be made", err)
	}
	if err := files.CheckFolder(b.dir); err != nil {
		return err
	}
	begun := b.now()
	made, err := upkeep.RunBackup(ctx, b.store, filepath.Join(b.dir, b.base+"-"+begun.UTC().Format(backupTime)+".db"))
	if err == nil {
		b.log.Info("backup made, and restored for trial", "file", made.File, "bytes", made.Bytes, "rows", made.Rows, "took", b.now().Sub(begun).Round(time.Millisecond))
	}
	if made.Sound { // a drill that failed must not fill the disk
		err = errors.Join(err, b.prune(ctx))
	}
	return err
}

// prune removes the oldest backups. Backups that failed their drill are counted
// apart, so that they never displace good ones.
func (b *backups) prune(ctx context.Context) error {
	kept, err := b.kept(ctx)
	if err != nil {
		return err
	}
	var errs []error
	counts := map[bool]int{}
	for _, k := range kept {
		if !b.ours(k.File) {
			continue
		}
		if counts[k.Good()]++; counts[k.Good()] <= b.keep {
			continue
		}
		if err := upkeep.RemoveBackup(k.File); err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, upkeep.NoteBackupRemoved(ctx, b.store, k.ID))
	}
	return errors.Join(errs...)
}

func (b *backups) kept(ctx context.Context) ([]upkeep.BackupRun, error) {
	r, err := b.store.Read(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return upkeep.KeptBackups(ctx, r)
}

var backupStamp = regexp.MustCompile(`^-\d{8}T\d{6}Z\.db$`)

// ours reports whether a logged file lies in the present folder under a name of
// ours. A log from another machine removes nothing here.
func (b *backups) ours(file string) bool {
	dir, name := filepath.Split(file)
	rest, ok := strings.CutPrefix(name, b.base)
	return ok && filepath.Clean(dir) == b.dir && backupStamp.MatchString(rest)
}

// pages gives the pages access to the daily backups.
type pages struct {
	*backups
	db config.Database
}

// ForPages returns nil if the backup folder cannot be resolved.
func ForPages(cfg config.Config, st *store.Store, log *slog.Logger) admin.Backups {
	daily, err := newBackups(cfg, st, log)
	if err != nil {
		log.Error("there is no page of the backups", "error", err)
		return nil
	}
	return pages{daily, cfg.DB}
}

// backupsShown is how many backups the page lists: a month of them.
const backupsShown = 31

// State returns the backup settings and the outcome of the last backups.
func (d pages) State(ctx context.Context) (admin.BackupState, error) {
	state := admin.BackupState{Dir: d.dir, Keep: d.keep, File: d.db.String(), At: fmt.Sprintf("%02d:%02d", quietHour, quietMinute)}
	state.Database, state.Owner = store.DatabaseAndUser(d.db.Reveal())
	r, err := d.store.Read(ctx)
	if err != nil {
		return state, err
	}
	defer r.Close()
	state.Runs, err = upkeep.BackupRuns(ctx, r, backupsShown)
	return state, err
}

// Make makes a backup and its drill. A backup already running is not an error; it is an
// error if the settings keep no backups.
func (d pages) Make(ctx context.Context) error {
	if d.keep == 0 {
		return errors.New("no backup is made: BACKUP_KEEP is 0, so none would be kept")
	}
	if err := d.make(ctx); !errors.Is(err, upkeep.ErrBackupRunning) {
		return err
	}
	return nil
}
