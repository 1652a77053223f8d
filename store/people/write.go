package people

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/records"
)

// Edit changes values of one person, together with its line of the audit log. Values that are
// missing stay; an empty one removes what is stored. A broken rule is a *RuleError that names
// the field.
//
// seen is the stamp of the newest change of anybody when the values were shown, as
// [PeopleStanding.Changed] says; if this person has changed since, the error is a *RuleError that is
// stale. [store.AnyVersion] takes any.
func Edit(ctx context.Context, s *store.Store, e people.PersonEntry, seen affiliate.Millis, by audit.Line) error {
	// What was stored of another UID before can still be removed.
	gives := slices.ContainsFunc(e.Values, func(v people.GivenValue) bool { return strings.TrimSpace(v.Text) != "" })
	if err := affiliate.CheckUID(string(e.UID)); err != nil && (gives || !affiliate.IsUID(string(e.UID))) {
		return store.Refuse("%v.", err)
	}
	for i, given := range e.Values {
		text, err := people.CheckValue(given.Field, given.Text)
		if err != nil {
			return refused(given.Field, err)
		}
		e.Values[i].Text = text
	}
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		before, err := One(ctx, tx, e.UID)
		if err != nil {
			return err
		}
		now := e.Apply(before)
		if now.Cost != "" && now.CostCoin == "" {
			return &store.RuleError{Problem: "The cost has no coin: name it, such as USDT.", Field: string(people.FieldCostCoin)}
		}
		if seen != store.AnyVersion {
			var newer int64
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM people_changes WHERE uid = ? AND seen_ms > ?`, e.UID, int64(seen)).Scan(&newer); err != nil {
				return err
			}
			if newer > 0 {
				return store.SameVersion("person", seen, stamp)
			}
		}
		by.Action, by.Object = "person changed", string(e.UID)
		by.Detail = strings.Join(differing(&before, &now), ", ")
		return write(ctx, s, tx, stamp, before, now, by)
	})
	if err != nil {
		return fmt.Errorf("changing %s: %w", e.UID, err)
	}
	return nil
}

// refused makes what is wrong with a value a rule.
func refused(f people.PersonField, err error) error {
	text := err.Error()
	return &store.RuleError{Problem: strings.ToUpper(text[:1]) + text[1:] + ".", Field: string(f)}
}

// differing lists the fields in which two states of a person differ.
func differing(before, now *Person) (fields []string) {
	for _, f := range people.PersonFields() {
		if before.Value(f) != now.Value(f) {
			fields = append(fields, string(f))
		}
	}
	return fields
}

// write stores the change of one person with its line of the audit log; no change writes
// nothing.
func write(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, before, now Person, by audit.Line) error {
	if len(differing(&before, &now)) == 0 {
		return nil
	}
	if err := change(ctx, tx, stamp, before, now, by.Actor); err != nil {
		return err
	}
	return audit.Append(ctx, s, tx, stamp, by)
}

// change stores the change of one person; no change writes nothing.
func change(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, before, now Person, actor string) error {
	if len(differing(&before, &now)) == 0 {
		return nil
	}
	w, err := newWriter(ctx, tx, stamp, actor, 0)
	if err != nil {
		return err
	}
	if err := w.change(before, now); err != nil {
		return err
	}
	return w.finish()
}

// writer writes changes of people.
type writer struct {
	ctx     context.Context
	tx      *store.Tx
	stamp   affiliate.Millis
	actor   string
	spelled spelling
	people  *store.Batch
	changes *store.Batch
	tags    *store.Batch
	codes   map[affiliate.UID]records.OwnCodeChange
}

func newWriter(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, actor string, number int64) (*writer, error) {
	spelled, err := readSpelling(ctx, tx)
	if err != nil {
		return nil, err
	}
	return &writer{ctx: ctx, tx: tx, stamp: stamp, actor: actor, spelled: spelled, codes: map[affiliate.UID]records.OwnCodeChange{},
		people: store.NewBatch(ctx, tx, "people", "changed_ms, changed_by, uid, name, folded, invite_code, owner, cost, cost_coin, note, phone, email, telegram",
			` ON CONFLICT (uid) DO UPDATE SET changed_ms = excluded.changed_ms, changed_by = excluded.changed_by, name = excluded.name, folded = excluded.folded,
			invite_code = excluded.invite_code, owner = excluded.owner, cost = excluded.cost, cost_coin = excluded.cost_coin, note = excluded.note,
			phone = excluded.phone, email = excluded.email, telegram = excluded.telegram`, int64(stamp), actor),
		changes: store.NewBatch(ctx, tx, "people_changes", "seen_ms, actor, import_id, uid, field, was, became", "", int64(stamp), actor, number),
		tags:    store.NewBatch(ctx, tx, "people_tags", "created_ms, folded, uid, tag", "", int64(stamp)),
	}, nil
}

// spelling has each tag as it was written when it was first used, by its form without case.
type spelling map[string]string

func readSpelling(ctx context.Context, r *store.Tx) (spelling, error) {
	known, err := Tags(ctx, r)
	s := make(spelling, len(known))
	for _, t := range known {
		s[affiliate.Folded(t.Tag)] = t.Tag
	}
	return s, err
}

// spell returns the tags of a person in that spelling, in order.
func (s spelling) spell(tags []string) []string {
	spelled := make([]string, len(tags))
	for i, tag := range tags {
		folded := affiliate.Folded(tag)
		if s[folded] == "" {
			s[folded] = tag
		}
		spelled[i] = s[folded]
	}
	people.SortTags(spelled)
	return spelled
}

// change collects the change of a person.
func (w *writer) change(before, now Person) error {
	now.Tags = w.spelled.spell(now.Tags)
	for _, f := range people.PersonFields() {
		was, is := before.Value(f), now.Value(f)
		if was == is {
			continue
		}
		if err := w.changes.Add(string(now.UID), string(f), was, is); err != nil {
			return err
		}
		switch f {
		case people.FieldTags:
			if err := w.retag(before, now); err != nil {
				return err
			}
		case people.FieldCode:
			w.codes[now.UID] = records.OwnCodeChange{Was: was, Is: is}
		}
	}
	return w.people.Add(string(now.UID), now.Name, affiliate.Folded(now.Name), now.InviteCode, now.Owner, string(now.Cost), string(now.CostCoin), now.Note, now.Phone, now.Email, now.Telegram)
}

func (w *writer) retag(before, now Person) error {
	has := map[string]bool{}
	for _, tag := range now.Tags {
		has[affiliate.Folded(tag)] = true
	}
	for _, tag := range before.Tags {
		folded := affiliate.Folded(tag)
		if has[folded] {
			delete(has, folded)
			continue
		}
		if _, err := w.tx.ExecContext(w.ctx, `DELETE FROM people_tags WHERE folded = ? AND uid = ?`, folded, now.UID); err != nil {
			return err
		}
	}
	for _, tag := range now.Tags {
		if folded := affiliate.Folded(tag); has[folded] {
			if err := w.tags.Add(folded, string(now.UID), tag); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish writes what was collected, and moves commission between codes.
func (w *writer) finish() error {
	for _, batch := range []*store.Batch{w.people, w.changes, w.tags} {
		if err := batch.Flush(); err != nil {
			return err
		}
	}
	if _, err := w.tx.ExecContext(w.ctx, `UPDATE meta SET people_ms = ?`, int64(w.stamp)); err != nil {
		return err
	}
	return records.MoveOwnCodes(w.ctx, w.tx, w.stamp, w.codes)
}

// HideNames decides whether viewers see the names of people, together with its line of the
// audit log.
func HideNames(ctx context.Context, s *store.Store, hidden bool, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		is, err := ReadStanding(ctx, tx)
		if err != nil || is.Hidden == hidden {
			return err
		}
		value, action := 0, "names shown to viewers"
		if hidden {
			value, action = 1, "names hidden from viewers"
		}
		if _, err := tx.ExecContext(ctx, `UPDATE meta SET names_hidden = ?`, value); err != nil {
			return err
		}
		by.Action = action
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("hiding names: %w", err)
	}
	return nil
}

// SetOwner gives a person another owner within a write; "" removes the owner. It returns the owner
// before and the owner as it is stored. The caller writes the line of the audit log. A broken rule
// is a *RuleError.
func SetOwner(ctx context.Context, tx *store.Tx, uid affiliate.UID, owner, actor string, stamp affiliate.Millis) (was, is string, err error) {
	if owner, err = people.CheckValue(people.FieldOwner, owner); err != nil {
		return "", "", refused(people.FieldOwner, err)
	}
	before, err := One(ctx, tx, uid)
	if err != nil {
		return "", "", err
	}
	now := before
	now.Owner = owner
	return before.Owner, owner, change(ctx, tx, stamp, before, now, actor)
}
