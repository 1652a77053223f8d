package upkeep

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"

	"rebatedesk/store"
)

// Inspection is the result of inspecting a database file.
type Inspection struct {
	Schema int      // version of the database; 0 = an empty file
	Known  int      // newest version that this program understands
	Zone   string   // IANA zone of the roll-ups; empty for an older schema
	Faults []string // damage found by the engine; at most 20
}

// Inspect inspects a database without changing it: it creates no database and migrates no
// schema, and may run while another process works. Its cost grows with the size of the
// database.
func Inspect(ctx context.Context, path string) (found Inspection, err error) {
	if err := errors.Join(store.RegisterOnce(), store.LockSafely()); err != nil {
		return found, err
	}
	if found.Known, err = knownSchema(); err != nil {
		return found, err
	}
	pragmas := url.Values{"mode": {"rw"}} // not rwc: a missing file is not created
	maps.Copy(pragmas, store.ReaderPragmas)
	db, err := sql.Open("sqlite", store.Dsn(path, pragmas))
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if found.Schema, err = store.SchemaVersion(ctx, db); err != nil {
		return found, fmt.Errorf("reading the database: %w", err)
	}
	if found.Schema == found.Known {
		if err := db.QueryRowContext(ctx, `SELECT zone FROM meta WHERE id = 1`).Scan(&found.Zone); err != nil {
			return found, fmt.Errorf("reading the database: %w", err)
		}
	}
	rows, err := db.QueryContext(ctx, `SELECT quick_check FROM pragma_quick_check WHERE quick_check <> 'ok' LIMIT 20`)
	if err != nil {
		return found, fmt.Errorf("checking the database: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var fault string
		if err := rows.Scan(&fault); err != nil {
			return found, fmt.Errorf("checking the database: %w", err)
		}
		found.Faults = append(found.Faults, fault)
	}
	return found, rows.Err()
}

// knownSchema returns the version after all migrations of this program.
func knownSchema() (int, error) {
	names, err := fs.Glob(store.Migrations, "migrations/*.sql")
	return len(names), err
}
