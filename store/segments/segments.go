package segments

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

// Segment is a saved question about invitees. Its members change as facts do, unless it is
// frozen.
type Segment struct {
	ID         int64
	Name       string        // unique among those in use, ignoring letter case
	Definition string        // a query string
	Frozen     affiliate.Day // the day on which its members were kept; 0: it is not frozen
	Kept       affiliate.Members
	Created    affiliate.Millis
	Maker      string // who created it
	Updated    affiliate.Millis
	Changer    string           // who changed it last
	Removed    affiliate.Millis // unknown: in use
}

// Limits of segments.
const (
	Most            = 100
	MostName        = 60      // characters
	MostKept        = 200_000 // members of a frozen segment
	mostSegmentText = 4000    // characters of a definition
)

const segmentColumns = `s.id, s.name, s.definition, coalesce(s.frozen_day, '1970-01-01'), s.members, s.created_ms, s.created_by, s.updated_ms, s.updated_by, s.removed_ms`

// List lists the segments in use by name.
func List(ctx context.Context, r *store.Tx) ([]Segment, error) {
	list, err := read(ctx, r, `s.removed_ms IS NULL ORDER BY s.id`)
	if err != nil {
		return nil, fmt.Errorf("reading the segments: %w", err)
	}
	slices.SortFunc(list, func(a, b Segment) int { return byName(a.Name, b.Name) })
	return list, nil
}

// Names lists the names of the segments in use.
func Names(ctx context.Context, r *store.Tx) ([]string, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (name string, err error) {
		return name, rows.Scan(&name)
	}, `SELECT s.name FROM segments s WHERE s.removed_ms IS NULL ORDER BY s.id`)
	if err != nil {
		return nil, fmt.Errorf("reading the names of segments: %w", err)
	}
	slices.SortFunc(list, byName)
	return list, nil
}

// byName orders names in the same way on every engine.
func byName(a, b string) int { return cmp.Compare(affiliate.Folded(a), affiliate.Folded(b)) }

// Find returns the segment of a name, whatever its letter case: the one in use, or else
// the one removed last.
func Find(ctx context.Context, r *store.Tx, name string) (s Segment, found bool, err error) {
	list, err := read(ctx, r, `s.folded = ? ORDER BY CASE WHEN s.removed_ms IS NULL THEN 0 ELSE 1 END, s.removed_ms DESC, s.id`, affiliate.Folded(name))
	if err != nil {
		return s, false, fmt.Errorf("reading a segment: %w", err)
	}
	if len(list) == 0 {
		return s, false, nil
	}
	return list[0], true, nil
}

func read(ctx context.Context, r *store.Tx, which string, args ...any) ([]Segment, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (s Segment, err error) {
		var members string
		err = rows.Scan(&s.ID, &s.Name, &s.Definition, (*store.DayText)(&s.Frozen), &members, &s.Created, &s.Maker, &s.Updated, &s.Changer, store.Opt(&s.Removed))
		if err == nil && members != "" {
			s.Kept, err = membersIn(members)
		}
		return s, err
	}, `SELECT `+segmentColumns+` FROM segments s WHERE `+which, args...)
}

// membersIn reads the stored members of a frozen segment.
func membersIn(text string) (affiliate.Members, error) {
	var pairs [][2]string
	if err := json.Unmarshal([]byte(text), &pairs); err != nil {
		return affiliate.Members{}, fmt.Errorf("the members of a frozen segment: %w", err)
	}
	invitees := map[affiliate.Account][]affiliate.UID{}
	for _, pair := range pairs {
		account := affiliate.Account(pair[0])
		invitees[account] = append(invitees[account], affiliate.UID(pair[1]))
	}
	return affiliate.MembersOf(nil, invitees), nil
}

// Add stores a new segment, together with its line of the audit log, and returns its id.
// A name that is taken is a *store.RuleError. The caller has checked the definition. own says that the
// segment of the actor gets a name that nobody else's can have, see [ownName].
func Add(ctx context.Context, st *store.Store, name, definition string, own bool, by audit.Line) (id int64, err error) {
	if name, err = segmentName(name, own, by.Actor); err != nil {
		return 0, err
	}
	if err := shortEnough(definition); err != nil {
		return 0, err
	}
	err = st.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := freeName(ctx, tx, name, 0, own); err != nil {
			return err
		}
		list, err := Names(ctx, tx)
		if err != nil {
			return err
		}
		// How many others have made is not for one who may not see them.
		if own {
			list = slices.DeleteFunc(list, func(name string) bool { return !isOwn(name, by.Actor) })
		}
		if len(list) >= Most {
			return store.Refuse("There are %d segments, which is as many as there can be: remove one first.", Most)
		}
		err = tx.QueryRowContext(ctx, `
			INSERT INTO segments (id, name, folded, definition, members, created_ms, created_by, updated_ms, updated_by) VALUES (?, ?, ?, ?, '', ?, ?, ?, ?) RETURNING id`,
			store.RandomID(), name, affiliate.Folded(name), definition, stamp, by.Actor, stamp, by.Actor).Scan(&id)
		if err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "segment added", name, definition
		return audit.Append(ctx, st, tx, stamp, by)
	})
	if err != nil {
		return 0, fmt.Errorf("adding a segment: %w", err)
	}
	return id, nil
}

