package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresConnector opens connections that take the statements of this program.
type postgresConnector struct {
	driver.Connector
	engine *postgresEngine
}

func (c postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := opened.(*stdlib.Conn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("the driver's connection is a %T", opened), opened.Close())
	}
	return &postgresConn{Conn: conn, engine: c.engine}, nil
}

// postgresConn is a connection that translates statements, and that can run one while the
// rows of another are being read, as a connection of SQLite can.
type postgresConn struct {
	*stdlib.Conn
	engine *postgresEngine
	open   *postgresRows
	at     *settledAt // of the transaction that reads distributed rows
}

// QueryContext implements driver.QueryerContext.
func (c *postgresConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.free(); err != nil {
		return nil, err
	}
	text, args, ofWorkers, err := c.asSettled(translated(query), args)
	if err != nil {
		return nil, err
	}
	rows, err := c.Conn.QueryContext(ctx, text, args)
	if err != nil {
		return nil, err
	}
	if ofWorkers {
		if err := c.unmoved(ctx); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
	}
	c.open = &postgresRows{Rows: rows, conn: c}
	return c.open, nil
}

// BeginTx implements driver.ConnBeginTx.
func (c *postgresConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	c.at = nil
	tx, err := c.Conn.BeginTx(ctx, o)
	if err != nil && ctx.Err() == nil && c.Conn.Conn().IsClosed() {
		return nil, driver.ErrBadConn // nothing was done: another connection is tried
	}
	return tx, err
}

// ExecContext implements driver.ExecerContext.
func (c *postgresConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.free(); err != nil {
		return nil, err
	}
	if len(args) == 1 {
		switch arg := args[0].Value.(type) {
		case copied:
			return c.copy(ctx, query, arg)
		case settledAt:
			c.at = &arg
			return driver.RowsAffected(0), nil
		}
	}
	return c.Conn.ExecContext(ctx, translated(query), args)
}

// CheckNamedValue implements driver.NamedValueChecker. Flags are stored as numbers, as
// SQLite has no others.
func (c *postgresConn) CheckNamedValue(v *driver.NamedValue) (err error) {
	switch v.Value.(type) {
	case copied, settledAt:
		return nil
	}
	v.Value, err = postgresValue(v.Value)
	return err
}

func postgresValue(value any) (any, error) {
	value, err := driver.DefaultParameterConverter.ConvertValue(value)
	if flag, ok := value.(bool); ok {
		value = int64(0)
		if flag {
			value = int64(1)
		}
	}
	return value, err
}

// copied are the values of rows for COPY, one row after another.
type copied struct {
	values []any
	width  int
}

// copyRows is how many rows one COPY carries.
const copyRows = 5000

var copyInto = regexp.MustCompile(`^COPY (\w+) \((.*)\)$`)

func (c *postgresConn) copy(ctx context.Context, statement string, rows copied) (driver.Result, error) {
	m := copyInto.FindStringSubmatch(statement)
	columns := strings.Split(m[2], ",")
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	n, err := c.Conn.Conn().CopyFrom(ctx, pgx.Identifier{m[1]}, columns, pgx.CopyFromSlice(len(rows.values)/rows.width, func(i int) ([]any, error) {
		row := rows.values[i*rows.width : (i+1)*rows.width]
		for at := range row {
			var err error
			if row[at], err = postgresValue(row[at]); err != nil {
				return nil, err
			}
		}
		return row, nil
	}))
	c.engine.loads.added(m[1], int(n))
	return driver.RowsAffected(n), err
}

// free makes room for a statement: the server sends the rows of one statement at a time, so
// those that are still to come are kept in memory.
func (c *postgresConn) free() error {
	if c.open == nil {
		return nil
	}
	return c.open.keep()
}

// ResetSession implements driver.SessionResetter.
func (c *postgresConn) ResetSession(ctx context.Context) error {
	c.open, c.at = nil, nil
	return c.Conn.ResetSession(ctx)
}

// postgresRows are the rows of a statement.
type postgresRows struct {
	driver.Rows
	conn *postgresConn
	kept [][]driver.Value // still to be given
	done bool             // nothing is left on the connection
}

func (r *postgresRows) keep() error {
	columns := r.Columns()
	for !r.done {
		row := make([]driver.Value, len(columns))
		switch err := r.next(row); err {
		case nil:
			r.kept = append(r.kept, row)
		case io.EOF:
		default:
			return err
		}
	}
	return nil
}

// next reads a row from the connection.
func (r *postgresRows) next(row []driver.Value) error {
	err := r.Rows.Next(row)
	if err != nil {
		r.done = true
		if r.conn.open == r {
			r.conn.open = nil
		}
	}
	return err
}

// Next implements driver.Rows.
func (r *postgresRows) Next(row []driver.Value) error {
	if len(r.kept) > 0 {
		copy(row, r.kept[0])
		r.kept = r.kept[1:]
		return nil
	}
	if r.done {
		return io.EOF
	}
	return r.next(row)
}

// Close implements driver.Rows.
func (r *postgresRows) Close() error {
	if r.conn.open == r {
		r.conn.open = nil
	}
	r.done = true
	return r.Rows.Close()
}

// byValue finds a column that is compared or ordered by the value of its number.
var byValue = regexp.MustCompile(`([\w.]+) COLLATE decimal`)

// translated returns a statement in the words of PostgreSQL: numbered parameters, LIKE
// without regard to case, and numbers compared by value.
func translated(query string) string {
	if strings.Contains(query, " COLLATE decimal") {
		query = byValue.ReplaceAllString(query, "decimal_key($1)")
	}
	var b strings.Builder
	b.Grow(len(query) + 32)
	quoted, n := false, 0
	for i := 0; i < len(query); i++ {
		switch c := query[i]; {
		case c == '\'':
			quoted = !quoted
			b.WriteByte(c)
		case c == '?' && !quoted:
			n++
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(n))
		case c == ' ' && !quoted && strings.HasPrefix(query[i:], " LIKE "):
			b.WriteString(" ILIKE ")
			i += len(" LIKE ") - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
