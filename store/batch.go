package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
)

// batchRows is how many rows one INSERT carries: enough to make the cost of a statement
// small, and few enough to stay far below SQLite's limit of parameters.
const batchRows = 100

// Batch inserts many rows with few statements. Full batches run without the context: to be
// able to interrupt a statement, the driver would wake a goroutine and wait for it. The
// context is checked between two batches.
type Batch struct {
	ctx      context.Context
	tx       *Tx
	into     string // "INSERT INTO t (a, b) VALUES "
	row      string // one row: "(?, 17)"
	after    string // an ON CONFLICT clause, or nothing
	params   int    // per row
	args     []any
	prepared *sql.Stmt // for a full batch
}

// NewBatch returns a batch that inserts into the given columns of a table. The first
// columns have the same value in every row, given here; the others are given row by row.
func NewBatch(ctx context.Context, tx *Tx, table, columns, after string, same ...int64) *Batch {
	params := strings.Count(columns, ",") + 1 - len(same)
	values := make([]string, 0, len(same)+params)
	for _, n := range same {
		values = append(values, strconv.FormatInt(n, 10))
	}
	for range params {
		values = append(values, "?")
	}
	return &Batch{
		ctx: ctx, tx: tx, after: after, params: params,
		into: fmt.Sprintf("INSERT INTO %s (%s) VALUES ", table, columns),
		row:  "(" + strings.Join(values, ",") + ")",
		args: make([]any, 0, batchRows*params),
	}
}

// Add adds a row and sends the batch if it is full.
func (b *Batch) Add(row ...any) error {
	if len(row) != b.params {
		return fmt.Errorf("a batch with %d values a row got %d values", b.params, len(row))
	}
	b.args = append(b.args, row...)
	if len(b.args) == batchRows*b.params {
		return b.sendFull()
	}
	return nil
}

func (b *Batch) sendFull() (err error) {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	if b.prepared == nil {
		if b.prepared, err = b.tx.PrepareContext(b.ctx, b.statement(batchRows)); err != nil {
			return err
		}
	}
	_, err = b.prepared.ExecContext(context.WithoutCancel(b.ctx), b.args...)
	b.args = b.args[:0]
	return err
}

// Flush sends the remaining rows. The batch may be used again afterwards.
func (b *Batch) Flush() error {
	if len(b.args) == 0 {
		return nil
	}
	_, err := b.tx.ExecContext(b.ctx, b.statement(len(b.args)/b.params), b.args...)
	b.args = b.args[:0]
	return err
}

func (b *Batch) statement(rows int) string {
	return b.into + b.row + strings.Repeat(","+b.row, rows-1) + b.after
}
