package worklist

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	who "rebatedesk/people"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/dated"
	"rebatedesk/store/people"
)

// ActKind is what a manager did about an invitee.
type ActKind string

// Kinds of acts.
const (
	ActDone      ActKind = "done"      // spoke or wrote to the invitee
	ActDismissed ActKind = "dismissed" // decided that no contact is needed
	ActSnoozed   ActKind = "snoozed"   // put it off until a day
	ActPlanned   ActKind = "planned"   // set the day of the next contact
	// ActAssigned made a user the owner of the person, in all accounts. The owner itself is kept
	// with the person; the act says who gave it.
	ActAssigned ActKind = "assigned"
)

// mostDaysAhead is how far ahead a snooze or a next date may be.
const mostDaysAhead = 366

// Covered is a reason that an act settles, up to the episode that began on a day. A later episode
// of the same reason is a new one.
type Covered struct {
	Reason string
	Began  affiliate.Day
}

// Act is one act about one invitee.
type Act struct {
	ID      int64
	Account affiliate.Account
	UID     affiliate.UID
	Kind    ActKind
	Reasons []Covered     // of done and dismissed
	Day     affiliate.Day // of snoozed and planned
	Owner   string        // of assigned; empty: nobody
	Actor   string        // who did it
	Created affiliate.Millis
	// UndoneBy and Undone say who undid the act and when; unknown: it is in force.
	UndoneBy string
	Undone   affiliate.Millis
}

// table has the acts, oldest first. They are undone instead of changed.
var table = &dated.Table[Act]{
	Name: "worklist_acts", Noun: "act of the worklist", Ended: "undone_ms", EndedBy: "undone_by",
	Columns: []dated.Column[Act]{
		dated.Account(true, func(a *Act) *affiliate.Account { return &a.Account }),
		dated.Text("uid", func(a *Act) *affiliate.UID { return &a.UID }),
		dated.Text("kind", func(a *Act) *ActKind { return &a.Kind }),
		dated.Text("reasons", func(a *Act) *coveredText { return (*coveredText)(&a.Reasons) }),
		dated.DayOrNone("day", func(a *Act) *affiliate.Day { return &a.Day }),
		dated.Text("owner", func(a *Act) *string { return &a.Owner }),
	},
	Stamp: func(a *Act) dated.Stamp {
		return dated.Stamp{ID: &a.ID, Actor: &a.Actor, Created: &a.Created, Ended: &a.Undone, EndedBy: &a.UndoneBy}
	},
	Order: `t.created_ms, t.id`,
	Words: func(a, _ *Act) (object, detail string) { return objectOf(a.Account, a.UID), a.detail() },
}

// Acts lists the acts about some invitees in force at an instant, where unknown means now, oldest
// first.
func Acts(ctx context.Context, r *store.Tx, of affiliate.Members, at affiliate.Millis) ([]Act, error) {
	var w store.Where
	w.OfMembers("t", of)
	return table.List(ctx, r, at, w)
}

// ActsOf lists all acts about one invitee up to an instant, where unknown means now, oldest first.
// Those undone by then are among them.
func ActsOf(ctx context.Context, r *store.Tx, of affiliate.Members, account affiliate.Account, uid affiliate.UID, at affiliate.Millis) ([]Act, error) {
	var w store.Where
	w.OfMembers("t", of)
	w.Add(`a.name = ? AND t.uid = ?`, account, uid)
	return table.History(ctx, r, at, w, table.Order)
}

// LatestAct returns the newest act in force of a manager about some invitees, if it was done since
// an instant.
func LatestAct(ctx context.Context, r *store.Tx, of affiliate.Members, actor string, since affiliate.Millis) (a Act, found bool, err error) {
	var w store.Where
	w.OfMembers("t", of)
	w.Add(`t.actor = ? AND t.created_ms >= ?`, actor, int64(since))
	list, err := table.List(ctx, r, 0, w)
	if err != nil || len(list) == 0 {
		return a, false, err
	}
	return list[len(list)-1], true, nil
}

// coveredText is the column of the reasons: a line for each, as "silent 2026-09-01".
type coveredText []Covered

