package sums

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// eachPair passes on what makes up the answer to a filter by invitee and pair, of which lines are
// kept per month only. Of a month that the days do not hold as a whole, either the rows of these
// days are read, or its lines and the rows of its other days, which are to be taken away
// (entry.minus): whatever is less work.
func eachPair(ctx context.Context, r *store.Tx, f records.CommissionFilter, see func(*entry) error) error {
	stored, ok, err := storedDays(ctx, r)
	if err != nil || !ok {
		return err
	}
	parts, err := pairPartsOf(f.Days, stored, func(asked affiliate.Days, others [2]affiliate.Days, month affiliate.Day) (bool, error) {
		if f.UID != "" { // its few lines are found without the others
			return others[0].Len()+others[1].Len() < asked.Len(), nil
		}
		return fewerRows(ctx, r, asked, others, month)
	})
	if err != nil {
		return err
	}
	q, err := askBlocks(ctx, r, f, rollup.ByPair)
	if err != nil {
		return err
	}
	for _, months := range parts.months {
		if err := q.eachEntry(ctx, months, see); err != nil {
			return err
		}
	}
	for _, days := range parts.added {
		f.Days = days
		if err := eachRecord(ctx, r, f, rollup.ByPair, see); err != nil {
			return err
		}
	}
	for _, days := range parts.takenAway {
		f.Days = days
		if err := eachRecord(ctx, r, f, rollup.ByPair, func(e *entry) error {
			e.minus = true
			return see(e)
		}); err != nil {
			return err
		}
	}
	return nil
}

// pairParts are months of which the lines are read, and days of which the rows are read and added,
// or taken away from the months.
type pairParts struct {
	months           []rollup.Stretch
	added, takenAway []affiliate.Days
}

// pairPartsOf divides days. stored are those that can have records. whole tells whether the lines
// of a month are to be read, of which some days are not asked for.
func pairPartsOf(days, stored affiliate.Days, whole func(asked affiliate.Days, others [2]affiliate.Days, month affiliate.Day) (bool, error)) (parts pairParts, err error) {
	days = common(days, stored)
	for days.Len() > 0 {
		first := rollup.BlockOf(rollup.OfMonth, days.First).First
		block := rollup.Stretch{Span: rollup.OfMonth, First: first, Last: first}
		month := common(block.Days(), stored)
		asked := common(days, month)
		others := [2]affiliate.Days{{First: month.First, Last: asked.First - 1}, {First: asked.Last + 1, Last: month.Last}}
		lines := asked == month
		if !lines {
			if lines, err = whole(asked, others, first); err != nil {
				return parts, err
			}
		}
		if lines {
			if n := len(parts.months); n > 0 && parts.months[n-1].Days().Last+1 == first {
				parts.months[n-1].Last = first
			} else {
				parts.months = append(parts.months, block)
			}
			for _, other := range others {
				if other.Len() > 0 {
					parts.takenAway = append(parts.takenAway, other)
				}
			}
		} else {
			parts.added = append(parts.added, asked)
		}
		days.First = asked.Last + 1
	}
	return parts, nil
}

// bytesOfRow is how many bytes of lines are read in the time of one row.
const bytesOfRow = 256

// fewerRows reports whether the lines of a month and the rows of its other days are less work than
// the rows of the days asked for.
func fewerRows(ctx context.Context, r *store.Tx, asked affiliate.Days, others [2]affiliate.Days, month affiliate.Day) (bool, error) {
	count := func(days affiliate.Days) (n int64, err error) {
		// What is read follows from it, and no answer.
		err = r.QueryRowContext(ctx, store.ForMembers(`SELECT CAST(coalesce(sum(records), 0) AS BIGINT) FROM commission_days WHERE day BETWEEN ? AND ?`),
			days.First.String(), days.Last.String()).Scan(&n)
		return n, err
	}
	rows, err := count(asked)
	if err != nil {
		return false, err
	}
	for _, other := range others {
		n, err := count(other)
		if err != nil {
			return false, err
		}
		rows -= n
	}
	if rows <= 0 {
		return false, nil
	}
	var bytes int64
	err = r.QueryRowContext(ctx, store.ForMembers(`SELECT CAST(coalesce(sum(length(lines)), 0) AS BIGINT) FROM commission_blocks WHERE kind = ? AND span = ? AND day = ?`),
		string(rollup.ByPair), string(rollup.OfMonth), month.String()).Scan(&bytes)
	return bytes/bytesOfRow < rows, err
}

// common returns the days that two ranges have in common.
func common(a, b affiliate.Days) affiliate.Days {
	return affiliate.Days{First: max(a.First, b.First), Last: min(a.Last, b.Last)}
}
