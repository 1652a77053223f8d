package upkeep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// BackupRun is one scheduled backup with its result.
type BackupRun struct {
	ID      int64
	Started affiliate.Millis
	Ended   affiliate.Millis // unknown: still running
	File    string           // absolute path
	Bytes   int64
	Rows    int64            // of all tables
	Sound   bool             // its rows and sums matched the database
	Error   string           // why no file was made; empty: it was made
	Drilled affiliate.Millis // when the restore drill ended; unknown: no drill
	Drill   string           // the fault it found; empty: none
	Removed affiliate.Millis // when the file was removed in favour of newer ones
	Node    string           // on whose disk the file is; empty for a database that nodes do not share
}

// Good reports whether the backup was made and the drill proved that it restores.
func (b BackupRun) Good() bool { return b.Sound && b.Drilled.Known() && b.Drill == "" }

// RunBackup makes a backup, proves by a drill that it restores, and logs both. It returns
// the error of either step, together with what is known by then. If another backup is
// running, it returns [ErrBackupRunning] and logs nothing.
func RunBackup(ctx context.Context, s *store.Store, file string) (b BackupRun, err error) {
	ctx, release, err := lockBackup(ctx, s)
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, release()) }()
	if b.File, err = filepath.Abs(file); err != nil {
		return b, err
	}
	if err := startBackup(ctx, s, &b); err != nil {
		return b, err
	}
	made, err := backup(ctx, s, b.File)
	b.Bytes, b.Rows, b.Sound, b.Error = made.Bytes, made.Contents.Rows(), err == nil, logText(err)
	if err := errors.Join(err, noteBackup(ctx, s, &b)); err != nil {
		return b, err
	}
	if err = Drill(ctx, made, store.Options{Zone: s.Zone(), Now: s.Now, AuditKey: s.AuditKey()}); ctx.Err() != nil {
		return b, ctx.Err() // a drill stopped midway proves nothing
	}
	if err != nil {
		err = fmt.Errorf("restore drill of %s: %w", b.File, err)
	}
	b.Drill = logText(err)
	return b, errors.Join(err, noteDrill(ctx, s, &b))
}

// logText returns the text that is logged for an error.
func logText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// nodeOf returns the node of new backups; none for a database that nodes do not share.
func nodeOf(s *store.Store) string {
	if s.Shared() {
		return s.Node()
	}
	return ""
}

// startBackup opens the log of a backup. Backups that never ended died with their process:
// their leftover files are removed, if they are on the disk of this node.
func startBackup(ctx context.Context, s *store.Store, b *BackupRun) error {
	b.Node = nodeOf(s)
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		// Another node may have noted the end of one of ours, and could not remove its files.
		died, err := store.ReadColumn[string](ctx, tx, `
			SELECT file FROM backups WHERE (ended_ms IS NULL OR error = 'ended abruptly') AND coalesce(node, '') = ? ORDER BY id DESC LIMIT 20`, b.Node)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE backups SET ended_ms = ?, error = 'ended abruptly' WHERE ended_ms IS NULL`, affiliate.MillisOf(s.Now())); err != nil {
			return err
		}
		for _, file := range died {
			if filepath.Dir(file) != filepath.Dir(b.File) {
				continue // a log from another machine removes nothing there
			}
			if err := removeRemains(file); err != nil {
				return err
			}
		}
		// The clock is used because stamps stay ahead of a clock that was once wrong, and
		// the next backup is due by the clock.
		b.Started = affiliate.MillisOf(s.Now())
		return tx.QueryRowContext(ctx, `INSERT INTO backups (started_ms, file, node) VALUES (?, ?, nullif(?, '')) RETURNING id`, b.Started, b.File, b.Node).Scan(&b.ID)
	})
	if err != nil {
		return fmt.Errorf("starting a backup: %w", err)
	}
	return nil
}

// removeRemains removes the unfinished files of a backup or its drill.
func removeRemains(file string) error {
	dir, name := filepath.Split(file)
	var lone error
	if vacant(file) == nil {
		lone = removeLoneChecksum(file)
	}
	return errors.Join(removeLeft(dir, name+draftMark), removeLeft(dir, name+drillMark), lone)
}

// logWithin is how long logging may take for a backup that was stopped.
const logWithin = 5 * time.Second

// logged runs a statement of the log even if the context has ended: that is exactly what
// must be logged then.
func logged(ctx context.Context, s *store.Store, statement string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), logWithin)
	defer cancel()
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, statement, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("logging a backup: %w", err)
	}
	return nil
}

func noteBackup(ctx context.Context, s *store.Store, b *BackupRun) error {
	b.Ended = affiliate.MillisOf(s.Now())
	return logged(ctx, s, `UPDATE backups SET ended_ms = ?, bytes = ?, row_count = ?, sound = ?, error = ? WHERE id = ?`,
		b.Ended, b.Bytes, b.Rows, b.Sound, b.Error, b.ID)
}

func noteDrill(ctx context.Context, s *store.Store, b *BackupRun) error {
	b.Drilled = affiliate.MillisOf(s.Now())
	return logged(ctx, s, `UPDATE backups SET drilled_ms = ?, drill = ? WHERE id = ?`, b.Drilled, b.Drill, b.ID)
}

// NoteBackupRemoved logs that the file of a backup was removed.
func NoteBackupRemoved(ctx context.Context, s *store.Store, id int64) error {
	return logged(ctx, s, `UPDATE backups SET removed_ms = ? WHERE id = ?`, affiliate.MillisOf(s.Now()), id)
}
