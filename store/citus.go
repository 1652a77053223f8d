package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"rebatedesk/affiliate"
)

// Citus spreads rows over workers, and has no snapshot over all of them: a reader may see a
// write on one worker and not yet on another. Two things together make it one state again.
// Once a write is committed on all workers, its stamp is noted as settled. A reader takes the
// settled stamp with its snapshot of the coordinator, and sees the rows as of that stamp.
//
// Rows that a rebalance moves to another worker are not in the snapshot that a transaction may
// have of that worker already. The placements of rows are numbered, and never again with the
// same number: a question is answered only if there is no newer one than when its transaction
// began.

// distributeTables lays the tables of a database out over the workers.
//
//go:embed distribute.sql
var distributeTables string

// ErrUnsettled is returned for a question about rows while the newest write is not complete
// on all workers. Figures from roll-ups are not affected.
var ErrUnsettled = errors.New("the newest write is not complete on every worker of the database: start the worker that is down; it completes by itself")

// ErrMoved is returned for a question about rows whose transaction is older than a move of
// rows to another worker: the transaction cannot see them there. A new one can.
var ErrMoved = errors.New("rows of the database were moved to another worker meanwhile: ask again")

// RowsAway reports whether a question about rows failed because of the workers: one of them
// cannot be reached, or rows are being moved. Questions that read no rows are not affected.
func RowsAway(err error) bool {
	failure, ok := errors.AsType[*pgconn.PgError](err)
	return errors.Is(err, ErrUnsettled) || errors.Is(err, ErrMoved) || ok && (remoteNode.MatchString(failure.Message) || cutAtWorker(failure))
}

// cutAtWorker reports whether a worker ended the connection on which it ran a part of a question:
// it is being stopped. The coordinator passes on the worker's own words and says where.
func cutAtWorker(failure *pgconn.PgError) bool {
	return (strings.HasPrefix(failure.Code, "57P") || strings.HasPrefix(failure.Code, "08")) && strings.Contains(failure.Where, "executing command on")
}

// ErrNoCitus is returned if a database cannot be distributed.
var ErrNoCitus = errors.New("the database has no extension citus: create it with CREATE EXTENSION citus and add its workers, see docs/operations.md")

// Distribute lays the tables of the database out over the workers of Citus and moves their
// rows. It reports false if that was done before. Nothing else can write meanwhile.
func (s *Store) Distribute(ctx context.Context) (done bool, err error) {
	e, ok := s.engine.(*postgresEngine)
	if !ok || !e.citus {
		return false, ErrNoCitus
	}
	if len(e.rows) > 0 {
		return false, nil
	}
	err = s.UpdateQuietly(ctx, func(tx *Tx) error {
		for _, statement := range splitStatements(distributeTables) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("distributing the tables: %w", err)
	}
	return true, e.layout(ctx, s.write)
}

// Distributed reports whether the rows of the database are spread over workers.
func (s *Store) Distributed() bool {
	e, ok := s.engine.(*postgresEngine)
	return ok && len(e.rows) > 0
}

// layout finds the tables whose rows are spread over workers, and their columns.
func (e *postgresEngine) layout(ctx context.Context, db *sql.DB) error {
	if !e.citus {
		return nil
	}
	rows, err := db.QueryContext(ctx, `
		SELECT p.logicalrelid::text, a.attname::text FROM pg_dist_partition p JOIN pg_attribute a ON a.attrelid = p.logicalrelid
		WHERE p.partmethod = 'h' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY p.logicalrelid, a.attnum`)
	if err != nil {
		return err
	}
	defer rows.Close()
	e.rows = map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return err
		}
		e.rows[table] = append(e.rows[table], column)
	}
	return rows.Err()
}

// Times to wait for a write that is being settled, which takes milliseconds.
const (
	settleWithin = time.Second
	settlePause  = 2 * time.Millisecond
)

