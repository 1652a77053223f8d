package rollup

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// Span is the length of a block of reporting days.
type Span string

// Every record is counted once in a block of each span.
const (
	OfDay   Span = "day"
	OfWeek  Span = "week"
	OfMonth Span = "month"
	OfYear  Span = "year"
)

var Spans = []Span{OfDay, OfWeek, OfMonth, OfYear} // shortest first

func (s Span) longerThan(o Span) bool { return slices.Index(Spans, s) > slices.Index(Spans, o) }

// Block is a range of reporting days for which roll-ups are kept.
type Block struct {
	Span  Span
	First affiliate.Day
}

// BlockOf returns the block that contains a day.
func BlockOf(s Span, day affiliate.Day) Block {
	switch s {
	case OfWeek:
		return Block{s, day - affiliate.Day((day.Weekday()+6)%7)} // Monday is the first day
	case OfMonth:
		year, month, _ := day.Date()
		return Block{s, affiliate.NewDay(year, month, 1)}
	case OfYear:
		year, _, _ := day.Date()
		return Block{s, affiliate.NewDay(year, time.January, 1)}
	}
	return Block{s, day}
}

// last returns the last day of the block.
func (b Block) last() affiliate.Day {
	switch b.Span {
	case OfWeek:
		return b.First + 6
	case OfMonth:
		year, month, _ := b.First.Date()
		return affiliate.NewDay(year, month+1, 1) - 1
	case OfYear:
		year, _, _ := b.First.Date()
		return affiliate.NewDay(year+1, time.January, 1) - 1
	}
	return b.First
}

// Stretch is a series of adjacent blocks of the same span.
type Stretch struct {
	Span  Span
	First affiliate.Day // of the first block
	Last  affiliate.Day // the first day of the last block
}

// Days returns the days of the blocks.
func (s Stretch) Days() affiliate.Days {
	return affiliate.Days{First: s.First, Last: Block{s.Span, s.Last}.last()}
}

// Cover divides days into the longest blocks that fit, in order: years, next to them
// months, next to those weeks, and single days at the edges. No block is longer than
// longest.
func Cover(days affiliate.Days, longest Span) []Stretch {
	var runs []Stretch
	for day := days.First; day <= days.Last; {
		b := longestBlock(day, days.Last, longest)
		if n := len(runs); n > 0 && runs[n-1].Span == b.Span {
			runs[n-1].Last = b.First
		} else {
			runs = append(runs, Stretch{b.Span, b.First, b.First})
		}
		day = b.last() + 1
	}
	return runs
}

// longestBlock returns the longest block that begins with day and does not extend beyond
// last. A week does not extend into a month that fits as a whole.
func longestBlock(day, last affiliate.Day, longest Span) Block {
	for _, s := range []Span{OfYear, OfMonth} {
		if s.longerThan(longest) {
			continue
		}
		b := BlockOf(s, day)
		if b.First == day && b.last() <= last {
			return b
		}
		if next := BlockOf(s, b.last()+1); next.last() <= last {
			last = next.First - 1
		}
	}
	if week := BlockOf(OfWeek, day); !OfWeek.longerThan(longest) && week.First == day && week.last() <= last {
		return week
	}
	return Block{OfDay, day}
}

// Widen extends days over adjacent days without stored records, to the edges of their
// years. Larger blocks then fit, and the answer is the same. stored is the range from the
// first to the last day with records.
func Widen(days, stored affiliate.Days) affiliate.Days {
	if days.First <= stored.First {
		days.First = BlockOf(OfYear, stored.First).First
	}
	if days.Last >= stored.Last {
		days.Last = BlockOf(OfYear, stored.Last).last()
	}
	return days
}
