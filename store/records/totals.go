package records

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/rollup"
)

// TotalsSlice is a reading of figures that only grow.
type TotalsSlice struct {
	Slice
	Coin     affiliate.Coin // of the figures
	Totals   []affiliate.Total
	Complete bool // all invitees were read; otherwise those of Totals count, and nothing is covered
}

// Fall is a figure that became smaller: a correction by the exchange.
type Fall struct {
	UID           affiliate.UID
	Figure        string // "commission", "fee" or "volume"
	Before, After affiliate.Number
}

// figureNames are the figures of a total, in the order of [affiliate.Total.Figures].
var figureNames = [3]string{"commission", "fee", "volume"}

// storedTotal is the newest state of an invitee's figures.
type storedTotal struct {
	first, last affiliate.Millis
	now         affiliate.Total
	most        affiliate.Total // the highest figures so far
}

// LastReading returns when the newest complete reading of an account began, by the exchange's clock; unknown
// if there was none.
func LastReading(ctx context.Context, r store.Asker, account affiliate.Account) (at affiliate.Millis, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT coalesce(max(r.started_ms), 0) FROM readings r JOIN accounts a ON a.id = r.account_id WHERE a.name = ? AND r.complete = 1`, account).Scan(&at)
	return at, err
}

// WriteTotals stores a reading, and opens a record of commission for each invitee whose figures rose: of
// what was added since its previous reading, whose time is that of the record. The first reading of an
// invitee opens no record, unless the invitee joined after the previous complete reading began. A fall opens
// none either; the highest figure stays the mark from which is counted. So the records of an invitee add
// up to the highest figure less the first one, however readings end.
func WriteTotals(ctx context.Context, s *store.Store, slice TotalsSlice) (written Written, falls []Fall, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) (err error) {
		if err := settleZone(ctx, s, tx); err != nil {
			return err
		}
		rolls := deltas{zone: s.Zone(), byAccount: map[int64]*rollup.Delta{}}
		account, err := store.AccountID(ctx, tx, slice.Account)
		if err != nil {
			return err
		}
		previous, err := LastReading(ctx, tx, slice.Account)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO readings (account_id, started_ms, complete) VALUES (?, ?, ?)`, account, slice.Read, flagOf(slice.whole(previous))); err != nil {
			return err
		}
		var add []affiliate.Commission
		if add, falls, err = grown(ctx, tx, account, slice, previous); err != nil {
			return err
		}
		roll := rolls.of(account)
		for i := range add {
			roll.Add(&add[i], 1)
		}
		opening := func(tx *store.Tx, account int64, stamp affiliate.Millis, days touched) (Written, error) {
			for i := range add {
				days.at(slice.Slice, add[i].DealTime)
			}
			return Written{Opened: len(add)}, insertCommissions(ctx, tx, account, add, stamp)
		}
		if slice.Complete {
			written, err = putSlice(ctx, tx, stamp, slice.Slice, len(slice.Totals), opening)
		} else if written, err = opening(tx, account, stamp, touched{}); err == nil {
			written.Records = len(slice.Totals)
		}
		if err != nil {
			return err
		}
		return rolls.write(ctx, tx)
	})
	if err != nil {
		return Written{}, nil, fmt.Errorf("writing a reading of %s: %w", slice.Account, err)
	}
	return written, falls, nil
}

// whole reports whether the reading is one after whose beginning a newcomer opens at 0: it has everybody. One
// that could not read somebody has not, unless it is the first: who is found by the next one opens as those
// of the first do.
func (s *TotalsSlice) whole(previous affiliate.Millis) bool {
	return s.Complete && (len(s.Quarantine) == 0 || !previous.Known())
}

