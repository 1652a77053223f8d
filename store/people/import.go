package people

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Most is the maximum number of people of whom anything is kept.
const Most = 500_000

// Comparison says what a people file would change.
type Comparison struct {
	Added     []Person // of whom nothing is kept yet
	Changed   []PersonStep
	Unchanged int
	Unknown   []affiliate.UID // of these, the UIDs that no record and no list has
}

// PersonStep is a person before and after a change.
type PersonStep struct{ Before, After Person }

// Counts returns the counts of an import that makes the changes.
func (c Comparison) Counts() ImportCounts {
	return ImportCounts{Added: len(c.Added), Changed: len(c.Changed), Unchanged: c.Unchanged, Unknown: len(c.Unknown)}
}

// ImportCounts says how many people an import is about.
type ImportCounts struct{ Added, Changed, Unchanged, Unknown int }

// ImportKind says what an import is of. Imports of all kinds are numbered together.
type ImportKind string

// Kinds of imports.
const (
	PeopleImport ImportKind = "people"
	PriceImport  ImportKind = "prices" // see the package prices

	CommissionImport ImportKind = "commissions" // see the package imported
)

// Imported is an import of a file.
type Imported struct {
	ID     int64
	Kind   ImportKind
	At     affiliate.Millis
	Actor  string
	File   string // its name
	Counts ImportCounts
	Undone affiliate.Millis // unknown = in force
	UndoBy string
	Kept   int // values that the undoing left, since they had been changed again
}

// CompareFile says what a file would change.
func CompareFile(ctx context.Context, r *store.Tx, file people.File) (Comparison, error) {
	all, err := Kept(ctx, r)
	if err != nil {
		return Comparison{}, err
	}
	kept := make(map[affiliate.UID]Person, len(all))
	for _, p := range all {
		kept[p.UID] = p
	}
	known, err := knownUIDs(ctx, r)
	if err != nil {
		return Comparison{}, err
	}
	spelled, err := readSpelling(ctx, r)
	if err != nil {
		return Comparison{}, err
	}
	var c Comparison
	for _, e := range file.Entries {
		before, there := kept[e.UID]
		before.UID = e.UID
		now := e.Apply(before)
		now.Tags = spelled.spell(now.Tags)
		switch fields := differing(&before, &now); {
		case len(fields) == 0:
			c.Unchanged++
		case there:
			c.Changed = append(c.Changed, PersonStep{before, now})
		default:
			c.Added = append(c.Added, now)
		}
		if !known[e.UID] {
			c.Unknown = append(c.Unknown, e.UID)
		}
	}
	if total := len(all) + len(c.Added); total > Most {
		return Comparison{}, store.Refuse("At most %d people are kept; there are %d, and the file adds %d.", Most, len(all), len(c.Added))
	}
	return c, nil
}

// knownUIDs returns the UIDs that a record or a list of the exchange has.
func knownUIDs(ctx context.Context, r *store.Tx) (map[affiliate.UID]bool, error) {
	known := map[affiliate.UID]bool{}
	for _, query := range []string{`SELECT uid FROM invitees`, `SELECT DISTINCT uid FROM sub_affiliate_days`} {
		uids, err := store.ReadColumn[affiliate.UID](ctx, r, query)
		if err != nil {
			return nil, fmt.Errorf("reading known UIDs: %w", err)
		}
		for _, uid := range uids {
			known[uid] = true
		}
	}
	brought, err := sums.ByInvitee(ctx, r, records.CommissionFilter{Days: affiliate.Days{First: affiliate.NewDay(2000, 1, 1), Last: affiliate.NewDay(2999, 12, 31)}})
	if err != nil {
		return nil, err
	}
	for _, line := range brought {
		known[line.UID] = true
	}
	return known, nil
}

