package store

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// span is the length of a block of reporting days.
type span string

// Every record is counted once in a block of each span.
const (
	ofDay   span = "day"
	ofWeek  span = "week"
	ofMonth span = "month"
	ofYear  span = "year"
)

var spans = []span{ofDay, ofWeek, ofMonth, ofYear} // the shortest first

func (s span) longerThan(o span) bool { return slices.Index(spans, s) > slices.Index(spans, o) }

// block is a stretch of reporting days that roll-ups are kept of.
type block struct {
	span  span
	first affiliate.Day
}

// blockOf is the block that a day lies in.
func blockOf(s span, day affiliate.Day) block {
	switch s {
	case ofWeek:
		return block{s, day - affiliate.Day((day.Weekday()+6)%7)} // Monday is the first day
	case ofMonth:
		year, month, _ := day.Date()
		return block{s, affiliate.NewDay(year, month, 1)}
	case ofYear:
		year, _, _ := day.Date()
		return block{s, affiliate.NewDay(year, time.January, 1)}
	}
	return block{s, day}
}

// last is the last day of the block.
func (b block) last() affiliate.Day {
	switch b.span {
	case ofWeek:
		return b.first + 6
	case ofMonth:
		year, month, _ := b.first.Date()
		return affiliate.NewDay(year, month+1, 1) - 1
	case ofYear:
		year, _, _ := b.first.Date()
		return affiliate.NewDay(year+1, time.January, 1) - 1
	}
	return b.first
}

// run is a stretch of neighbouring blocks of the same span.
type run struct {
	span  span
	first affiliate.Day // of the first block
	last  affiliate.Day // the first day of the last block
}

// cover makes days up of the longest blocks that lie within, in order: years,
// months beside them, weeks beside those, and single days at the edges. No
// block is longer than asked for with longest.
func cover(days affiliate.Days, longest span) []run {
	var runs []run
	for day := days.First; day <= days.Last; {
		b := longestBlock(day, days.Last, longest)
		if n := len(runs); n > 0 && runs[n-1].span == b.span {
			runs[n-1].last = b.first
		} else {
			runs = append(runs, run{b.span, b.first, b.first})
		}
		day = b.last() + 1
	}
	return runs
}

// longestBlock is the longest block that begins with day and does not reach
// beyond last. A week does not reach into a month that can be had as a whole.
func longestBlock(day, last affiliate.Day, longest span) block {
	for _, s := range []span{ofYear, ofMonth} {
		if s.longerThan(longest) {
			continue
		}
		b := blockOf(s, day)
		if b.first == day && b.last() <= last {
			return b
		}
		if next := blockOf(s, b.last()+1); next.last() <= last {
			last = next.first - 1
		}
	}
	if week := blockOf(ofWeek, day); !ofWeek.longerThan(longest) && week.first == day && week.last() <= last {
		return week
	}
	return block{ofDay, day}
}

// widen stretches days over neighbours that nothing is stored of, to the
// edges of their years. Larger blocks then fit, and the answer is the same.
// stored are the days from the first to the last one with records.
func widen(days, stored affiliate.Days) affiliate.Days {
	if days.First <= stored.First {
		days.First = blockOf(ofYear, stored.First).first
	}
	if days.Last >= stored.Last {
		days.Last = blockOf(ofYear, stored.Last).last()
	}
	return days
}
