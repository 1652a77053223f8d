package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Alert is what somebody wants to be told of by mail. Package mail says what its
// values may be, and looks for it.
type Alert struct {
	ID         int64
	Name       string            // letter case does not tell two apart
	Account    affiliate.Account // empty: all
	Watches    string            // collection, gap, drop, restatement or silence
	Hours      int               // how long it must last
	Percent    int               // of the usual commission
	Amount     affiliate.Number  // empty: none
	Coin       affiliate.Coin    // empty: each
	QuietFrom  int               // minute of the day
	QuietUntil int               // the same as QuietFrom: never quiet
	Zone       string            // of the quiet time, by its IANA name
	Apart      int               // hours between two mails at least; 0: as it comes
	Since      affiliate.Millis  // what was over by then is not told
	Told       affiliate.Millis  // when its newest mail was queued
	Paused     affiliate.Millis  // unknown: at work
	Created    affiliate.Millis
	Updated    affiliate.Millis
	Recipients []Recipient
}

// Alerts lists the alerts by name.
func Alerts(ctx context.Context, r *store.Tx) ([]Alert, error) {
	list, err := alerts(ctx, r)
	for i := range list {
		if err == nil {
			list[i].Recipients, err = recipients(ctx, r, `SELECT address, stopped_ms FROM alert_recipients WHERE alert_id = ? ORDER BY address`, list[i].ID)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the alerts: %w", err)
	}
	return list, nil
}

func alerts(ctx context.Context, r *store.Tx) (list []Alert, err error) {
	rows, err := r.QueryContext(ctx, `
		SELECT id, name, account, watches, hours, percent, amount, coin, quiet_from, quiet_until, zone, apart_hours,
			since_ms, told_ms, paused_ms, created_ms, updated_ms
		FROM alerts WHERE removed_ms = 0 ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var a Alert
		err := rows.Scan(&a.ID, &a.Name, &a.Account, &a.Watches, &a.Hours, &a.Percent, &a.Amount, &a.Coin, &a.QuietFrom, &a.QuietUntil, &a.Zone, &a.Apart,
			&a.Since, &a.Told, &a.Paused, &a.Created, &a.Updated)
		if err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	return list, rows.Err()
}

// SaveAlert stores an alert, a new one where its ID is 0, together with its line
// of the audit log. Recipients who asked for no more stay so. A name that is
// taken is a *RuleError, and so is an alert that changed since it was read, as with
// [SaveSchedule].
func SaveAlert(ctx context.Context, s *store.Store, a Alert, by audit.Line) (id int64, err error) {
	if a.Name, err = store.PlanName(a.Name); err != nil {
		return 0, err
	}
	by.Action, by.Detail = "alert added", a.Watches
	if a.ID != 0 {
		by.Action = "alert changed"
	}
	err = changeSchedule(ctx, s, a.Name, by, func(tx *store.Tx, stamp affiliate.Millis) error {
		var taken bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM alerts WHERE name = ? AND removed_ms = 0 AND id <> ?)`, a.Name, a.ID).Scan(&taken)
		if err != nil {
			return err
		}
		if taken {
			return &store.RuleError{Problem: fmt.Sprintf("There is an alert called “%s” already: choose another name.", a.Name), Field: "name"}
		}
		if id, err = writeAlert(ctx, tx, a, stamp); err != nil {
			return err
		}
		return writeAlertRecipients(ctx, tx, id, a.Recipients)
	})
	return id, err
}