func flagOf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// grown stores the figures of a reading, and returns what was added since the previous ones.
func grown(ctx context.Context, tx *store.Tx, account int64, slice TotalsSlice, previous affiliate.Millis) (add []affiliate.Commission, falls []Fall, err error) {
	done := map[affiliate.UID]bool{}
	for _, now := range slice.Totals {
		if done[now.UID] {
			continue // listed twice in one reading
		}
		done[now.UID] = true
		before, ok, err := newestTotal(ctx, tx, account, now.UID)
		switch {
		case err != nil:
			return nil, nil, err
		case ok && now.At <= before.last:
			continue // the same answer again
		case ok && sameFigures(now, before.now):
			if _, err := tx.ExecContext(ctx, `UPDATE totals SET last_ms = ? WHERE account_id = ? AND uid = ? AND first_ms = ?`, now.At, account, now.UID, before.first); err != nil {
				return nil, nil, err
			}
			continue
		case !ok:
			if previous.Known() && now.Joined > previous {
				before.last, before.most = now.Joined, affiliate.Total{Commission: "0", Fee: "0", Volume: "0"}
				if before.last >= now.At { // the clock of joining is ahead of that of answers
					before.last = previous
				}
			}
		}
		record, most, fell := added(now, before)
		falls = append(falls, fell...)
		if record != (affiliate.Commission{}) {
			record.Coin = slice.Coin
			add = append(add, record)
		}
		if _, err := tx.ExecContext(ctx, `
			INSERT INTO totals (account_id, uid, first_ms, last_ms, commission, fee, volume, most_commission, most_fee, most_volume) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			account, now.UID, now.At, now.At, now.Commission, now.Fee, now.Volume, most.Commission, most.Fee, most.Volume); err != nil {
			return nil, nil, err
		}
	}
	return add, falls, nil
}

// added returns the record of what was added to figures, empty if nothing was; the new marks; and the
// figures that fell.
func added(now affiliate.Total, before storedTotal) (record affiliate.Commission, most affiliate.Total, falls []Fall) {
	most = before.most
	var grew [3]affiliate.Number
	rose := false
	for i, figure := range now.Figures() {
		mark, was := most.Figures()[i], before.now.Figures()[i]
		switch {
		case !figure.Known():
			continue
		case !mark.Known():
			*mark = *figure // its opening balance
			continue
		case was.Known() && figure.Cmp(*was) < 0:
			falls = append(falls, Fall{now.UID, figureNames[i], *was, *figure})
		}
		if figure.Cmp(*mark) < 0 {
			continue // below its mark: what was added is not known
		}
		var sum affiliate.Sum
		sum.Add(*figure)
		sum.Sub(*mark)
		grew[i] = affiliate.Number(sum.String())
		rose = rose || figure.Cmp(*mark) > 0
		*mark = *figure
	}
	if !rose || !before.last.Known() {
		return affiliate.Commission{}, most, falls
	}
	return affiliate.Commission{DealTime: before.last, UID: now.UID, Source: affiliate.Direct, Commission: grew[0], Fee: grew[1], TakerAmount: grew[2]}, most, falls
}

// sameFigures reports whether two readings found the same.
func sameFigures(a, b affiliate.Total) bool {
	for i, figure := range a.Figures() {
		if figure.Canonical() != b.Figures()[i].Canonical() {
			return false
		}
	}
	return true
}

// newestTotal reads the newest figures of an invitee, and whether there are any. A reading has one look-up
// for each invitee, which stays as quick however many readings came before.
func newestTotal(ctx context.Context, tx *store.Tx, account int64, uid affiliate.UID) (t storedTotal, known bool, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT first_ms, last_ms, commission, fee, volume, most_commission, most_fee, most_volume
		FROM totals WHERE account_id = ? AND uid = ? ORDER BY first_ms DESC LIMIT 1`, account, uid).
		Scan(&t.first, &t.last, &t.now.Commission, &t.now.Fee, &t.now.Volume, &t.most.Commission, &t.most.Fee, &t.most.Volume)
	if errors.Is(err, sql.ErrNoRows) {
		return storedTotal{}, false, nil
	}
	return t, err == nil, err
}

// Ends are the instants at which the figures of invitees were first read, by which the ends of what their
// records cover are known.
type Ends struct {
	of map[affiliate.UID][]affiliate.Millis
}

// SpanEnds reads them for an account.
func SpanEnds(ctx context.Context, r *store.Tx, account affiliate.Account) (*Ends, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT t.uid, t.first_ms FROM totals t JOIN accounts a ON a.id = t.account_id WHERE a.name = ? ORDER BY t.uid, t.first_ms`, account)
	if err != nil {
		return nil, fmt.Errorf("reading when figures were read: %w", err)
	}
	defer rows.Close()
	e := &Ends{map[affiliate.UID][]affiliate.Millis{}}
	for rows.Next() {
		var uid affiliate.UID
		var at affiliate.Millis
		if err := rows.Scan(&uid, &at); err != nil {
			return nil, fmt.Errorf("reading when figures were read: %w", err)
		}
		e.of[uid] = append(e.of[uid], at)
	}
	return e, rows.Err()
}

// Of returns the end, excluded, of what a record covers: when the figures were read next. It is unknown if
// they were not.
func (e *Ends) Of(uid affiliate.UID, from affiliate.Millis) affiliate.Millis {
	if e == nil {
		return 0
	}
	list := e.of[uid]
	i, found := slices.BinarySearch(list, from)
	if found {
		i++
	}
	if i == len(list) {
		return 0
	}
	return list[i]
}
