package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Options configures a store.
type Options struct {
	Zone *time.Location   // of the reporting day; nil is UTC
	Now  func() time.Time // stamps writes; nil is time.Now

	// Node names this node among those that share the database; empty: the name of the host.
	Node string
	// LeaseTime is how long a lease lasts if it is not renewed; 0: 20 s.
	LeaseTime time.Duration

	// AuditKey is the key of the audit log, see [Store.UseAuditKey]. Without it audited
	// writes are refused.
	AuditKey []byte
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	engine engine
	path   string // of the file, or the URL without its password
	zone   *time.Location
	now    func() time.Time
	write  *sql.DB // one connection: the database has one writer at a time
	read   *sql.DB // refuses to write
	// beside is for long readings next to one of read. They pass each page once, so that
	// memory for pages would be wasted on them.
	beside *sql.DB
	codes  inviteCodes

	leading leading
	// spending is the connection for [RateBudget]; nil: nobody shares the database.
	spending *sql.DB
	process  string // this use of the database, see [Store.Process]
	leased   time.Duration

	auditKey []byte // nil: audited writes are refused
}

// Open opens a database and brings its schema up to date. Its place is the path of a file,
// which is created if it does not exist, or the URL of a PostgreSQL database. A place that
// cannot be used is a *[PlaceError].
func Open(ctx context.Context, place string, o Options) (*Store, error) {
	s := newStore(place, o)
	err := s.open(ctx, place)
	if err == nil && o.AuditKey != nil {
		err = s.UseAuditKey(ctx, o.AuditKey)
	}
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", s.path, errors.Join(refused(err), s.Close()))
	}
	return s, nil
}

func newStore(place string, o Options) *Store {
	s := &Store{path: PlaceOf(place), zone: o.Zone, now: o.Now, process: processOf(o.Node), leased: cmp.Or(o.LeaseTime, leaseTime)}
	if s.zone == nil {
		s.zone = time.UTC
	}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

func (s *Store) open(ctx context.Context, place string) error {
	if err := s.use(place, "rwc"); err != nil {
		return err
	}
	var err error
	if s.write, err = s.engine.connect(forWriting); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := s.engine.check(ctx, s.write); err != nil {
		return err
	}
	if err := migrate(ctx, s.engine, s.write); err != nil {
		return err
	}
	if err := s.openReaders(); err != nil {
		return err
	}
	if err := s.engine.layout(ctx, s.write); err != nil {
		return err
	}
	if err := s.Ping(ctx); err != nil {
		return err
	}
	// The connection that migrated is closed; the first write opens another one. SQLite
	// lets all connections of the process share what they may keep in memory together, so
	// that an export would fill the share of a writer that has nothing to do.
	s.write.SetMaxIdleConns(0)
	s.write.SetMaxIdleConns(1)
	return nil
}

// use looks up the engine of a database.
func (s *Store) use(place, mode string) (err error) {
	if s.engine, err = engineOf(place, mode, s.Node()); err != nil {
		return err
	}
	s.path = s.engine.place()
	if s.leading, err = s.engine.leading(s); err != nil || !s.Shared() {
		return err
	}
	if s.spending, err = s.engine.connect(forSpending); err == nil {
		s.spending.SetMaxOpenConns(1)
	}
	return err
}

func (s *Store) openReaders() (err error) {
	if s.read, err = s.engine.connect(forReading); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(maxReaders)
	s.read.SetMaxIdleConns(maxReaders)
	// Each connection keeps pages in memory, which would be wasted once a burst of readers
	// is over.
	s.read.SetConnMaxIdleTime(time.Minute)
	if s.beside, err = s.engine.connect(forReadingBeside); err != nil {
		return err
	}
	s.beside.SetConnMaxIdleTime(time.Minute)
	return nil
}

// maxReaders is how many states can be read at once. An export holds one for as long as its
// recipient reads; a caller that serves exports must allow fewer than this, so that a page
// always finds one. Those of [Tx.Beside] do not count.
const maxReaders = 16

// Close ends all connections. A nil or half-opened store closes too.
func (s *Store) Close() error {
	var errs []error
	if shared, ok := s.leading.(*leases); ok {
		errs = append(errs, shared.close())
	}
	for _, db := range []*sql.DB{s.spending, s.beside, s.read, s.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Zone returns the zone of the reporting day.
func (s *Store) Zone() *time.Location { return s.zone }

// Ping reports whether the database can be read.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.read.QueryRowContext(ctx, `SELECT id FROM meta`).Scan(&one)
}

// Path returns the path of the database, or its URL without the password.
func (s *Store) Path() string { return s.path }

// Now returns the time of the store's clock.
func (s *Store) Now() time.Time { return s.now() }

// Readers returns the connections that read. Use them for a single query and for operations
// of the engine: a copy of the file, a pragma.
func (s *Store) Readers() *sql.DB { return s.read }

// Writer returns the only connection that writes.
func (s *Store) Writer() *sql.DB { return s.write }