// Import stores what a file says, all of it or nothing, together with its line of the audit
// log, and returns the import. A file that changes nothing is an import too.
func Import(ctx context.Context, s *store.Store, file people.File, name string, by audit.Line) (done Imported, c Comparison, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if c, err = CompareFile(ctx, tx, file); err != nil {
			return err
		}
		done = Imported{Kind: PeopleImport, At: stamp, Actor: by.Actor, File: name, Counts: c.Counts()}
		if done.ID, err = NewImport(ctx, tx, done); err != nil {
			return err
		}
		if len(c.Added)+len(c.Changed) > 0 {
			w, err := newWriter(ctx, tx, stamp, by.Actor, done.ID)
			if err != nil {
				return err
			}
			for _, p := range c.Added {
				if err := w.change(Person{UID: p.UID}, p); err != nil {
					return err
				}
			}
			for _, step := range c.Changed {
				if err := w.change(step.Before, step.After); err != nil {
					return err
				}
			}
			if err := w.finish(); err != nil {
				return err
			}
		}
		by.Action, by.Object = "people imported", name
		by.Detail = fmt.Sprintf("import %d: %d new, %d changed, %d unchanged, %d of unknown UIDs", done.ID, done.Counts.Added, done.Counts.Changed, done.Counts.Unchanged, done.Counts.Unknown)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return Imported{}, Comparison{}, fmt.Errorf("importing people: %w", err)
	}
	return done, c, nil
}

