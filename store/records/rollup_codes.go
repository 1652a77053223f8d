package records

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/rollup"
)

// recoded are the invitees of an account whose invite code a write changes.
type recoded map[affiliate.UID]codeChange

type codeChange struct{ was, is string } // empty: not known

func (r recoded) add(uid affiliate.UID, was, is string) {
	if was != is {
		r[uid] = codeChange{was, is}
	}
}

// keepOwn drops the changes for invitees that have a code of ours, which counts while the exchange
// names none.
func (r recoded) keepOwn(ctx context.Context, tx *store.Tx) error {
	const most = 500 // UIDs of one query
	for uids := range slices.Chunk(slices.Collect(maps.Keys(r)), most) {
		list, args := store.In(uids)
		err := eachOfUIDs(ctx, tx, func(uid affiliate.UID, own string) {
			change := r[uid]
			delete(r, uid)
			r.add(uid, cmp.Or(change.was, own), cmp.Or(change.is, own))
		}, `SELECT uid, invite_code FROM people WHERE invite_code <> '' AND uid IN `+list, args)
		if err != nil {
			return fmt.Errorf("our codes: %w", err)
		}
	}
	return nil
}

// besideTold leaves the changes of our codes for invitees of whom the exchange tells none.
func (r recoded) besideTold(ctx context.Context, tx *store.Tx, account int64) error {
	const most = 500
	for uids := range slices.Chunk(slices.Collect(maps.Keys(r)), most) {
		list, args := store.In(uids)
		err := eachOfUIDs(ctx, tx, func(uid affiliate.UID, _ string) { delete(r, uid) },
			`SELECT uid, invite_code FROM invitees WHERE invite_code <> '' AND account_id = ? AND uid IN `+list, append([]any{account}, args...))
		if err != nil {
			return fmt.Errorf("codes that the exchange tells: %w", err)
		}
	}
	return nil
}

func eachOfUIDs(ctx context.Context, tx *store.Tx, see func(uid affiliate.UID, code string), query string, args []any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var uid affiliate.UID
		var code string
		if err := rows.Scan(&uid, &code); err != nil {
			return err
		}
		see(uid, code)
	}
	return rows.Err()
}

// OwnCodeChange is a change of an invite code of ours; empty means none.
type OwnCodeChange struct{ Was, Is string }

// MoveOwnCodes moves the commission of people whose code of ours the write with the stamp
// changes, in every account in which the exchange tells no code of them.
func MoveOwnCodes(ctx context.Context, tx *store.Tx, stamp affiliate.Millis, changes map[affiliate.UID]OwnCodeChange) error {
	if len(changes) == 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `UPDATE meta SET invitees_ms = ?, codes_ms = ?`, stamp, stamp); err != nil {
		return err
	}
	names, err := tx.AccountNames(ctx)
	if err != nil {
		return err
	}
	for account := range names {
		codes := recoded{}
		for uid, change := range changes {
			codes.add(uid, change.Was, change.Is)
		}
		if err := codes.besideTold(ctx, tx, account); err != nil {
			return err
		}
		if err := moveCodes(ctx, tx, account, stamp, codes); err != nil {
			return fmt.Errorf("changed codes of ours: %w", err)
		}
	}
	return nil
}

// moveCodes moves the commission of invitees from the roll-ups of their earlier code to
// those of the new one. It reads the days on which they have records, and no others.
func moveCodes(ctx context.Context, tx *store.Tx, account int64, stamp affiliate.Millis, changes recoded) error {
	if len(changes) == 0 {
		return nil
	}
	if err := tx.CodesChanged(ctx, stamp); err != nil {
		return err
	}
	shards := map[int64][]affiliate.UID{}
	for uid := range changes {
		shard := rollup.ShardOf(rollup.ByUID, string(uid))
		shards[shard] = append(shards[shard], uid)
	}
	moved := rollup.NewTally(rollup.ByCode)
	for shard, uids := range shards {
		days, err := recordDays(ctx, tx, account, shard, uids)
		if err != nil {
			return err
		}
		for day, uids := range days {
			if err := moveDay(ctx, tx, account, shard, day, uids, changes, moved); err != nil {
				return fmt.Errorf("roll-up of %s: %w", day, err)
			}
		}
	}
	return writeMoved(ctx, tx, account, moved)
}

// recordDays returns the invitees of a shard who have records on a day, by day.
func recordDays(ctx context.Context, tx *store.Tx, account, shard int64, uids []affiliate.UID) (map[affiliate.Day][]affiliate.UID, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT day, lines FROM commission_blocks WHERE kind = ? AND span = ? AND account_id = ? AND shard = ?`,
		string(rollup.ByUID), string(rollup.OfMonth), account, shard)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	active := map[affiliate.Day][]affiliate.UID{}
	for rows.Next() {
		var first affiliate.Day
		var block string
		if err := rows.Scan((*store.DayText)(&first), &block); err != nil {
			return nil, err
		}
		for _, uid := range uids {
			days, err := rollup.DaysAbout(block, string(uid))
			if err != nil {
				return nil, fmt.Errorf("roll-up of the month %s: %w", first, err)
			}
			for day := range days.In(first) {
				active[day] = append(active[day], uid)
			}
		}
	}
	return active, rows.Err()
}

// moveDay collects what invitees of a shard brought on a day: minus under the earlier code,
// plus under the new one.
func moveDay(ctx context.Context, tx *store.Tx, account, shard int64, day affiliate.Day, uids []affiliate.UID, changes recoded, moved *rollup.Tally) error {
	var block string
	if err := tx.QueryRowContext(ctx, `
		SELECT lines FROM commission_blocks WHERE kind = ? AND span = ? AND day = ? AND account_id = ? AND shard = ?`,
		string(rollup.ByUID), string(rollup.OfDay), day.String(), account, shard).Scan(&block); err != nil {
		return err
	}
	for _, uid := range uids {
		lines := rollup.LinesAbout(block, string(uid))
		for lines.Next() {
			key, err := lines.LineKey()
			if err != nil {
				return err
			}
			var figures rollup.LineFigures
			if err := figures.AddFigures(lines.Figures); err != nil {
				return err
			}
			moved.At(day, rollup.LineKey{Name: changes[uid].was, LineKind: key.LineKind}).AddSums(figures.Negated())
			moved.At(day, rollup.LineKey{Name: changes[uid].is, LineKind: key.LineKind}).AddSums(&figures)
		}
		if err := lines.Err(); err != nil {
			return err
		}
	}
	return nil
}

func writeMoved(ctx context.Context, tx *store.Tx, account int64, moved *rollup.Tally) error {
	if len(moved.Cells) == 0 {
		return nil
	}
	rows := blockBatch(ctx, tx, account)
	parts := moved.Parts(rollup.OfDay, moved.Ranks())
	if err := mergeBlocks(ctx, tx, account, blockChanges{rollup.ByCode, rollup.OfDay, parts}, rows); err != nil {
		return err
	}
	return rows.Flush()
}
