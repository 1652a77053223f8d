package store

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

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
	beside   *sql.DB             // for questions about the server while a transaction reads
	warnings *atomic.Int64       // given by the server
	loads    loads

	unsettled atomic.Pointer[error] // why the newest write of this process was not settled
}

// connectWithin is how long a host may take to accept a connection, unless the URL says
// connect_timeout. One that is cut off answers nothing.
const connectWithin = 5 * time.Second

// leastPostgres is the oldest version of the server that this program is tested with.
const leastPostgres = 150000

func newPostgres(place, mode, node string) (*postgresEngine, error) {
	config, err := parseURL(place)
	if err != nil {
		return nil, err
	}
	defaults := map[string]string{
		"application_name":  ofNode + node,
		"lock_timeout":      "10s",
		"statement_timeout": "0",
	}
	for name, value := range defaults {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectWithin
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
	return &postgresEngine{config: config, reads: mode != "rwc", warnings: warnings, loads: loads{of: map[string]*load{}}}, nil
}

func (e *postgresEngine) place() string { return placeOf(e.config) }

func (e *postgresEngine) connect(for_ purpose) (*sql.DB, error) {
	config := *e.config
	if for_ == forWriting || for_ == forLeasing || for_ == forSpending {
		config.RuntimeParams = maps.Clone(config.RuntimeParams)
		maps.Copy(config.RuntimeParams, unattended)
	}
	if for_ == forSpending {
		config.RuntimeParams["synchronous_commit"] = "off" // see [RateBudget.Change]
	}
	db := sql.OpenDB(postgresConnector{stdlib.GetConnector(config), e})
	switch for_ {
	case forWriting:
		e.writer = db
	case forReadingBeside:
		e.beside = db
	}
	return db, nil
}

// unattended makes the server end the transaction of a node that has vanished or stopped:
// nobody else could write meanwhile.
var unattended = map[string]string{
	"idle_in_transaction_session_timeout": "60s",
	"tcp_keepalives_idle":                 "10",
	"tcp_keepalives_interval":             "5",
	"tcp_keepalives_count":                "2",
}

func (e *postgresEngine) leading(s *Store) (leading, error) {
	db, err := e.connect(forLeasing)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(2)
	return &leases{store: s, db: db, lasts: s.leased, led: map[Lease]*term{}, held: map[*term]bool{}, taking: map[Lease]bool{}}, nil
}

// check refuses a server or a database that this program cannot work with. Text must be
// sorted by its bytes, as SQLite sorts it: reports rely on that order.
func (e *postgresEngine) check(ctx context.Context, db *sql.DB) error {
	var version int
	if err := db.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int`).Scan(&version); err != nil {
		return err
	}
	if err := tooOld(version); err != nil {
		return err
	}
	var encoding, collation, provider string
	var readOnly bool
	err := db.QueryRowContext(ctx, `
		SELECT pg_encoding_to_char(encoding), datcollate, datlocprovider::text, current_setting('transaction_read_only')::bool,
			EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')
		FROM pg_database WHERE datname = current_database()`).Scan(&encoding, &collation, &provider, &readOnly, &e.citus)
	switch {
	case err != nil:
		return err
	case encoding != "UTF8" || !bytewise(provider, collation):
		return &PlaceError{Wrong: fmt.Sprintf("has the encoding %s and the locale %s", encoding, collation), Mend: "sorting needs UTF8 and C: " + createAs}
	case readOnly && !e.reads:
		return &PlaceError{Wrong: "is on a standby or on a server that is read-only, which cannot be written", Mend: nameThePrimary}
	}
	return nil
}

// tooOld refuses the version of a server.
func tooOld(version int) error {
	if version >= leastPostgres {
		return nil
	}
	return &PlaceError{Wrong: fmt.Sprintf("is on a server of PostgreSQL %d, which is too old", version/10000), Mend: fmt.Sprintf("use version %d or later", leastPostgres/10000)}
}

const (
	createAs       = "create it with CREATE DATABASE name TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
	nameThePrimary = "name the primary, or several hosts with ?target_session_attrs=read-write"
)

// refusals are the errors of a server that only other settings or rights end, by their code.
var refusals = map[string]struct{ wrong, mend string }{
	"28000": {"is refused to this user", "check the user, and the server's pg_hba.conf"},
	"28P01": {"is refused to this user", "check the user and the password, which DB_FILE keeps in a file"},
	"3D000": {"does not exist on the server", createAs},
	"42501": {"may not be changed by this user", "make the user the owner of the database, or grant it CREATE on the schema"},
}

// pooler is the advice about a pool that refuses the parameters with which connections start:
// it has to ignore them.
const pooler = "behind pgbouncer, set ignore_startup_parameters as docs/operations.md says"

// refused returns a *[PlaceError] for an error of opening a database that only other settings
// or rights end, and err itself otherwise.
func refused(err error) error {
	failure, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	refusal, ok := refusals[failure.Code]
	if failure.Code == "08P01" && strings.Contains(failure.Message, "startup parameter") {
		return &PlaceError{Wrong: "is behind a pool that refuses a setting (" + failure.Message + ")", Mend: pooler, cause: err}
	}
	if !ok {
		return err
	}
	return &PlaceError{Wrong: refusal.wrong + " (" + failure.Message + ")", Mend: refusal.mend, cause: err}
}

// bytewise reports whether a database sorts text by its bytes: by a locale of the C library
// that does, or by one that PostgreSQL itself provides. Those of ICU never do.
func bytewise(provider, collation string) bool {
	switch provider {
	case "c":
		return slices.Contains([]string{"C", "POSIX", "C.UTF-8", "C.utf8"}, collation)
	case "b":
		return true
	}
	return false
}

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
		damage:   serverFaults,
		examined: "what the server knows of: it checks a page when it reads it, if it has data checksums",
		quick:    serverFaults,
		columns: `SELECT column_name::text FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name = ? ORDER BY ordinal_position`,
		references: `SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint
			WHERE contype = 'f' AND connamespace = current_schema()::regnamespace`,
		size: `SELECT pg_database_size(current_database())`,
	}
}

// serverFaults are the damages that the server has noticed.
const serverFaults = `
	SELECT 'the server found ' || checksum_failures || ' damaged pages, see its log' FROM pg_stat_database
	WHERE datname = current_database() AND checksum_failures > 0
	UNION ALL
	SELECT 'the index ' || indexrelid::regclass || ' is not valid: REINDEX it' FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
	WHERE relnamespace = current_schema()::regnamespace AND NOT (indisvalid AND indisready)`

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
func (e *postgresEngine) guardsGone(ctx context.Context, r Asker) (gone int, err error) {
	found, err := ReadColumn[string](ctx, r, `
		SELECT concat_ws(' ', tgrelid::regclass, tgname, tgtype, prosrc) FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
		WHERE tgrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace) AND NOT tgisinternal AND tgenabled IN ('O', 'A')
			AND tgqual IS NULL AND tgattr = ''::int2vector`)
	if err != nil {
		return 0, err
	}
	for _, guard := range postgresGuards(schema) {
		for name, kind := range guard.triggers() {
			if !slices.Contains(found, fmt.Sprintf("%s %s %d %s", guard.table, name, kind, guard.body())) {
				gone++
			}
		}
	}
	return gone, nil
}

func (e *postgresEngine) foreign(err error) bool {
	failure, ok := errors.AsType[*pgconn.PgError](err)
	return ok && failure.Code == "42P01" // undefined_table
}

// guardedTables have the guards of the audit log.
var guardedTables = []string{"audit", "audit_head"}

func (e *postgresEngine) unguarded(ctx context.Context, tx *Tx, f func() error) error {
	guards := func(state string) error {
		for _, table := range guardedTables {
			if _, err := tx.ExecContext(ctx, `ALTER TABLE `+table+` `+state+` TRIGGER USER`); err != nil {
				return err
			}
		}
		return nil
	}
	if err := guards("DISABLE"); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return guards("ENABLE")
}

// numbers returns the columns whose numbers the server gives, and the highest one of the rows.
func (e *postgresEngine) numbers(ctx context.Context, tx *Tx) ([]numbered, error) {
	list, err := Scanned(ctx, tx, func(rows *sql.Rows) (n numbered, err error) {
		err = rows.Scan(&n.table, &n.column)
		return n, err
	}, `SELECT table_name::text, column_name::text FROM information_schema.columns
		WHERE table_schema = current_schema() AND is_identity = 'YES' ORDER BY table_name`)
	for i, n := range list {
		if err == nil {
			err = tx.QueryRowContext(ctx, `SELECT coalesce(max(`+n.column+`), 0) FROM `+n.table).Scan(&list[i].highest)
		}
	}
	return list, err
}

func (e *postgresEngine) highest(ctx context.Context, tx *Tx) ([]numbered, error) {
	list, err := e.numbers(ctx, tx)
	for i, n := range list {
		if err == nil {
			err = tx.QueryRowContext(ctx, `SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, ?)), 0)`, n.table, n.column).Scan(&list[i].highest)
		}
	}
	return list, err
}

func (e *postgresEngine) raise(ctx context.Context, tx *Tx, marks []numbered) error {
	list, err := e.numbers(ctx, tx)
	if err != nil {
		return err
	}
	for _, n := range list {
		for _, mark := range marks {
			if mark.table == n.table {
				n.highest = max(n.highest, mark.highest)
			}
		}
		if n.highest == 0 {
			continue
		}
		if _, err := tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence(?, ?), ?)`, n.table, n.column, n.highest); err != nil {
			return err
		}
	}
	return nil
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
			return "the database server cannot be reached: check that it runs, and the host and port in REBATEDESK_DB"
		}
		return ""
	}
	switch failure.Code {
	case "22021":
		return "a text contains the character NUL (U+0000), which PostgreSQL cannot store: what was being written is not stored; if the exchange sent it, the window remains uncollected until the exchange sends another text"
	case "53200":
		return "the database server is out of memory: end what else uses it, or give it more; what was being written is not stored, and the next run goes on from there"
	case "53100", "53400":
		return "no space left: make room on the disk of the database server; what was being written is not stored, and the next run goes on from there"
	case "53300":
		return "the database server has no connection left: raise its max_connections, or end other programs that use it"
	case "55P03":
		return "another program holds the database: end it, or wait for it"
	case "42P05", "26000":
		return "connections are shared by a pool that forgets prepared statements: add default_query_exec_mode=exec to the URL, see docs/operations.md"
	case "25006":
		return "the database server is a standby or read-only: " + nameThePrimary
	}
	if refusal, ok := refusals[failure.Code]; ok {
		return "the database " + refusal.wrong + ": " + refusal.mend
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
