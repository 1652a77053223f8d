package rollup

import (
	"iter"
	"math/bits"

	"rebatedesk/affiliate"
)

// MonthDays is a set of days of a month. The first is the lowest bit.
type MonthDays uint32

// In yields the days of the month that begins with first, oldest first.
func (d MonthDays) In(first affiliate.Day) iter.Seq[affiliate.Day] {
	return func(yield func(affiliate.Day) bool) {
		for rest := d; rest != 0; rest &= rest - 1 {
			if !yield(first + affiliate.Day(bits.TrailingZeros32(uint32(rest)))) {
				return
			}
		}
	}
}

// Within returns the days of the month that begins with first as far as they belong to the
// range.
func (d MonthDays) Within(first affiliate.Day, days affiliate.Days) MonthDays {
	if skip := days.First - first; skip > 0 {
		d &= ^MonthDays(0) << min(skip, 32)
	}
	if last := days.Last - first; last < 31 {
		d &= 1<<max(last+1, 0) - 1
	}
	return d
}

// DaysAbout returns the days of a month on which a name has a line, from its block.
func DaysAbout(block, name string) (MonthDays, error) {
	var all LineFigures
	lines := LinesAbout(block, name)
	for lines.Next() {
		if err := all.AddDays(lines.Figures); err != nil {
			return 0, err
		}
	}
	return all.Days, lines.Err()
}
