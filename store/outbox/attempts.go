package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// State is the state of what the outbox sends: a message to one recipient, or a file.
type State string

// The states. A message is never incomplete or skipped, and a file never dead.
const (
	Waiting    State = "waiting"    // for its time, its coverage or its next try, or being sent
	Sent       State = "sent"       // accepted by the mail server or receiver; of a file: complete and at its destination
	Dead       State = "dead"       // given up
	Incomplete State = "incomplete" // at its destination, and lacks a part of its range
	Skipped    State = "skipped"    // not sent, for the reason in Answer
)

// Attempt is a message to one recipient, in the outbox or in the delivery log.
type Attempt struct {
	ID        int64
	Message   int64
	Of        Ref    // the subscription that sends it; zero: sent by hand
	Name      string // of that subscription
	Kind      SummaryKind
	Every     string
	Days      affiliate.Days
	AsOf      affiliate.Millis // the figures are those of this instant; unknown: of alerts, and of messages of older versions
	Subject   string
	Recipient string // a mail address, or see [ChannelAddress]
	Channel   int64  // 0: to an address
	Group     string // name of the channel
	Posted    bool   // to a channel by HTTP; otherwise by mail
	HeaderID  string // Message-ID without its brackets, or webhook-id
	State     State
	Queued    affiliate.Millis
	Next      affiliate.Millis // time of the next attempt
	Lease     int64
	Tries     int
	Ended     affiliate.Millis
	Answer    string // the last reply of the mail server or the receiver, or another error
}

// To names the recipient in words: an address, or a channel.
func (d Attempt) To() string {
	if d.Posted {
		return d.Group
	}
	return d.Recipient
}

// Fine reports whether a delivery has had no error so far: one that was withdrawn on
// purpose did not fail.
func (d Attempt) Fine() bool {
	switch d.State {
	case Sent:
		return true
	case Dead:
		return d.Answer == answerStopped || d.Answer == answerRemoved || d.Answer == answerChannel
	}
	return d.Answer == ""
}

// MailServer is the place of messages to mail addresses. The place of a message to a channel is the
// channel's number.
const MailServer int64 = 0

// Place returns where a message is handed over.
func (d Attempt) Place() int64 {
	if d.Posted {
		return d.Channel
	}
	return MailServer
}

// channelFree is the condition for channels that may be tried. Its parameters are those of
// [queue.at].
const channelFree = `c.paused_ms IS NULL AND c.removed_ms IS NULL AND (c.held_ms IS NULL OR c.held_ms <= ? OR c.held_ms > ?)`

// Places lists the places of the messages that are due. A channel that is paused, or whose receiver
// asked for a pause, is none.
func Places(ctx context.Context, r *store.Tx, now time.Time) ([]int64, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (place int64, err error) { return place, rows.Scan(&place) }, `
		SELECT DISTINCT coalesce(c.id, 0) FROM deliveries d LEFT JOIN channels c ON c.id = d.channel_id AND d.posted = 1
		WHERE d.state = 'waiting' AND (d.posted = 0 OR `+channelFree+`) AND `+attempts.free()+` ORDER BY 1`, append(attempts.at(now), attempts.at(now)...)...)
	if err != nil {
		return nil, fmt.Errorf("reading where messages are due: %w", err)
	}
	return list, nil
}

// Take takes the message to a place that has been due longest. It returns false if none is due.
func Take(ctx context.Context, s *store.Store, place int64, now time.Time, lease time.Duration) (d Attempt, found bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) (err error) {
		d, found, err = takeDue(ctx, tx, place, now, lease)
		return err
	})
	return d, found, err
}

