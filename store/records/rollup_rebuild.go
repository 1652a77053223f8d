package records

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/rollup"
)

// MakeRollups builds the roll-ups, and the bounds of amounts, if a migration has left them
// to be built. Without it reports are read from the rows until something is collected, and
// lists sorted by an amount always.
func MakeRollups(ctx context.Context, s *store.Store) error {
	if err := makeBounds(ctx, s); err != nil {
		return err
	}
	r, err := s.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	made := func(r store.Asker) (bool, error) {
		zone, hours, err := rolled(ctx, r)
		return zone != "" && hours, err
	}
	if ok, err := made(r); err != nil || ok {
		return err
	}
	err = s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		// Another process may have built them meanwhile, in its own zone.
		if ok, err := made(tx); err != nil || ok {
			return err
		}
		return RemakeRollups(ctx, s, tx)
	})
	if err != nil {
		return fmt.Errorf("making the roll-ups: %w", err)
	}
	return nil
}

// RebuildRollups rebuilds the roll-ups from the records, in the zone of the store, and the
// bounds of amounts: the repair if [upkeep.Verify] finds that they differ. A reader sees
// either the old ones or the new ones.
func RebuildRollups(ctx context.Context, s *store.Store) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		if err := remakeBounds(ctx, tx); err != nil {
			return err
		}
		return RemakeRollups(ctx, s, tx)
	})
	if err != nil {
		return fmt.Errorf("making the roll-ups anew: %w", err)
	}
	return nil
}

// rolled returns the reporting zone of the roll-ups; empty = they are still to be built. hours
// reports whether the roll-up of hours has every commission: a node of the release before it
// may have written some without it.
func rolled(ctx context.Context, r store.Asker) (zone string, hours bool, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT zone, hours_ms >= max(rolled_ms, coalesce((SELECT max(changed_ms) FROM commission_changes), 0)) FROM meta WHERE id = 1`).Scan(&zone, &hours)
	return zone, hours, err
}

// HoursMade reports whether the roll-up of hours has every commission.
func HoursMade(ctx context.Context, r store.Asker) (bool, error) {
	_, made, err := rolled(ctx, r)
	return made, err
}

// settleZone rebuilds the roll-ups if they are in another reporting zone, or without some of
// the hours. A writer does this in the transaction of its write; a process that only reads
// leaves them unchanged and reads the rows instead.
func settleZone(ctx context.Context, s *store.Store, tx *store.Tx) error {
	zone, hours, err := rolled(ctx, tx)
	if err != nil {
		return err
	}
	if zone == s.Zone().String() && hours {
		return nil
	}
	if err := RemakeRollups(ctx, s, tx); err != nil {
		return fmt.Errorf("making the roll-ups anew, in the reporting zone %s, which was %q: %w", s.Zone(), zone, err)
	}
	return nil
}

// RemakeRollups rebuilds all roll-ups from the open rows, in the zone of the store. It
// takes a few seconds per million rows.
func RemakeRollups(ctx context.Context, s *store.Store, tx *store.Tx) error {
	if _, err := tx.ExecContext(ctx, `
		DELETE FROM commission_days; DELETE FROM commission_hours; DELETE FROM commission_blocks; DELETE FROM commission_changes;
		UPDATE meta SET rolled_ms = last_write_ms, hours_ms = last_write_ms`); err != nil {
		return err
	}
	if err := rollOpenRows(ctx, s, tx); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE meta SET zone = ?`, s.Zone().String())
	return err
}

// enoughLines is how many lines are collected before they are written, so that memory stays
// small.
const enoughLines = 100_000

// rollOpenRows adds every open row to the roll-ups, oldest first.
func rollOpenRows(ctx context.Context, s *store.Store, tx *store.Tx) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT account_id, `+CommissionColumnList("")+`
		FROM commissions WHERE closed_ms IS NULL ORDER BY deal_time_ms`)
	if err != nil {
		return err
	}
	defer rows.Close()
	rolls := deltas{zone: s.Zone(), byAccount: map[int64]*rollup.Delta{}}
	var account int64
	var c affiliate.Commission
	targets := append([]any{&account}, CommissionTargets(&c)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		roll := rolls.of(account)
		roll.Add(&c, 1)
		if roll.Lines() >= enoughLines {
			if err := writeRollup(ctx, tx, roll); err != nil {
				return err
			}
			delete(rolls.byAccount, account)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return rolls.write(ctx, tx)
}
