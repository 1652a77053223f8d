package upkeep

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// rollupDay computes the roll-ups of one reporting day from its rows.
type rollupDay struct {
	day   string // empty: none yet
	span  affiliate.Range
	rolls map[int64]*rollup.Delta // by account
}

func (d *rollupDay) begin(day affiliate.Day, zone *time.Location) {
	d.day, d.span = day.String(), day.Range(zone)
	clear(d.rolls)
}

func (d *rollupDay) of(account int64, zone *time.Location) *rollup.Delta {
	roll := d.rolls[account]
	if roll == nil {
		roll = rollup.NewDelta(zone, account)
		d.rolls[account] = roll
	}
	return roll
}

// rolledKey is a line of the roll-up of days.
type rolledKey struct {
	account int64
	rollup.DayKey
}

func (k rolledKey) compare(o rolledKey) int {
	if k.account != o.account {
		return int(k.account - o.account)
	}
	return k.DayKey.Compare(o.DayKey)
}

// rolledSums are the stored figures of a line.
type rolledSums struct {
	records int64
	affiliate.Summed[string]
	days rollup.MonthDays
}

func (s rolledSums) String() string {
	words := fmt.Sprintf("%d records", s.records)
	for i, sum := range s.All() {
		words += ", " + strings.ReplaceAll(affiliate.SummedFields[i].Column, "_", " ") + " " + *sum
	}
	if s.days != 0 {
		words += fmt.Sprintf(", days %031b", s.days)
	}
	return words
}

// readRollupDays lists the days and the blocks with stored roll-ups.
func (v *verification) readRollupDays(ctx context.Context, r *store.Tx) error {
	days, err := store.ReadColumn[string](ctx, r, `SELECT DISTINCT day FROM commission_days`)
	if err != nil {
		return err
	}
	v.stored = map[string]bool{}
	for _, day := range days {
		v.stored[day] = true
	}
	return v.blocks.read(ctx, r)
}

// leftRollups compares the stored roll-ups of days without rows.
func (v *verification) leftRollups(ctx context.Context, r *store.Tx) error {
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
func (v *verification) compareDay(ctx context.Context, r *store.Tx, d *rollupDay) error {
	if d.day == "" {
		return nil
	}
	v.days++
	delete(v.stored, d.day)
	computed := map[rolledKey]rolledSums{}
	for account, roll := range d.rolls {
		for k, s := range roll.Days() {
			computed[rolledKey{account, k}] = rolledOf(s)
		}
	}
	if err := v.compareTable(ctx, r, d.day, computed); err != nil {
		return err
	}
	return v.addToBlocks(ctx, r, d.rolls)
}

func (v *verification) compareTable(ctx context.Context, r *store.Tx, day string, computed map[rolledKey]rolledSums) error {
	rows, err := r.QueryContext(ctx, `
		SELECT account_id, product, coin, source, `+records.RollupSums+` FROM commission_days WHERE day = ?
		ORDER BY account_id, product, coin, source`, day)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		k := rolledKey{DayKey: rollup.DayKey{Day: day}}
		var is rolledSums
		if err := rows.Scan(affiliate.Targets(&is.Summed, &k.account, &k.Product, &k.Coin, &k.Source, &is.records)...); err != nil {
			return err
		}
		want, ok := computed[k]
		switch {
		case !ok:
			v.rollups.Fault("%s: stored %s; there are no rows", v.words(k), is)
		case is != want:
			v.rollups.Fault("%s: stored %s; the rows give %s", v.words(k), is, want)
		}
		delete(computed, k)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, k := range slices.SortedFunc(maps.Keys(computed), rolledKey.compare) {
		v.rollups.Fault("%s: nothing is stored; the rows give %s", v.words(k), computed[k])
	}
	return nil
}

func (v *verification) words(k rolledKey) string {
	return fmt.Sprintf("commission_days of %s, %s %s %s %s", k.Day, v.names[k.account], k.Product, k.Coin, k.Source)
}

func rolledOf(s *rollup.LineFigures) rolledSums {
	return rolledSums{records: s.Records, Summed: affiliate.MapSummed(&s.Summed, (*affiliate.Sum).String)}
}

// readBounds checks that each record lies within one line of bounds: a list sorted by an
// amount would leave out a record outside.
func (v *verification) readBounds(ctx context.Context, r *store.Tx) error {
	const most = 3 // examples are enough: all lines are made together
	ids, err := records.OutOfBounds(ctx, r, most)
	for _, id := range ids {
		v.rollups.Fault("commission record %d is not within the bounds of its amounts", id)
	}
	return err
}
