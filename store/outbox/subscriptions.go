package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Schedule is a summary that is sent again and again. Package mail says what
// its values may be.
type Schedule struct {
	ID           int64
	Name         string            // letter case does not tell two apart
	Account      affiliate.Account // empty: all
	Every        string            // daily, weekly or monthly
	Weekday      time.Weekday      // of weekly ones
	MonthDay     int               // of monthly ones, from 1; clipped to the end of the month
	Hour, Minute int
	Zone         string            // of the hour, by its IANA name
	Product      affiliate.Product // several with a comma between, as Coin and Code
	Coin         affiliate.Coin
	Code         string
	Sections     []string // none: all
	AttachCSV    bool
	AttachXLSX   bool
	SkipEmpty    bool
	SkipBelow    affiliate.Number // commission in SkipCoin; empty: never
	SkipCoin     affiliate.Coin
	Deadline     int              // hours after it is due
	CorrectAbove affiliate.Number // change of commission in CorrectCoin; empty: never
	CorrectCoin  affiliate.Coin
	Through      affiliate.Day    // last day of the newest period that was settled
	Paused       affiliate.Millis // unknown: at work
	Created      affiliate.Millis
	Updated      affiliate.Millis // tells two versions apart
	Recipients   []Recipient
}

// Recipient is who gets the summaries of a schedule.
type Recipient struct {
	Address string
	Stopped affiliate.Millis // when the recipient asked for no more; unknown: did not
}

// Schedules lists the schedules by name.
func Schedules(ctx context.Context, r *store.Tx) ([]Schedule, error) {
	list, err := schedules(ctx, r)
	for i := range list {
		if err == nil {
			list[i].Recipients, err = recipients(ctx, r, `SELECT address, stopped_ms FROM summary_recipients WHERE schedule_id = ? ORDER BY address`, list[i].ID)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the schedules: %w", err)
	}
	return list, nil
}

func schedules(ctx context.Context, r *store.Tx) (list []Schedule, err error) {
	rows, err := r.QueryContext(ctx, `
		SELECT id, name, account, every, weekday, month_day, hour, minute, zone, product, coin, code, sections, attach_csv, attach_xlsx,
			skip_empty, skip_below, skip_coin, deadline_hours, correct_above, correct_coin, through_day, paused_ms, created_ms, updated_ms
		FROM summary_schedules WHERE removed_ms = 0 ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s Schedule
		var sections string
		err := rows.Scan(&s.ID, &s.Name, &s.Account, &s.Every, &s.Weekday, &s.MonthDay, &s.Hour, &s.Minute, &s.Zone, &s.Product, &s.Coin, &s.Code,
			&sections, &s.AttachCSV, &s.AttachXLSX, &s.SkipEmpty, &s.SkipBelow, &s.SkipCoin, &s.Deadline, &s.CorrectAbove, &s.CorrectCoin,
			&s.Through, &s.Paused, &s.Created, &s.Updated)
		if err != nil {
			return nil, err
		}
		if sections != "" {
			s.Sections = strings.Split(sections, ",")
		}
		list = append(list, s)
	}
	return list, rows.Err()
}

func recipients(ctx context.Context, r *store.Tx, query string, of int64) (list []Recipient, err error) {
	rows, err := r.QueryContext(ctx, query, of)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one Recipient
		if err := rows.Scan(&one.Address, &one.Stopped); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// SaveSchedule stores a schedule, a new one where its ID is 0, together with its
// line of the audit log. Through is of new ones, and of those whose periods are
// others now: what ended before them was never to be sent. Another one goes on
// where it was. Recipients who asked for no more stay so. A name that is taken is a
// *RuleError, and so is a schedule that changed since it was read: Updated says
// when it had changed by then; unknown, it is replaced whatever it is.
func SaveSchedule(ctx context.Context, s *store.Store, sc Schedule, by audit.Line) (id int64, err error) {
	if sc.Name, err = store.PlanName(sc.Name); err != nil {
		return 0, err
	}
	by.Action, by.Detail = "schedule added", sc.Every
	if sc.ID != 0 {
		by.Action = "schedule changed"
	}
	err = changeSchedule(ctx, s, sc.Name, by, func(tx *store.Tx, stamp affiliate.Millis) error {
		var taken bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM summary_schedules WHERE name = ? AND removed_ms = 0 AND id <> ?)`, sc.Name, sc.ID).Scan(&taken)
		if err != nil {
			return err
		}
		if taken {
			return &store.RuleError{Problem: fmt.Sprintf("There is a schedule called “%s” already: choose another name.", sc.Name), Field: "name"}
		}
		if id, err = writeSchedule(ctx, tx, sc, stamp); err != nil {
			return err
		}
		return writeRecipients(ctx, tx, id, sc.Recipients)
	})
	return id, err
}

