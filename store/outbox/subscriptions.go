package outbox

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// SubscriptionKind says when a subscription sends mail.
type SubscriptionKind string

// The kinds of subscription.
const (
	KindSchedule SubscriptionKind = "schedule" // summaries, repeatedly
	KindAlert    SubscriptionKind = "alert"    // an event, once
)

// Ref identifies a subscription. Its zero value identifies none.
type Ref struct {
	ID     int64
	Kind   SubscriptionKind
	Number int64 // per kind: pages and the links in mails use it
}

// fields returns the columns id, kind and number, which are NULL for the zero value.
func (r *Ref) fields() []any {
	return []any{store.Opt(&r.ID), store.Opt(&r.Kind), store.Opt(&r.Number)}
}

// Subscription says which mail is sent to which recipients: summaries on a schedule, or an
// alert. Package mail defines the valid values.
type Subscription struct {
	Ref
	Name       string            // unique per kind, ignoring letter case
	Account    affiliate.Account // empty: all
	Coin       affiliate.Coin    // empty: all; a schedule may list several with commas, as with Product and Code
	Segment    string            // name of a segment of invitees; empty: all
	AsUser     string            // name of the user whose invitees it is about; empty: everybody
	Zone       string            // IANA name of the zone of the hour or the quiet time
	Paused     affiliate.Millis  // unknown: active
	Created    affiliate.Millis
	Updated    affiliate.Millis // identifies the version
	Recipients []Recipient

	// Fields of schedules.
	Every        string       // daily, weekly or monthly
	Weekday      time.Weekday // of weekly schedules
	MonthDay     int          // of monthly schedules, from 1; clipped to the end of the month
	Hour, Minute int
	Product      affiliate.Product
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
	Through      affiliate.Day // last day of the newest completed period

	// Fields of alerts.
	Watches    string           // collection, gap, drop, restatement, silence, payment, outstanding or goal
	Hours      int              // minimum duration
	Percent    int              // percentage of the usual commission
	Amount     affiliate.Number // empty: none
	QuietFrom  int              // minute of the day
	QuietUntil int              // equal to QuietFrom: never quiet
	Apart      int              // minimum hours between two mails; 0: no minimum
	Since      affiliate.Millis // findings that had ended by then are not reported
	Told       affiliate.Millis // when its newest mail was queued
}

// Recipient receives the mails of a subscription.
type Recipient struct {
	Address string           // of mail, or see [ChannelAddress]
	Group   string           // name of the channel; empty: an address
	Stopped affiliate.Millis // when the recipient unsubscribed; unknown: still subscribed
}

// Label names the recipient in words.
func (r Recipient) Label() string {
	if r.Group != "" {
		return r.Group
	}
	return r.Address
}

// Recipients returns a recipient for each address.
func Recipients(addresses []string) (list []Recipient) {
	for _, address := range addresses {
		list = append(list, Recipient{Address: address})
	}
	return list
}

// Active lists the addresses that receive the mails of a subscription.
func (s *Subscription) Active() (addresses []string) {
	for _, r := range s.Recipients {
		if !r.Stopped.Known() {
			addresses = append(addresses, r.Address)
		}
	}
	return addresses
}

// columns lists the columns that users fill in for each kind, in the order of
// [Subscription.fields].
var columns = map[SubscriptionKind]string{
	KindSchedule: `name, account, coin, segment, as_user, zone, every, weekday, month_day, hour, minute, product, code, sections, attach_csv, attach_xlsx,
		skip_empty, skip_below, skip_coin, deadline_hours, correct_above, correct_coin`,
	KindAlert: `name, account, coin, segment, as_user, zone, watches, hours, percent, amount, quiet_from, quiet_until, apart_hours`,
}

func (s *Subscription) fields() []any {
	both := []any{&s.Name, store.Opt(&s.Account), store.Opt(&s.Coin), store.Opt(&s.Segment), store.Opt(&s.AsUser), &s.Zone}
	if s.Kind == KindSchedule {
		return append(both, &s.Every, &s.Weekday, &s.MonthDay, &s.Hour, &s.Minute, store.Opt(&s.Product), store.Opt(&s.Code),
			(*commaList)(&s.Sections), &s.AttachCSV, &s.AttachXLSX, &s.SkipEmpty, store.Opt(&s.SkipBelow), store.Opt(&s.SkipCoin), &s.Deadline,
			store.Opt(&s.CorrectAbove), store.Opt(&s.CorrectCoin))
	}
	quiet := s.QuietFrom != s.QuietUntil
	return append(both, &s.Watches, store.Opt(&s.Hours), store.Opt(&s.Percent), store.Opt(&s.Amount),
		store.OptIf(quiet, &s.QuietFrom), store.OptIf(quiet, &s.QuietUntil), store.Opt(&s.Apart))
}

