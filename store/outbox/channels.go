package outbox

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Channel is a receiver of messages besides single mail addresses. Package mail defines the
// valid values. Its address and its secrets are sealed; this package does not know the sealing
// key.
type Channel struct {
	ID        int64
	Name      string // unique, ignoring letter case
	Kind      string // webhook, telegram, slack, discord or email
	Sealed    []byte // the address
	Shown     string // host and last characters of the address
	Secret    []byte // sealed; of webhooks
	OldSecret []byte // sealed; signs too until OldUntil
	OldUntil  affiliate.Millis
	Events    []string
	Owner     string // mail address that is told when the channel stops; empty: nobody
	Actor     string // who added it
	Created   affiliate.Millis
	Updated   affiliate.Millis // identifies the version
	Since     affiliate.Millis // events that were over by then are not told
	Paused    affiliate.Millis // unknown: at work
	Fault     string           // why it stopped by itself; empty: it works, or was paused by hand
	Failing   affiliate.Millis // since when its tries fail; unknown: the last one did not
	Last      *Attempt         // its newest delivery; only of [Channels]
}

// channelPrefix begins the recipient that stands for a channel. It is in no mail address.
const channelPrefix = "channel:"

// ChannelAddress returns the recipient that stands for a channel.
func ChannelAddress(id int64) string { return channelPrefix + strconv.FormatInt(id, 10) }

// ChannelOf returns the channel that a recipient stands for, and false for a mail address.
func ChannelOf(recipient string) (id int64, ok bool) {
	text, ok := strings.CutPrefix(recipient, channelPrefix)
	if !ok {
		return 0, false
	}
	id, err := strconv.ParseInt(text, 10, 64)
	return id, err == nil && id >= 0
}

const channelColumns = `c.id, c.name, c.kind, c.address, c.shown, c.secret, c.old_secret, c.old_until_ms, c.events, c.owner, c.actor,
	c.created_ms, c.updated_ms, c.since_ms, c.paused_ms, c.fault, c.failing_ms`

func (c *Channel) fields() []any {
	return []any{&c.ID, &c.Name, &c.Kind, &c.Sealed, &c.Shown, &c.Secret, &c.OldSecret, store.Opt(&c.OldUntil), (*commaList)(&c.Events), store.Opt(&c.Owner), &c.Actor,
		&c.Created, &c.Updated, &c.Since, store.Opt(&c.Paused), store.Opt(&c.Fault), store.Opt(&c.Failing)}
}

func readChannels(ctx context.Context, r *store.Tx, where string, args ...any) ([]Channel, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (c Channel, err error) {
		return c, rows.Scan(c.fields()...)
	}, `SELECT `+channelColumns+` FROM channels c WHERE c.removed_ms IS NULL AND `+where+` ORDER BY c.name`, args...)
	if err != nil {
		return nil, fmt.Errorf("reading the channels: %w", err)
	}
	return list, nil
}

// Channels lists the channels by name, each with its newest delivery.
func Channels(ctx context.Context, r *store.Tx) ([]Channel, error) {
	list, err := readChannels(ctx, r, `1 = 1`)
	for i := range list {
		if err != nil {
			return nil, err
		}
		var newest []Attempt
		newest, err = readAttempts(ctx, r, `WHERE d.id = (SELECT max(id) FROM deliveries WHERE channel_id = ?)`, list[i].ID)
		if len(newest) > 0 {
			list[i].Last = &newest[0]
		}
	}
	return list, err
}

// ReadChannel reads one channel. One that does not exist is a *RuleError.
func ReadChannel(ctx context.Context, r *store.Tx, id int64) (Channel, error) {
	return oneChannel(ctx, r, "There is no such channel.", `c.id = ?`, id)
}

// ChannelNamed is [ReadChannel] by the name, whatever its letter case.
func ChannelNamed(ctx context.Context, r *store.Tx, name string) (Channel, error) {
	return oneChannel(ctx, r, fmt.Sprintf("There is no channel called “%s”.", affiliate.OneLine(audit.CutText(name, 80))), `c.name = ?`, strings.TrimSpace(name))
}

func oneChannel(ctx context.Context, r *store.Tx, missing, where string, arg any) (Channel, error) {
	list, err := readChannels(ctx, r, where, arg)
	if err == nil && len(list) == 0 {
		err = &store.RuleError{Problem: missing, Missing: true}
	}
	if err != nil {
		return Channel{}, err
	}
	return list[0], nil
}

