package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresEngine is a database of a PostgreSQL server.
type postgresEngine struct {
	config *pgx.ConnConfig
	reads  bool // the store is opened without a right to change anything

	citus    bool                // the server has the extension
	rows     map[string][]string // columns of the tables whose rows are spread over workers
	writer   *sql.DB             // nil for a store that only reads
	warnings *atomic.Int64       // given by the server

	unsettled atomic.Pointer[error] // why the newest write of this process was not settled
}

// leastPostgres is the oldest version of the server that this program is tested with.
const leastPostgres = 150000

func newPostgres(place, mode string) (*postgresEngine, error) {
	config, err := pgx.ParseConfig(place)
	if err != nil {
		return nil, err // it leaves the password out
	}
	defaults := map[string]string{
		"application_name":  "rebatedesk",
		"lock_timeout":      "10s",
		"statement_timeout": "0",
	}
	for name, value := range defaults {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	// Reports rely on indexes, and the planner of a server with disks of old would not.
	config.RuntimeParams["random_page_cost"] = "1.1"
	config.RuntimeParams["jit"] = "off" // compiling takes longer than our statements
	warnings := new(atomic.Int64)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Severity == "WARNING" {
			warnings.Add(1)
		}
	}
	return &postgresEngine{config: config, reads: mode != "rwc", warnings: warnings}, nil
}

// placeOf returns the URL of a database without its password and options.
func placeOf(config *pgx.ConnConfig) string {
	place := url.URL{Scheme: "postgres", Host: net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port))), Path: config.Database}
	if config.User != "" {
		place.User = url.User(config.User)
	}
	return place.String()
}

func (e *postgresEngine) place() string { return placeOf(e.config) }

func (e *postgresEngine) connect(for_ purpose) (*sql.DB, error) {
	db := sql.OpenDB(postgresConnector{stdlib.GetConnector(*e.config), e})
	if for_ == forWriting {
		e.writer = db
	}
	return db, nil
}

// check refuses a server or a database that this program cannot work with. Text must be
// sorted by its bytes, as SQLite sorts it: reports rely on that order.
func (e *postgresEngine) check(ctx context.Context, db *sql.DB) error {
	var version int
	var encoding, collation string
	var standby bool
	err := db.QueryRowContext(ctx, `
		SELECT current_setting('server_version_num')::int, pg_encoding_to_char(encoding), datcollate, pg_is_in_recovery(),
			EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
		FROM pg_database WHERE datname = current_database()`).Scan(&version, &encoding, &collation, &standby, &e.citus)
	switch {
	case err != nil:
		return err
	case version < leastPostgres:
		return fmt.Errorf("the server is PostgreSQL %d, which is too old: use %d or later", version/10000, leastPostgres/10000)
	case encoding != "UTF8" || !bytewise[collation]:
		return fmt.Errorf("the database has the encoding %s and the locale %s: create it with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'", encoding, collation)
	case standby && !e.reads:
		return errors.New("the server is a standby, which cannot be written: name the primary in REBATEDESK_DB, or several hosts with target_session_attrs=read-write")
	}
	return nil
}

// bytewise are the locales that sort text by its bytes.
var bytewise = map[string]bool{"C": true, "POSIX": true, "C.UTF-8": true, "C.utf8": true}

// begin opens a transaction. The row of meta is the lock of writers: whoever holds it is
// the only one that writes, on any node.
func (e *postgresEngine) begin(ctx context.Context, db *sql.DB, writes bool) (*sql.Tx, error) {
	switch {
	case !writes && len(e.rows) > 0:
		return e.readSettled(ctx, db)
	case !writes:
		return db.BeginTx(ctx, readOneState)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	var one int
	if err := tx.QueryRowContext(ctx, `SELECT id FROM meta WHERE id = 1 FOR UPDATE`).Scan(&one); err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	if len(e.rows) > 0 {
		if err := e.prepareWrite(ctx, tx); err != nil {
			return nil, errors.Join(err, tx.Rollback())
		}
	}
	return tx, nil
}

// readOneState is a transaction that reads one state.
var readOneState = &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead}

// version returns 0 for a database without tables. One with tables of another program is
// refused: its names may be ours.
func (e *postgresEngine) version(ctx context.Context, r Asker) (version int, err error) {
	var ours bool
	var tables int
	err = r.QueryRowContext(ctx, `
		SELECT to_regclass('schema_version') IS NOT NULL, count(*) FROM pg_class c
		WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
			AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')`).
		Scan(&ours, &tables)
	switch {
	case err != nil:
		return 0, err
	case !ours && tables > 0:
		return 0, ErrForeign
	case !ours:
		return 0, nil
	}
	err = r.QueryRowContext(ctx, `SELECT version FROM schema_version`).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

// lockSchema takes a lock on the table of the version, which it makes for a new database.
// If two processes make it at once, the second one is told so by an error and tries again.
func (e *postgresEngine) lockSchema(ctx context.Context, tx *sql.Tx) (version int, err error) {
	if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS schema_version (id BIGINT PRIMARY KEY CHECK (id = 1), version BIGINT NOT NULL, settled_ms BIGINT NOT NULL DEFAULT 0)`); err != nil {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO schema_version (id, version) VALUES (1, 0) ON CONFLICT DO NOTHING`); err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `SELECT version FROM schema_version WHERE id = 1 FOR UPDATE`).Scan(&version)
	return version, err
}