// Scan implements sql.Scanner.
func (c *coveredText) Scan(value any) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("stored reasons are %T, not text", value)
	}
	*c = nil
	for line := range strings.Lines(text) {
		reason, day, ok := strings.Cut(strings.TrimSpace(line), " ")
		began, err := affiliate.ParseDay(day)
		if err != nil || !ok {
			return fmt.Errorf("a stored reason is no name and day: %q", line)
		}
		*c = append(*c, Covered{Reason: reason, Began: began})
	}
	return nil
}

// Value implements driver.Valuer.
func (c coveredText) Value() (driver.Value, error) { return c.String(), nil }

func (c coveredText) String() string {
	lines := make([]string, len(c))
	for i, one := range c {
		lines[i] = one.Reason + " " + one.Began.String()
	}
	return strings.Join(lines, "\n")
}

// Work is what a manager does about one invitee at once: acts, and perhaps a note.
type Work struct {
	Account affiliate.Account
	UID     affiliate.UID
	Acts    []Act  // of these only kind, reasons, day and owner count
	Note    string // added to the notes of the invitee; empty: none
	// Seen is the stamp of the state that the manager saw. Acts of others since then refuse these.
	// [store.AnyVersion] takes any state.
	Seen affiliate.Millis
}

// OvertakenError means that others acted on the invitee since the state that a manager saw. Nothing
// was stored.
type OvertakenError struct{ Acts []Act }

func (e *OvertakenError) Error() string {
	return fmt.Sprintf("%s acted on this invitee meanwhile, so that nothing was saved.", e.Acts[len(e.Acts)-1].Actor)
}

// Unwrap makes it a rule that is stale.
func (e *OvertakenError) Unwrap() error { return &store.RuleError{Problem: e.Error(), Stale: true} }

// DoWork stores the acts and the note of a manager about one invitee, each act with its line of the
// audit log. today is the present reporting day. It returns the IDs of the acts. A form that is
// sent twice acts once. Unknown invitees, days that are over and invalid owners are a
// *[store.RuleError]; acts of others that the manager did not see are an [*OvertakenError].
func DoWork(ctx context.Context, s *store.Store, work Work, today affiliate.Day, by audit.Line) (ids []int64, err error) {
	acts := slices.Clone(work.Acts)
	for i := range acts {
		if err := acts[i].check(today); err != nil {
			return nil, err
		}
	}
	if len(acts) == 0 && strings.TrimSpace(work.Note) == "" {
		return nil, store.Refuse("Nothing was entered: write a note, or choose what to do.")
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		ids = nil
		if _, err := store.KnownInvitee(ctx, tx, work.Account, work.UID); err != nil {
			return err
		}
		if strings.TrimSpace(work.Note) != "" {
			note := people.Note{Account: work.Account, UID: work.UID, Author: by.Actor, Text: work.Note}
			if err := people.WriteNote(ctx, tx, note, stamp); err != nil {
				return err
			}
		}
		known, err := ActsOf(ctx, tx, affiliate.Members{}, work.Account, work.UID, 0)
		if err != nil {
			return err
		}
		if list := unseen(known, work.Seen, by.Actor); len(acts) > 0 && len(list) > 0 {
			return &OvertakenError{Acts: list}
		}
		fresh := make([]int64, len(acts)) // in the order of the acts, which have one time
		for i := range fresh {
			fresh[i] = store.RandomID()
		}
		slices.Sort(fresh)
		for i, a := range acts {
			if id, again := repeated(known, a, by.Actor); again {
				ids = append(ids, id)
				continue
			}
			if a.Kind == ActAssigned {
				var was string
				if was, a.Owner, err = people.SetOwner(ctx, tx, work.UID, a.Owner, by.Actor, stamp); err != nil {
					return err
				}
				if was == a.Owner {
					continue
				}
			}
			a.ID, a.Account, a.UID = fresh[i], work.Account, work.UID
			if _, err := table.Write(ctx, tx, stamp, a, by.Actor); err != nil {
				return err
			}
			ids = append(ids, a.ID)
			line := by
			line.Action = "worklist: " + string(a.Kind)
			line.Object, line.Detail = table.Words(&a, nil)
			if err := audit.Append(ctx, s, tx, stamp, line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("acting on %s: %w", work.UID, err)
	}
	return ids, nil
}

// unseen lists the acts that others did or undid since a state.
func unseen(known []Act, seen affiliate.Millis, actor string) (list []Act) {
	for _, a := range known {
		if seen != store.AnyVersion && (a.Created > seen && a.Actor != actor || a.Undone > seen && a.UndoneBy != actor) {
			list = append(list, a)
		}
	}
	return list
}

// Retract undoes an act about an invitee, together with its line of the audit log. The owner before
// an assignment is the owner again. It is no error if the act is undone already; an act that does
// not exist, and an assignment to an owner that was changed since, are a *[store.RuleError].
func Retract(ctx context.Context, s *store.Store, account affiliate.Account, uid affiliate.UID, id int64, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		list, err := ActsOf(ctx, tx, affiliate.Members{}, account, uid, 0)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(a Act) bool { return a.ID == id })
		switch {
		case at < 0:
			return &store.RuleError{Problem: "There is no such act about this invitee.", Missing: true}
		case list[at].Undone.Known():
			return nil
		}
		if list[at].Kind == ActAssigned {
			if err := unassign(ctx, tx, list[at], by.Actor, stamp); err != nil {
				return err
			}
		}
		if err := table.End(ctx, tx, stamp, by.Actor, dated.Row(id)); err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "worklist: undone", objectOf(account, uid), string(list[at].Kind)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("undoing an act about %s: %w", uid, err)
	}
	return nil
}

