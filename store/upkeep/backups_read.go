package upkeep

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/store"
)

const backupColumns = `id, started_ms, ended_ms, file, bytes, row_count, sound, error, drilled_ms, drill, removed_ms, coalesce(node, '')`

func (b *BackupRun) targets() []any {
	return []any{&b.ID, &b.Started, &b.Ended, &b.File, &b.Bytes, &b.Rows, &b.Sound, &b.Error, &b.Drilled, &b.Drill, &b.Removed, &b.Node}
}

// BackupRuns lists at most limit scheduled backups, newest first.
func BackupRuns(ctx context.Context, r *store.Tx, limit int) ([]BackupRun, error) {
	return backups(ctx, r, `SELECT `+backupColumns+` FROM backups ORDER BY id DESC LIMIT ?`, limit)
}

// KeptBackups lists the backups on the disk of this node whose files have not been removed,
// newest first.
func KeptBackups(ctx context.Context, r *store.Tx) ([]BackupRun, error) {
	return backups(ctx, r, `SELECT `+backupColumns+` FROM backups WHERE sound = 1 AND removed_ms IS NULL AND coalesce(node, '') = ? ORDER BY id DESC`, nodeOf(r.Store()))
}

func backups(ctx context.Context, r *store.Tx, query string, args ...any) ([]BackupRun, error) {
	rows, err := r.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the log of backups: %w", err)
	}
	defer rows.Close()
	var list []BackupRun
	for rows.Next() {
		var b BackupRun
		if err := rows.Scan(b.targets()...); err != nil {
			return nil, fmt.Errorf("reading the log of backups: %w", err)
		}
		list = append(list, b)
	}
	return list, rows.Err()
}

// LastBackup returns the newest backup that was made and that a drill proved to restore, or
// the zero value if none exists.
func LastBackup(ctx context.Context, s *store.Store) (BackupRun, error) {
	var b BackupRun
	err := s.Readers().QueryRowContext(ctx, `SELECT `+backupColumns+` FROM backups
		WHERE sound = 1 AND drilled_ms IS NOT NULL AND drill = '' ORDER BY id DESC LIMIT 1`).Scan(b.targets()...)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return BackupRun{}, fmt.Errorf("reading the log of backups: %w", err)
	}
	return b, nil
}
