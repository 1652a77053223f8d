package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// ErrLeaseLost means that another worker has what was to be sent, or had it meanwhile.
var ErrLeaseLost = errors.New("another worker has taken this delivery")

// queue is a table of what waits to be sent. A worker takes a row, and others leave it alone until
// its lease ends; if the worker dies, another one takes it then.
type queue struct {
	table string
	until string        // column: until when a row is left alone
	most  time.Duration // longer than any row is left alone: it seems so only to a clock that was set back since
}

var (
	attempts = queue{"deliveries", "next_ms", 6 * time.Hour}
	files    = queue{"shipments", "leased_ms", time.Hour}
)

// free is the condition for rows that may be taken. Its parameters are those of [queue.at].
func (q queue) free() string {
	return `(` + q.until + ` IS NULL OR ` + q.until + ` <= ? OR ` + q.until + ` > ?)`
}

// at returns now, and the latest instant until which a row is left alone.
func (q queue) at(now time.Time) []any {
	return []any{affiliate.MillisOf(now), affiliate.MillisOf(now.Add(q.most))}
}

// take gives a row that waits, the first that a query finds, to the caller for the time of a lease.
// Its ID is 0 if there is none. Each worker that takes a row has a greater lease than the one
// before.
func (q queue) take(ctx context.Context, tx *store.Tx, now time.Time, lease time.Duration, which string, args ...any) (id int64, err error) {
	err = tx.QueryRowContext(ctx, which, args...).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE `+q.table+` SET `+q.until+` = ?, lease = lease + 1, tries = tries + 1 WHERE id = ?`, affiliate.MillisOf(now.Add(lease)), id)
	}
	if err != nil {
		return 0, fmt.Errorf("taking up a delivery: %w", err)
	}
	return id, nil
}

// change changes a row that the caller has taken. It returns [ErrLeaseLost] if the lease was lost or
// the row withdrawn. With sent it records also then that the row was sent.
func (q queue) change(ctx context.Context, tx *store.Tx, id, lease int64, sent bool, set string, args ...any) error {
	where, args := ` WHERE id = ? AND lease = ? AND state = 'waiting'`, append(args, id, lease)
	if sent {
		where, args = ` WHERE id = ? AND state <> 'sent'`, args[:len(args)-1]
	}
	changed, err := store.Changed(tx.ExecContext(ctx, `UPDATE `+q.table+` SET `+set+where, args...))
	if err == nil && !changed {
		err = ErrLeaseLost
	}
	if err != nil {
		return fmt.Errorf("noting a delivery: %w", err)
	}
	return nil
}
