package outbox

import (
	"context"
	"database/sql"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Fact is one finding of an alert. An alert has one fact per key, which is reported once.
type Fact struct {
	Key     string // subject of the fact, independent of the time of the check
	Words   string // text of the message
	Page    string // path of the page that shows it
	Detail  string // JSON object for programs; empty: of older versions
	Seen    affiliate.Millis
	Lasting affiliate.Millis // when it had lasted long enough to be reported; unknown: not yet
	Message int64            // that reported it; 0: none yet
}

// factTable is a table of facts, with the column and the table of the subscriptions or channels that
// found them.
type factTable struct{ name, of, finders string }

var (
	factsOfAlert   = factTable{"facts", "subscription_id", "subscriptions"}
	factsOfChannel = factTable{"channel_facts", "channel_id", "channels"}
)

// Facts lists the findings of an alert by key.
func Facts(ctx context.Context, r *store.Tx, alert int64) ([]Fact, error) {
	return readFacts(ctx, r, factsOfAlert, alert)
}

func readFacts(ctx context.Context, r *store.Tx, t factTable, of int64) ([]Fact, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (f Fact, err error) {
		return f, rows.Scan(&f.Key, &f.Words, &f.Page, store.Opt(&f.Detail), &f.Seen, store.Opt(&f.Lasting), store.Opt(&f.Message))
	}, `SELECT key, words, page, detail, seen_ms, lasting_ms, message_id FROM `+t.name+` WHERE `+t.of+` = ? ORDER BY key`, of)
	if err != nil {
		return nil, fmt.Errorf("reading what an alert has found: %w", err)
	}
	return list, nil
}

// NoteFacts stores the findings that an alert does not report yet, and deletes the keys of
// findings that ended before they had lasted long enough. Reported findings stay reported.
func NoteFacts(ctx context.Context, s *store.Store, alert int64, found []Fact, over []string) error {
	return noteFacts(ctx, s, factsOfAlert, alert, found, over)
}

func noteFacts(ctx context.Context, s *store.Store, t factTable, of int64, found []Fact, over []string) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		if err := writeFacts(ctx, tx, t, of, found, 0); err != nil {
			return err
		}
		for _, key := range over {
			_, err := tx.ExecContext(ctx, `DELETE FROM `+t.name+` WHERE `+t.of+` = ? AND key = ? AND message_id IS NULL`, of, key)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("noting what an alert has found: %w", err)
	}
	return nil
}

func writeFacts(ctx context.Context, tx *store.Tx, t factTable, of int64, facts []Fact, message int64) error {
	for _, f := range facts {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO `+t.name+` (`+t.of+`, key, words, page, detail, seen_ms, lasting_ms, message_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (`+t.of+`, key) DO UPDATE SET words = excluded.words, page = excluded.page, detail = excluded.detail, seen_ms = excluded.seen_ms,
				lasting_ms = excluded.lasting_ms, message_id = excluded.message_id WHERE `+t.name+`.message_id IS NULL`,
			of, f.Key, f.Words, f.Page, store.Opt(&f.Detail), f.Seen, store.Opt(&f.Lasting), store.Opt(&message))
		if err != nil {
			return err
		}
	}
	return nil
}

// forgetUntold deletes the unreported findings of a subscription.
func forgetUntold(ctx context.Context, tx *store.Tx, subscription int64) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM facts WHERE subscription_id = ? AND message_id IS NULL`, subscription)
	return err
}

// QueueAlert stores the message of an alert for its recipients together with the facts that
// it reports, all or nothing. It queues nothing if the alert is paused or removed, or if
// one of the facts was already reported.
func QueueAlert(ctx context.Context, s *store.Store, facts []Fact, m Summary, to []Addressee) (queued bool, err error) {
	return queueFacts(ctx, s, factsOfAlert, m.Of.ID, facts, m, to)
}

// QueueEvent is [QueueAlert] of the events of a channel.
func QueueEvent(ctx context.Context, s *store.Store, channel int64, facts []Fact, m Summary, to []Addressee) (queued bool, err error) {
	return queueFacts(ctx, s, factsOfChannel, channel, facts, m, to)
}

func queueFacts(ctx context.Context, s *store.Store, t factTable, of int64, facts []Fact, m Summary, to []Addressee) (queued bool, err error) {
	m.Kind = SummaryAlert
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if queued, err = mayTell(ctx, tx, t, of, facts); err != nil || !queued {
			return err
		}
		if m.ID, err = insertMessage(ctx, tx, m, to, stamp); err != nil {
			return err
		}
		if t == factsOfAlert {
			if _, err := tx.ExecContext(ctx, `UPDATE subscriptions SET told_ms = ? WHERE id = ?`, m.Made, of); err != nil {
				return err
			}
		}
		return writeFacts(ctx, tx, t, of, facts, m.ID)
	})
	if err != nil {
		return false, fmt.Errorf("queueing an alert: %w", err)
	}
	return queued, nil
}

// mayTell reports whether who found some facts is at work and has told none of them.
func mayTell(ctx context.Context, tx *store.Tx, t factTable, of int64, facts []Fact) (may bool, err error) {
	err = tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+t.finders+` WHERE id = ? AND paused_ms IS NULL AND removed_ms IS NULL)`, of).Scan(&may)
	for _, f := range facts {
		if err != nil || !may {
			break
		}
		err = tx.QueryRowContext(ctx, `
			SELECT NOT EXISTS (SELECT 1 FROM `+t.name+` WHERE `+t.of+` = ? AND key = ? AND message_id IS NOT NULL)`, of, f.Key).Scan(&may)
	}
	return may, err
}
