package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
)

// DeliveryState is what became of a message to one recipient.
type DeliveryState string

// The states.
const (
	DeliveryWaiting DeliveryState = "waiting" // for its next try, or being tried
	DeliverySent    DeliveryState = "sent"    // the mail server took it
	DeliveryDead    DeliveryState = "dead"    // given up
)

// Delivery is a message to one recipient, in the outbox or in the log of it.
type Delivery struct {
	ID        int64
	Message   int64
	Schedule  int64  // 0: by hand
	Name      string // of the schedule
	Kind      SummaryKind
	Every     string
	Days      affiliate.Days
	Subject   string
	Recipient string
	HeaderID  string // Message-ID, without its brackets
	State     DeliveryState
	Queued    affiliate.Millis
	Next      affiliate.Millis // when it is tried next
	Lease     int64
	Tries     int
	Ended     affiliate.Millis
	Answer    string // the last one of the mail server, or what else went wrong
}

// ErrLeaseLost is returned where another one took the delivery up meanwhile.
var ErrLeaseLost = errors.New("the delivery was taken up by another one meanwhile")

// TakeDelivery takes up the delivery that has been due longest, so that nobody
// else does before the lease ends. Who takes it up and dies leaves it to the
// next one after that. False: none is due.
func (s *Store) TakeDelivery(ctx context.Context, now time.Time, lease time.Duration) (d Delivery, found bool, err error) {
	return s.take(ctx, now, lease, `SELECT id FROM deliveries WHERE state = 'waiting' AND next_ms <= ? ORDER BY next_ms, id LIMIT 1`, affiliate.MillisOf(now))
}

// TakeDeliveryOf takes up the delivery of a Message-ID, whenever it is due.
func (s *Store) TakeDeliveryOf(ctx context.Context, headerID string, now time.Time, lease time.Duration) (d Delivery, found bool, err error) {
	return s.take(ctx, now, lease, `SELECT id FROM deliveries WHERE state = 'waiting' AND header_id = ?`, headerID)
}

func (s *Store) take(ctx context.Context, now time.Time, lease time.Duration, which string, arg any) (d Delivery, found bool, err error) {
	err = s.update(ctx, func(tx *sql.Tx, _ affiliate.Millis) error {
		err := tx.QueryRowContext(ctx, which, arg).Scan(&d.ID)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		return tx.QueryRowContext(ctx, `
			UPDATE deliveries SET next_ms = ?, lease = lease + 1, tries = tries + 1 WHERE id = ?
			RETURNING message_id, recipient, header_id, state, queued_ms, next_ms, lease, tries`,
			affiliate.MillisOf(now.Add(lease)), d.ID).
			Scan(&d.Message, &d.Recipient, &d.HeaderID, &d.State, &d.Queued, &d.Next, &d.Lease, &d.Tries)
	})
	if err != nil {
		return Delivery{}, false, fmt.Errorf("taking up a delivery: %w", err)
	}
	if found {
		crashpoint.Pass(crashpoint.DeliveryTaken)
	}
	return d, found, nil
}

