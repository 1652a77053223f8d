package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/url"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// connect returns the connections of a database file. None is opened yet.
func connect(path string, pragmas url.Values) (*sql.DB, error) {
	c, err := sqlite.NewConnector(Dsn(path, pragmas))
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector{c}), nil
}

// connector opens connections that parse each statement once. The driver alone parses it at
// every call, which takes longer than most queries run.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	engine, ok := opened.(engineConn)
	if !ok {
		return nil, errors.Join(errors.New("the driver's connections lack a method of this program"), opened.Close())
	}
	return &parsingConn{engineConn: engine, parsed: map[string]*parsedStatement{}}, nil
}

// engineConn is what this program uses of a connection of the driver.
type engineConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
	NewBackup(file string) (*sqlite.Backup, error)
}

// Limits of what a connection keeps parsed: more statements than any page asks, and none
// that is long because it lists many values.
const (
	maxParsed     = 128
	maxParsedText = 8 << 10
)

// parsingConn is a connection that keeps what it has parsed. The engine parses a statement
// again by itself after a change of the schema.
type parsingConn struct {
	engineConn
	parsed map[string]*parsedStatement
}

type parsedStatement struct {
	driver.Stmt
	busy bool // its rows are being read
}

// QueryContext implements driver.QueryerContext.
func (c *parsingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.engineConn.QueryContext(ctx, query, args)
	}
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, c.forget(query))
	}
	s.busy = true
	return &parsedRows{rows, s}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *parsingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.engineConn.ExecContext(ctx, query, args)
	}
	result, err := s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, c.forget(query))
	}
	return result, nil
}

// statement returns the parsed form of a statement, or nil if it is not kept: it is busy or
// long, or the engine acts while it parses, as with a pragma.
func (c *parsingConn) statement(ctx context.Context, query string) (*parsedStatement, error) {
	if s, ok := c.parsed[query]; ok {
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	if len(query) > maxParsedText {
		return nil, nil
	}
	word, _, _ := strings.Cut(strings.TrimLeft(query, " \t\n"), " ")
	if !slices.Contains([]string{"SELECT", "WITH", "INSERT", "UPDATE", "DELETE"}, strings.TrimSpace(word)) {
		return nil, nil
	}
	if err := c.makeRoom(); err != nil {
		return nil, err
	}
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s := &parsedStatement{Stmt: stmt}
	c.parsed[query] = s
	return s, nil
}

// makeRoom forgets a statement if there are too many.
func (c *parsingConn) makeRoom() error {
	for query, s := range c.parsed {
		if len(c.parsed) < maxParsed {
			return nil
		}
		if !s.busy {
			return c.forget(query)
		}
	}
	return nil
}

func (c *parsingConn) forget(query string) error {
	s := c.parsed[query]
	delete(c.parsed, query)
	return s.Close()
}

// Close implements driver.Conn.
func (c *parsingConn) Close() error {
	var errs []error
	for query := range c.parsed {
		errs = append(errs, c.forget(query))
	}
	return errors.Join(append(errs, c.engineConn.Close())...)
}

// parsedRows are the rows of a parsed statement.
type parsedRows struct {
	driver.Rows
	of *parsedStatement
}

// Close implements driver.Rows.
func (r *parsedRows) Close() error {
	r.of.busy = false
	return r.Rows.Close()
}
