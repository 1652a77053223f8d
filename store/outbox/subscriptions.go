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

// SubscriptionKind tells when a subscription sends mail.
type SubscriptionKind string

// The kinds.
const (
	KindSchedule SubscriptionKind = "schedule" // summaries, again and again
	KindAlert    SubscriptionKind = "alert"    // what happened, once
)

// Ref names a subscription. Its zero value names none.
type Ref struct {
	ID     int64
	Kind   SubscriptionKind
	Number int64 // of its kind: pages and the links in mails name it by this
}

// fields are the columns id, kind and number, NULL where there is none.
func (r *Ref) fields() []any {
	return []any{store.Opt(&r.ID), store.Opt(&r.Kind), store.Opt(&r.Number)}
}

// Subscription says what is sent by mail to whom: summaries on a schedule, or an
// alert. Package mail says what its values may be.
type Subscription struct {
	Ref
	Name       string            // letter case does not tell two of a kind apart
	Account    affiliate.Account // empty: all
	Coin       affiliate.Coin    // empty: all; of a schedule several with a comma between, as Product and Code
	Zone       string            // of the hour or the quiet time, by its IANA name
	Paused     affiliate.Millis  // unknown: at work
	Created    affiliate.Millis
	Updated    affiliate.Millis // tells two versions apart
	Recipients []Recipient

	// Of schedules.
	Every        string       // daily, weekly or monthly
	Weekday      time.Weekday // of weekly ones
	MonthDay     int          // of monthly ones, from 1; clipped to the end of the month
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
	Through      affiliate.Day // last day of the newest period that was settled

	// Of alerts.
	Watches    string           // collection, gap, drop, restatement or silence
	Hours      int              // how long it must last
	Percent    int              // of the usual commission
	Amount     affiliate.Number // empty: none
	QuietFrom  int              // minute of the day
	QuietUntil int              // the same as QuietFrom: never quiet
	Apart      int              // hours between two mails at least; 0: as it comes
	Since      affiliate.Millis // what was over by then is not told
	Told       affiliate.Millis // when its newest mail was queued
}

// Recipient is who gets the mails of a subscription.
type Recipient struct {
	Address string
	Stopped affiliate.Millis // when the recipient asked for no more; unknown: did not
}

// Recipients are those of some addresses.
func Recipients(addresses []string) (list []Recipient) {
	for _, address := range addresses {
		list = append(list, Recipient{Address: address})
	}
	return list
}

// Active lists the addresses that get the mails of a subscription.
func (s *Subscription) Active() (addresses []string) {
	for _, r := range s.Recipients {
		if !r.Stopped.Known() {
			addresses = append(addresses, r.Address)
		}
	}
	return addresses
}

// columns are what people fill in of each kind, as [Subscription.fields] has it.
var columns = map[SubscriptionKind]string{
	KindSchedule: `name, account, coin, zone, every, weekday, month_day, hour, minute, product, code, sections, attach_csv, attach_xlsx,
		skip_empty, skip_below, skip_coin, deadline_hours, correct_above, correct_coin`,
	KindAlert: `name, account, coin, zone, watches, hours, percent, amount, quiet_from, quiet_until, apart_hours`,
}

func (s *Subscription) fields() []any {
	both := []any{&s.Name, store.Opt(&s.Account), store.Opt(&s.Coin), &s.Zone}
	if s.Kind == KindSchedule {
		return append(both, &s.Every, &s.Weekday, &s.MonthDay, &s.Hour, &s.Minute, store.Opt(&s.Product), store.Opt(&s.Code),
			(*commaList)(&s.Sections), &s.AttachCSV, &s.AttachXLSX, &s.SkipEmpty, store.Opt(&s.SkipBelow), store.Opt(&s.SkipCoin), &s.Deadline,
			store.Opt(&s.CorrectAbove), store.Opt(&s.CorrectCoin))
	}
	quiet := s.QuietFrom != s.QuietUntil
	return append(both, &s.Watches, store.Opt(&s.Hours), store.Opt(&s.Percent), store.Opt(&s.Amount),
		store.OptIf(quiet, &s.QuietFrom), store.OptIf(quiet, &s.QuietUntil), store.Opt(&s.Apart))
}

// commaList is a list as a column has it. NULL: it is empty.
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

// Subscriptions lists those of a kind by name.
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
		return one, rows.Scan(&one.Address, store.Opt(&one.Stopped))
	}, `SELECT address, stopped_ms FROM recipients WHERE subscription_id = ? ORDER BY address`, subscription)
}

// Save stores a subscription, a new one where its ID is 0, together with its line
// of the audit log. Through is of new schedules, and of those whose periods are
// others now: what ended before them was never to be sent. Another one goes on
// where it was. Recipients who asked for no more stay so. A name that is taken is a
// *RuleError, and so is a subscription that changed since it was read: Updated says
// when it had changed by then; unknown, it is replaced whatever it is.
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

// NameTaken is the error about a subscription whose name another one has.
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
	// What is held back of one thing must not be told as if it were of another.
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

// throughDay is the column of the day: alerts have none.
func (s *Subscription) throughDay() any {
	if s.Kind == KindSchedule {
		return store.DayText(s.Through)
	}
	return nil
}

// writeRecipients makes the recipients of a subscription those of the list.
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

// Pause ends or takes up the mails of a subscription, in the version that Updated
// says, as with [Save]; one that is so already is left as it is. Taken up again, a
// schedule goes on after the day Through: what was due meanwhile is not sent. Of an
// alert, what was held back is dropped, and what was over before it is taken up
// again is not told. A subscription that is not there is a *RuleError.
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

// Remove ends a subscription for good, in the version that Updated says, as with
// [Save]. What was queued of it is sent no more; the log of it stays. One that is
// not there is a *RuleError.
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

// StopRecipient notes that a recipient wants no more of a subscription, which is
// known by its kind and number, together with its line of the audit log. Done twice
// it changes nothing; an address that is not there is no error, since the question
// must not tell who is. What is queued for the recipient is sent no more.
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

// takeBack ends the waiting deliveries of a subscription, with an address only those
// to it.
func takeBack(ctx context.Context, tx *store.Tx, subscription int64, address, answer string, stamp affiliate.Millis) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE deliveries SET state = 'dead', ended_ms = ?, answer = ?
		WHERE state = 'waiting' AND (? = '' OR recipient = ? COLLATE NOCASE) AND message_id IN (SELECT id FROM messages WHERE subscription_id = ?)`,
		stamp, answer, address, address, subscription)
	return err
}

// errUnchanged ends a change that has nothing to do.
var errUnchanged = errors.New("nothing to change")

// change is the way of every change of a subscription.
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

// stored is what decides on a change of a subscription. One that is not there is a
// *RuleError.
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
