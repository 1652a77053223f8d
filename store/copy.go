package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNotEmpty is returned if a database that is to be filled holds rows already.
var ErrNotEmpty = errors.New("holds data already and is not written over: name an empty database, or a file that does not exist")

// Uncopied are the tables that belong to the running processes of one database, and are
// neither copied nor compared.
var Uncopied = []string{"leases", "rate_budget"}

// copyBytes is how many bytes of rows are kept in memory at most before they are sent.
const copyBytes = 4 << 20

// CopyTo copies all rows into an empty database, of any engine and with the same schema. Both
// transactions see one state each, so the copy has the state of t. It keeps the numbers that
// rows of the past had from being given again. tell learns of each number of copied rows.
func (t *Tx) CopyTo(ctx context.Context, to *Tx, tell func(table string, rows int)) error {
	if err := sameSchema(ctx, t, to); err != nil {
		return err
	}
	tables, err := t.tablesInOrder(ctx)
	if err != nil {
		return err
	}
	if err := to.empty(ctx, tables); err != nil {
		return err
	}
	return to.Unguarded(ctx, func() error {
		for _, table := range tables {
			if err := copyTable(ctx, t, to, table, tell); err != nil {
				return fmt.Errorf("copying %s: %w", table, err)
			}
		}
		marks, err := t.store.engine.highest(ctx, t)
		if err != nil {
			return err
		}
		if err := to.store.engine.raise(ctx, to, marks); err != nil {
			return fmt.Errorf("setting the next numbers: %w", err)
		}
		to.stamp, err = to.LastWrite(ctx)
		return err
	})
}

func sameSchema(ctx context.Context, from, to *Tx) error {
	is, err := from.Schema(ctx)
	if err != nil {
		return err
	}
	want, err := to.Schema(ctx)
	if err == nil && is != want {
		err = fmt.Errorf("%s has schema version %d, and a copy gets version %d: run webapp verify on it first, which brings it up to date", from.store.path, is, want)
	}
	return err
}

// tablesInOrder lists the tables to copy, each after those that it refers to.
func (t *Tx) tablesInOrder(ctx context.Context) (order []string, err error) {
	tables, err := t.Tables(ctx)
	if err != nil {
		return nil, err
	}
	slices.Sort(tables)
	parents := map[string][]string{}
	rows, err := t.QueryContext(ctx, t.store.engine.catalogue().references)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var table, parent string
		if err := rows.Scan(&table, &parent); err != nil {
			return nil, err
		}
		parents[table] = append(parents[table], parent)
	}
	seen := map[string]bool{}
	var visit func(table string)
	visit = func(table string) {
		if seen[table] {
			return
		}
		seen[table] = true
		for _, parent := range parents[table] {
			visit(parent)
		}
		if !slices.Contains(Uncopied, table) {
			order = append(order, table)
		}
	}
	for _, table := range tables {
		visit(table)
	}
	return order, rows.Err()
}

// empty refuses a database with rows. The row of meta is in every one.
func (t *Tx) empty(ctx context.Context, tables []string) error {
	for _, table := range tables {
		var rows bool
		if err := t.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+`)`).Scan(&rows); err != nil {
			return err
		}
		if rows && table != "meta" {
			return ErrNotEmpty
		}
	}
	return nil
}

func copyTable(ctx context.Context, from, to *Tx, table string, tell func(string, int)) (err error) {
	columns, err := ReadColumn[string](ctx, from, from.store.engine.catalogue().columns, table)
	if err != nil {
		return err
	}
	list := strings.Join(columns, ", ")
	rows, err := from.QueryContext(ctx, `SELECT `+list+` FROM `+table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if table == "meta" {
		return copyMeta(ctx, rows, to, columns)
	}
	batch, bytes, count := NewBatch(ctx, to, table, list, ""), 0, 0
	values, targets := row(len(columns))
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		for i, value := range values {
			switch v := value.(type) {
			case []byte:
				if v == nil {
					values[i] = []byte{} // an empty value, which is not the same as none
				}
				bytes += len(v)
			case string:
				bytes += len(v)
			}
		}
		if err := batch.Add(values...); err != nil {
			return err
		}
		if count++; bytes >= copyBytes || count == copyRows {
			if err := batch.Flush(); err != nil {
				return err
			}
			tell(table, count)
			bytes, count = 0, 0
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	tell(table, count)
	return batch.Flush()
}

// copyMeta changes the row of meta instead of inserting it: it is the lock of writers.
func copyMeta(ctx context.Context, rows *sql.Rows, to *Tx, columns []string) error {
	values, targets := row(len(columns))
	if !rows.Next() {
		return errors.Join(errors.New("its row is missing"), rows.Err())
	}
	if err := rows.Scan(targets...); err != nil {
		return err
	}
	_, err := to.ExecContext(ctx, `UPDATE meta SET `+strings.Join(columns, " = ?, ")+` = ?`, values...)
	return err
}

// row returns the values of a row and the targets that fill them.
func row(width int) (values, targets []any) {
	values, targets = make([]any, width), make([]any, width)
	for i := range values {
		targets[i] = &values[i]
	}
	return values, targets
}

// numbered is a table whose rows get the next number by themselves.
type numbered struct {
	table, column string
	highest       int64 // number that a row has or had
}

// CreateDraft creates a database in the empty file at path, which nothing else may use and
// which is worthless after an error, and runs f in one transaction on it. Without its log of
// writes it takes half the space and time. Its schema is of the given version, which may be
// an earlier one.
func CreateDraft(ctx context.Context, path string, schema int, f func(*Tx) error) (err error) {
	s := newStore(path, Options{})
	defer func() { err = errors.Join(err, s.Close()) }()
	e := &sqliteEngine{path: path, mode: "rw", draft: true}
	s.engine = e
	if err := errors.Join(RegisterOnce(), LockSafely()); err != nil {
		return err
	}
	if s.write, err = e.connect(forWriting); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := migrateTo(ctx, e, s.write, schema); err != nil {
		return err
	}
	return s.UpdateQuietly(ctx, f)
}