// commaList is a list in the form of its column. NULL is an empty list.
type commaList []string

// Scan implements sql.Scanner.
func (l *commaList) Scan(value any) error {
	var text sql.NullString
	err := text.Scan(value)
	if *l = nil; text.Valid {
		*l = strings.Split(text.String, ",")
	}
	return err
}

// Value implements driver.Valuer.
func (l commaList) Value() (driver.Value, error) {
	if len(l) == 0 {
		return nil, nil
	}
	return strings.Join(l, ","), nil
}

// Subscriptions lists the subscriptions of a kind by name.
func Subscriptions(ctx context.Context, r *store.Tx, kind SubscriptionKind) ([]Subscription, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (Subscription, error) {
		s := Subscription{Ref: Ref{Kind: kind}}
		return s, rows.Scan(append([]any{&s.ID, &s.Number, store.Opt(&s.Paused), &s.Created, &s.Updated,
			(*store.DayText)(&s.Through), store.Opt(&s.Since), store.Opt(&s.Told)}, s.fields()...)...)
	}, `SELECT id, number, paused_ms, created_ms, updated_ms, coalesce(through_day, '1970-01-01'), since_ms, told_ms, `+columns[kind]+`
		FROM subscriptions WHERE kind = ? AND removed_ms IS NULL ORDER BY name`, kind)
	for i := range list {
		if err == nil {
			list[i].Recipients, err = recipients(ctx, r, list[i].ID)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("reading the %ss: %w", kind, err)
	}
	return list, nil
}

func recipients(ctx context.Context, r *store.Tx, subscription int64) ([]Recipient, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (one Recipient, err error) {
		return one, rows.Scan(&one.Address, store.Opt(&one.Stopped), store.Opt(&one.Group))
	}, `SELECT r.address, r.stopped_ms, c.name FROM recipients r LEFT JOIN channels c ON 'channel:' || c.id = r.address
		WHERE r.subscription_id = ? ORDER BY r.address`, subscription)
}

