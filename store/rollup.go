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
)

// rollup gathers what a write changes in the roll-ups, in memory, and adds it
// to the stored ones at the end. Its cost follows the changed rows, not the
// size of the slice, and reporting days may begin anywhere within it.
type rollup struct {
	zone     *time.Location
	account  int64
	days     map[dayKey]*sums
	invitees map[inviteeDayKey]*sums
	day      affiliate.Day   // of the record before: neighbours share their day
	span     affiliate.Range // of that day
	dayText  string
}

type dayKey struct {
	day     string
	product affiliate.Product
	coin    affiliate.Coin
	source  affiliate.Source
}

type inviteeDayKey struct {
	dayKey
	uid affiliate.UID
}

func (k dayKey) compare(o dayKey) int {
	return cmp.Or(cmp.Compare(k.day, o.day), cmp.Compare(k.product, o.product), cmp.Compare(k.coin, o.coin), cmp.Compare(k.source, o.source))
}

func (k inviteeDayKey) compare(o inviteeDayKey) int {
	return cmp.Or(cmp.Compare(k.day, o.day), cmp.Compare(k.uid, o.uid), k.dayKey.compare(o.dayKey))
}

// inOrder lists keys in the order of the table, in which writing them is
// cheapest.
func inOrder[K comparable](m map[K]*sums, compare func(K, K) int) []K {
	return slices.SortedFunc(maps.Keys(m), compare)
}

// sums are the figures of a roll-up row. Closed rows count negative.
type sums struct {
	records                                   int64
	fee, commission, takerAmount, makerAmount affiliate.Sum
}

func newRollup(zone *time.Location, account int64) *rollup {
	return &rollup{zone: zone, account: account, days: map[dayKey]*sums{}, invitees: map[inviteeDayKey]*sums{}}
}

// add counts a record once, or takes it away with -1.
func (r *rollup) add(c *affiliate.Commission, times int64) {
	if !r.span.Contains(c.DealTime) {
		r.day = affiliate.DayOf(c.DealTime.Time(), r.zone)
		r.span, r.dayText = r.day.Range(r.zone), r.day.String()
	}
	day := dayKey{r.dayText, c.Product, c.Coin, c.Source}
	at(r.days, day).add(c, times)
	at(r.invitees, inviteeDayKey{day, c.UID}).add(c, times)
}

func at[K comparable](m map[K]*sums, k K) *sums {
	s := m[k]
	if s == nil {
		s = new(sums)
		m[k] = s
	}
	return s
}

func (s *sums) add(c *affiliate.Commission, times int64) {
	s.records += times
	for _, part := range []struct {
		sum *affiliate.Sum
		n   affiliate.Number
	}{{&s.fee, c.Fee}, {&s.commission, c.Commission}, {&s.takerAmount, c.TakerAmount}, {&s.makerAmount, c.MakerAmount}} {
		if times < 0 {
			part.sum.Sub(part.n)
		} else {
			part.sum.Add(part.n)
		}
	}
}

// close takes away the rows that are about to be closed.
func (r *rollup) close(ctx context.Context, tx *sql.Tx, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	stmt, err := tx.PrepareContext(ctx, `
		SELECT product, deal_time_ms, uid, symbol, source, coin, taker_amount, maker_amount, fee, rate, commission
		FROM commissions WHERE id = ?`)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, id := range ids {
		var c affiliate.Commission
		if err := stmt.QueryRowContext(ctx, id).Scan(commissionTargets(&c)...); err != nil {
			return err
		}
		r.add(&c, -1)
	}
	return nil
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
	const dayColumns = "account_id, day, product, coin, source"
	days := newBatch(ctx, tx, "commission_days", dayColumns+", "+rollupSums,
		" ON CONFLICT ("+dayColumns+")"+addTo, r.account)
	for _, k := range inOrder(r.days, dayKey.compare) {
		s := r.days[k]
		if err := days.add(append([]any{k.day, string(k.product), string(k.coin), string(k.source)}, s.values()...)...); err != nil {
			return err
		}
	}
	const inviteeColumns = "account_id, day, uid, product, coin, source"
	invitees := newBatch(ctx, tx, "commission_invitee_days", inviteeColumns+", "+rollupSums,
		" ON CONFLICT ("+inviteeColumns+")"+addTo, r.account)
	for _, k := range inOrder(r.invitees, inviteeDayKey.compare) {
		s := r.invitees[k]
		if err := invitees.add(append([]any{k.day, string(k.uid), string(k.product), string(k.coin), string(k.source)}, s.values()...)...); err != nil {
			return err
		}
	}
	if err := days.flush(); err != nil {
		return fmt.Errorf("roll-up of days: %w", err)
	}
	if err := invitees.flush(); err != nil {
		return fmt.Errorf("roll-up of invitees: %w", err)
	}
	return r.dropEmpty(ctx, tx)
}

