package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// SummaryKind says why a message was made.
type SummaryKind string

// The kinds of message. A schedule has one message of the first three kinds per period.
const (
	SummaryWhole     SummaryKind = "summary"
	SummaryPartial   SummaryKind = "partial" // at the deadline, with incomplete data
	SummarySkipped   SummaryKind = "skipped" // nothing to report: made, but not sent
	SummaryCorrected SummaryKind = "corrected"
	SummaryManual    SummaryKind = "manual"
	SummaryTest      SummaryKind = "test"
	SummaryAlert     SummaryKind = "alert"
)

// Summary is a message as it was made, identical for all its recipients.
type Summary struct {
	ID          int64
	Of          Ref    // the subscription that sends it; zero: sent by hand
	Scope       string // scope of the message: two with the same scope cover the same data
	Every       string
	Days        affiliate.Days
	Kind        SummaryKind
	Number      int // counts messages of one kind about the same period, from 0
	Made        affiliate.Millis
	AsOf        affiliate.Millis // its figures are those of this instant; unknown: of alerts, and of messages of older versions
	From        string           // as in the header
	Subject     string
	Text, HTML  string
	Brief       string // text for chats
	Event       string // JSON for webhooks
	Picture     []byte // PNG; empty: none
	Attachments []Attachment
	Totals      []SummaryTotal // stated in it
	MonthsTold  []MonthTold    // closed months of which it tells changes; not read back
}

// Attachment is a file of a message.
type Attachment struct {
	Name, Type string
	Content    []byte
}

// SummaryTotal is the commission of one coin that a message stated.
type SummaryTotal struct {
	Coin       affiliate.Coin
	Commission affiliate.Number
}

// Addressee is a recipient with the Message-ID of the recipient's copy.
type Addressee struct {
	Address, HeaderID string
	Channel           int64 // 0: none
	Posted            bool  // to the channel by HTTP; otherwise a mail
	// Kept is the instant until which the delivery is reserved for the process that queued
	// it and sends it itself. If that process dies, other workers take it afterwards.
	// Unknown means that any worker may take it at once.
	Kept affiliate.Millis
}

// QueueSummary stores a message for its recipients and, if it is the first one about a
// period, advances its schedule, all or nothing. It queues nothing if the schedule has
// already passed the period, is paused or is removed; a second call changes nothing. What is
// queued has the lines in the audit log.
func QueueSummary(ctx context.Context, s *store.Store, m Summary, to []Addressee, lines ...audit.Line) (queued bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		queued, err = settlePeriod(ctx, tx, m)
		if err != nil || !queued {
			return err
		}
		if _, err = insertMessage(ctx, tx, m, to, stamp); err != nil {
			return err
		}
		for _, line := range lines {
			if err := audit.Append(ctx, s, tx, stamp, line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("queueing a summary: %w", err)
	}
	return queued, nil
}

// QueueDigest stores a message about several periods, together with the corrections of each
// period that it replaces and that are not sent, all or nothing. It queues nothing if one
// of these corrections already exists, or if the schedule is paused or removed; a second
// call changes nothing.
func QueueDigest(ctx context.Context, s *store.Store, m Summary, told []Summary, to []Addressee) (queued bool, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		for _, one := range told {
			if queued, err = settlePeriod(ctx, tx, one); err != nil || !queued {
				return err
			}
		}
		for _, one := range told {
			if _, err := insertMessage(ctx, tx, one, nil, stamp); err != nil {
				return err
			}
		}
		_, err = insertMessage(ctx, tx, m, to, stamp)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("queueing a digest: %w", err)
	}
	return queued, nil
}

// settlePeriod advances the schedule of a message. The day can only go forward, whatever
// the clock says.
func settlePeriod(ctx context.Context, tx *store.Tx, m Summary) (bool, error) {
	switch m.Kind {
	case SummaryManual, SummaryTest:
		return true, nil
	case SummaryCorrected:
		var queued bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM subscriptions WHERE id = ? AND paused_ms IS NULL AND removed_ms IS NULL) AND NOT EXISTS (
				SELECT 1 FROM messages WHERE kind = 'corrected' AND subscription_id = ? AND every = ? AND first_day = ? AND number = ?)`,
			m.Of.ID, m.Of.ID, m.Every, store.DayText(m.Days.First), m.Number).Scan(&queued)
		return queued, err
	}
	last := store.DayText(m.Days.Last)
	moved, err := store.Changed(tx.ExecContext(ctx, `
		UPDATE subscriptions SET through_day = ? WHERE id = ? AND through_day < ? AND paused_ms IS NULL AND removed_ms IS NULL`, last, m.Of.ID, last))
	if err != nil || !moved {
		return false, err
	}
	var told bool // before the schedule was set back
	err = tx.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM messages
			WHERE kind IN ('summary', 'partial', 'skipped') AND subscription_id = ? AND every = ? AND first_day = ?)`,
		m.Of.ID, m.Every, store.DayText(m.Days.First)).Scan(&told)
	return !told, err
}

