package store

import (
	"context"
	"fmt"
	"strings"
)

// Batch inserts many rows with few statements. They run without the context: to be able to
// interrupt a statement, the driver would wake a goroutine and wait for it. The context is
// checked before each statement.
type Batch struct {
	ctx   context.Context
	tx    *Tx
	rows  int    // of a full batch
	copy  string // the statement that copies rows; empty if they are inserted
	into  string // "INSERT INTO t (a, b) VALUES "
	row   string // the parameters of one row: "(?,?)"
	after string // an ON CONFLICT clause, or nothing
	same  []any  // the first values of every row
	given int    // how many values a row has besides same
	width int    // of a row
	args  []any
	full  string // the statement of a full batch
}

// NewBatch returns a batch that inserts into the given columns of a table. The first
// columns have the same value in every row, given here; the others are given row by row.
func NewBatch(ctx context.Context, tx *Tx, table, columns, after string, same ...any) *Batch {
	width := strings.Count(columns, ",") + 1
	rows, copies := tx.store.engine.batch()
	b := &Batch{
		ctx: ctx, tx: tx, after: after, same: same, given: width - len(same), width: width, rows: rows,
		into: fmt.Sprintf("INSERT INTO %s (%s) VALUES ", table, columns),
		row:  "(?" + strings.Repeat(",?", width-1) + ")",
		args: make([]any, 0, rows*width),
	}
	if copies && after == "" {
		b.copy, b.rows = fmt.Sprintf("COPY %s (%s)", table, columns), copyRows
	}
	return b
}

// Add adds a row and sends the batch if it is full.
func (b *Batch) Add(row ...any) error {
	if len(row) != b.given {
		return fmt.Errorf("a batch with %d values a row got %d values", b.given, len(row))
	}
	b.args = append(append(b.args, b.same...), row...)
	if len(b.args) == b.rows*b.width {
		return b.Flush()
	}
	return nil
}

// Flush sends the remaining rows. The batch may be used again afterwards. A number of rows
// that is not a full batch is sent in parts, so that few different statements are parsed.
func (b *Batch) Flush() error {
	if b.copy != "" && len(b.args) > 0 {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if _, err := b.tx.ExecContext(context.WithoutCancel(b.ctx), b.copy, copied{b.args, b.width}); err != nil {
			return err
		}
		b.args = b.args[:0]
	}
	for rest := b.args; len(rest) > 0; {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		rows := b.rows
		for rows*b.width > len(rest) {
			rows /= 2
		}
		if _, err := b.tx.ExecContext(context.WithoutCancel(b.ctx), b.statement(rows), rest[:rows*b.width]...); err != nil {
			return err
		}
		rest = rest[rows*b.width:]
	}
	b.args = b.args[:0]
	return nil
}

func (b *Batch) statement(rows int) string {
	if rows == b.rows && b.full != "" {
		return b.full
	}
	statement := b.into + b.row + strings.Repeat(","+b.row, rows-1) + b.after
	if rows == b.rows {
		b.full = statement
	}
	return statement
}