// readSettled opens a transaction that reads rows as of the settled stamp. If the newest
// write remains unsettled, its process died: then it is settled here.
func (e *postgresEngine) readSettled(ctx context.Context, db *sql.DB) (*sql.Tx, error) {
	until, tried := time.Now().Add(settleWithin), false
	for {
		tx, err := db.BeginTx(ctx, readOneState)
		if err != nil {
			return nil, err
		}
		var at settledAt
		if err := tx.QueryRowContext(ctx, `SELECT m.last_write_ms, v.settled_ms, (`+newestPlacement+`) FROM meta m, schema_version v`).Scan(&at.last, &at.settled, &at.placed); err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
		if at.settled == at.last || tried {
			if _, err := tx.ExecContext(ctx, "", at); err != nil {
				return nil, errors.Join(err, tx.Rollback())
			}
			return tx, nil
		}
		if err := tx.Rollback(); err != nil {
			return nil, err
		}
		if time.Now().After(until) {
			tried = true
			if err := e.settleAbandoned(ctx); err != nil && ctx.Err() != nil {
				return nil, err
			}
			continue
		}
		select {
		case <-time.After(settlePause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// settleAbandoned settles the newest write by an empty one.
func (e *postgresEngine) settleAbandoned(ctx context.Context) error {
	if e.writer == nil {
		return ErrUnsettled
	}
	tx, err := e.begin(ctx, e.writer, true)
	if err != nil {
		return err
	}
	return tx.Commit()
}

// prepareWrite makes a transaction that writes use one connection to each worker, and settles
// the write before it if that has not happened: its process may have died.
func (e *postgresEngine) prepareWrite(ctx context.Context, tx *sql.Tx) error {
	var at settledAt
	var mode string
	err := tx.QueryRowContext(ctx, `
		SELECT m.last_write_ms, v.settled_ms, set_config('citus.multi_shard_modify_mode', 'sequential', true)
		FROM meta m, schema_version v`).Scan(&at.last, &at.settled, &mode)
	if err != nil || at.settled == at.last {
		return err
	}
	until := time.Now().Add(10 * settleWithin)
	for {
		left, err := unfinished(ctx, tx)
		if err != nil {
			return err
		}
		if left == 0 {
			_, err := tx.ExecContext(ctx, `UPDATE schema_version SET settled_ms = ?`, at.last)
			return err
		}
		if time.Now().After(until) {
			return e.errUnsettled()
		}
		select {
		case <-time.After(25 * settlePause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unfinished completes the transactions that workers have prepared, and returns how many
// are left.
func unfinished(ctx context.Context, tx *sql.Tx) (left int, err error) {
	var recovered int
	if err := tx.QueryRowContext(ctx, `SELECT recover_prepared_transactions()`).Scan(&recovered); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `
		SELECT coalesce(sum(CASE WHEN success THEN result::bigint ELSE 1 END), 0)
		FROM run_command_on_workers('SELECT count(*) FROM pg_prepared_xacts WHERE gid LIKE ''citus%''')`).Scan(&left)
	return left, err
}

// settle notes that a write is complete on all workers, unless one of them failed to say so.
// The write is stored in any case. If the note cannot be made, a later transaction makes it,
// and questions about rows meanwhile tell why.
func (e *postgresEngine) settle(ctx context.Context, db *sql.DB, stamp affiliate.Millis, warnings int64) {
	if len(e.rows) == 0 || stamp == 0 {
		return
	}
	err := errors.New("a worker did not confirm it")
	if e.warnings.Load() == warnings {
		_, err = db.ExecContext(context.WithoutCancel(ctx), `UPDATE schema_version SET settled_ms = ? WHERE settled_ms < ?`, stamp, stamp)
	}
	e.unsettled.Store(&err)
}

// errUnsettled is [ErrUnsettled] with its cause, if this process knows it.
func (e *postgresEngine) errUnsettled() error {
	if cause := e.unsettled.Load(); cause != nil && *cause != nil {
		return fmt.Errorf("%w (%w)", ErrUnsettled, *cause)
	}
	return ErrUnsettled
}

func (e *postgresEngine) warned() int64 { return e.warnings.Load() }

// settledAt is what a transaction that reads knows about the newest writes. As the argument
// of a statement it tells the connection.
type settledAt struct{ last, settled, placed int64 }

const newestPlacement = `SELECT max(placementid) FROM pg_dist_placement`

// unmoved is [ErrMoved] if rows were moved since the transaction began. It is asked once the
// server has found out where the rows of a question are.
func (c *postgresConn) unmoved(ctx context.Context) error {
	var placed int64
	if err := c.engine.beside.QueryRowContext(ctx, newestPlacement).Scan(&placed); err != nil {
		return err
	}
	if placed != c.at.placed {
		return ErrMoved
	}
	return nil
}

// asSettled rewrites a query on rows so that it sees them as of the settled stamp, which
// becomes its last argument, and reports that it reads rows. It leaves other queries as they
// are.
func (c *postgresConn) asSettled(query string, args []driver.NamedValue) (text string, _ []driver.NamedValue, rows bool, _ error) {
	if c.at == nil || !fromRows.MatchString(query) {
		return query, args, false, nil
	}
	stamp := "$" + strconv.Itoa(len(args)+1)
	found := false
	query = fromRows.ReplaceAllStringFunc(query, func(match string) string {
		m := fromRows.FindStringSubmatch(match)
		columns := c.engine.rows[m[2]]
		if columns == nil {
			return match
		}
		found = true
		list := strings.Join(columns, ", ")
		list = strings.Replace(list, "closed_ms", "CASE WHEN closed_ms <= "+stamp+" THEN closed_ms END AS closed_ms", 1)
		name := m[3]
		if name == "" {
			name = m[2]
		}
		return m[1] + " (SELECT " + list + " FROM " + m[2] + " WHERE opened_ms <= " + stamp + ") AS " + name
	})
	switch {
	case !found:
		return query, args, false, nil
	case c.at.settled != c.at.last:
		return "", nil, true, c.engine.errUnsettled()
	}
	return query, append(args[:len(args):len(args)], driver.NamedValue{Ordinal: len(args) + 1, Value: c.at.settled}), true, nil
}

// fromRows finds the tables that a query reads, with their alias of one letter.
var fromRows = regexp.MustCompile(`\b(FROM|JOIN) "?(\w+)"?(?: ([a-z])\b)?`)
