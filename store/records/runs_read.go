package records

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// SliceProblem is a slice of a run that could not be read, or some records of it.
type SliceProblem struct {
	Stream      affiliate.Stream
	Days        affiliate.Days // UTC days
	Error       string
	Quarantined int // records that could not be read of a slice that was; 0: it could not be read at all
}

// maxProblems is how many slices [SliceProblems] lists: an outage can
// fail every slice of a long backfill, all for the same reason.
const maxProblems = 50

const runColumns = `r.id, a.name, r.cause, r.started_ms, r.finished_ms, r.requests, r.weight,
	r.records, r.opened, r.closed, r.slices, r.failed, r.error, r.quarantined`

func (run *Run) targets() []any {
	return []any{&run.ID, &run.Account, &run.Cause, &run.Started, &run.Finished, &run.Requests, &run.Weight,
		&run.Records, &run.Opened, &run.Closed, &run.Slices, &run.Failed, &run.Error, &run.Quarantined}
}

// Runs lists at most limit runs, newest first, from offset on, and returns the total
// number. An empty account means all.
func Runs(ctx context.Context, r *store.Tx, account affiliate.Account, limit, offset int) ([]Run, int64, error) {
	const of = ` FROM runs r JOIN accounts a ON a.id = r.account_id WHERE ? = '' OR a.name = ?`
	var total int64
	if err := r.QueryRowContext(ctx, `SELECT count(*)`+of, account, account).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("counting runs: %w", err)
	}
	rows, err := r.QueryContext(ctx, `SELECT `+runColumns+of+` ORDER BY r.id DESC LIMIT ? OFFSET ?`,
		account, account, limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("reading runs: %w", err)
	}
	defer rows.Close()
	var runs []Run
	for rows.Next() {
		var run Run
		if err := rows.Scan(run.targets()...); err != nil {
			return nil, 0, fmt.Errorf("reading runs: %w", err)
		}
		runs = append(runs, run)
	}
	return runs, total, rows.Err()
}

// ReadRun returns a run, and false if there is none of that number.
func ReadRun(ctx context.Context, r *store.Tx, id int64) (run Run, found bool, err error) {
	err = r.QueryRowContext(ctx, `SELECT `+runColumns+` FROM runs r JOIN accounts a ON a.id = r.account_id WHERE r.id = ?`, id).Scan(run.targets()...)
	if errors.Is(err, sql.ErrNoRows) {
		return Run{}, false, nil
	}
	if err != nil {
		return Run{}, false, fmt.Errorf("reading run %d: %w", id, err)
	}
	return run, true, nil
}

// SliceProblems lists at most 50 slices of a run that could not be read, or not completely, in
// the order of the attempts.
func SliceProblems(ctx context.Context, r *store.Tx, run int64) ([]SliceProblem, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT stream, product, from_ms, to_ms, coalesce(notice, error), quarantined FROM slices
		WHERE run_id = ? AND (error <> '' OR quarantined > 0) ORDER BY id LIMIT ?`, run, maxProblems)
	if err != nil {
		return nil, fmt.Errorf("reading the slices of run %d: %w", run, err)
	}
	defer rows.Close()
	var list []SliceProblem
	for rows.Next() {
		var p SliceProblem
		var from, to affiliate.Millis
		if err := rows.Scan(&p.Stream.Kind, &p.Stream.Product, &from, &to, &p.Error, &p.Quarantined); err != nil {
			return nil, fmt.Errorf("reading the slices of run %d: %w", run, err)
		}
		p.Days = affiliate.Days{First: affiliate.DayOf(from.Time(), time.UTC), Last: affiliate.DayOf((to - 1).Time(), time.UTC)}
		list = append(list, p)
	}
	return list, rows.Err()
}

// FirstDays returns the oldest UTC day of each account that was to be collected or was
// attempted, but of invitees: some exchanges give their list whole, of any age. Accounts without such a day
// are left out.
func FirstDays(ctx context.Context, r *store.Tx) (map[affiliate.Account]affiliate.Day, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT name, day FROM (
			SELECT a.name, min(coalesce(a.wanted_from, v.day), coalesce(v.day, a.wanted_from)) AS day
			FROM accounts a LEFT JOIN (SELECT account_id, min(day) AS day FROM coverage WHERE stream <> 'invitees' GROUP BY account_id) v ON v.account_id = a.id
		) d WHERE day IS NOT NULL`)
	if err != nil {
		return nil, fmt.Errorf("reading the oldest days: %w", err)
	}
	defer rows.Close()
	first := map[affiliate.Account]affiliate.Day{}
	for rows.Next() {
		var name affiliate.Account
		var text string
		if err := rows.Scan(&name, &text); err != nil {
			return nil, fmt.Errorf("reading the oldest days: %w", err)
		}
		if first[name], err = affiliate.ParseDay(text); err != nil {
			return nil, fmt.Errorf("reading the oldest days: %w", err)
		}
	}
	return first, rows.Err()
}