// AddChannel stores a new channel together with its line of the audit log. sealed returns the
// sealed address and secret for the number of the channel. A name that is taken is a *RuleError.
func AddChannel(ctx context.Context, s *store.Store, c Channel, sealed func(id int64) (address, secret []byte), by audit.Line) (id int64, err error) {
	if c.Name, err = store.PlanName(c.Name); err != nil {
		return 0, err
	}
	by.Action, by.Object, by.Detail = "channel added", c.Name, c.Kind+", "+c.Shown
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		var taken bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM channels WHERE name = ? AND removed_ms IS NULL)`, c.Name).Scan(&taken); err != nil {
			return err
		}
		if taken {
			return &store.RuleError{Problem: fmt.Sprintf("There is a channel called “%s” already: choose another name.", c.Name), Field: "name"}
		}
		// Numbers are not used again: a message in the outbox names its channel by the number.
		if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) + 1 FROM channels`).Scan(&id); err != nil {
			return err
		}
		address, secret := sealed(id)
		_, err := tx.ExecContext(ctx, `
			INSERT INTO channels (id, name, kind, address, shown, secret, events, owner, actor, created_ms, updated_ms, since_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, c.Name, c.Kind, address, c.Shown, store.OptIf(len(secret) > 0, &secret), (*commaList)(&c.Events), store.Opt(&c.Owner), by.Actor, stamp, stamp, stamp)
		if err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", by.Action, err)
	}
	return id, nil
}

// changeChannel runs every change of a channel in the version that Updated names; if it is
// unknown, any version is changed.
func changeChannel(ctx context.Context, s *store.Store, c Channel, verb string, by audit.Line, f func(tx *store.Tx, before Channel, stamp affiliate.Millis) error) error {
	by.Action = "channel " + verb
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		before, err := ReadChannel(ctx, tx, c.ID)
		if err != nil {
			return err
		}
		if err := store.SameVersion("channel", c.Updated, before.Updated); err != nil {
			return err
		}
		if err := f(tx, before, stamp); err != nil {
			return err
		}
		by.Object = before.Name
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil && err != errUnchanged {
		return fmt.Errorf("%s: %w", by.Action, err)
	}
	return nil
}

// PauseChannel pauses or resumes a channel; one that already is in that state is left unchanged. A
// resumed channel tells events from now on, and tries its waiting messages at once.
func PauseChannel(ctx context.Context, s *store.Store, c Channel, paused bool, by audit.Line) error {
	verb := "resumed"
	if paused {
		verb = "paused"
	}
	return changeChannel(ctx, s, c, verb, by, func(tx *store.Tx, before Channel, stamp affiliate.Millis) error {
		if before.Paused.Known() == paused {
			return errUnchanged
		}
		if paused {
			_, err := tx.ExecContext(ctx, `UPDATE channels SET paused_ms = ?, updated_ms = ? WHERE id = ?`, stamp, stamp, c.ID)
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE channels SET paused_ms = NULL, fault = NULL, failing_ms = NULL, held_ms = NULL, since_ms = ?, updated_ms = ? WHERE id = ?`, stamp, stamp, c.ID)
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM channel_facts WHERE channel_id = ? AND message_id IS NULL`, c.ID)
		}
		if err == nil {
			_, err = tx.ExecContext(ctx, `UPDATE deliveries SET next_ms = NULL, tries = 0 WHERE channel_id = ? AND posted = 1 AND state = 'waiting'`, c.ID)
		}
		return err
	})
}

// MoveChannel gives a channel another sealed address, which its receiver has named. Messages that wait
// for it go there.
func MoveChannel(ctx context.Context, s *store.Store, c Channel, address []byte, shown string, by audit.Line) error {
	return changeChannel(ctx, s, c, "moved", by, func(tx *store.Tx, _ Channel, stamp affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `UPDATE channels SET address = ?, shown = ?, updated_ms = ? WHERE id = ?`, address, shown, stamp, c.ID)
		return err
	})
}

// RotateChannel gives a webhook another sealed secret. The secret before signs too until an
// instant.
func RotateChannel(ctx context.Context, s *store.Store, c Channel, secret []byte, until affiliate.Millis, by audit.Line) error {
	return changeChannel(ctx, s, c, "secret rotated", by, func(tx *store.Tx, before Channel, stamp affiliate.Millis) error {
		if len(before.Secret) == 0 {
			return store.Refuse("Only a webhook has a signing secret.")
		}
		_, err := tx.ExecContext(ctx, `UPDATE channels SET old_secret = secret, old_until_ms = ?, secret = ?, updated_ms = ? WHERE id = ?`, until, secret, stamp, c.ID)
		return err
	})
}

// RemoveChannel ends a channel for good. Its waiting messages are not sent; its log stays. A
// channel that is the only recipient of a schedule or an alert is a *RuleError.
func RemoveChannel(ctx context.Context, s *store.Store, c Channel, by audit.Line) error {
	return changeChannel(ctx, s, c, "removed", by, func(tx *store.Tx, _ Channel, stamp affiliate.Millis) error {
		address := ChannelAddress(c.ID)
		var kind, name string
		err := tx.QueryRowContext(ctx, `
			SELECT s.kind, s.name FROM subscriptions s JOIN recipients r ON r.subscription_id = s.id AND r.address = ?
			WHERE s.removed_ms IS NULL AND NOT EXISTS (SELECT 1 FROM recipients o WHERE o.subscription_id = s.id AND o.address <> ? AND o.stopped_ms IS NULL)
			ORDER BY s.id LIMIT 1`, address, address).Scan(&kind, &name)
		if err == nil {
			return store.Refuse("The channel is the only recipient of the %s “%s”: give that another recipient, or remove it first.", kind, name)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		for _, one := range []struct {
			text string
			args []any
		}{
			{`DELETE FROM recipients WHERE address = ?`, []any{address}},
			{`UPDATE channels SET removed_ms = ?, updated_ms = ?, secret = NULL, old_secret = NULL WHERE id = ?`, []any{stamp, stamp, c.ID}},
			{`UPDATE deliveries SET state = 'dead', ended_ms = ?, answer = ? WHERE channel_id = ? AND state = 'waiting'`, []any{stamp, answerChannel, c.ID}},
		} {
			if _, err := tx.ExecContext(ctx, one.text, one.args...); err != nil {
				return err
			}
		}
		return nil
	})
}

// noteChannel records what a try says about its channel.
func noteChannel(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, id int64, p Result) error {
	if p.State == Sent {
		_, err := tx.ExecContext(ctx, `UPDATE channels SET failing_ms = NULL, held_ms = NULL WHERE id = ? AND (failing_ms IS NOT NULL OR held_ms IS NOT NULL)`, id)
		return err
	}
	var held affiliate.Millis
	if !p.Held.IsZero() {
		held = affiliate.MillisOf(p.Held)
	}
	if _, err := tx.ExecContext(ctx, `UPDATE channels SET failing_ms = coalesce(failing_ms, ?), held_ms = ? WHERE id = ?`, stamp, store.Opt(&held), id); err != nil || !p.Stops {
		return err
	}
	fault := audit.CutText(p.Answer, 300)
	stopped, err := store.Changed(tx.ExecContext(ctx, `UPDATE channels SET paused_ms = ?, updated_ms = ?, fault = ? WHERE id = ? AND paused_ms IS NULL AND removed_ms IS NULL`, stamp, stamp, fault, id))
	if err != nil || !stopped {
		return err
	}
	if p.Word != nil {
		if _, err := insertMessage(ctx, tx, *p.Word, []Addressee{p.To}, stamp); err != nil {
			return err
		}
	}
	if s.AuditKey() == nil {
		return nil // of a process that may not write the log
	}
	line := audit.Line{Via: "server", Action: "channel stopped", Detail: fault}
	if err := tx.QueryRowContext(ctx, `SELECT name FROM channels WHERE id = ?`, id).Scan(&line.Object); err != nil {
		return err
	}
	return audit.Append(ctx, s, tx, stamp, line)
}

// ChannelFacts lists what the events of a channel have found, by key.
func ChannelFacts(ctx context.Context, r *store.Tx, channel int64) ([]Fact, error) {
	return readFacts(ctx, r, factsOfChannel, channel)
}

// NoteChannelFacts is [NoteFacts] of the events of a channel.
func NoteChannelFacts(ctx context.Context, s *store.Store, channel int64, found []Fact, over []string) error {
	return noteFacts(ctx, s, factsOfChannel, channel, found, over)
}