// Save stores a subscription, a new one if its ID is 0, together with its line of the audit
// log. Through is used for new schedules and for those whose periods changed: periods that
// ended before it are never sent. Any other schedule continues from its stored day.
// Recipients who have unsubscribed stay unsubscribed. A name that is taken is a *RuleError,
// and so is a subscription that changed since it was read: Updated says which version was
// read; if it is unknown, any version is replaced.
func Save(ctx context.Context, s *store.Store, sub Subscription, by audit.Line) (ref Ref, err error) {
	if sub.Name, err = store.PlanName(sub.Name); err != nil {
		return ref, err
	}
	by.Detail = sub.Every + sub.Watches
	write, verb := insert, "added"
	if sub.ID != 0 {
		write, verb = replace, "changed"
	}
	err = change(ctx, s, sub, verb, by, func(tx *store.Tx, stamp affiliate.Millis) error {
		var taken bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM subscriptions WHERE kind = ? AND name = ? AND removed_ms IS NULL AND id <> ?)`, sub.Kind, sub.Name, sub.ID).Scan(&taken)
		if err != nil {
			return err
		}
		if taken {
			return NameTaken(sub)
		}
		if ref, err = write(ctx, tx, sub, stamp); err != nil {
			return err
		}
		return writeRecipients(ctx, tx, ref.ID, sub.Recipients)
	})
	return ref, err
}

// NameTaken returns the error for a subscription whose name is already in use.
func NameTaken(sub Subscription) error {
	article := map[SubscriptionKind]string{KindSchedule: "a", KindAlert: "an"}[sub.Kind]
	return &store.RuleError{Problem: fmt.Sprintf("There is %s %s called “%s” already: choose another name.", article, sub.Kind, strings.TrimSpace(sub.Name)), Field: "name"}
}

func insert(ctx context.Context, tx *store.Tx, sub Subscription, stamp affiliate.Millis) (ref Ref, err error) {
	since := store.OptIf(sub.Kind == KindAlert, &stamp)
	values := append([]any{sub.Kind, sub.Kind, stamp, stamp, sub.throughDay(), since}, sub.fields()...)
	err = tx.QueryRowContext(ctx, `
		INSERT INTO subscriptions (kind, number, created_ms, updated_ms, through_day, since_ms, `+columns[sub.Kind]+`)
		VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM subscriptions WHERE kind = ?)`+strings.Repeat(", ?", len(values)-2)+`) RETURNING id, number`,
		values...).Scan(&sub.ID, &sub.Number)
	return sub.Ref, err
}

func replace(ctx context.Context, tx *store.Tx, sub Subscription, stamp affiliate.Millis) (Ref, error) {
	before, err := stored(ctx, tx, sub.Ref)
	if err != nil {
		return sub.Ref, err
	}
	if err := store.SameVersion(string(sub.Kind), sub.Updated, before.Updated); err != nil {
		return sub.Ref, err
	}
	// A held-back finding about one thing must not be reported as a finding about another.
	if before.Watches != sub.Watches {
		if err := forgetUntold(ctx, tx, sub.ID); err != nil {
			return sub.Ref, err
		}
	}
	if sub.Through = max(sub.Through, before.Through); before.Every == sub.Every {
		sub.Through = before.Through
	}
	values := append([]any{stamp, sub.throughDay()}, sub.fields()...)
	_, err = tx.ExecContext(ctx, `
		UPDATE subscriptions SET (updated_ms, through_day, `+columns[sub.Kind]+`) = (?`+strings.Repeat(", ?", len(values)-1)+`) WHERE id = ?`,
		append(values, sub.ID)...)
	return sub.Ref, err
}

// throughDay returns the value of the column for the day: alerts have none.
func (s *Subscription) throughDay() any {
	if s.Kind == KindSchedule {
		return store.DayText(s.Through)
	}
	return nil
}

// writeRecipients replaces the recipients of a subscription with those of the list.
func writeRecipients(ctx context.Context, tx *store.Tx, subscription int64, list []Recipient) error {
	args := []any{subscription, ""}
	for _, r := range list {
		_, err := tx.ExecContext(ctx, `INSERT INTO recipients (subscription_id, address) VALUES (?, ?) ON CONFLICT DO NOTHING`, subscription, r.Address)
		if err != nil {
			return err
		}
		args = append(args, r.Address)
	}
	_, err := tx.ExecContext(ctx, `
		DELETE FROM recipients WHERE subscription_id = ? AND address NOT IN (?`+strings.Repeat(", ?", len(list))+`)`, args...)
	return err
}

// Pause pauses or resumes the mails of a subscription, in the version that Updated names,
// as with [Save]; one that already is in that state is left unchanged. A resumed schedule
// continues after the day Through: what was due meanwhile is not sent. For an alert,
// held-back findings are deleted, and findings that ended before it is resumed are not
// reported. A subscription that does not exist is a *RuleError.
func Pause(ctx context.Context, s *store.Store, sub Subscription, paused bool, by audit.Line) error {
	verb := "resumed"
	if paused {
		verb = "paused"
	}
	return change(ctx, s, sub, verb, by, func(tx *store.Tx, stamp affiliate.Millis) error {
		before, err := stored(ctx, tx, sub.Ref)
		if err != nil {
			return err
		}
		if before.Paused.Known() == paused {
			return errUnchanged
		}
		if err := store.SameVersion(string(sub.Kind), sub.Updated, before.Updated); err != nil {
			return err
		}
		if paused {
			if _, err := tx.ExecContext(ctx, `UPDATE subscriptions SET paused_ms = ?, updated_ms = ? WHERE id = ?`, stamp, stamp, sub.ID); err != nil {
				return err
			}
			return forgetUntold(ctx, tx, sub.ID)
		}
		sub.Through = max(sub.Through, before.Through)
		_, err = tx.ExecContext(ctx, `UPDATE subscriptions SET paused_ms = NULL, updated_ms = ?, through_day = ?, since_ms = ? WHERE id = ?`,
			stamp, sub.throughDay(), store.OptIf(sub.Kind == KindAlert, &stamp), sub.ID)
		return err
	})
}

// Remove ends a subscription for good, in the version that Updated names, as with [Save].
// Its queued mails are not sent; its log stays. One that does not exist is a *RuleError.
func Remove(ctx context.Context, s *store.Store, sub Subscription, by audit.Line) error {
	return change(ctx, s, sub, "removed", by, func(tx *store.Tx, stamp affiliate.Millis) error {
		before, err := stored(ctx, tx, sub.Ref)
		if err != nil {
			return err
		}
		if err := store.SameVersion(string(sub.Kind), sub.Updated, before.Updated); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE subscriptions SET removed_ms = ?, updated_ms = ? WHERE id = ?`, stamp, stamp, sub.ID); err != nil {
			return err
		}
		return takeBack(ctx, tx, sub.ID, "", answerRemoved, stamp)
	})
}

