package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// batchRows is how many rows one INSERT carries: enough to make the cost of a
// statement small, few enough to stay far below SQLite's limit of parameters.
const batchRows = 100

// batch inserts many rows with few statements.
type batch struct {
	ctx      context.Context
	tx       *sql.Tx
	into     string // "INSERT INTO t (a, b) VALUES"
	after    string // an ON CONFLICT clause, or nothing
	columns  int
	args     []any
	prepared *sql.Stmt // for a full batch
}

func newBatch(ctx context.Context, tx *sql.Tx, table, columns, after string) *batch {
	n := strings.Count(columns, ",") + 1
	return &batch{
		ctx: ctx, tx: tx, after: after, columns: n,
		into: fmt.Sprintf("INSERT INTO %s (%s) VALUES ", table, columns),
		args: make([]any, 0, batchRows*n),
	}
}

// add adds a row and sends the batch when it is full.
func (b *batch) add(row ...any) error {
	if len(row) != b.columns {
		return fmt.Errorf("batch of %d columns got %d values", b.columns, len(row))
	}
	b.args = append(b.args, row...)
	if len(b.args) == batchRows*b.columns {
		return b.sendFull()
	}
	return nil
}

func (b *batch) sendFull() (err error) {
	if b.prepared == nil {
		if b.prepared, err = b.tx.PrepareContext(b.ctx, b.statement(batchRows)); err != nil {
			return err
		}
	}
	_, err = b.prepared.ExecContext(b.ctx, b.args...)
	b.args = b.args[:0]
	return err
}

// flush sends what is left. The batch may be used again afterwards.
func (b *batch) flush() error {
	if len(b.args) == 0 {
		return nil
	}
	_, err := b.tx.ExecContext(b.ctx, b.statement(len(b.args)/b.columns), b.args...)
	b.args = b.args[:0]
	return err
}

func (b *batch) statement(rows int) string {
	row := "(?" + strings.Repeat(",?", b.columns-1) + ")"
	return b.into + row + strings.Repeat(","+row, rows-1) + b.after
}
