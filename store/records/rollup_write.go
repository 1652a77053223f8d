package records

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/rollup"
)

const RollupSums = `records, fee, commission, taker_amount, maker_amount`

// addTo adds to an existing roll-up row.
const addTo = ` DO UPDATE SET
	records      = records + excluded.records,
	fee          = decimal_add(fee, excluded.fee),
	commission   = decimal_add(commission, excluded.commission),
	taker_amount = decimal_add(taker_amount, excluded.taker_amount),
	maker_amount = decimal_add(maker_amount, excluded.maker_amount)`

// deltas collects the changes of a transaction to the roll-ups.
type deltas struct {
	zone      *time.Location
	byAccount map[int64]*rollup.Delta
}

func (d deltas) of(account int64) *rollup.Delta {
	roll := d.byAccount[account]
	if roll == nil {
		roll = rollup.NewDelta(d.zone, account)
		d.byAccount[account] = roll
	}
	return roll
}

// write adds them to the stored roll-ups.
func (d deltas) write(ctx context.Context, tx *store.Tx) error {
	for _, roll := range d.byAccount {
		if err := writeRollup(ctx, tx, roll); err != nil {
			return err
		}
	}
	return nil
}

// writeRollup adds the collected changes to the stored roll-ups.
func writeRollup(ctx context.Context, tx *store.Tx, r *rollup.Delta) error {
	if r.Lines() == 0 {
		return nil
	}
	if err := writeDays(ctx, tx, r); err != nil {
		return fmt.Errorf("roll-up of days: %w", err)
	}
	r.Fold()
	if err := writeBlocks(ctx, tx, r); err != nil {
		return fmt.Errorf("roll-ups in blocks: %w", err)
	}
	for day := range r.Shrinks {
		if err := dropEmpty(ctx, tx, r, day); err != nil {
			return fmt.Errorf("empty roll-ups of %s: %w", day, err)
		}
	}
	return nil
}

// writeDays writes in the order of the table, which is the cheapest.
func writeDays(ctx context.Context, tx *store.Tx, r *rollup.Delta) error {
	const columns = "account_id, day, product, coin, source"
	rows := store.NewBatch(ctx, tx, "commission_days", columns+", "+RollupSums, " ON CONFLICT ("+columns+")"+addTo, r.Account)
	days := r.Days()
	for _, k := range slices.SortedFunc(maps.Keys(days), rollup.DayKey.Compare) {
		s := days[k]
		if err := rows.Add(k.Day, string(k.Product), string(k.Coin), string(k.Source),
			s.Records, s.Fee.String(), s.Commission.String(), s.TakerAmount.String(), s.MakerAmount.String()); err != nil {
			return err
		}
	}
	return rows.Flush()
}

// writeBlocks merges the changes into the stored blocks.
func writeBlocks(ctx context.Context, tx *store.Tx, r *rollup.Delta) error {
	const key = "account_id, kind, span, day, shard"
	rows := store.NewBatch(ctx, tx, "commission_blocks", key+", names, lines",
		" ON CONFLICT ("+key+") DO UPDATE SET names = excluded.names, lines = excluded.lines",
		r.Account)
	for _, c := range r.Changes {
		stored, err := storedLines(ctx, tx, c, r.Account)
		if err != nil {
			return err
		}
		for _, p := range c.Parts {
			day := p.First.String()
			lines, err := rollup.MergeLines(stored[rollup.BlockShard{Day: day, Shard: p.Shard}], p.Changes)
			if err != nil {
				return fmt.Errorf("%s of %s by %s: %w", c.Span, day, c.Kind, err)
			}
			if err := rows.Add(string(c.Kind), string(c.Span), day, p.Shard, rollup.CountNames(lines), []byte(lines)); err != nil {
				return err
			}
		}
	}
	return rows.Flush()
}

// storedLines returns the lines of the blocks from the first changed block to the last.
// Parts are sorted by day.
func storedLines(ctx context.Context, tx *store.Tx, c rollup.BlockChanges, account int64) (map[rollup.BlockShard]string, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT day, shard, lines FROM commission_blocks WHERE kind = ? AND span = ? AND day BETWEEN ? AND ? AND account_id = ?`,
		string(c.Kind), string(c.Span), c.Parts[0].First.String(), c.Parts[len(c.Parts)-1].First.String(), account)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	stored := map[rollup.BlockShard]string{}
	for rows.Next() {
		var b rollup.BlockShard
		var lines string
		if err := rows.Scan(&b.Day, &b.Shard, &lines); err != nil {
			return nil, err
		}
		stored[b] = lines
	}
	return stored, rows.Err()
}

// dropEmpty removes lines and blocks that no longer count any record. Only days from which
// this write removed records can have them.
func dropEmpty(ctx context.Context, tx *store.Tx, r *rollup.Delta, day affiliate.Day) error {
	_, err := tx.ExecContext(ctx, `DELETE FROM commission_days WHERE day = ? AND account_id = ? AND records = 0`, day.String(), r.Account)
	if err != nil {
		return err
	}
	for _, k := range rollup.Groupings {
		for _, s := range rollup.Spans {
			if _, err := tx.ExecContext(ctx, `
				DELETE FROM commission_blocks WHERE kind = ? AND span = ? AND day = ? AND account_id = ? AND names = 0`,
				string(k), string(s), rollup.BlockOf(s, day).First.String(), r.Account); err != nil {
				return err
			}
		}
	}
	return nil
}
