package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"sync"
)

// SetSchemaVersion makes the database look as if another version of the program had
// written it.
func SetSchemaVersion(s *Store, version int) error {
	tx, err := s.write.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := s.engine.setVersion(context.Background(), tx, version); err != nil {
		return err
	}
	return tx.Commit()
}

// SpareRoom lets the database grow by the given number of pages and no more, like a full
// disk.
func SpareRoom(s *Store, pages int) error {
	var used int
	if err := s.write.QueryRow(`PRAGMA page_count`).Scan(&used); err != nil {
		return err
	}
	_, err := s.write.Exec(fmt.Sprintf(`PRAGMA max_page_count = %d`, used+pages))
	return err
}

// Asked collects the queries that readers send to SQLite.
type Asked struct {
	store *Store
	mu    sync.Mutex
	texts []string
	args  [][]any
}

// Listen records the queries of all readers of s that are opened after this call.
func Listen(s *Store) (*Asked, error) {
	a := &Asked{store: s}
	before := s.read
	s.read = sql.OpenDB(listeningConnector{a})
	return a, before.Close()
}

// Plans returns the query plans of all queries since the last call, line by line.
func (a *Asked) Plans() ([]string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var plans []string
	for i, text := range a.texts {
		rows, err := a.store.write.Query(`EXPLAIN QUERY PLAN `+text, a.args[i]...)
		if err != nil {
			return nil, err
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				return nil, err
			}
			plans = append(plans, detail)
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
	}
	a.texts, a.args = nil, nil
	return plans, nil
}

type listeningConnector struct{ *Asked }

func (c listeningConnector) Driver() driver.Driver { return c.store.write.Driver() }

func (c listeningConnector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.Driver().Open(Dsn(c.store.path, ReaderPragmas))
	return listeningConn{conn, c.Asked}, err
}

// listeningConn is a connection of the driver that records its queries.
type listeningConn struct {
	driver.Conn
	asked *Asked
}

func (c listeningConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}

func (c listeningConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	values := make([]any, len(args))
	for i, arg := range args {
		values[i] = arg.Value
	}
	c.asked.mu.Lock()
	c.asked.texts, c.asked.args = append(c.asked.texts, query), append(c.asked.args, values)
	c.asked.mu.Unlock()
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

// Translated is a statement in the words of PostgreSQL.
var Translated = translated
