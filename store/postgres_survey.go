package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"sync"
)

// A server without statistics of a table takes a month of records for a handful, and sorts all
// of them to show a page. It makes statistics by itself, but only some minutes after a load,
// and not at all if an administrator turned that off.

// loads counts the rows that this process has copied into each table.
type loads struct {
	mu sync.Mutex
	of map[string]*load
}

type load struct {
	rows int
	due  int // the number of rows at which statistics are made
}

// leastLoad is the number of copied rows from which statistics matter.
const leastLoad = 5000

// added counts rows that were copied into a table.
func (l *loads) added(table string, rows int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[table] == nil {
		l.of[table] = &load{due: leastLoad}
	}
	l.of[table].rows += rows
}

// due returns the tables whose copied rows have doubled, so that a long load spends little
// time on statistics.
func (l *loads) due() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var tables []string
	for _, table := range slices.Sorted(maps.Keys(l.of)) {
		if own := l.of[table]; own.rows >= own.due {
			own.due = 2 * own.rows
			tables = append(tables, table)
		}
	}
	if len(tables) > 0 { // records are joined with these
		tables = append(tables, "accounts", "invitees")
	}
	return tables
}

// survey makes the statistics of tables after a write. It leaves out a table that something else
// is maintaining. It has a transaction of its own for each table, because Citus refuses the
// statistics of some tables in a transaction that has written to them. A failure costs only
// time: the server makes the statistics later.
func (e *postgresEngine) survey(ctx context.Context, db *sql.DB) {
	for _, table := range e.loads.due() {
		if _, err := db.ExecContext(ctx, `ANALYZE (SKIP_LOCKED) `+table); err != nil {
			return
		}
	}
}
