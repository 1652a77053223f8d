package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/store"
	"rebatedesk/store/audit"
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
	Schedule  int64  // 0: by hand, or of an alert
	Alert     int64  // 0: of none
	Name      string // of the schedule or the alert
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

// Fine reports whether nothing went wrong with a delivery so far: one that was
// taken back on purpose did not fail.
func (d Delivery) Fine() bool {
	switch d.State {
	case DeliverySent:
		return true
	case DeliveryDead:
		return d.Answer == answerStopped || d.Answer == answerRemoved
	}
	return d.Answer == ""
}

// ErrLeaseLost is returned where another one took the delivery up meanwhile.
var ErrLeaseLost = errors.New("the delivery was taken up by another one meanwhile")

// mostPutOff is more than any delivery is ever put off. What seems to be put off
// for longer was so by a clock that has been set back since.
const mostPutOff = 6 * time.Hour

// TakeDelivery takes up the delivery that has been due longest, so that nobody
// else does before the lease ends. Who takes it up and dies leaves it to the
// next one after that. False: none is due.
func TakeDelivery(ctx context.Context, s *store.Store, now time.Time, lease time.Duration) (d Delivery, found bool, err error) {
	return take(ctx, s, now, lease, `SELECT id FROM deliveries WHERE state = 'waiting' AND (next_ms <= ? OR next_ms > ?) ORDER BY next_ms, id LIMIT 1`,
		affiliate.MillisOf(now), affiliate.MillisOf(now.Add(mostPutOff)))
}

// TakeDeliveryOf takes up the delivery of a Message-ID that nobody has taken up
// yet, whenever it is due.
func TakeDeliveryOf(ctx context.Context, s *store.Store, headerID string, now time.Time, lease time.Duration) (d Delivery, found bool, err error) {
	return take(ctx, s, now, lease, `SELECT id FROM deliveries WHERE state = 'waiting' AND lease = 0 AND header_id = ?`, headerID)
}

func take(ctx context.Context, s *store.Store, now time.Time, lease time.Duration, which string, args ...any) (d Delivery, found bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		err := tx.QueryRowContext(ctx, which, args...).Scan(&d.ID)
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
// lease was lost, or the delivery was taken back while it was tried, nothing is
// noted but that it was sent, and the error is [ErrLeaseLost].
func EndDelivery(ctx context.Context, s *store.Store, d Delivery, state DeliveryState, next time.Time, answer string) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		ended := stamp
		var due affiliate.Millis
		if state == DeliveryWaiting {
			ended, due = 0, affiliate.MillisOf(next)
		}
		result, err := tx.ExecContext(ctx, `
			UPDATE deliveries SET state = ?, next_ms = ?, ended_ms = ?, answer = ? WHERE id = ? AND (lease = ? AND state = 'waiting' OR ? = 'sent') AND state <> 'sent'`,
			state, due, ended, audit.CutText(answer, 500), d.ID, d.Lease, state)
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
// which the content is not kept any more, is a *RuleError, and so is one to
// somebody who asked for no more.
func ResendDelivery(ctx context.Context, s *store.Store, id int64, by audit.Line) error {
	by.Action = "mail sent again"
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := mayResend(ctx, tx, id); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, `
			UPDATE deliveries SET state = 'waiting', queued_ms = ?, next_ms = 0, tries = 0, ended_ms = 0, answer = '', lease = lease + 1
			WHERE id = ? AND state <> 'waiting' AND message_id IN (SELECT id FROM summary_messages WHERE html <> '') RETURNING recipient`, stamp, id).Scan(&by.Object)
		if errors.Is(err, sql.ErrNoRows) {
			return &store.RuleError{Problem: "There is no such mail that could be sent again.", Missing: true}
		}
		if err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", by.Action, err)
	}
	return nil
}