func (e *postgresEngine) setVersion(ctx context.Context, tx *sql.Tx, version int) error {
	_, err := tx.ExecContext(ctx, `UPDATE schema_version SET version = ?`, version)
	return err
}

// again reports whether a change of the schema failed only because another process made the
// same one at the same time.
func (e *postgresEngine) again(err error) bool {
	failure, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (failure.Code == "23505" || failure.Code == "42P07") // unique_violation, duplicate_table
}

func (e *postgresEngine) catalogue() catalogue {
	return catalogue{
		tables: `SELECT table_name::text FROM information_schema.tables
			WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> 'schema_version'`,
		// The server checks its own pages when it reads them.
		damage: `SELECT ''::text WHERE false`,
		quick:  `SELECT ''::text WHERE false`,
		size:   `SELECT pg_database_size(current_database()), 0`,
	}
}

// orphans looks for the rows of each reference: the server checks references when rows are
// written, unless an administrator turned that off.
func (e *postgresEngine) orphans(ctx context.Context, r *Tx) ([]string, error) {
	queries, err := ReadColumn[string](ctx, r, `
		SELECT format('SELECT %L::text FROM %s c WHERE %s AND NOT EXISTS (SELECT 1 FROM %s p WHERE %s)',
			conrelid::regclass || ' refers to nothing in ' || confrelid::regclass, conrelid::regclass,
			string_agg(format('c.%I IS NOT NULL', a.attname), ' AND '), confrelid::regclass,
			string_agg(format('p.%I = c.%I', b.attname, a.attname), ' AND '))
		FROM pg_constraint, unnest(conkey, confkey) AS k(own, other)
		JOIN pg_attribute a ON a.attnum = k.own JOIN pg_attribute b ON b.attnum = k.other
		WHERE contype = 'f' AND a.attrelid = conrelid AND b.attrelid = confrelid AND connamespace = current_schema()::regnamespace
		GROUP BY pg_constraint.oid, conrelid, confrelid ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, query := range queries {
		orphans, err := ReadColumn[string](ctx, r, query)
		if err != nil {
			return nil, err
		}
		list = append(list, orphans...)
	}
	return list, nil
}

// guardsGone compares the bodies of the trigger functions, and when they are called.
func (e *postgresEngine) guardsGone(ctx context.Context, r Asker) (int, error) {
	found, err := ReadColumn[string](ctx, r, `
		SELECT t.tgname || ' ' || t.tgtype || p.prosrc FROM pg_trigger t
		JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
		WHERE c.oid IN ('audit'::regclass, 'audit_head'::regclass) AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A')`)
	if err != nil {
		return 0, err
	}
	given := postgresGuards(schema)
	gone := len(given)
	for _, guard := range given {
		for _, trigger := range found {
			if trigger == guard.name+" "+strconv.Itoa(guard.kind())+guard.body() {
				gone--
				break
			}
		}
	}
	return gone, nil
}

func (e *postgresEngine) foreign(err error) bool {
	failure, ok := errors.AsType[*pgconn.PgError](err)
	return ok && failure.Code == "42P01" // undefined_table
}

// batch returns a number of rows that stays below the limit of 65,535 parameters.
func (e *postgresEngine) batch() (rows int, copies bool) { return 400, true }

// remoteNode finds the errors of Citus about a worker.
var remoteNode = regexp.MustCompile(`remote node|to the remote|worker node`)

// postgresHint is [Hint] for an error of PostgreSQL.
func postgresHint(err error) string {
	failure, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
			return "the database server cannot be reached: check that it runs, and the host, port and password in REBATEDESK_DB"
		}
		return ""
	}
	switch failure.Code {
	case "53100", "53200":
		return "no space left: make room on the disk of the database server; what was being written is not stored, and the next run goes on from there"
	case "53300":
		return "the database server has no connection left: raise its max_connections, or end other programs that use it"
	case "55P03":
		return "another program holds the database: end it, or wait for it"
	case "25006":
		return "the database server is a standby or read-only: name the primary in REBATEDESK_DB, or several hosts with target_session_attrs=read-write"
	case "42501":
		return "the database may not be written: give this user the rights to create and change tables in its schema"
	case "28000", "28P01":
		return "the database server refuses this user: check the user and the password in REBATEDESK_DB"
	case "3D000":
		return "the database does not exist on the server: create it with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
	}
	if remoteNode.MatchString(failure.Message) {
		return "a worker of the database cannot be reached: start it again; what was being written is not stored, and the next run goes on from there"
	}
	switch failure.Code[:2] {
	case "08", "57":
		return "the connection to the database server was cut: what was being written is not stored, and the next run goes on from there"
	case "58", "XX":
		return "the database server failed to read or write: see its log; what was being written is not stored, and the next run goes on from there"
	}
	return ""
}
