package store

import (
	"context"
	"fmt"
	"maps"
	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
	"slices"
)

const rollupSums = `records, fee, commission, taker_amount, maker_amount`

// addTo adds to a roll-up row that is already there.
const addTo = ` DO UPDATE SET
	records      = records + excluded.records,
	fee          = decimal_add(fee, excluded.fee),
	commission   = decimal_add(commission, excluded.commission),
	taker_amount = decimal_add(taker_amount, excluded.taker_amount),
	maker_amount = decimal_add(maker_amount, excluded.maker_amount)`

// writeRollup adds what was gathered to the stored roll-ups.
func writeRollup(ctx context.Context, tx *Tx, r *rollup) error {
	if r.lines() == 0 {
		return nil
	}
	if err := writeDays(ctx, tx, r); err != nil {
		return fmt.Errorf("roll-up of days: %w", err)
	}
	crashpoint.Pass(crashpoint.RollupOfDaysWritten)
	r.fold()
	if err := writeBlocks(ctx, tx, r); err != nil {
		return fmt.Errorf("roll-ups in blocks: %w", err)
	}
	crashpoint.Pass(crashpoint.RollupsWritten)
	for day := range r.shrinks {
		if err := dropEmpty(ctx, tx, r, day); err != nil {
			return fmt.Errorf("empty roll-ups of %s: %w", day, err)
		}
		crashpoint.Pass(crashpoint.RollupsTidied)
	}
	return nil
}

// writeDays writes in the order of the table, in which it is cheapest.
func writeDays(ctx context.Context, tx *Tx, r *rollup) error {
	const columns = "account_id, day, product, coin, source"
	rows := newBatch(ctx, tx, "commission_days", columns+", "+rollupSums, " ON CONFLICT ("+columns+")"+addTo, r.account)
	days := r.days()
	for _, k := range slices.SortedFunc(maps.Keys(days), dayKey.compare) {
		s := days[k]
		if err := rows.add(k.day, string(k.product), string(k.coin), string(k.source),
			s.records, s.fee.String(), s.commission.String(), s.takerAmount.String(), s.makerAmount.String()); err != nil {
			return err
		}
	}
	return rows.flush()
}

// writeBlocks merges the changes into the stored blocks.
func writeBlocks(ctx context.Context, tx *Tx, r *rollup) error {
	const key = "account_id, kind, span, day, shard"
	rows := newBatch(ctx, tx, "commission_blocks", key+", names, lines",
		" ON CONFLICT ("+key+") DO UPDATE SET names = excluded.names, lines = excluded.lines",
		r.account)
	var stored []map[blockShard]string
	for _, c := range r.changes {
		lines, err := storedLines(ctx, tx, c, r.account)
		if err != nil {
			return err
		}
		stored = append(stored, lines)
	}
	m := mergeBeside(r.changes, stored)
	defer m.stop()
	for b := range m.blocks {
		if err := rows.add(string(b.kind), string(b.span), b.day, b.shard, b.names, b.lines); err != nil {
			return err
		}
	}
	if m.err != nil {
		return m.err
	}
	return rows.flush()
}

// storedLines are the lines of the blocks from the first one that changes to
// the last. Parts are in order of day.
func storedLines(ctx context.Context, tx *Tx, c blockChanges, account int64) (map[blockShard]string, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT day, shard, lines FROM commission_blocks WHERE kind = ? AND span = ? AND day BETWEEN ? AND ? AND account_id = ?`,
		string(c.kind), string(c.span), c.parts[0].first.String(), c.parts[len(c.parts)-1].first.String(), account)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	stored := map[blockShard]string{}
	for rows.Next() {
		var b blockShard
		var lines string
		if err := rows.Scan(&b.day, &b.shard, &lines); err != nil {
			return nil, err
		}
		stored[b] = lines
	}
	return stored, rows.Err()
}

// dropEmpty removes what no longer stands for any record. Only days that this
// write took from can have such lines or blocks.
func dropEmpty(ctx context.Context, tx *Tx, r *rollup, day affiliate.Day) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM commission_days WHERE day = ? AND account_id = ? AND records = 0`, day.String(), r.account)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		for _, s := range spans {
			if _, err := tx.ExecContext(ctx, `
				DELETE FROM commission_blocks WHERE kind = ? AND span = ? AND day = ? AND account_id = ? AND names = 0`,
				string(k), string(s), blockOf(s, day).first.String(), r.account); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeTallies adds what came together to the stored roll-ups.
func writeTallies(ctx context.Context, tx *Tx, t *tallies) error {
	t.end()
	if t.err != nil {
		return fmt.Errorf("adding up roll-ups: %w", t.err)
	}
	for _, roll := range t.rolls {
		if err := writeRollup(ctx, tx, roll); err != nil {
			return err
		}
	}
	return nil
}
