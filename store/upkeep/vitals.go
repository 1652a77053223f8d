package upkeep

import (
	"context"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Vitals describes the health of a database for the monitoring of the process.
type Vitals struct {
	Schema int // version of the database
	Known  int // newest version that this program understands

	Size int64 // of the file, in bytes
	WAL  int64 // of the write-ahead log, in bytes

	// Waits and the duration next to it say how often, and for how long in total, a write
	// waited for another one of this process since the database was opened.
	Waits  int64
	Waited time.Duration
}

// ReadVitals reads the vital signs of the database. It costs next to nothing.
func ReadVitals(ctx context.Context, s *store.Store) (Vitals, error) {
	writer := s.Writer().Stats()
	v := Vitals{Known: store.KnownSchema(), Waits: writer.WaitCount, Waited: writer.WaitDuration}
	var err error
	if v.Schema, err = s.Schema(ctx); err != nil {
		return v, fmt.Errorf("reading the schema version: %w", err)
	}
	if v.Size, v.WAL, err = s.Size(ctx); err != nil {
		return v, fmt.Errorf("reading the size of the database: %w", err)
	}
	return v, nil
}

// LastSuccesses returns when the newest run of each account that reached its end finished;
// unknown for an account without one. A run that left some windows to the next run also
// reached its end.
func LastSuccesses(ctx context.Context, r *store.Tx) (map[affiliate.Account]affiliate.Millis, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, coalesce((
			SELECT finished_ms FROM runs
			WHERE account_id = a.id AND finished_ms IS NOT NULL AND error = ''
			ORDER BY started_ms DESC LIMIT 1), 0)
		FROM accounts a`)
	if err != nil {
		return nil, fmt.Errorf("reading the last runs: %w", err)
	}
	defer rows.Close()
	last := map[affiliate.Account]affiliate.Millis{}
	for rows.Next() {
		var name affiliate.Account
		var at affiliate.Millis
		if err := rows.Scan(&name, &at); err != nil {
			return nil, fmt.Errorf("reading the last runs: %w", err)
		}
		last[name] = at
	}
	return last, rows.Err()
}

// RunTotals counts the finished runs of an account and their work.
type RunTotals struct {
	Account  affiliate.Account
	Complete int64 // runs without any failure
	Partial  int64 // runs that could not read some slices
	Failed   int64 // runs that ended early
	Requests int64
	Weight   int64
	Records  int64
	Opened   int64
	Closed   int64
}

// TotalRuns adds up the log of runs by account. Its cost grows with the number of runs,
// some ten thousand a year.
func TotalRuns(ctx context.Context, r *store.Tx) ([]RunTotals, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, count(*) FILTER (WHERE r.error = '' AND r.failed = 0), count(*) FILTER (WHERE r.error = '' AND r.failed > 0), count(*) FILTER (WHERE r.error <> ''),
			sum(r.requests), sum(r.weight), sum(r.records), sum(r.opened), sum(r.closed)
		FROM runs r JOIN accounts a ON a.id = r.account_id
		WHERE r.finished_ms IS NOT NULL GROUP BY a.id ORDER BY a.name`)
	if err != nil {
		return nil, fmt.Errorf("adding up runs: %w", err)
	}
	defer rows.Close()
	var list []RunTotals
	for rows.Next() {
		var t RunTotals
		if err := rows.Scan(&t.Account, &t.Complete, &t.Partial, &t.Failed,
			&t.Requests, &t.Weight, &t.Records, &t.Opened, &t.Closed); err != nil {
			return nil, fmt.Errorf("adding up runs: %w", err)
		}
		list = append(list, t)
	}
	return list, rows.Err()
}