// SetScheduleBack makes a schedule continue after an earlier day than the one it had
// reached. Periods that were reported stay reported. If the schedule has advanced
// meanwhile, nothing changes.
func SetScheduleBack(ctx context.Context, s *store.Store, id int64, from, through affiliate.Day) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `UPDATE subscriptions SET through_day = ? WHERE id = ? AND through_day = ?`,
			store.DayText(through), id, store.DayText(from))
		return err
	})
	if err != nil {
		return fmt.Errorf("setting a schedule back: %w", err)
	}
	return nil
}

// messageColumns are the columns that every reader of messages selects, in the order of
// [Summary.fields].
const messageColumns = `m.scope, m.every, m.first_day, m.last_day, m.kind, m.number, m.made_ms, m.as_of_ms`

func (m *Summary) fields() []any {
	return []any{&m.Scope, store.Opt(&m.Every), (*store.DayText)(&m.Days.First), (*store.DayText)(&m.Days.Last), &m.Kind, &m.Number, &m.Made, store.Opt(&m.AsOf)}
}

// insertMessage stores a message with its copies.
func insertMessage(ctx context.Context, tx *store.Tx, m Summary, to []Addressee, stamp affiliate.Millis) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO messages (subscription_id, scope, every, first_day, last_day, kind, number, made_ms, as_of_ms, sender, subject, text, html, picture, brief, event)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		append(append([]any{store.Opt(&m.Of.ID)}, m.fields()...), m.From, m.Subject, store.Opt(&m.Text), store.Opt(&m.HTML), store.OptIf(len(m.Picture) > 0, &m.Picture),
			store.Opt(&m.Brief), store.Opt(&m.Event))...).Scan(&id)
	if err != nil {
		return 0, err
	}
	for i, a := range m.Attachments {
		_, err := tx.ExecContext(ctx, `INSERT INTO attachments (message_id, position, name, type, content) VALUES (?, ?, ?, ?, ?)`,
			id, i, a.Name, a.Type, store.NotNull(a.Content))
		if err != nil {
			return 0, err
		}
	}
	for _, t := range m.Totals {
		_, err := tx.ExecContext(ctx, `INSERT INTO message_totals (message_id, coin, commission) VALUES (?, ?, ?)`, id, t.Coin, t.Commission)
		if err != nil {
			return 0, err
		}
	}
	for _, one := range to {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO deliveries (message_id, recipient, channel_id, posted, header_id, state, queued_ms, next_ms) VALUES (?, ?, ?, ?, ?, 'waiting', ?, ?)`,
			id, one.Address, store.Opt(&one.Channel), one.Posted, one.HeaderID, stamp, store.Opt(&one.Kept))
		if err != nil {
			return 0, err
		}
	}
	return id, insertMonthsTold(ctx, tx, id, m.MonthsTold)
}

// ReadSummary reads a message with everything needed to make its copies.
func ReadSummary(ctx context.Context, r *store.Tx, id int64) (m Summary, err error) {
	m.ID = id
	err = r.QueryRowContext(ctx, `
		SELECT s.id, s.kind, s.number, m.sender, m.subject, m.text, m.html, m.picture, m.brief, m.event, `+messageColumns+`
		FROM messages m LEFT JOIN subscriptions s ON s.id = m.subscription_id WHERE m.id = ?`, id).
		Scan(append(append(m.Of.fields(), &m.From, &m.Subject, store.Opt(&m.Text), store.Opt(&m.HTML), store.OptIf(true, &m.Picture), store.Opt(&m.Brief), store.Opt(&m.Event)), m.fields()...)...)
	if err == nil {
		m.Attachments, err = attachments(ctx, r, id)
	}
	if err == nil {
		m.Totals, err = summaryTotals(ctx, r, id)
	}
	if err != nil {
		return m, fmt.Errorf("reading message %d: %w", id, err)
	}
	return m, nil
}

func attachments(ctx context.Context, r *store.Tx, id int64) ([]Attachment, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (a Attachment, err error) {
		return a, rows.Scan(&a.Name, &a.Type, &a.Content)
	}, `SELECT name, type, content FROM attachments WHERE message_id = ? ORDER BY position`, id)
}

func summaryTotals(ctx context.Context, r *store.Tx, id int64) ([]SummaryTotal, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (t SummaryTotal, err error) {
		return t, rows.Scan(&t.Coin, &t.Commission)
	}, `SELECT coin, commission FROM message_totals WHERE message_id = ? ORDER BY coin`, id)
}

// ForgetSummaries deletes the pages, pictures and files of messages that were made before
// an instant and have no waiting delivery. Their texts, totals and delivery log stay.
func ForgetSummaries(ctx context.Context, s *store.Store, before affiliate.Millis) error {
	const old = `made_ms < ? AND html IS NOT NULL AND NOT EXISTS (
		SELECT 1 FROM deliveries d WHERE d.message_id = messages.id AND d.state = 'waiting')`
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM attachments WHERE message_id IN (SELECT id FROM messages WHERE `+old+`)`, before)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE messages SET html = NULL, picture = NULL WHERE `+old, before)
		return err
	})
	if err != nil {
		return fmt.Errorf("letting go of old messages: %w", err)
	}
	return nil
}

// Told returns the newest message about each period of a schedule that ends on the day
// since or later, without its content. A skipped message means that there was too little to
// report.
func Told(ctx context.Context, r *store.Tx, schedule int64, since affiliate.Day) ([]Summary, error) {
	told, err := told(ctx, r, schedule, since)
	for i := range told {
		if err == nil {
			told[i].Totals, err = summaryTotals(ctx, r, told[i].ID)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading what was told: %w", err)
	}
	return told, nil
}

func told(ctx context.Context, r *store.Tx, schedule int64, since affiliate.Day) ([]Summary, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (m Summary, err error) {
		return m, rows.Scan(append([]any{&m.ID, &m.Of.ID}, m.fields()...)...)
	}, `SELECT m.id, m.subscription_id, `+messageColumns+` FROM messages m WHERE m.id IN (
			SELECT max(id) FROM messages
			WHERE subscription_id = ? AND last_day >= ? AND kind IN ('summary', 'partial', 'skipped', 'corrected') GROUP BY every, first_day)
		ORDER BY m.id`, schedule, store.DayText(since))
}

// Reported is a summary that was sent, with the state of the data that it showed.
type Reported struct {
	Schedule string // its name; empty: sent by hand
	Kind     SummaryKind
	Days     affiliate.Days
	Made     affiliate.Millis
	AsOf     affiliate.Millis // its figures are those of this instant
	Exact    bool             // false: of an older version, which did not store the instant; AsOf is then when it was made, at most moments later
}

// LastReported lists the newest summaries of which a copy was sent, without tests and digests
// of corrections.
func LastReported(ctx context.Context, r *store.Tx, limit int) ([]Reported, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (m Reported, err error) {
		err = rows.Scan(store.Opt(&m.Schedule), &m.Kind, (*store.DayText)(&m.Days.First), (*store.DayText)(&m.Days.Last), &m.Made, store.Opt(&m.AsOf))
		if m.Exact = m.AsOf.Known(); !m.Exact {
			m.AsOf = m.Made
		}
		return m, err
	}, `SELECT s.name, m.kind, m.first_day, m.last_day, m.made_ms, m.as_of_ms
		FROM messages m LEFT JOIN subscriptions s ON s.id = m.subscription_id
		WHERE m.kind IN ('summary', 'partial', 'corrected', 'manual') AND m.every NOT LIKE '% digest'
			AND EXISTS (SELECT 1 FROM deliveries d WHERE d.message_id = m.id AND d.state = 'sent')
		ORDER BY m.id DESC LIMIT ?`, limit)
	if err != nil {
		return nil, fmt.Errorf("reading what was reported last: %w", err)
	}
	return list, nil
}

// CountScope counts the messages with a scope.
func CountScope(ctx context.Context, r *store.Tx, scope string) (count int, err error) {
	if err = r.QueryRowContext(ctx, `SELECT count(*) FROM messages WHERE scope = ?`, scope).Scan(&count); err != nil {
		return 0, fmt.Errorf("counting messages: %w", err)
	}
	return count, nil
}

// LastRecipient returns the address of the newest copy of a message whose scope begins with a text; empty if
// there is none.
func LastRecipient(ctx context.Context, r *store.Tx, scope string) (address string, err error) {
	err = r.QueryRowContext(ctx, `SELECT d.recipient FROM deliveries d JOIN messages m ON m.id = d.message_id
		WHERE m.scope LIKE ? ORDER BY d.id DESC LIMIT 1`, scope+"%").Scan(&address)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the last recipient: %w", err)
	}
	return address, nil
}
