package costs

import (
	"context"
	"database/sql"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/records"
)

// List lists the costs as known at an instant, where unknown means now: by scope, value and first
// day. A code has the spelling that is stored of it then, as a cost may be older than the first
// invitee of its code. The caller leaves out those that its user may not see.
func List(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]Cost, error) {
	var w store.Where
	if at.Known() {
		w.Add(`c.created_ms <= ? AND (c.removed_ms IS NULL OR c.removed_ms > ?)`, int64(at), int64(at))
	} else {
		w.Add(`c.removed_ms IS NULL`)
	}
	list, err := readCosts(ctx, r, w, at)
	if err != nil {
		return nil, fmt.Errorf("reading the costs: %w", err)
	}
	return sorted(list), nil
}

// readCosts reads costs with the spelling of their codes at an instant, where unknown means now.
func readCosts(ctx context.Context, r *store.Tx, w store.Where, at affiliate.Millis) ([]Cost, error) {
	// ForMembers: the program compares codes and tags with what the user may see.
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (c Cost, err error) {
		err = rows.Scan(&c.ID, &c.Scope, &c.Value, &c.Kind, &c.Amount, &c.Coin, (*store.DayText)(&c.First), store.Opt((*store.DayText)(&c.Last)), &c.Note, &c.Actor, &c.Created)
		return c, err
	}, store.ForMembers(`
		SELECT c.id, c.scope, c.value, c.kind, c.amount, c.coin, c.first_day, c.last_day, c.note, c.actor, c.created_ms
		FROM costs c WHERE `+w.String()+` ORDER BY c.created_ms, c.id`), w.Args...)
	if err != nil {
		return nil, err
	}
	codes, err := records.Codes(ctx, r, affiliate.Members{}, at)
	if err != nil {
		return nil, fmt.Errorf("the codes that costs are for: %w", err)
	}
	for i := range list {
		if list[i].Scope == OfCode {
			list[i].Value = affiliate.Spelling(codes, list[i].Value)
		}
	}
	return list, nil
}

// One returns a cost in force. One that is gone is a *[store.RuleError].
func One(ctx context.Context, r *store.Tx, id int64) (Cost, error) {
	var w store.Where
	w.Add(`c.id = ? AND c.removed_ms IS NULL`, id)
	list, err := readCosts(ctx, r, w, 0)
	switch {
	case err != nil:
		return Cost{}, err
	case len(list) == 0:
		return Cost{}, &store.RuleError{Problem: "This cost was changed or removed meanwhile: nothing was saved. Open the page again.", Missing: true, Stale: true}
	}
	return list[0], nil
}

// Add stores a cost, together with its line of the audit log, and returns its id. The caller
// writes a code as it is stored. A cost that breaks a rule (see [Cost.Check]), one that contradicts
// another, and more than [Most] are a *[store.RuleError].
func Add(ctx context.Context, s *store.Store, c Cost, by audit.Line) (id int64, err error) {
	if err = c.Check(); err != nil {
		return 0, err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		kept, err := List(ctx, tx, 0)
		if err != nil {
			return err
		}
		if len(kept) >= Most {
			return store.Refuse("There are %d costs, which is the most: remove some first.", len(kept))
		}
		if other, ok := c.contradiction(kept); ok {
			return &store.RuleError{Field: "from", Problem: fmt.Sprintf("The %s %s already has a cost of this kind on these days: %s. End that one first, choose other days, or remove it and give the sum of both.", other.Scope, other.Value, other)}
		}
		by.Action, by.Object, by.Detail = "cost added", c.object(), c.String()
		id, err = insert(ctx, s, tx, stamp, c, by)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("adding a cost: %w", err)
	}
	return id, nil
}

// End sets the last day of a cost, together with its line of the audit log. A cost that falls
// due once cannot end; a last day before the first is a *[store.RuleError], and so is a cost that
// is gone.
func End(ctx context.Context, s *store.Store, id int64, last affiliate.Day, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		c, err := One(ctx, tx, id)
		if err != nil {
			return err
		}
		if c.Kind == Once {
			return &store.RuleError{Field: "to", Problem: "A cost that falls due once has no last day: remove it if it was not spent."}
		}
		before := c
		c.Last = last
		if err := c.Check(); err != nil {
			return err
		}
		if c.Last == before.Last {
			return nil
		}
		kept, err := List(ctx, tx, 0)
		if err != nil {
			return err
		}
		if other, ok := c.contradiction(kept); ok {
			return &store.RuleError{Field: "to", Problem: fmt.Sprintf("The %s %s has a later cost of this kind: %s. Choose a last day before it.", other.Scope, other.Value, other)}
		}
		if err := end(ctx, tx, id, stamp); err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "cost ended", c.object(), c.String()+" instead of "+before.String()
		_, err = insert(ctx, s, tx, stamp, c, by)
		return err
	})
	if err != nil {
		return fmt.Errorf("ending a cost: %w", err)
	}
	return nil
}

// Remove removes a cost that was never spent, together with its line of the audit log. It
// stays stored for queries about earlier instants. One that is gone is a *[store.RuleError].
func Remove(ctx context.Context, s *store.Store, id int64, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		c, err := One(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := end(ctx, tx, id, stamp); err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "cost removed", c.object(), c.String()
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("removing a cost: %w", err)
	}
	return nil
}

// insert writes a cost and its line of the audit log.
func insert(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, c Cost, by audit.Line) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `
		INSERT INTO costs (id, scope, value, folded, kind, amount, coin, first_day, last_day, note, actor, created_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		store.RandomID(), c.Scope, c.Value, affiliate.Folded(c.Value), c.Kind, c.Amount, c.Coin, store.DayText(c.First), store.Opt((*store.DayText)(&c.Last)), c.Note, by.Actor, stamp).Scan(&id)
	if err != nil {
		return 0, err
	}
	return id, audit.Append(ctx, s, tx, stamp, by)
}

func end(ctx context.Context, tx *store.Tx, id int64, stamp affiliate.Millis) error {
	_, err := tx.ExecContext(ctx, `UPDATE costs SET removed_ms = ? WHERE id = ?`, stamp, id)
	return err
}
