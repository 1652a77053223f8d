package store

import (
	"context"
	"database/sql"
	"fmt"
)

// A server without statistics of a table takes a month of records for a handful, and sorts all
// of them to show a page. It makes statistics by itself, but only some minutes after a load,
// and not at all if an administrator turned that off.

// load counts the rows that this process has copied into a table.
type load struct {
	rows int
	due  int // the number of rows at which statistics are made
}

// leastLoad is the number of copied rows from which statistics matter.
const leastLoad = 5000

// added counts rows that were copied into a table.
func (e *postgresEngine) added(table string, rows int) {
	if e.loads[table] == nil {
		e.loads[table] = &load{due: leastLoad}
	}
	e.loads[table].rows += rows
}

// survey makes the statistics of a table whenever the copied rows have doubled, so that a long
// load spends little time on it. It leaves out a table that something else is maintaining.
func (e *postgresEngine) survey(ctx context.Context, tx *sql.Tx) error {
	for table, l := range e.loads {
		if l.rows < l.due {
			continue
		}
		l.due = 2 * l.rows
		if _, err := tx.ExecContext(ctx, `ANALYZE (SKIP_LOCKED) `+table); err != nil {
			return fmt.Errorf("making the statistics of %s: %w", table, err)
		}
	}
	return nil
}
