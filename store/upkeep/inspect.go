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

// Inspection is what a look at a database file found.
type Inspection struct {
	Schema int      // version of the database; 0 = an empty file
	Known  int      // the newest version that this program understands
	Zone   string   // of the roll-ups, by its IANA name; empty where the schema is an older one
	Faults []string // what the engine finds broken; at most 20
}

// Inspect looks at a database without changing it: it makes none and brings no
// schema up to date, and may be used while another process works. Its cost
// follows the size of the database.
func Inspect(ctx context.Context, path string) (found Inspection, err error) {
	if err := errors.Join(store.RegisterOnce(), store.LockSafely()); err != nil {
		return found, err
	}
	if found.Known, err = knownSchema(); err != nil {
		return found, err
	}
	pragmas := url.Values{"mode": {"rw"}} // and not rwc: what is not there stays away
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

// knownSchema is the version that all migrations of this program lead to.
func knownSchema() (int, error) {
	names, err := fs.Glob(store.Migrations, "migrations/*.sql")
	return len(names), err
}