func takeDue(ctx context.Context, tx *store.Tx, place int64, now time.Time, lease time.Duration) (d Attempt, found bool, err error) {
	if place == MailServer {
		return takeAttempt(ctx, tx, now, lease, `SELECT id FROM deliveries WHERE state = 'waiting' AND posted = 0 AND `+attempts.free()+` ORDER BY next_ms, id LIMIT 1`, attempts.at(now)...)
	}
	return takeAttempt(ctx, tx, now, lease, `
		SELECT d.id FROM deliveries d JOIN channels c ON c.id = d.channel_id
		WHERE d.channel_id = ? AND d.state = 'waiting' AND d.posted = 1 AND `+channelFree+` AND `+attempts.free()+`
		ORDER BY d.next_ms, d.id LIMIT 1`, append(append([]any{place}, attempts.at(now)...), attempts.at(now)...)...)
}

// TakeOne takes the message with an ID that no worker has taken yet, whenever it is due.
func TakeOne(ctx context.Context, s *store.Store, headerID string, now time.Time, lease time.Duration) (d Attempt, found bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) (err error) {
		d, found, err = takeAttempt(ctx, tx, now, lease, `SELECT id FROM deliveries WHERE state = 'waiting' AND lease = 0 AND header_id = ?`, headerID)
		return err
	})
	return d, found, err
}

func takeAttempt(ctx context.Context, tx *store.Tx, now time.Time, lease time.Duration, which string, args ...any) (d Attempt, found bool, err error) {
	id, err := attempts.take(ctx, tx, now, lease, which, args...)
	if err != nil || id == 0 {
		return d, false, err
	}
	d, err = ReadAttempt(ctx, tx, id)
	return d, err == nil, err
}

// Result is what came of a try to hand a message over.
type Result struct {
	State  State // sent, dead, or waiting until Next
	Next   time.Time
	Answer string

	// Of a message to a channel.
	Held  time.Time // the channel is not tried before; zero: it may be
	Stops bool      // the channel is of no use: it stops until a person resumes it
	Word  *Summary  // mail that tells the owner that it stops; nil: none
	To    Addressee // of Word
}

// End records the result of a try, and what it says about the channel, all or nothing. A channel
// stops once, whatever the number of its messages. If the lease was lost, or the message was
// withdrawn during the try, it records only that the message was sent, or else returns
// [ErrLeaseLost].
func End(ctx context.Context, s *store.Store, d Attempt, result Result) error {
	return s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error { return end(ctx, s, tx, stamp, d, result) })
}

// EndAndTake is [End] and then [Take] at the same place, in one transaction: a commit waits
// for the disk, and half of them are enough. On an error no message is taken.
func EndAndTake(ctx context.Context, s *store.Store, d Attempt, result Result, now time.Time, lease time.Duration) (next Attempt, found bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) (err error) {
		if err := end(ctx, s, tx, stamp, d, result); err != nil {
			return err
		}
		next, found, err = takeDue(ctx, tx, d.Place(), now, lease)
		return err
	})
	if err != nil {
		return Attempt{}, false, err
	}
	return next, found, nil
}

func end(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, d Attempt, result Result) error {
	answer, ended := audit.CutText(result.Answer, 500), stamp
	var due affiliate.Millis
	if result.State == Waiting {
		ended, due = 0, affiliate.MillisOf(result.Next)
	}
	err := attempts.change(ctx, tx, d.ID, d.Lease, result.State == Sent, `state = ?, next_ms = ?, ended_ms = ?, answer = ?`,
		result.State, store.Opt(&due), store.Opt(&ended), store.Opt(&answer))
	if err == nil && d.Posted {
		err = noteChannel(ctx, s, tx, stamp, d.Channel, result)
	}
	return err
}