// mayResend refuses to write to who asked for no more of a schedule or an alert.
func mayResend(ctx context.Context, tx *store.Tx, delivery int64) error {
	var stopped bool
	err := tx.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM deliveries d JOIN summary_messages m ON m.id = d.message_id
			LEFT JOIN summary_recipients s ON s.schedule_id = m.schedule_id AND s.address = d.recipient
			LEFT JOIN alert_recipients a ON a.alert_id = m.alert_id AND a.address = d.recipient
			WHERE d.id = ? AND (s.stopped_ms <> 0 OR a.stopped_ms <> 0))`, delivery).Scan(&stopped)
	if err == nil && stopped {
		err = &store.RuleError{Problem: "The recipient asked for no more of these mails."}
	}
	return err
}

// deliveryColumns are read by [scanDelivery], in its order.
const deliveryColumns = `
	SELECT d.id, d.message_id, m.schedule_id, m.alert_id, coalesce(s.name, a.name, ''), m.kind, m.every, m.first_day, m.last_day, m.subject,
		d.recipient, d.header_id, d.state, d.queued_ms, d.next_ms, d.lease, d.tries, d.ended_ms, d.answer
	FROM deliveries d JOIN summary_messages m ON m.id = d.message_id LEFT JOIN summary_schedules s ON s.id = m.schedule_id
		LEFT JOIN alerts a ON a.id = m.alert_id `

func deliveries(ctx context.Context, r *store.Tx, where string, args ...any) (list []Delivery, err error) {
	rows, err := r.QueryContext(ctx, deliveryColumns+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var d Delivery
		err := rows.Scan(&d.ID, &d.Message, &d.Schedule, &d.Alert, &d.Name, &d.Kind, &d.Every, &d.Days.First, &d.Days.Last, &d.Subject,
			&d.Recipient, &d.HeaderID, &d.State, &d.Queued, &d.Next, &d.Lease, &d.Tries, &d.Ended, &d.Answer)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

// DeliveryQuery asks for a part of the log.
type DeliveryQuery struct {
	Before   int64         // those with a smaller number; 0: from the newest on
	Limit    int           // how many at most
	State    DeliveryState // empty: all
	Schedule int64         // 0: all
	Message  int64         // 0: all
}

// Deliveries lists the log, newest first.
func Deliveries(ctx context.Context, r *store.Tx, q DeliveryQuery) ([]Delivery, error) {
	where, args := q.where()
	list, err := deliveries(ctx, r, where+` ORDER BY d.id DESC LIMIT ?`, append(args, q.Limit)...)
	if err != nil {
		return nil, fmt.Errorf("reading the log of deliveries: %w", err)
	}
	return list, nil
}

// where says only what is asked, so that an index can answer it: the log grows
// by every copy of every message.
func (q DeliveryQuery) where() (text string, args []any) {
	text = `WHERE 1`
	add := func(condition string, arg any) { text, args = text+` AND `+condition, append(args, arg) }
	if q.Before != 0 {
		add(`d.id < ?`, q.Before)
	}
	if q.Schedule != 0 {
		add(`d.message_id IN (SELECT id FROM summary_messages WHERE schedule_id = ?)`, q.Schedule)
	}
	if q.Message != 0 {
		add(`d.message_id = ?`, q.Message)
	}
	switch q.State {
	case "":
	case DeliveryWaiting: // as the indexes of these two have it
		text += ` AND d.id IN (SELECT id FROM deliveries WHERE state = 'waiting')`
	case DeliveryDead:
		text += ` AND d.id IN (SELECT id FROM deliveries WHERE state = 'dead')`
	default:
		add(`d.state = ?`, q.State)
	}
	return text, args
}

// ReadDelivery reads one. One that is not there is a *RuleError.
func ReadDelivery(ctx context.Context, r *store.Tx, id int64) (Delivery, error) {
	return delivery(ctx, r, `WHERE d.id = ?`, id)
}

// DeliveryOf reads the one of a Message-ID. One that is not there is a
// *RuleError.
func DeliveryOf(ctx context.Context, r *store.Tx, headerID string) (Delivery, error) {
	return delivery(ctx, r, `WHERE d.header_id = ?`, headerID)
}

func delivery(ctx context.Context, r *store.Tx, where string, arg any) (Delivery, error) {
	list, err := deliveries(ctx, r, where, arg)
	switch {
	case err != nil:
		return Delivery{}, fmt.Errorf("reading a delivery: %w", err)
	case len(list) == 0:
		return Delivery{}, &store.RuleError{Problem: "There is no such mail in the log.", Missing: true}
	}
	return list[0], nil
}

// SentSummary is a message with what became of its copies.
type SentSummary struct {
	Message             int64
	Schedule            int64 // 0: of an alert
	Alert               int64 // 0: of a schedule
	Kind                SummaryKind
	Every               string
	Days                affiliate.Days
	Made                affiliate.Millis
	Sent, Waiting, Dead int // copies; those that were taken back do not count
}

// NewestSummaries lists the newest message of each schedule; tests are none.
func NewestSummaries(ctx context.Context, r *store.Tx) ([]SentSummary, error) {
	return newestMessages(ctx, r, `schedule_id`)
}

// NewestAlerts lists the newest message of each alert.
func NewestAlerts(ctx context.Context, r *store.Tx) ([]SentSummary, error) {
	return newestMessages(ctx, r, `alert_id`)
}

// newestMessages lists the newest message of each value of a column.
func newestMessages(ctx context.Context, r *store.Tx, of string) (list []SentSummary, err error) {
	rows, err := r.QueryContext(ctx, `
		SELECT m.id, m.schedule_id, m.alert_id, m.kind, m.every, m.first_day, m.last_day, m.made_ms, count(*) FILTER (WHERE d.state = 'sent'),
			count(*) FILTER (WHERE d.state = 'waiting'), count(*) FILTER (WHERE d.state = 'dead' AND d.answer NOT IN (?, ?))
		FROM summary_messages m LEFT JOIN deliveries d ON d.message_id = m.id
		WHERE m.id IN (SELECT max(id) FROM summary_messages WHERE `+of+` <> 0 AND kind <> 'test' GROUP BY `+of+`) GROUP BY m.id`,
		answerStopped, answerRemoved)
	if err != nil {
		return nil, fmt.Errorf("reading what was sent last: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var s SentSummary
		err := rows.Scan(&s.Message, &s.Schedule, &s.Alert, &s.Kind, &s.Every, &s.Days.First, &s.Days.Last, &s.Made, &s.Sent, &s.Waiting, &s.Dead)
		if err != nil {
			return nil, fmt.Errorf("reading what was sent last: %w", err)
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

// DeliveriesAbout lists the deliveries of one period to one address that were
// not given up, oldest first: of messages of the same schedule and the same scope.
func DeliveriesAbout(ctx context.Context, r *store.Tx, m Summary, address string) ([]Delivery, error) {
	list, err := deliveries(ctx, r, `
		WHERE m.schedule_id = ? AND m.scope = ? AND m.every = ? AND m.first_day = ? AND d.recipient = ? COLLATE NOCASE
			AND m.kind <> 'test' AND d.state <> 'dead' ORDER BY d.id`, m.Schedule, m.Scope, m.Every, m.Days.First, address)
	if err != nil {
		return nil, fmt.Errorf("reading the log of deliveries: %w", err)
	}
	return list, nil
}

// CountSummaries counts the messages of a kind about one period.
func CountSummaries(ctx context.Context, r *store.Tx, m Summary) (count int, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT count(*) FROM summary_messages WHERE schedule_id = ? AND scope = ? AND every = ? AND first_day = ? AND kind = ?`,
		m.Schedule, m.Scope, m.Every, m.Days.First, m.Kind).Scan(&count)
	if err != nil {
		err = fmt.Errorf("counting messages: %w", err)
	}
	return count, err
}

