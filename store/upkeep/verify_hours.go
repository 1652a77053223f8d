package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// hourChecks adds up the commission of one UTC day from its rows, which arrive ordered by time.
type hourChecks struct {
	made  bool                   // they have every commission; otherwise nobody reads them
	left  map[affiliate.Day]bool // stored, not yet compared
	day   affiliate.Day
	lines map[hourLine]*rollup.HourSums // of the day
}

type hourLine struct {
	account int64
	rollup.HourKey
}

func (l hourLine) compare(o hourLine) int {
	return cmp.Or(cmp.Compare(l.account, o.account), l.HourKey.Compare(o.HourKey))
}

// readHourDays lists the days with stored hours.
func (v *verification) readHourDays(ctx context.Context, r *store.Tx) error {
	made, err := records.HoursMade(ctx, r)
	if err != nil || !made {
		return err
	}
	days, err := store.ReadColumn[string](ctx, r, `SELECT DISTINCT day FROM commission_hours`)
	if err != nil {
		return err
	}
	v.hours = hourChecks{made: true, left: map[affiliate.Day]bool{}, lines: map[hourLine]*rollup.HourSums{}}
	for _, text := range days {
		day, err := affiliate.ParseDay(text)
		if err != nil {
			v.rollups.Fault("commission_hours has the day %.20q, which is none", text)
			continue
		}
		v.hours.left[day] = true
	}
	return nil
}

// addHour adds a row and compares the day that ended before it.
func (v *verification) addHour(ctx context.Context, r *store.Tx, account int64, c *affiliate.Commission) error {
	if !v.hours.made {
		return nil
	}
	at := c.DealTime.Time().UTC()
	day := affiliate.DayOf(at, time.UTC)
	if day != v.hours.day {
		if err := v.compareHours(ctx, r); err != nil {
			return err
		}
		v.hours.day = day
	}
	rollup.At(v.hours.lines, hourLine{account, rollup.HourKey{Day: day, Coin: c.Coin, Source: c.Source}})[at.Hour()].Add(c.Commission)
	return nil
}

// leftHours compares the last day, and those without rows.
func (v *verification) leftHours(ctx context.Context, r *store.Tx) error {
	if !v.hours.made {
		return nil
	}
	if err := v.compareHours(ctx, r); err != nil {
		return err
	}
	for _, day := range slices.Sorted(maps.Keys(v.hours.left)) {
		v.hours.day = day
		if err := v.compareHours(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// compareHours compares the stored hours of a day with those of its rows.
func (v *verification) compareHours(ctx context.Context, r *store.Tx) error {
	day := v.hours.day
	delete(v.hours.left, day)
	rows, err := r.QueryContext(ctx, `
		SELECT account_id, coin, source, sums FROM commission_hours
		WHERE account_id IN (SELECT id FROM accounts) AND day = ? ORDER BY account_id, coin, source`, day.String())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		line := hourLine{HourKey: rollup.HourKey{Day: day}}
		var is, want string
		if err := rows.Scan(&line.account, &line.Coin, &line.Source, &is); err != nil {
			return err
		}
		if sums := v.hours.lines[line]; sums != nil && !sums.Zero() {
			want = sums.String()
		}
		delete(v.hours.lines, line)
		switch {
		case want == "":
			v.rollups.Fault("%s: stored %s; there are no rows with an amount", v.hourWords(line), is)
		case is != want:
			v.rollups.Fault("%s: stored %s; the rows give %s", v.hourWords(line), is, want)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, line := range slices.SortedFunc(maps.Keys(v.hours.lines), hourLine.compare) {
		if sums := v.hours.lines[line]; !sums.Zero() {
			v.rollups.Fault("%s: nothing is stored; the rows give %s", v.hourWords(line), sums)
		}
	}
	clear(v.hours.lines)
	return nil
}

func (v *verification) hourWords(l hourLine) string {
	return fmt.Sprintf("commission_hours of %s, %s %s %s", l.Day, v.names[l.account], l.Coin, l.Source)
}
