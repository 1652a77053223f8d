package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"time"

	sqlite3 "modernc.org/sqlite/lib"

	"rebatedesk/affiliate"
)

// The engines.
const (
	SQLite     = "SQLite"
	PostgreSQL = "PostgreSQL"
)

// SupportedEngines names the engines that this program works with.
func SupportedEngines() string {
	return fmt.Sprintf("%s %s, %s %d or later", SQLite, sqlite3.SQLITE_VERSION, PostgreSQL, leastPostgres/10000)
}

// EngineState tells which engine keeps a database, and how the servers around it are.
type EngineState struct {
	Engine  string // [SQLite] or [PostgreSQL]
	Version string
	Citus   string // version of the extension; empty without it

	// ClockAhead is how far the clock of the server is ahead of the one of this machine. It is
	// 0 for a file.
	ClockAhead time.Duration
	// ReadOnly means that the server is a standby, or refuses to write.
	ReadOnly bool

	Nodes    []string        // that are connected, as far as the server tells their names
	Standbys []StandbyServer // of the server
	Workers  []WorkerServer  // of Citus
}

// ReachableWorkers counts the workers that the coordinator reaches.
func (e EngineState) ReachableWorkers() (n int) {
	for _, w := range e.Workers {
		if w.Reachable {
			n++
		}
	}
	return n
}

// StandbyServer is a copy of the server that follows it.
type StandbyServer struct {
	Name string // unique among them
	// Bytes and Lag say how far it is behind. They are nil if the server does not tell: the
	// user needs the role pg_monitor for that.
	Bytes *int64
	Lag   *time.Duration
}

// WorkerServer is a server that keeps a part of the rows.
type WorkerServer struct {
	Name      string // host and port
	Reachable bool   // from the coordinator
}

// workerWithin is how long a worker may take to accept a connection of the coordinator.
const workerWithin = time.Second

// EngineState asks the engine. It reads no rows of tables.
func (s *Store) EngineState(ctx context.Context) (EngineState, error) {
	state, err := s.engine.state(ctx, s.read)
	if err != nil {
		return state, fmt.Errorf("reading the state of the database: %w", err)
	}
	return state, nil
}

func (e *sqliteEngine) state(ctx context.Context, db *sql.DB) (EngineState, error) {
	state := EngineState{Engine: SQLite}
	err := db.QueryRowContext(ctx, `SELECT sqlite_version()`).Scan(&state.Version)
	return state, err
}

func (e *postgresEngine) state(ctx context.Context, db *sql.DB) (state EngineState, err error) {
	state.Engine = PostgreSQL
	conn, err := db.Conn(ctx) // opening one takes longer than asking for the time
	if err != nil {
		return state, err
	}
	defer conn.Close()
	begun := time.Now()
	var theirs affiliate.Millis
	err = conn.QueryRowContext(ctx, `
		SELECT `+serverClock+`, split_part(current_setting('server_version'), ' ', 1), current_setting('transaction_read_only')::bool,
			coalesce((SELECT extversion FROM pg_extension WHERE extname = 'citus'), '')`).
		Scan(&theirs, &state.Version, &state.ReadOnly, &state.Citus)
	if err != nil {
		return state, err
	}
	state.ClockAhead = theirs.Time().Sub(begun.Add(time.Since(begun) / 2)).Round(time.Millisecond)
	if state.Nodes, err = ReadColumn[string](ctx, conn, `
		SELECT DISTINCT substr(application_name, ?) FROM pg_stat_activity
		WHERE datname = current_database() AND starts_with(application_name, ?) ORDER BY 1`, len(ofNode)+1, ofNode); err != nil {
		return state, err
	}
	if state.Standbys, err = standbys(ctx, conn); err != nil || state.Citus == "" {
		return state, err
	}
	state.Workers, err = workers(ctx, conn, db)
	return state, err
}

// ofNode begins the name by which the connections of a node are known to the server.
const ofNode = "rebatedesk/"

// standbys lists the servers that follow this one. Programs that copy its files, as
// pg_basebackup does, are none.
func standbys(ctx context.Context, conn Asker) ([]StandbyServer, error) {
	known := map[string]int{}
	return Scanned(ctx, conn, func(rows *sql.Rows) (s StandbyServer, err error) {
		var bytes, lag sql.NullInt64
		if err := rows.Scan(&s.Name, &bytes, &lag); err != nil {
			return s, err
		}
		if known[s.Name]++; known[s.Name] > 1 {
			s.Name += fmt.Sprintf(" (%d)", known[s.Name])
		}
		if bytes.Valid {
			s.Bytes = &bytes.Int64
		}
		// The server tells no time of a standby that has nothing to do.
		if behind := time.Duration(lag.Int64) * time.Millisecond; lag.Valid || bytes.Valid && bytes.Int64 == 0 {
			s.Lag = &behind
		}
		return s, nil
	}, `
		SELECT coalesce(nullif(application_name, ''), 'standby'),
			greatest(0, CAST(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END, replay_lsn) AS BIGINT)),
			CAST(extract(epoch FROM replay_lag) * 1000 AS BIGINT)
		FROM pg_stat_replication WHERE state IS NULL OR state <> 'backup' ORDER BY 1, pid`)
}

// workers asks the coordinator to connect to each worker, to all of them at once: one that is
// gone answers nothing.
func workers(ctx context.Context, conn Asker, db *sql.DB) ([]WorkerServer, error) {
	list, err := Scanned(ctx, conn, func(rows *sql.Rows) (w WorkerServer, err error) {
		err = rows.Scan(&w.Name, &w.Reachable)
		return w, err
	}, `SELECT nodename || ':' || nodeport, isactive FROM pg_dist_node WHERE noderole = 'primary' AND groupid > 0 ORDER BY 1`)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, workerWithin)
	defer cancel()
	var asked sync.WaitGroup
	for i := range list {
		if w := &list[i]; w.Reachable {
			asked.Go(func() { w.Reachable = reaches(ctx, db, w.Name) })
		}
	}
	asked.Wait()
	return list, nil
}

// reaches asks one session of the coordinator to connect to a worker. It asks twice: a session
// that kept a connection from before the worker's restart says no once, and then opens a new
// one.
func reaches(ctx context.Context, db *sql.DB, worker string) bool {
	session, err := db.Conn(ctx)
	if err != nil {
		return false
	}
	defer session.Close()
	colon := strings.LastIndexByte(worker, ':')
	for range 2 {
		var reached sql.NullBool
		err := session.QueryRowContext(ctx, `SELECT citus_check_connection_to_node(?, CAST(CAST(? AS TEXT) AS INT))`, worker[:colon], worker[colon+1:]).Scan(&reached)
		if err == nil && reached.Bool {
			return true
		}
	}
	return false
}
