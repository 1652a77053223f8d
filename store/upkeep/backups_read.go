package upkeep

import (
	"context"
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