// Answers of copies that were taken out of the outbox on purpose: these are no
// failures.
const (
	answerStopped = "the recipient asked for no more"
	answerRemoved = "the schedule or the alert was removed"
)

// NumberedSummary finds the message of a kind about one period by its number; 0
// where there is none.
func NumberedSummary(ctx context.Context, r *store.Tx, m Summary) (id int64, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT coalesce(min(id), 0) FROM summary_messages
		WHERE schedule_id = ? AND scope = ? AND every = ? AND first_day = ? AND kind = ? AND number = ?`,
		m.Schedule, m.Scope, m.Every, m.Days.First, m.Kind, m.Number).Scan(&id)
	if err != nil {
		err = fmt.Errorf("looking for a message: %w", err)
	}
	return id, err
}

// State sums the deliveries up. Tests do not count: who sends one sees how it
// goes.
type State struct {
	Waiting int              // not sent yet
	Oldest  affiliate.Millis // when the oldest of these was queued
	Failing int              // of these, those that were tried in vain
	Dead    int              // given up since the instant that was asked for
	Since   affiliate.Millis // when the oldest of those that are failing or were given up was queued
	Answer  string           // of the newest of these
}

// patience is how long a mail may be tried in vain before that is worth a word:
// to make a stranger wait is how many servers keep off spam.
const patience = 10 * time.Minute

// Sick reports whether mail does not get out, or did not.
func (o State) Sick(now time.Time) bool {
	return o.Dead > 0 || o.Failing > 0 && now.Sub(o.Since.Time()) > patience
}

// ReadState reads how deliveries stand. Those given up before since do not count.
func ReadState(ctx context.Context, r *store.Tx, since affiliate.Millis) (o State, err error) {
	err = r.QueryRowContext(ctx, `
		WITH looked AS (
			SELECT id, message_id, state, queued_ms, answer FROM deliveries WHERE state = 'waiting'
			UNION ALL
			SELECT id, message_id, state, queued_ms, answer FROM deliveries WHERE state = 'dead' AND ended_ms >= ? AND answer NOT IN (?, ?)),
		counted AS (
			SELECT l.*, l.answer <> '' AS failed FROM looked l JOIN summary_messages m ON m.id = l.message_id WHERE m.kind <> 'test')
		SELECT count(*) FILTER (WHERE state = 'waiting'), coalesce(min(queued_ms) FILTER (WHERE state = 'waiting'), 0),
			count(*) FILTER (WHERE state = 'waiting' AND failed), count(*) FILTER (WHERE state = 'dead'),
			coalesce(min(queued_ms) FILTER (WHERE failed), 0), coalesce((SELECT answer FROM counted WHERE failed ORDER BY id DESC LIMIT 1), '')
		FROM counted`, since, answerStopped, answerRemoved).Scan(&o.Waiting, &o.Oldest, &o.Failing, &o.Dead, &o.Since, &o.Answer)
	if err != nil {
		err = fmt.Errorf("reading the outbox: %w", err)
	}
	return o, err
}