// Change gives a segment another name and definition, together with its line of the audit
// log. Goals, mails and saved views that name it follow a new name. Equal ones change nothing. A
// frozen segment keeps its members and takes the new definition when it is thawed. own says of a new name
// what it says in [Add]. A segment that
// is gone, or in another version than the one seen, is a *store.RuleError.
func Change(ctx context.Context, st *store.Store, id int64, seen affiliate.Millis, typed, definition string, own bool, by audit.Line) error {
	if err := shortEnough(definition); err != nil {
		return err
	}
	return update(ctx, st, id, func(tx *store.Tx, stamp affiliate.Millis, s Segment) error {
		name := s.Name
		if typed != name {
			var err error
			if name, err = segmentName(typed, own, by.Actor); err != nil {
				return err
			}
		}
		if s.Name == name && s.Definition == definition {
			return nil
		}
		if err := store.SameVersion("segment", seen, s.Updated); err != nil {
			return err
		}
		if s.Name != name {
			if err := freeName(ctx, tx, name, id, own); err != nil {
				return err
			}
		}
		action, detail := "segment changed", ""
		if s.Definition != definition {
			detail = definition + " instead of " + s.Definition
		}
		if s.Name != name {
			if err := unnamed(ctx, tx, s.Name, name); err != nil {
				return err
			}
			action, detail = "segment renamed", joined("before: "+s.Name, detail)
			if err := follow(ctx, tx, stamp, s.Name, name); err != nil {
				return err
			}
			s.Name = name
		}
		return s.put(ctx, st, tx, stamp, by, action, detail, `name = ?, folded = ?, definition = ?`, name, affiliate.Folded(name), definition)
	})
}

func joined(one, other string) string {
	if other == "" {
		return one
	}
	return one + "; " + other
}

// unnamed refuses a new name that goals, mails or views still give to a removed segment: these
// would be about other invitees from then on.
func unnamed(ctx context.Context, tx *store.Tx, before, now string) error {
	if affiliate.Folded(before) == affiliate.Folded(now) {
		return nil
	}
	uses, err := UsesOf(ctx, tx)
	if err != nil || uses[affiliate.Folded(now)].None() {
		return err
	}
	return &store.RuleError{Problem: fmt.Sprintf("A removed segment was called “%s”, and mails, goals or saved views still name it: choose another name.", now), Field: "name"}
}

// follow renames a segment in all that names it.
func follow(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, before, now string) error {
	if _, err := tx.ExecContext(ctx, `UPDATE goals SET segment = ? WHERE segment = ?`, now, before); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `UPDATE subscriptions SET segment = ? WHERE segment = ?`, now, before); err != nil {
		return err
	}
	return identity.RewriteViews(ctx, tx, stamp, func(query url.Values) bool {
		same := affiliate.Folded(query.Get("segment")) == affiliate.Folded(before)
		if same {
			query.Set("segment", now)
		}
		return same
	})
}

// Freeze keeps the members that a segment has on a day, together with its line of the
// audit log. A segment that is frozen already, is gone, or is in another version than the one
// seen is a *store.RuleError.
func Freeze(ctx context.Context, st *store.Store, id int64, seen affiliate.Millis, day affiliate.Day, members affiliate.Members, by audit.Line) error {
	count := members.Count()
	if count > MostKept {
		return store.Refuse("The segment has %d members, and a frozen one keeps at most %d: narrow its conditions.", count, MostKept)
	}
	return update(ctx, st, id, func(tx *store.Tx, stamp affiliate.Millis, s Segment) error {
		if err := store.SameVersion("segment", seen, s.Updated); err != nil {
			return err
		}
		if s.Frozen != 0 {
			return &store.RuleError{Problem: "The segment is frozen already: thaw it first.", Stale: true}
		}
		return s.put(ctx, st, tx, stamp, by, "segment frozen", fmt.Sprintf("%d members as of %s", count, day),
			`frozen_day = ?, members = ?`, store.DayText(day), members.Pairs())
	})
}