// Resend puts a delivery that has ended back into the outbox, with the same content
// and the same Message-ID. It returns a *RuleError if the delivery is waiting, does not
// exist, no longer has its content, or goes to a recipient who has unsubscribed.
func Resend(ctx context.Context, s *store.Store, id int64, by audit.Line) error {
	by.Action = "mail sent again"
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := mayResend(ctx, tx, id); err != nil {
			return err
		}
		err := tx.QueryRowContext(ctx, `
			UPDATE deliveries SET state = 'waiting', queued_ms = ?, next_ms = NULL, tries = 0, ended_ms = NULL, answer = NULL, lease = lease + 1
			WHERE id = ? AND state <> 'waiting' AND message_id IN (SELECT id FROM messages WHERE html IS NOT NULL OR posted = 1 AND event IS NOT NULL)
				AND (channel_id IS NULL OR channel_id IN (SELECT id FROM channels WHERE removed_ms IS NULL)) RETURNING recipient`, stamp, id).Scan(&by.Object)
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

// mayResend refuses a delivery to a recipient who has unsubscribed.
func mayResend(ctx context.Context, tx *store.Tx, delivery int64) error {
	var stopped bool
	err := tx.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM deliveries d JOIN messages m ON m.id = d.message_id
			JOIN recipients r ON r.subscription_id = m.subscription_id AND r.address = d.recipient
			WHERE d.id = ? AND r.stopped_ms IS NOT NULL)`, delivery).Scan(&stopped)
	if err == nil && stopped {
		err = &store.RuleError{Problem: "The recipient asked for no more of these mails."}
	}
	return err
}

func readAttempts(ctx context.Context, r *store.Tx, where string, args ...any) ([]Attempt, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (d Attempt, err error) {
		return d, rows.Scan(append(d.Of.fields(), store.Opt(&d.Name), &d.ID, &d.Message, &d.Kind, store.Opt(&d.Every),
			(*store.DayText)(&d.Days.First), (*store.DayText)(&d.Days.Last), store.Opt(&d.AsOf), &d.Subject,
			&d.Recipient, store.Opt(&d.Channel), store.Opt(&d.Group), &d.Posted, &d.HeaderID, &d.State, &d.Queued, store.Opt(&d.Next), &d.Lease, &d.Tries, store.Opt(&d.Ended), store.Opt(&d.Answer))...)
	}, `SELECT s.id, s.kind, s.number, s.name, d.id, d.message_id, m.kind, m.every,
			m.first_day, m.last_day, m.as_of_ms, m.subject,
			d.recipient, d.channel_id, c.name, d.posted, d.header_id, d.state, d.queued_ms, d.next_ms, d.lease, d.tries, d.ended_ms, d.answer
		FROM deliveries d JOIN messages m ON m.id = d.message_id LEFT JOIN subscriptions s ON s.id = m.subscription_id LEFT JOIN channels c ON c.id = d.channel_id `+where, args...)
}

// AttemptQuery selects a part of the log.
type AttemptQuery struct {
	Before   int64  // only smaller numbers; 0: from the newest on
	Limit    int    // maximum number of deliveries
	State    State  // empty: all
	Schedule int64  // number of the schedule; 0: all
	Message  int64  // 0: all
	Channel  int64  // 0: all
	Scope    string // of the message; empty: all
}

// Attempts lists the log, newest first.
func Attempts(ctx context.Context, r *store.Tx, q AttemptQuery) ([]Attempt, error) {
	where, args := q.where()
	list, err := readAttempts(ctx, r, where+` ORDER BY d.id DESC LIMIT ?`, append(args, q.Limit)...)
	if err != nil {
		return nil, fmt.Errorf("reading the log of deliveries: %w", err)
	}
	return list, nil
}

// where contains only the requested conditions, so that an index can answer the query: the
// log grows by every copy of every message.
func (q AttemptQuery) where() (text string, args []any) {
	text = `WHERE 1 = 1`
	add := func(condition string, arg any) { text, args = text+` AND `+condition, append(args, arg) }
	if q.Before != 0 {
		add(`d.id < ?`, q.Before)
	}
	if q.Schedule != 0 {
		add(`d.message_id IN (SELECT id FROM messages WHERE subscription_id = (SELECT id FROM subscriptions WHERE kind = 'schedule' AND number = ?))`, q.Schedule)
	}
	if q.Message != 0 {
		add(`d.message_id = ?`, q.Message)
	}
	if q.Channel != 0 {
		add(`d.channel_id = ?`, q.Channel)
	}
	if q.Scope != "" {
		add(`d.message_id IN (SELECT id FROM messages WHERE scope = ?)`, q.Scope)
	}
	switch q.State {
	case "":
	case Waiting: // written as the indexes of these two states have it
		text += ` AND d.id IN (SELECT id FROM deliveries WHERE state = 'waiting')`
	case Dead:
		text += ` AND d.id IN (SELECT id FROM deliveries WHERE state = 'dead')`
	default:
		add(`d.state = ?`, q.State)
	}
	return text, args
}

// ReadAttempt reads one delivery. One that does not exist is a *RuleError.
func ReadAttempt(ctx context.Context, r *store.Tx, id int64) (Attempt, error) {
	return attempt(ctx, r, `WHERE d.id = ?`, id)
}

// AttemptOf reads the delivery with a Message-ID. One that does not exist is a *RuleError.
func AttemptOf(ctx context.Context, r *store.Tx, headerID string) (Attempt, error) {
	return attempt(ctx, r, `WHERE d.header_id = ?`, headerID)
}

func attempt(ctx context.Context, r *store.Tx, where string, arg any) (Attempt, error) {
	list, err := readAttempts(ctx, r, where, arg)
	switch {
	case err != nil:
		return Attempt{}, fmt.Errorf("reading a delivery: %w", err)
	case len(list) == 0:
		return Attempt{}, &store.RuleError{Problem: "There is no such mail in the log.", Missing: true}
	}
	return list[0], nil
}

// SentSummary is a message with the number of its copies by state.
type SentSummary struct {
	Message             int64
	Of                  int64 // the subscription
	Kind                SummaryKind
	Every               string
	Days                affiliate.Days
	Made                affiliate.Millis
	Sent, Waiting, Dead int // copies; withdrawn copies do not count
}

// Newest lists the newest message of each subscription of a kind, without tests.
func Newest(ctx context.Context, r *store.Tx, kind SubscriptionKind) ([]SentSummary, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (s SentSummary, err error) {
		return s, rows.Scan(&s.Message, &s.Of, &s.Kind, store.Opt(&s.Every), (*store.DayText)(&s.Days.First), (*store.DayText)(&s.Days.Last),
			&s.Made, &s.Sent, &s.Waiting, &s.Dead)
	}, `SELECT m.id, m.subscription_id, m.kind, m.every, m.first_day, m.last_day, m.made_ms, count(*) FILTER (WHERE d.state = 'sent'),
			count(*) FILTER (WHERE d.state = 'waiting'), count(*) FILTER (WHERE d.state = 'dead' AND coalesce(d.answer, '') NOT IN (?, ?, ?))
		FROM messages m LEFT JOIN deliveries d ON d.message_id = m.id
		WHERE m.id IN (SELECT (SELECT max(id) FROM messages WHERE subscription_id = s.id AND kind <> 'test')
			FROM subscriptions s WHERE s.kind = ? AND s.removed_ms IS NULL)
		GROUP BY m.id`, answerStopped, answerRemoved, answerChannel, kind)
	if err != nil {
		return nil, fmt.Errorf("reading what was sent last: %w", err)
	}
	return list, nil
}

// AttemptsAbout lists the deliveries of one period to one address that were not given up,
// oldest first. They belong to messages of the same schedule and the same scope.
func AttemptsAbout(ctx context.Context, r *store.Tx, m Summary, address string) ([]Attempt, error) {
	list, err := readAttempts(ctx, r, `
		WHERE m.subscription_id IS NOT DISTINCT FROM ? AND m.scope = ? AND m.every = ? AND m.first_day = ? AND d.recipient = ? COLLATE NOCASE
			AND m.kind <> 'test' AND d.state <> 'dead' ORDER BY d.id`, append(m.about(), address)...)
	if err != nil {
		return nil, fmt.Errorf("reading the log of deliveries: %w", err)
	}
	return list, nil
}

// about returns the fields that messages about the same period share.
func (m *Summary) about() []any {
	return []any{store.Opt(&m.Of.ID), m.Scope, m.Every, store.DayText(m.Days.First)}
}

// CountSummaries counts the messages of a kind about one period.
func CountSummaries(ctx context.Context, r *store.Tx, m Summary) (count int, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT count(*) FROM messages WHERE subscription_id IS NOT DISTINCT FROM ? AND scope = ? AND every = ? AND first_day = ? AND kind = ?`,
		append(m.about(), m.Kind)...).Scan(&count)
	if err != nil {
		err = fmt.Errorf("counting messages: %w", err)
	}
	return count, err
}