func (s *sums) values() []any {
	return []any{s.records, s.fee.String(), s.commission.String(), s.takerAmount.String(), s.makerAmount.String()}
}

// dropEmpty removes roll-up rows that no longer stand for any record. Only
// keys that this write took from can have become empty.
func (r *rollup) dropEmpty(ctx context.Context, tx *sql.Tx) error {
	for _, table := range []string{"commission_days", "commission_invitee_days"} {
		for _, day := range r.shrunk() {
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE day = ? AND records = 0`, day); err != nil {
				return fmt.Errorf("roll-up %s: %w", table, err)
			}
		}
	}
	return nil
}

// shrunk lists the days with a key that has fewer records than before. A key
// whose records only changed value keeps its count and is not empty.
func (r *rollup) shrunk() []string {
	days := map[string]bool{}
	for k, s := range r.invitees {
		if s.records < 0 {
			days[k.day] = true
		}
	}
	list := make([]string, 0, len(days))
	for day := range days {
		list = append(list, day)
	}
	return list
}

// settleZone makes the roll-ups anew where they are in another reporting zone.
// It is done by whoever writes, in the transaction of the write: a process that
// only reads leaves them alone and reads the rows instead.
func (s *Store) settleZone(ctx context.Context, tx *sql.Tx) error {
	var zone string
	if err := tx.QueryRowContext(ctx, `SELECT zone FROM meta WHERE id = 1`).Scan(&zone); err != nil {
		return err
	}
	if zone == s.zone.String() {
		return nil
	}
	if err := s.rebuildRollups(ctx, tx); err != nil {
		return fmt.Errorf("changing the reporting zone from %s to %s: %w", zone, s.zone, err)
	}
	return nil
}

// rebuildRollups makes all roll-ups anew from the open rows, in the zone of the
// store. It takes about two seconds per million rows.
func (s *Store) rebuildRollups(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM commission_days; DELETE FROM commission_invitee_days`); err != nil {
		return err
	}
	if err := s.rollOpenRows(ctx, tx); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE meta SET zone = ?`, s.zone.String())
	return err
}

// rollOpenRows adds every open row to the roll-ups, oldest first, and writes
// them out whenever enough has been gathered, so that memory stays small.
func (s *Store) rollOpenRows(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, `
		SELECT account_id, product, deal_time_ms, uid, symbol, source, coin, taker_amount, maker_amount, fee, rate, commission
		FROM commissions WHERE closed_ms IS NULL ORDER BY deal_time_ms`)
	if err != nil {
		return err
	}
	defer rows.Close()
	rolls := map[int64]*rollup{}
	for rows.Next() {
		var account int64
		var c affiliate.Commission
		if err := rows.Scan(append([]any{&account}, commissionTargets(&c)...)...); err != nil {
			return err
		}
		roll := rolls[account]
		if roll == nil {
			roll = newRollup(s.zone, account)
			rolls[account] = roll
		}
		roll.add(&c, 1)
		if len(roll.invitees) >= 50_000 {
			if err := roll.write(ctx, tx); err != nil {
				return err
			}
			delete(rolls, account)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, roll := range rolls {
		if err := roll.write(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