func writeAlert(ctx context.Context, tx *store.Tx, a Alert, stamp affiliate.Millis) (id int64, err error) {
	values := []any{a.Name, a.Account, a.Watches, a.Hours, a.Percent, a.Amount, a.Coin, a.QuietFrom, a.QuietUntil, a.Zone, a.Apart, stamp}
	if a.ID == 0 {
		err = tx.QueryRowContext(ctx, `
			INSERT INTO alerts (name, account, watches, hours, percent, amount, coin, quiet_from, quiet_until, zone, apart_hours,
				updated_ms, created_ms, since_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, append(values, stamp, stamp)...).Scan(&id)
		return id, err
	}
	// What is held back of one thing must not be told as if it were of another.
	_, err = tx.ExecContext(ctx, `
		DELETE FROM alert_facts WHERE message_id = 0 AND alert_id = (SELECT id FROM alerts WHERE id = ? AND watches <> ?)`, a.ID, a.Watches)
	if err != nil {
		return 0, err
	}
	err = tx.QueryRowContext(ctx, `
		UPDATE alerts SET name = ?, account = ?, watches = ?, hours = ?, percent = ?, amount = ?, coin = ?,
			quiet_from = ?, quiet_until = ?, zone = ?, apart_hours = ?, updated_ms = ?
		WHERE id = ? AND removed_ms = 0 AND (? = 0 OR updated_ms = ?) RETURNING id`, append(values, a.ID, a.Updated, a.Updated)...).Scan(&id)
	return id, store.ChangedMeanwhile(ctx, tx, "alerts", a.ID, err, "alert")
}

// writeAlertRecipients makes the recipients of an alert those of the list.
func writeAlertRecipients(ctx context.Context, tx *store.Tx, alert int64, list []Recipient) error {
	args := []any{alert, ""}
	for _, r := range list {
		_, err := tx.ExecContext(ctx, `INSERT INTO alert_recipients (alert_id, address) VALUES (?, ?) ON CONFLICT DO NOTHING`, alert, r.Address)
		if err != nil {
			return err
		}
		args = append(args, r.Address)
	}
	_, err := tx.ExecContext(ctx, `
		DELETE FROM alert_recipients WHERE alert_id = ? AND address NOT IN (?`+strings.Repeat(", ?", len(list))+`)`, args...)
	return err
}

// PauseAlert ends or takes up an alert. What it held back is dropped, and what
// was over before it is taken up again is not told. An alert that is not there
// is a *RuleError.
func PauseAlert(ctx context.Context, s *store.Store, name string, paused bool, by audit.Line) error {
	by.Action = "alert resumed"
	if paused {
		by.Action = "alert paused"
	}
	return changeAlert(ctx, s, name, by, func(tx *store.Tx, id int64, stamp affiliate.Millis) error {
		if !paused {
			_, err := tx.ExecContext(ctx, `UPDATE alerts SET since_ms = iif(paused_ms = 0, since_ms, ?), paused_ms = 0 WHERE id = ?`, stamp, id)
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE alerts SET paused_ms = iif(paused_ms = 0, ?, paused_ms) WHERE id = ?`, stamp, id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM alert_facts WHERE alert_id = ? AND message_id = 0`, id)
		return err
	})
}

// RemoveAlert ends an alert for good. What was queued of it is sent no more; the
// log of it stays. An alert that is not there is a *RuleError.
func RemoveAlert(ctx context.Context, s *store.Store, name string, by audit.Line) error {
	by.Action = "alert removed"
	return changeAlert(ctx, s, name, by, func(tx *store.Tx, id int64, stamp affiliate.Millis) error {
		if _, err := tx.ExecContext(ctx, `UPDATE alerts SET removed_ms = ? WHERE id = ?`, stamp, id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `
			UPDATE deliveries SET state = 'dead', ended_ms = ?, answer = ?
			WHERE state = 'waiting' AND message_id IN (SELECT id FROM summary_messages WHERE alert_id = ?)`, stamp, answerRemoved, id)
		return err
	})
}

// StopAlertRecipient notes that a recipient wants no more of an alert, as
// [StopRecipient] does of a schedule.
func StopAlertRecipient(ctx context.Context, s *store.Store, alert int64, address string, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		by.Action, by.Detail = "mails stopped", address
		err := tx.QueryRowContext(ctx, `
			UPDATE alert_recipients SET stopped_ms = ? WHERE alert_id = ? AND address = ? AND stopped_ms = 0
			RETURNING (SELECT name FROM alerts WHERE id = alert_id)`, stamp, alert, address).Scan(&by.Object)
		if err == nil {
			err = audit.Append(ctx, s, tx, stamp, by)
		}
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE deliveries SET state = 'dead', ended_ms = ?, answer = ?
			WHERE state = 'waiting' AND recipient = ? COLLATE NOCASE AND message_id IN (SELECT id FROM summary_messages WHERE alert_id = ?)`,
			stamp, answerStopped, address, alert)
		return err
	})
	if err != nil {
		return fmt.Errorf("stopping the alerts of a recipient: %w", err)
	}
	return nil
}

// changeAlert changes the alert of a name.
func changeAlert(ctx context.Context, s *store.Store, name string, by audit.Line, change func(tx *store.Tx, id int64, stamp affiliate.Millis) error) error {
	return changeSchedule(ctx, s, name, by, func(tx *store.Tx, stamp affiliate.Millis) error {
		var id int64
		err := tx.QueryRowContext(ctx, `SELECT id FROM alerts WHERE name = ? AND removed_ms = 0`, name).Scan(&id)
		if err != nil {
			return missingAlert(err)
		}
		return change(tx, id, stamp)
	})
}

func missingAlert(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return &store.RuleError{Problem: "There is no such alert.", Missing: true}
	}
	return err
}
