package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// rollupDay gathers the roll-ups of one reporting day from its rows.
type rollupDay struct {
	day   string // empty: none yet
	span  affiliate.Range
	rolls map[int64]*rollup // by account
}

func (d *rollupDay) begin(day affiliate.Day, zone *time.Location) {
	d.day, d.span = day.String(), day.Range(zone)
	clear(d.rolls)
}

func (d *rollupDay) of(account int64, zone *time.Location) *rollup {
	roll := d.rolls[account]
	if roll == nil {
		roll = newRollup(zone, account)
		d.rolls[account] = roll
	}
	return roll
}

// rolledKey is a line of the roll-up of days.
type rolledKey struct {
	account int64
	dayKey
}

func (k rolledKey) compare(o rolledKey) int {
	if k.account != o.account {
		return int(k.account - o.account)
	}
	return k.dayKey.compare(o.dayKey)
}

// rolledSums are the figures of a line, as they are stored.
type rolledSums struct {
	records                                   int64
	fee, commission, takerAmount, makerAmount string
}

func (s *sums) rolled() rolledSums {
	return rolledSums{s.records, s.fee.String(), s.commission.String(), s.takerAmount.String(), s.makerAmount.String()}
}

func (s rolledSums) String() string {
	return fmt.Sprintf("%d records, fee %s, commission %s, taker amount %s, maker amount %s", s.records, s.fee, s.commission, s.takerAmount, s.makerAmount)
}

// readRollupDays lists the days and the blocks that roll-ups are stored of.
func (v *verification) readRollupDays(ctx context.Context, r *Tx) error {
	days, err := column[string](ctx, r, `SELECT DISTINCT day FROM commission_days`)
	if err != nil {
		return err
	}
	v.stored = map[string]bool{}
	for _, day := range days {
		v.stored[day] = true
	}
	return v.blocks.read(ctx, r)
}

// leftRollups compares what is stored of days that have no rows.
func (v *verification) leftRollups(ctx context.Context, r *Tx) error {
	if v.zone == nil {
		return nil
	}
	for _, day := range slices.Sorted(maps.Keys(v.stored)) {
		if err := v.compareDay(ctx, r, &rollupDay{day: day}); err != nil {
			return err
		}
	}
	return v.leftBlocks(ctx, r)
}

// compareDay compares the stored roll-ups of a day with those of its rows.
func (v *verification) compareDay(ctx context.Context, r *Tx, d *rollupDay) error {
	if d.day == "" {
		return nil
	}
	v.days++
	delete(v.stored, d.day)
	computed := map[rolledKey]rolledSums{}
	for account, roll := range d.rolls {
		for k, s := range roll.days() {
			computed[rolledKey{account, k}] = s.rolled()
		}
	}
	if err := v.compareTable(ctx, r, d.day, computed); err != nil {
		return err
	}
	return v.addToBlocks(ctx, r, d.rolls)
}

func (v *verification) compareTable(ctx context.Context, r *Tx, day string, computed map[rolledKey]rolledSums) error {
	rows, err := r.QueryContext(ctx, `
		SELECT account_id, product, coin, source, `+rollupSums+` FROM commission_days WHERE day = ?
		ORDER BY account_id, product, coin, source`, day)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		k := rolledKey{dayKey: dayKey{day: day}}
		var is rolledSums
		if err := rows.Scan(&k.account, &k.product, &k.coin, &k.source,
			&is.records, &is.fee, &is.commission, &is.takerAmount, &is.makerAmount); err != nil {
			return err
		}
		want, ok := computed[k]
		switch {
		case !ok:
			v.rollups.fault("%s: stored %s; there are no rows", v.words(k), is)
		case is != want:
			v.rollups.fault("%s: stored %s; the rows give %s", v.words(k), is, want)
		}
		delete(computed, k)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, k := range slices.SortedFunc(maps.Keys(computed), rolledKey.compare) {
		v.rollups.fault("%s: nothing is stored; the rows give %s", v.words(k), computed[k])
	}
	return nil
}

func (v *verification) words(k rolledKey) string {
	return fmt.Sprintf("commission_days of %s, %s %s %s %s", k.day, v.names[k.account], k.product, k.coin, k.source)
}
