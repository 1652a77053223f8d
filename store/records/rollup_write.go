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

// RollupSums lists the columns of the roll-up of days that are added up.
var RollupSums = `records, ` + affiliate.SummedFields.InStore(`%s`)

// addTo adds to an existing row of commission_days.
var addTo = ` DO UPDATE SET records = commission_days.records + excluded.records, ` +
	affiliate.SummedFields.InStore(`%[1]s = decimal_add(commission_days.%[1]s, excluded.%[1]s)`)

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
	if err := writeHours(ctx, tx, r); err != nil {
		return fmt.Errorf("roll-up of hours: %w", err)
	}
	codes, err := tx.InviteCodes(ctx, r.Account)
	if err != nil {
		return err
	}
	r.Fold(codes)
	if err := writeBlocks(ctx, tx, r); err != nil {
		return fmt.Errorf("roll-ups in blocks: %w", err)
	}
	if err := stampDays(ctx, tx, r); err != nil {
		return fmt.Errorf("changed days: %w", err)
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
	var values []any
	for _, k := range slices.SortedFunc(maps.Keys(days), rollup.DayKey.Compare) {
		s := days[k]
		values = append(values[:0], k.Day, string(k.Product), string(k.Coin), string(k.Source), s.Records)
		for _, sum := range s.All() {
			values = append(values, sum.String())
		}
		if err := rows.Add(values...); err != nil {
			return err
		}
	}
	return rows.Flush()
}

// writeHours merges the changes into the stored hours, and removes lines without an amount.
func writeHours(ctx context.Context, tx *store.Tx, r *rollup.Delta) error {
	changes := r.Hours()
	keys := slices.SortedFunc(maps.Keys(changes), rollup.HourKey.Compare)
	stored := map[rollup.HourKey]string{}
	for first, last := 0, 0; first < len(keys); first = last {
		// Windows that are written together may lie far apart.
		for last = first + 1; last < len(keys) && keys[last].Day <= keys[last-1].Day+7; last++ {
		}
		if err := storedHours(ctx, tx, r.Account, affiliate.Days{First: keys[first].Day, Last: keys[last-1].Day}, stored); err != nil {
			return err
		}
	}
	const key = "account_id, day, coin, source"
	rows := store.NewBatch(ctx, tx, "commission_hours", key+", sums", " ON CONFLICT ("+key+") DO UPDATE SET sums = excluded.sums", r.Account)
	for _, k := range keys {
		var err error
		sums := changes[k]
		text, there := stored[k]
		if there {
			before, err := rollup.ParseHourSums(text)
			if err != nil {
				return fmt.Errorf("%s %s %s: %w", k.Day, k.Coin, k.Source, err)
			}
			sums.Add(&before)
		}
		switch {
		case !sums.Zero():
			err = rows.Add(k.Day.String(), string(k.Coin), string(k.Source), sums.String())
		case there:
			_, err = tx.ExecContext(ctx, `DELETE FROM commission_hours WHERE account_id = ? AND day = ? AND coin = ? AND source = ?`,
				r.Account, k.Day.String(), string(k.Coin), string(k.Source))
		}
		if err != nil {
			return err
		}
	}
	return rows.Flush()
}

// storedHours adds the stored lines of the days to a map.
func storedHours(ctx context.Context, tx *store.Tx, account int64, days affiliate.Days, into map[rollup.HourKey]string) error {
	rows, err := tx.QueryContext(ctx, `SELECT day, coin, source, sums FROM commission_hours WHERE account_id = ? AND day BETWEEN ? AND ?`,
		account, days.First.String(), days.Last.String())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var k rollup.HourKey
		var sums string
		if err := rows.Scan((*store.DayText)(&k.Day), (*string)(&k.Coin), (*string)(&k.Source), &sums); err != nil {
			return err
		}
		into[k] = sums
	}
	return rows.Err()
}

// writeBlocks merges the changes into the stored blocks.
func writeBlocks(ctx context.Context, tx *store.Tx, r *rollup.Delta) error {
	rows := blockBatch(ctx, tx, r.Account)
	for _, k := range rollup.Groupings {
		t := r.Tallies[k]
		if len(t.Cells) == 0 {
			continue
		}
		ranks := t.Ranks()
		for _, s := range k.Spans() {
			if err := mergeBlocks(ctx, tx, r.Account, blockChanges{k, s, t.Parts(s, ranks)}, rows); err != nil {
				return fmt.Errorf("by %s and %s: %w", k, s, err)
			}
		}
	}
	return rows.Flush()
}

// stampDays records that the write changes the days of the roll-up, and that the hours have it.
func stampDays(ctx context.Context, tx *store.Tx, r *rollup.Delta) error {
	stamp, err := tx.LastWrite(ctx)
	if err != nil {
		return err
	}
	rows := store.NewBatch(ctx, tx, "commission_changes", "changed_ms, day", " ON CONFLICT (day) DO UPDATE SET changed_ms = excluded.changed_ms", int64(stamp))
	for _, day := range r.ChangedDays() {
		if err := rows.Add(day.String()); err != nil {
			return err
		}
	}
	if err := rows.Flush(); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE meta SET hours_ms = ? WHERE id = 1`, int64(stamp))
	return err
}

func blockBatch(ctx context.Context, tx *store.Tx, account int64) *store.Batch {
	const key = "account_id, kind, span, day, shard"
	return store.NewBatch(ctx, tx, "commission_blocks", key+", names, lines",
		" ON CONFLICT ("+key+") DO UPDATE SET names = excluded.names, lines = excluded.lines", account)
}

// blockChanges are the changes of a roll-up to the blocks of a kind and span.
type blockChanges struct {
	kind  rollup.Grouping
	span  rollup.Span
	parts []rollup.BlockPart
}

func mergeBlocks(ctx context.Context, tx *store.Tx, account int64, c blockChanges, rows *store.Batch) error {
	stored, err := storedLines(ctx, tx, c, account)
	if err != nil {
		return err
	}
	for _, p := range c.parts {
		day := p.First.String()
		lines, names, err := rollup.MergeLines(stored[rollup.BlockShard{Day: day, Shard: p.Shard}], p.Changes)
		if err != nil {
			return fmt.Errorf("block of %s: %w", day, err)
		}
		if err := rows.Add(string(c.kind), string(c.span), day, p.Shard, names, []byte(lines)); err != nil {
			return err
		}
	}
	return nil
}

// storedLines returns the lines of the blocks from the first changed block to the last.
// Parts are sorted by day.
func storedLines(ctx context.Context, tx *store.Tx, c blockChanges, account int64) (map[rollup.BlockShard]string, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT day, shard, lines FROM commission_blocks WHERE kind = ? AND span = ? AND day BETWEEN ? AND ? AND account_id = ?`,
		string(c.kind), string(c.span), c.parts[0].First.String(), c.parts[len(c.parts)-1].First.String(), account)
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
		for _, s := range k.Spans() {
			if _, err := tx.ExecContext(ctx, `
				DELETE FROM commission_blocks WHERE kind = ? AND span = ? AND day = ? AND account_id = ? AND names = 0`,
				string(k), string(s), rollup.BlockOf(s, day).First.String(), r.Account); err != nil {
				return err
			}
		}
	}
	return nil
}
