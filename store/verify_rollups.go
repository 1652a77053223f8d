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

// rolledKey is a line of a roll-up; the one of days has no uid.
type rolledKey struct {
	account int64
	inviteeDayKey
}

// rolledSums are its figures, as they are stored.
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

// rollupTables are the roll-ups with what stands for the uid in each.
var rollupTables = []struct{ name, uid string }{{"commission_days", "''"}, {"commission_invitee_days", "uid"}}

// readRollupDays lists the days that have a line in a roll-up.
func (v *verification) readRollupDays(ctx context.Context, r *Reader) error {
	v.stored = map[string]bool{}
	for _, table := range rollupTables {
		days, err := column[string](ctx, r.tx, `SELECT DISTINCT day FROM `+table.name)
		if err != nil {
			return err
		}
		for _, day := range days {
			v.stored[day] = true
		}
	}
	return nil
}

// leftRollups compares the days that have roll-ups and no rows.
func (v *verification) leftRollups(ctx context.Context, r *Reader) error {
	if v.zone == nil {
		return nil
	}
	for _, day := range slices.Sorted(maps.Keys(v.stored)) {
		if err := v.compareDay(ctx, r, &rollupDay{day: day}); err != nil {
			return err
		}
	}
	return nil
}

// compareDay compares the stored roll-ups of a day with those of its rows.
func (v *verification) compareDay(ctx context.Context, r *Reader, d *rollupDay) error {
	if d.day == "" {
		return nil
	}
	v.days++
	delete(v.stored, d.day)
	for _, table := range rollupTables {
		computed := map[rolledKey]rolledSums{}
		for account, roll := range d.rolls {
			if table.uid == "uid" {
				for k, s := range roll.invitees {
					computed[rolledKey{account, k}] = s.rolled()
				}
				continue
			}
			for k, s := range roll.days {
				computed[rolledKey{account, inviteeDayKey{dayKey: k}}] = s.rolled()
			}
		}
		if err := v.compareTable(ctx, r, d.day, table.name, table.uid, computed); err != nil {
			return err
		}
	}
	return nil
}

func (v *verification) compareTable(ctx context.Context, r *Reader, day, table, uid string, computed map[rolledKey]rolledSums) error {
	rows, err := r.tx.QueryContext(ctx, `
		SELECT account_id, `+uid+`, product, coin, source, `+rollupSums+` FROM `+table+` WHERE day = ?
		ORDER BY account_id, `+uid+`, product, coin, source`, day)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		k := rolledKey{inviteeDayKey: inviteeDayKey{dayKey: dayKey{day: day}}}
		var is rolledSums
		if err := rows.Scan(&k.account, &k.uid, &k.product, &k.coin, &k.source,
			&is.records, &is.fee, &is.commission, &is.takerAmount, &is.makerAmount); err != nil {
			return err
		}
		want, ok := computed[k]
		switch {
		case !ok:
			v.rollups.fault("%s: stored %s; there are no rows", v.words(table, k), is)
		case is != want:
			v.rollups.fault("%s: stored %s; the rows give %s", v.words(table, k), is, want)
		}
		delete(computed, k)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, k := range slices.SortedFunc(maps.Keys(computed), rolledKey.compare) {
		v.rollups.fault("%s: nothing is stored; the rows give %s", v.words(table, k), computed[k])
	}
	return nil
}

func (k rolledKey) compare(o rolledKey) int {
	if k.account != o.account {
		return int(k.account - o.account)
	}
	return k.inviteeDayKey.compare(o.inviteeDayKey)
}

func (v *verification) words(table string, k rolledKey) string {
	words := fmt.Sprintf("%s of %s, %s %s %s %s", table, k.day, v.names[k.account], k.product, k.coin, k.source)
	if k.uid != "" {
		words += fmt.Sprintf(", uid %s", k.uid)
	}
	return words
}
