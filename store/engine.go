package store

import (
	"context"
	"database/sql"

	"rebatedesk/affiliate"
)

// engine is what SQLite and PostgreSQL do differently. Both run the same text of a
// statement: the connections of PostgreSQL translate the words that it lacks, see
// [translated]. An engine is asked when a store is opened, when a transaction begins, and by
// operations on the whole database; never for a row.
type engine interface {
	// place names the database for people. It contains no password.
	place() string
	// connect returns the connections for a purpose. None is opened yet.
	connect(purpose) (*sql.DB, error)
	// check refuses a database that this program cannot work with, before anything is
	// written. A file is created if it does not exist.
	check(ctx context.Context, db *sql.DB) error
	// begin opens a transaction. One that writes is the only one of the database at a time;
	// one that reads sees one state.
	begin(ctx context.Context, db *sql.DB, writes bool) (*sql.Tx, error)

	// layout reads how the tables are laid out, before the first transaction.
	layout(ctx context.Context, db *sql.DB) error
	// survey gives the planner an idea of the tables that this process has added many rows to.
	// It follows the commit of a write.
	survey(ctx context.Context, db *sql.DB)
	// settle ends a write after its commit. The warnings are those that the server had given
	// before the commit.
	settle(ctx context.Context, db *sql.DB, stamp affiliate.Millis, warnings int64)
	// warned counts the warnings that the server has given.
	warned() int64

	// state tells about the engine itself, and the servers around it.
	state(context.Context, *sql.DB) (EngineState, error)

	// leading returns how processes take turns at the work of a lease.
	leading(*Store) (leading, error)

	// schema translates statements that create or change tables.
	schema(text string) []string
	// version returns the number of migrations applied, 0 for a new database.
	version(context.Context, Asker) (int, error)
	// lockSchema returns the version within a transaction, and keeps other processes from
	// changing the schema until it ends.
	lockSchema(context.Context, *sql.Tx) (int, error)
	setVersion(context.Context, *sql.Tx, int) error

	// catalogue has the queries about the database itself.
	catalogue() catalogue
	// guardsGone counts the triggers that keep lines from being changed and are missing or
	// altered: those of the audit log, of closings and of statements.
	guardsGone(context.Context, Asker) (int, error)
	// again reports whether a change of the schema failed only because another process made
	// the same one at the same time.
	again(error) bool
	// orphans returns the rows that refer to a row that does not exist, as phrases.
	orphans(context.Context, *Tx) ([]string, error)
	// schemaFaults returns what the schema has or lacks against the migrations, as phrases.
	schemaFaults(context.Context, Asker) ([]string, error)
	// triggered is a query of the tables that have triggers, see [Tx.RefuseTriggers].
	triggered() string
	// foreign reports whether an error means that this is no database of this program.
	foreign(error) bool

	// unguarded runs f while the guards of the audit log are off in the transaction.
	unguarded(ctx context.Context, tx *Tx, f func() error) error
	// highest returns the highest numbers of rows, where they are never given again.
	highest(context.Context, *Tx) ([]numbered, error)
	// raise sets the next numbers above those of the rows, and above the given ones.
	raise(context.Context, *Tx, []numbered) error

	// batch is how many rows a [Batch] sends at once, and whether it copies those that have
	// no conflict clause instead of inserting them.
	batch() (rows int, copies bool)
}

// catalogue are the queries of an engine about the database itself.
type catalogue struct {
	tables     string // names of the tables of this program
	damage     string // faults in pages and indexes
	examined   string // what damage looks at, in words
	quick      string // at most 20 faults of those that are found quickly
	columns    string // names of the columns of a table, in their order
	references string // tables, and the tables that they refer to
	size       string // bytes of the database; empty if it is a file
}

// purpose is what connections are for.
type purpose int

const (
	forWriting purpose = iota
	forReading
	forReadingBeside // long readings next to one of forReading
	forLeasing       // taking and renewing leases
	forSpending      // the request budget of all nodes
)

// engineOf returns the engine of a database. The mode is that of SQLite: rwc creates a
// missing file, ro never changes the file. A server learns the name of the node.
func engineOf(place, mode, node string) (engine, error) {
	if IsURL(place) {
		return newPostgres(place, mode, node)
	}
	return newSQLite(place, mode)
}

// Tables lists the tables of this program.
func (t *Tx) Tables(ctx context.Context) ([]string, error) {
	return ReadColumn[string](ctx, t, t.store.engine.catalogue().tables)
}

// Damage returns the faults that the engine finds in its pages and indexes.
func (t *Tx) Damage(ctx context.Context) ([]string, error) {
	return ReadColumn[string](ctx, t, t.store.engine.catalogue().damage)
}

// Examined says what [Tx.Damage] looks at.
func (t *Tx) Examined() string { return t.store.engine.catalogue().examined }

// QuickDamage returns at most 20 faults of those that the engine finds quickly.
func (s *Store) QuickDamage(ctx context.Context) ([]string, error) {
	return ReadColumn[string](ctx, s.read, s.engine.catalogue().quick)
}

// Orphans returns the rows that refer to a row that does not exist, as phrases.
func (t *Tx) Orphans(ctx context.Context) ([]string, error) {
	return t.store.engine.orphans(ctx, t)
}

// Schema returns the number of migrations applied.
func (t *Tx) Schema(ctx context.Context) (int, error) { return t.store.engine.version(ctx, t) }

// Schema is [Tx.Schema] outside a transaction.
func (s *Store) Schema(ctx context.Context) (int, error) { return s.engine.version(ctx, s.read) }

// Unguarded runs f in a transaction that writes while lines of the audit log may be changed in
// it. Only what makes all codes of the log again may do so.
func (t *Tx) Unguarded(ctx context.Context, f func() error) error {
	return t.store.engine.unguarded(ctx, t, f)
}

// GuardsGone counts the triggers that keep lines from being changed and are missing or
// altered: those of the audit log, of closings and of statements.
func (t *Tx) GuardsGone(ctx context.Context) (int, error) {
	return t.store.engine.guardsGone(ctx, t)
}

// Size returns the bytes of the database, and of its log of writes if it is a file. That of
// a server is shared with other databases.
func (s *Store) Size(ctx context.Context) (database, log int64, err error) {
	query := s.engine.catalogue().size
	if query == "" {
		return fileSize(s.path), fileSize(s.path + "-wal"), nil
	}
	err = s.read.QueryRowContext(ctx, query).Scan(&database)
	return database, 0, err
}