// StopRecipient records that a recipient has unsubscribed from a subscription, identified
// by its kind and number, together with its line of the audit log. A second call changes
// nothing. An unknown address is no error, because the answer must not reveal who is
// subscribed. Mails queued for the recipient are not sent.
func StopRecipient(ctx context.Context, s *store.Store, of Ref, address string, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		by.Action, by.Detail = "mails stopped", address
		err := tx.QueryRowContext(ctx, `SELECT id, name FROM subscriptions WHERE kind = ? AND number = ?`, of.Kind, of.Number).Scan(&of.ID, &by.Object)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		// An address of a group becomes a recipient of its own, who has unsubscribed.
		_, err = tx.ExecContext(ctx, `
			INSERT INTO recipients (subscription_id, address) SELECT ?, ?
			WHERE EXISTS (SELECT 1 FROM recipients r JOIN channels c ON 'channel:' || c.id = r.address WHERE r.subscription_id = ? AND c.kind = 'email')
			ON CONFLICT DO NOTHING`, of.ID, address, of.ID)
		if err != nil {
			return err
		}
		stopped, err := store.Changed(tx.ExecContext(ctx, `
			UPDATE recipients SET stopped_ms = ? WHERE subscription_id = ? AND address = ? AND stopped_ms IS NULL`, stamp, of.ID, address))
		if err == nil && stopped {
			err = audit.Append(ctx, s, tx, stamp, by)
		}
		if err != nil {
			return err
		}
		return takeBack(ctx, tx, of.ID, address, answerStopped, stamp)
	})
	if err != nil {
		return fmt.Errorf("stopping the mails of a recipient: %w", err)
	}
	return nil
}

// takeBack withdraws the waiting deliveries of a subscription, or only those to an address
// if one is given.
func takeBack(ctx context.Context, tx *store.Tx, subscription int64, address, answer string, stamp affiliate.Millis) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE deliveries SET state = 'dead', ended_ms = ?, answer = ?
		WHERE state = 'waiting' AND (? = '' OR recipient = ? COLLATE NOCASE) AND message_id IN (SELECT id FROM messages WHERE subscription_id = ?)`,
		stamp, answer, address, address, subscription)
	return err
}

// errUnchanged ends a change that has no effect.
var errUnchanged = errors.New("nothing to change")

// change runs every change of a subscription.
func change(ctx context.Context, s *store.Store, sub Subscription, verb string, by audit.Line, f func(*store.Tx, affiliate.Millis) error) error {
	by.Action, by.Object = string(sub.Kind)+" "+verb, sub.Name
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := f(tx, stamp); err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil && err != errUnchanged {
		return fmt.Errorf("%s: %w", by.Action, err)
	}
	return nil
}

// stored returns the stored fields that decide about a change of a subscription. One that
// does not exist is a *RuleError.
func stored(ctx context.Context, tx *store.Tx, of Ref) (Subscription, error) {
	s := Subscription{Ref: of}
	err := tx.QueryRowContext(ctx, `
		SELECT paused_ms, updated_ms, every, watches, coalesce(through_day, '1970-01-01') FROM subscriptions WHERE id = ? AND removed_ms IS NULL`, of.ID).
		Scan(store.Opt(&s.Paused), &s.Updated, store.Opt(&s.Every), store.Opt(&s.Watches), (*store.DayText)(&s.Through))
	if errors.Is(err, sql.ErrNoRows) {
		return s, &store.RuleError{Problem: fmt.Sprintf("There is no such %s.", of.Kind), Missing: true}
	}
	return s, err
}