func writeSchedule(ctx context.Context, tx *store.Tx, sc Schedule, stamp affiliate.Millis) (id int64, err error) {
	values := []any{sc.Name, sc.Account, sc.Every, int(sc.Weekday), sc.MonthDay, sc.Hour, sc.Minute, sc.Zone, sc.Product, sc.Coin, sc.Code,
		strings.Join(sc.Sections, ","), sc.AttachCSV, sc.AttachXLSX, sc.SkipEmpty, sc.SkipBelow, sc.SkipCoin, sc.Deadline,
		sc.CorrectAbove, sc.CorrectCoin, stamp}
	if sc.ID == 0 {
		err = tx.QueryRowContext(ctx, `
			INSERT INTO summary_schedules (name, account, every, weekday, month_day, hour, minute, zone, product, coin, code,
				sections, attach_csv, attach_xlsx, skip_empty, skip_below, skip_coin, deadline_hours,
				correct_above, correct_coin, updated_ms, created_ms, through_day)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
			append(values, stamp, sc.Through)...).Scan(&id)
		return id, err
	}
	err = tx.QueryRowContext(ctx, `
		UPDATE summary_schedules SET name = ?, account = ?, every = ?, weekday = ?, month_day = ?, hour = ?, minute = ?, zone = ?,
			product = ?, coin = ?, code = ?, sections = ?, attach_csv = ?, attach_xlsx = ?, skip_empty = ?, skip_below = ?, skip_coin = ?,
			deadline_hours = ?, correct_above = ?, correct_coin = ?, updated_ms = ?,
			through_day = iif(every = ?, through_day, max(through_day, ?))
		WHERE id = ? AND removed_ms = 0 AND (? = 0 OR updated_ms = ?) RETURNING id`,
		append(values, sc.Every, sc.Through, sc.ID, sc.Updated, sc.Updated)...).Scan(&id)
	return id, store.ChangedMeanwhile(ctx, tx, "summary_schedules", sc.ID, err, "schedule")
}

// writeRecipients makes the recipients of a schedule those of the list.
func writeRecipients(ctx context.Context, tx *store.Tx, schedule int64, list []Recipient) error {
	var kept []any
	for _, r := range list {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO summary_recipients (schedule_id, address) VALUES (?, ?) ON CONFLICT DO NOTHING`, schedule, r.Address)
		if err != nil {
			return err
		}
		kept = append(kept, r.Address)
	}
	_, err := tx.ExecContext(ctx, `
		DELETE FROM summary_recipients WHERE schedule_id = ? AND address NOT IN (?`+strings.Repeat(", ?", len(kept))+`)`,
		append([]any{schedule, ""}, kept...)...)
	return err
}

// PauseSchedule ends or takes up the sending of a schedule. Taken up again, it
// goes on after the day through: what was due meanwhile is not sent. A schedule
// that is not there is a *RuleError.
func PauseSchedule(ctx context.Context, s *store.Store, name string, paused bool, through affiliate.Day, by audit.Line) error {
	by.Action = "schedule resumed"
	if paused {
		by.Action = "schedule paused"
	}
	return changeSchedule(ctx, s, name, by, func(tx *store.Tx, stamp affiliate.Millis) error {
		var id int64
		if paused {
			return missingSchedule(tx.QueryRowContext(ctx, `
				UPDATE summary_schedules SET paused_ms = iif(paused_ms = 0, ?, paused_ms) WHERE name = ? AND removed_ms = 0 RETURNING id`,
				stamp, name).Scan(&id))
		}
		return missingSchedule(tx.QueryRowContext(ctx, `
			UPDATE summary_schedules SET through_day = iif(paused_ms = 0, through_day, max(through_day, ?)), paused_ms = 0
			WHERE name = ? AND removed_ms = 0 RETURNING id`, through, name).Scan(&id))
	})
}

// RemoveSchedule ends a schedule for good. What was queued of it is sent no
// more; the log of it stays. A schedule that is not there is a *RuleError.
func RemoveSchedule(ctx context.Context, s *store.Store, name string, by audit.Line) error {
	by.Action = "schedule removed"
	return changeSchedule(ctx, s, name, by, func(tx *store.Tx, stamp affiliate.Millis) error {
		var id int64
		err := tx.QueryRowContext(ctx, `
			UPDATE summary_schedules SET removed_ms = ? WHERE name = ? AND removed_ms = 0 RETURNING id`, stamp, name).Scan(&id)
		if err != nil {
			return missingSchedule(err)
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE deliveries SET state = 'dead', ended_ms = ?, answer = ?
			WHERE state = 'waiting' AND message_id IN (SELECT id FROM summary_messages WHERE schedule_id = ?)`, stamp, answerRemoved, id)
		return err
	})
}

// StopRecipient notes that a recipient wants no more of a schedule, together
// with its line of the audit log. Done twice it changes nothing; an address that
// is not there is no error, since the question must not tell who is. What is
// queued for the recipient is sent no more.
func StopRecipient(ctx context.Context, s *store.Store, schedule int64, address string, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		by.Action, by.Detail = "mails stopped", address
		err := tx.QueryRowContext(ctx, `
			UPDATE summary_recipients SET stopped_ms = ? WHERE schedule_id = ? AND address = ? AND stopped_ms = 0
			RETURNING (SELECT name FROM summary_schedules WHERE id = schedule_id)`, stamp, schedule, address).Scan(&by.Object)
		if err == nil {
			err = audit.Append(ctx, s, tx, stamp, by)
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE deliveries SET state = 'dead', ended_ms = ?, answer = ?
			WHERE state = 'waiting' AND recipient = ? COLLATE NOCASE AND message_id IN (SELECT id FROM summary_messages WHERE schedule_id = ?)`,
			stamp, answerStopped, address, schedule)
		return err
	})
	if err != nil {
		return fmt.Errorf("stopping the summaries of a recipient: %w", err)
	}
	return nil
}

// changeSchedule is the way of every change of a schedule.
func changeSchedule(ctx context.Context, s *store.Store, name string, by audit.Line, change func(*store.Tx, affiliate.Millis) error) error {
	by.Object = name
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := change(tx, stamp); err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", by.Action, err)
	}
	return nil
}

func missingSchedule(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return &store.RuleError{Problem: "There is no such schedule.", Missing: true}
	}
	return err
}