// NewImport notes an import within a write, and returns its number.
func NewImport(ctx context.Context, tx *store.Tx, i Imported) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO people_imports (kind, imported_ms, actor, file, added, changed, unchanged, unknown, undone_ms, undone_by, kept)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, '', 0) RETURNING id`,
		i.Kind, i.At, i.Actor, i.File, i.Counts.Added, i.Counts.Changed, i.Counts.Unchanged, i.Counts.Unknown).Scan(&id)
	return id, err
}

// KindOfImport returns what an import is of. One that does not exist is a missing *[store.RuleError].
func KindOfImport(ctx context.Context, r *store.Tx, id int64) (ImportKind, error) {
	list, err := readImports(ctx, r, `WHERE id = ?`, id)
	switch {
	case err != nil:
		return "", fmt.Errorf("reading import %d: %w", id, err)
	case len(list) == 0:
		return "", &store.RuleError{Problem: fmt.Sprintf("There is no import %d.", id), Missing: true}
	}
	return list[0].Kind, nil
}

// Undoable refuses an import that does not exist, is of another kind or was undone.
func Undoable(ctx context.Context, tx *store.Tx, kind ImportKind, id int64) error {
	list, err := readImports(ctx, tx, `WHERE id = ? AND kind = ?`, id, kind)
	switch {
	case err != nil:
		return err
	case len(list) == 0:
		return &store.RuleError{Problem: fmt.Sprintf("There is no import %d of %s.", id, kind), Missing: true}
	case list[0].Undone.Known():
		return &store.RuleError{Problem: fmt.Sprintf("Import %d was undone already, at %s.", id, list[0].Undone), Stale: true}
	}
	return nil
}

// MarkUndone notes within a write that an import was undone, and how many of its values were left.
func MarkUndone(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, id int64, actor string, kept int) error {
	_, err := tx.ExecContext(ctx, `UPDATE people_imports SET undone_ms = ?, undone_by = ?, kept = ? WHERE id = ?`, stamp, actor, kept, id)
	return err
}

// KeptValue is a value that an undoing left, since it had been changed after the import.
type KeptValue struct {
	UID      affiliate.UID
	Field    people.PersonField
	Imported string
	Now      string
}

// Undo restores the values that an import changed and that are still as it left them, together
// with its line of the audit log. Values that were changed since stay, and are returned. An
// import that does not exist or was undone is a *[store.RuleError].
func Undo(ctx context.Context, s *store.Store, id int64, by audit.Line) (restored int, kept []KeptValue, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if err := Undoable(ctx, tx, PeopleImport, id); err != nil {
			return err
		}
		steps, left, values, err := undoing(ctx, tx, id)
		if err != nil {
			return err
		}
		kept, restored = left, values
		w, err := newWriter(ctx, tx, stamp, by.Actor, 0)
		if err != nil {
			return err
		}
		for _, step := range steps {
			if err := w.change(step.Before, step.After); err != nil {
				return err
			}
		}
		if err := w.finish(); err != nil {
			return err
		}
		if err := MarkUndone(ctx, tx, stamp, id, by.Actor, len(kept)); err != nil {
			return err
		}
		by.Action, by.Object = "people import undone", strconv.FormatInt(id, 10)
		by.Detail = fmt.Sprintf("%d values restored, %d left", restored, len(kept))
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return 0, nil, fmt.Errorf("undoing import %d: %w", id, err)
	}
	return restored, kept, nil
}

// undoing says which people an undoing changes, which values it leaves, and how many it
// restores.
func undoing(ctx context.Context, tx *store.Tx, id int64) (steps []PersonStep, left []KeptValue, restored int, err error) {
	changes, err := store.Scanned(ctx, tx, func(rows *sql.Rows) (c importedValue, err error) {
		err = rows.Scan(&c.uid, &c.Field, &c.Was, &c.Became)
		return c, err
	}, `SELECT uid, field, was, became FROM people_changes WHERE import_id = ? ORDER BY id`, id)
	if err != nil {
		return nil, nil, 0, err
	}
	all, err := Kept(ctx, tx)
	if err != nil {
		return nil, nil, 0, err
	}
	now := make(map[affiliate.UID]Person, len(all))
	for _, p := range all {
		now[p.UID] = p
	}
	undone := map[affiliate.UID]PersonStep{}
	for _, c := range changes {
		step, ok := undone[c.uid]
		if !ok {
			before := now[c.uid]
			before.UID = c.uid
			step = PersonStep{before, before}
		}
		if is := step.Before.Value(c.Field); is != c.Became {
			left = append(left, KeptValue{c.uid, c.Field, c.Became, is})
			continue
		}
		step.After.Set(c.Field, c.Was)
		undone[c.uid] = step
		restored++
	}
	for _, uid := range slices.Sorted(maps.Keys(undone)) {
		step := undone[uid]
		if step.After.Cost != "" && step.After.CostCoin == "" || step.After.Cost == "" && step.After.CostCoin != "" {
			// Half of a cost was changed since: the cost stays with its coin.
			for _, f := range []people.PersonField{people.FieldCost, people.FieldCostCoin} {
				if is := step.Before.Value(f); is != step.After.Value(f) {
					left = append(left, KeptValue{uid, f, is, is})
					step.After.Set(f, is)
					restored--
				}
			}
		}
		if len(differing(&step.Before, &step.After)) > 0 {
			steps = append(steps, step)
		}
	}
	return steps, left, restored, nil
}

type importedValue struct {
	uid affiliate.UID
	PersonChange
}

// Imports lists the imports of people, newest first; 0 lists all.
func Imports(ctx context.Context, r *store.Tx, most int) ([]Imported, error) {
	return ImportsOf(ctx, r, PeopleImport, most)
}

// ImportsOf lists the imports of a kind, newest first; 0 lists all.
func ImportsOf(ctx context.Context, r *store.Tx, kind ImportKind, most int) ([]Imported, error) {
	if most == 0 {
		most = math.MaxInt32
	}
	list, err := readImports(ctx, r, `WHERE kind = ? ORDER BY id DESC LIMIT ?`, kind, most)
	if err != nil {
		return nil, fmt.Errorf("reading the imports of %s: %w", kind, err)
	}
	return list, nil
}

func readImports(ctx context.Context, r *store.Tx, which string, args ...any) ([]Imported, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (i Imported, err error) {
		err = rows.Scan(&i.ID, &i.Kind, &i.At, &i.Actor, &i.File, &i.Counts.Added, &i.Counts.Changed, &i.Counts.Unchanged, &i.Counts.Unknown, &i.Undone, &i.UndoBy, &i.Kept)
		return i, err
	}, `SELECT id, kind, imported_ms, actor, file, added, changed, unchanged, unknown, undone_ms, undone_by, kept FROM people_imports `+which, args...)
}