// unassign gives an invitee the owner that it had before an assignment.
func unassign(ctx context.Context, tx *store.Tx, a Act, actor string, stamp affiliate.Millis) error {
	changes, err := people.ChangesOf(ctx, tx, a.UID)
	if err != nil {
		return err
	}
	owners := slices.DeleteFunc(changes, func(c people.PersonChange) bool { return c.Field != who.FieldOwner })
	if n := len(owners); n == 0 || owners[n-1].At != a.Created {
		return store.Refuse("The owner was changed again since, so that nothing was undone: assign the invitee anew.")
	}
	_, _, err = people.SetOwner(ctx, tx, a.UID, owners[len(owners)-1].Was, actor, stamp)
	return err
}

// repeated returns the newest act in force of the same kind if it is by the same manager and says
// the same. An assignment is never a repetition, since the owner may have been changed elsewhere.
func repeated(known []Act, a Act, actor string) (int64, bool) {
	for _, k := range slices.Backward(known) {
		if k.Kind == a.Kind && a.Kind != ActAssigned && !k.Undone.Known() {
			// What is done has no open reason left.
			return k.ID, (len(a.Reasons) == 0 || slices.Equal(k.Reasons, a.Reasons)) && k.Day == a.Day && k.Actor == actor
		}
	}
	return 0, false
}

// check refuses an act with a day that its kind does not allow.
func (a Act) check(today affiliate.Day) error {
	dated := a.Kind == ActSnoozed || a.Kind == ActPlanned
	switch {
	case !slices.Contains([]ActKind{ActDone, ActDismissed, ActSnoozed, ActPlanned, ActAssigned}, a.Kind):
		return fmt.Errorf("there is no act %q", a.Kind)
	case dated && a.Day <= today:
		return &store.RuleError{Problem: fmt.Sprintf("Choose a day after today, %s.", today), Field: "day"}
	case dated && a.Day > today+mostDaysAhead:
		return &store.RuleError{Problem: fmt.Sprintf("Choose a day in the next year, up to %s.", today+mostDaysAhead), Field: "day"}
	}
	return nil
}

// detail describes the act for the audit log.
func (a Act) detail() string {
	switch a.Kind {
	case ActSnoozed, ActPlanned:
		return a.Day.String()
	case ActAssigned:
		if a.Owner == "" {
			return "nobody"
		}
		return a.Owner
	}
	return strings.ReplaceAll(coveredText(a.Reasons).String(), "\n", ", ")
}

func objectOf(account affiliate.Account, uid affiliate.UID) string {
	return string(account) + " " + string(uid)
}