// EndDelivery notes how a try went: sent, dead, or waiting until next. Where the
// lease was lost nothing is noted but that it was sent, and the error is
// [ErrLeaseLost].
func (s *Store) EndDelivery(ctx context.Context, d Delivery, state DeliveryState, next time.Time, answer string) error {
	err := s.update(ctx, func(tx *sql.Tx, stamp affiliate.Millis) error {
		ended := stamp
		var due affiliate.Millis
		if state == DeliveryWaiting {
			ended, due = 0, affiliate.MillisOf(next)
		}
		result, err := tx.ExecContext(ctx, `
			UPDATE deliveries SET state = ?, next_ms = ?, ended_ms = ?, answer = ? WHERE id = ? AND (lease = ? OR ? = 'sent') AND state <> 'sent'`,
			state, due, ended, cutText(answer, 500), d.ID, d.Lease, state)
		if err != nil {
			return err
		}
		if changed, err := result.RowsAffected(); err != nil || changed == 0 {
			return errors.Join(err, ErrLeaseLost)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("noting a delivery: %w", err)
	}
	crashpoint.Pass(crashpoint.DeliveryNoted)
	return nil
}

// ResendDelivery puts a delivery that has ended into the outbox again, with the
// same content and the same Message-ID. One that is waiting, or not there, or of
// which the content is not kept any more, is a *RuleError.
func (s *Store) ResendDelivery(ctx context.Context, id int64, by Audit) error {
	by.Action = "mail sent again"
	err := s.update(ctx, func(tx *sql.Tx, stamp affiliate.Millis) error {
		err := tx.QueryRowContext(ctx, `
			UPDATE deliveries SET state = 'waiting', queued_ms = ?, next_ms = 0, tries = 0, ended_ms = 0, lease = lease + 1
			WHERE id = ? AND state <> 'waiting' AND message_id IN (SELECT id FROM summary_messages WHERE html <> '') RETURNING recipient`, stamp, id).Scan(&by.Object)
		if errors.Is(err, sql.ErrNoRows) {
			return &RuleError{Problem: "There is no such mail that could be sent again.", Missing: true}
		}
		if err != nil {
			return err
		}
		return s.appendAudit(ctx, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", by.Action, err)
	}
	return nil
}

// deliveryColumns are read by [scanDelivery], in its order.
const deliveryColumns = `
	SELECT d.id, d.message_id, m.schedule_id, coalesce(s.name, ''), m.kind, m.every, m.first_day, m.last_day, m.subject,
		d.recipient, d.header_id, d.state, d.queued_ms, d.next_ms, d.lease, d.tries, d.ended_ms, d.answer
	FROM deliveries d JOIN summary_messages m ON m.id = d.message_id LEFT JOIN summary_schedules s ON s.id = m.schedule_id `

func (r *Reader) deliveries(ctx context.Context, where string, args ...any) (list []Delivery, err error) {
	rows, err := r.tx.QueryContext(ctx, deliveryColumns+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var d Delivery
		err := rows.Scan(&d.ID, &d.Message, &d.Schedule, &d.Name, &d.Kind, &d.Every, &d.Days.First, &d.Days.Last, &d.Subject,
			&d.Recipient, &d.HeaderID, &d.State, &d.Queued, &d.Next, &d.Lease, &d.Tries, &d.Ended, &d.Answer)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

// Deliveries lists the log, newest first: at most limit of those with a smaller
// number than before, where that is not 0.
func (r *Reader) Deliveries(ctx context.Context, before int64, limit int) ([]Delivery, error) {
	list, err := r.deliveries(ctx, `WHERE d.id < ? OR ? = 0 ORDER BY d.id DESC LIMIT ?`, before, before, limit)
	if err != nil {
		return nil, fmt.Errorf("reading the log of deliveries: %w", err)
	}
	return list, nil
}

// DeliveriesAbout lists the deliveries of one period to one address that were
// not given up, oldest first: of a schedule, or of messages by hand with the same
// scope.
func (r *Reader) DeliveriesAbout(ctx context.Context, m Summary, address string) ([]Delivery, error) {
	list, err := r.deliveries(ctx, `
		WHERE m.schedule_id = ? AND m.scope = ? AND m.every = ? AND m.first_day = ? AND d.recipient = ? COLLATE NOCASE
			AND m.kind <> 'test' AND d.state <> 'dead' ORDER BY d.id`, m.Schedule, m.Scope, m.Every, m.Days.First, address)
	if err != nil {
		return nil, fmt.Errorf("reading the log of deliveries: %w", err)
	}
	return list, nil
}

// CountSummaries counts the messages of a kind about one period.
func (r *Reader) CountSummaries(ctx context.Context, m Summary) (count int, err error) {
	err = r.tx.QueryRowContext(ctx, `
		SELECT count(*) FROM summary_messages WHERE schedule_id = ? AND scope = ? AND every = ? AND first_day = ? AND kind = ?`,
		m.Schedule, m.Scope, m.Every, m.Days.First, m.Kind).Scan(&count)
	if err != nil {
		err = fmt.Errorf("counting messages: %w", err)
	}
	return count, err
}

// Outbox sums the deliveries up.
type Outbox struct {
	Waiting int              // not sent yet
	Oldest  affiliate.Millis // when the oldest of these was queued
	Failing int              // of these, those that were tried in vain
	Dead    int              // given up since the instant that was asked for
	Answer  string           // of the newest that is failing or was given up
}

// Outbox reads how deliveries stand. Those given up before since do not count.
func (r *Reader) Outbox(ctx context.Context, since affiliate.Millis) (o Outbox, err error) {
	err = r.tx.QueryRowContext(ctx, `
		SELECT count(*) FILTER (WHERE state = 'waiting'), coalesce(min(queued_ms) FILTER (WHERE state = 'waiting'), 0),
			count(*) FILTER (WHERE state = 'waiting' AND answer <> ''), count(*) FILTER (WHERE state = 'dead' AND ended_ms >= ?),
			coalesce((SELECT answer FROM deliveries WHERE (state = 'waiting' AND answer <> '') OR (state = 'dead' AND ended_ms >= ?) ORDER BY id DESC LIMIT 1), '')
		FROM deliveries`, since, since).Scan(&o.Waiting, &o.Oldest, &o.Failing, &o.Dead, &o.Answer)
	if err != nil {
		err = fmt.Errorf("reading the outbox: %w", err)
	}
	return o, err
}
