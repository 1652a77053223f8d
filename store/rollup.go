package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashpoint"
)

// rollup gathers what a write changes in the roll-ups, in memory, and adds it
// to the stored ones at the end. Its cost follows the changed rows, not the
// size of the slice, and reporting days may begin anywhere within it.
type rollup struct {
	zone    *time.Location
	account int64
	tallies map[kind]*tally
	shrinks map[affiliate.Day]bool // days that records were taken from
	day     affiliate.Day          // of the record before: neighbours share their day
	span    affiliate.Range        // of that day
	changes []blockChanges         // once folded
}

// blockChanges are what a roll-up changes in the blocks of a kind and span.
type blockChanges struct {
	kind  kind
	span  span
	parts []part
}

func newRollup(zone *time.Location, account int64) *rollup {
	return &rollup{zone: zone, account: account, shrinks: map[affiliate.Day]bool{},
		tallies: map[kind]*tally{byUID: newTally(byUID), bySymbol: newTally(bySymbol)}}
}

// lines is how much was gathered.
func (r *rollup) lines() int { return len(r.tallies[byUID].cells) }

// add counts a record once, or takes it away with -1.
func (r *rollup) add(c *affiliate.Commission, times int64) {
	if !r.span.Contains(c.DealTime) {
		r.day = affiliate.DayOf(c.DealTime.Time(), r.zone)
		r.span = r.day.Range(r.zone)
	}
	if times < 0 {
		r.shrinks[r.day] = true
	}
	var one sums
	one.add(c, times)
	r.tallies[byUID].at(r.day, lineKey{string(c.UID), lineKind{c.Product, c.Coin, c.Source}}).addSums(&one)
	r.tallies[bySymbol].at(r.day, lineKey{c.Symbol, lineKind{c.Product, c.Coin, c.Source}}).addSums(&one)
}

// fold makes up the changes of blocks of what was gathered. Nothing is gathered
// afterwards.
func (r *rollup) fold() {
	if r.changes != nil {
		return
	}
	for _, k := range kinds {
		ranks := r.tallies[k].ranks()
		for _, s := range spans {
			r.changes = append(r.changes, blockChanges{k, s, r.tallies[k].parts(s, ranks)})
		}
	}
}

// dayKey is a line of the roll-up of days.
type dayKey struct {
	day     string
	product affiliate.Product
	coin    affiliate.Coin
	source  affiliate.Source
}

func (k dayKey) compare(o dayKey) int {
	return cmp.Or(cmp.Compare(k.day, o.day), cmp.Compare(k.product, o.product), cmp.Compare(k.coin, o.coin), cmp.Compare(k.source, o.source))
}

// days folds what was gathered by symbol, which is the shorter list.
func (r *rollup) days() map[dayKey]*sums {
	days := map[dayKey]*sums{}
	bySymbol := r.tallies[bySymbol]
	for c, figures := range bySymbol.cells {
		k := bySymbol.keys[c.key]
		at(days, dayKey{c.day.String(), k.product, k.coin, k.source}).addSums(figures)
	}
	return days
}

const rollupSums = `records, fee, commission, taker_amount, maker_amount`

// addTo adds to a roll-up row that is already there.
const addTo = ` DO UPDATE SET
	records      = records + excluded.records,
	fee          = decimal_add(fee, excluded.fee),
	commission   = decimal_add(commission, excluded.commission),
	taker_amount = decimal_add(taker_amount, excluded.taker_amount),
	maker_amount = decimal_add(maker_amount, excluded.maker_amount)`

// write adds what was gathered to the stored roll-ups.
func (r *rollup) write(ctx context.Context, tx *sql.Tx) error {
	if r.lines() == 0 {
		return nil
	}
	if err := r.writeDays(ctx, tx); err != nil {
		return fmt.Errorf("roll-up of days: %w", err)
	}
	crashpoint.Pass(crashpoint.RollupOfDaysWritten)
	r.fold()
	if err := r.writeBlocks(ctx, tx); err != nil {
		return fmt.Errorf("roll-ups in blocks: %w", err)
	}
	crashpoint.Pass(crashpoint.RollupsWritten)
	for day := range r.shrinks {
		if err := r.dropEmpty(ctx, tx, day); err != nil {
			return fmt.Errorf("empty roll-ups of %s: %w", day, err)
		}
		crashpoint.Pass(crashpoint.RollupsTidied)
	}
	return nil
}

// writeDays writes in the order of the table, in which it is cheapest.
func (r *rollup) writeDays(ctx context.Context, tx *sql.Tx) error {
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
func (r *rollup) writeBlocks(ctx context.Context, tx *sql.Tx) error {
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

type blockShard struct {
	day   string
	shard int64
}

// storedLines are the lines of the blocks from the first one that changes to
// the last. Parts are in order of day.
func storedLines(ctx context.Context, tx *sql.Tx, c blockChanges, account int64) (map[blockShard]string, error) {
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
func (r *rollup) dropEmpty(ctx context.Context, tx *sql.Tx, day affiliate.Day) error {
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