// These are the answers of copies that were withdrawn from the outbox on purpose. They are
// not failures.
const (
	answerStopped = "the recipient asked for no more"
	answerRemoved = "the schedule or the alert was removed"
	answerChannel = "the channel was removed"
)

// NumberedSummary returns the ID of the message of a kind about one period with that
// number, or 0 if it does not exist.
func NumberedSummary(ctx context.Context, r *store.Tx, m Summary) (id int64, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT coalesce(min(id), 0) FROM messages
		WHERE subscription_id IS NOT DISTINCT FROM ? AND scope = ? AND every = ? AND first_day = ? AND kind = ? AND number = ?`,
		append(m.about(), m.Kind, m.Number)...).Scan(&id)
	if err != nil {
		err = fmt.Errorf("looking for a message: %w", err)
	}
	return id, err
}

// MailHealth summarizes the deliveries by mail. Tests do not count: the user who sends one sees its
// result.
type MailHealth struct {
	Waiting int              // not sent yet
	Oldest  affiliate.Millis // when the oldest of these was queued
	Failing int              // of these, those whose attempts failed
	Dead    int              // given up since the requested instant
	Since   affiliate.Millis // when the oldest failing or given-up delivery was queued
	Answer  string           // of the newest of these
}

// patience is how long the attempts of a mail may fail before that is reported: many
// servers fend off spam by making unknown senders wait.
const patience = 10 * time.Minute

// Sick reports whether mail is not delivered, or was not.
func (o MailHealth) Sick(now time.Time) bool {
	return o.Dead > 0 || o.Failing > 0 && now.Sub(o.Since.Time()) > patience
}

// ReadMailHealth reads the state of the deliveries. Those given up before since do not count.
func ReadMailHealth(ctx context.Context, r *store.Tx, since affiliate.Millis) (o MailHealth, err error) {
	err = r.QueryRowContext(ctx, `
		WITH looked AS (
			SELECT id, message_id, state, queued_ms, answer FROM deliveries WHERE state = 'waiting' AND posted = 0
			UNION ALL
			SELECT id, message_id, state, queued_ms, answer FROM deliveries WHERE state = 'dead' AND posted = 0 AND ended_ms >= ? AND coalesce(answer, '') NOT IN (?, ?, ?)),
		counted AS (
			SELECT l.*, l.answer IS NOT NULL AS failed FROM looked l JOIN messages m ON m.id = l.message_id WHERE m.kind <> 'test')
		SELECT count(*) FILTER (WHERE state = 'waiting'), coalesce(min(queued_ms) FILTER (WHERE state = 'waiting'), 0),
			count(*) FILTER (WHERE state = 'waiting' AND failed), count(*) FILTER (WHERE state = 'dead'),
			coalesce(min(queued_ms) FILTER (WHERE failed), 0), coalesce((SELECT answer FROM counted WHERE failed ORDER BY id DESC LIMIT 1), '')
		FROM counted`, since, answerStopped, answerRemoved, answerChannel).Scan(&o.Waiting, &o.Oldest, &o.Failing, &o.Dead, &o.Since, &o.Answer)
	if err != nil {
		err = fmt.Errorf("reading the outbox: %w", err)
	}
	return o, err
}