// Thaw lets the members of a frozen segment change again, together with its line of the
// audit log. One that is not frozen is left alone. A segment that is gone, or in another version
// than the one seen, is a *store.RuleError.
func Thaw(ctx context.Context, st *store.Store, id int64, seen affiliate.Millis, by audit.Line) error {
	return update(ctx, st, id, func(tx *store.Tx, stamp affiliate.Millis, s Segment) error {
		if s.Frozen == 0 {
			return nil
		}
		if err := store.SameVersion("segment", seen, s.Updated); err != nil {
			return err
		}
		return s.put(ctx, st, tx, stamp, by, "segment thawed", fmt.Sprintf("frozen on %s with %d members", s.Frozen, s.Kept.Count()), `frozen_day = NULL, members = ''`)
	})
}

// Remove removes a segment, together with its line of the audit log. Mails and goals that
// name it say from then on that it was removed. One that is gone, or in another version than the
// one seen, is a *store.RuleError.
func Remove(ctx context.Context, st *store.Store, id int64, seen affiliate.Millis, by audit.Line) error {
	return update(ctx, st, id, func(tx *store.Tx, stamp affiliate.Millis, s Segment) error {
		if err := store.SameVersion("segment", seen, s.Updated); err != nil {
			return err
		}
		return s.put(ctx, st, tx, stamp, by, "segment removed", s.Definition, `removed_ms = ?`, stamp)
	})
}

// update changes a segment in use.
func update(ctx context.Context, st *store.Store, id int64, change func(*store.Tx, affiliate.Millis, Segment) error) error {
	err := st.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		list, err := read(ctx, tx, `s.id = ? AND s.removed_ms IS NULL`, id)
		switch {
		case err != nil:
			return err
		case len(list) == 0:
			return &store.RuleError{Problem: "There is no such segment any more: nothing was saved.", Missing: true}
		}
		return change(tx, stamp, list[0])
	})
	if err != nil {
		return fmt.Errorf("changing a segment: %w", err)
	}
	return nil
}

// put writes columns of a segment, together with its line of the audit log.
func (s Segment) put(ctx context.Context, st *store.Store, tx *store.Tx, stamp affiliate.Millis, by audit.Line, action, detail, set string, values ...any) error {
	_, err := tx.ExecContext(ctx, `UPDATE segments SET `+set+`, updated_ms = ?, updated_by = ? WHERE id = ?`, append(values, stamp, by.Actor, s.ID)...)
	if err != nil {
		return err
	}
	by.Action, by.Object, by.Detail = action, s.Name, detail
	return audit.Append(ctx, st, tx, stamp, by)
}

// freeName refuses a name that another segment in use has, and the form of an own name to everybody but
// its user.
func freeName(ctx context.Context, tx *store.Tx, name string, id int64, own bool) error {
	if maker, ok := makerIn(name); ok && !own {
		var user bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE folded = ?)`, affiliate.Folded(maker)).Scan(&user); err != nil {
			return err
		}
		if user {
			return &store.RuleError{Problem: fmt.Sprintf("Names that end with “(%s)” are for segments that “%[1]s” makes while bound: choose another name.", maker), Field: "name"}
		}
	}
	var other string
	err := tx.QueryRowContext(ctx, `SELECT s.name FROM segments s WHERE s.folded = ? AND s.removed_ms IS NULL AND s.id <> ?`, affiliate.Folded(name), id).Scan(&other)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return &store.RuleError{Problem: fmt.Sprintf("There is a segment called “%s” already: choose another name.", other), Field: "name"}
}

// segmentName returns a name as it is stored.
func segmentName(name string, own bool, maker string) (string, error) {
	if own && isOwn(name, maker) {
		name = strings.TrimSuffix(name, ownEnd(maker))
	}
	name, err := store.CheckLabel("The name", name, MostName)
	if err != nil {
		return "", &store.RuleError{Problem: err.Error(), Field: "name"}
	}
	if own {
		name = ownName(name, maker)
	}
	return name, nil
}

// ownName returns the name of a segment of a user who may not see all segments. Every name is unique, so
// that filters, mails and goals name one segment; a user who tried names would learn which the segments
// have that others made. Names of this form are nobody else's.
func ownName(name, maker string) string { return name + ownEnd(maker) }

func ownEnd(maker string) string { return " (" + maker + ")" }

func isOwn(name, maker string) bool { return strings.HasSuffix(name, ownEnd(maker)) }

// makerIn returns the user in a name that has the form of an own one.
func makerIn(name string) (maker string, ok bool) {
	at := strings.LastIndex(name, " (")
	if at < 0 || !strings.HasSuffix(name, ")") {
		return "", false
	}
	return name[at+len(" (") : len(name)-1], true
}

func shortEnough(definition string) error {
	if len(definition) > mostSegmentText {
		return store.Refuse("The conditions are longer than %d characters: name fewer codes or coins.", mostSegmentText)
	}
	return nil
}
