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

var Spans = []Span{OfDay, OfWeek, OfMonth, OfYear} // the shortest first

func (s Span) longerThan(o Span) bool { return slices.Index(Spans, s) > slices.Index(Spans, o) }

// Block is a stretch of reporting days that roll-ups are kept of.
type Block struct {
	Span  Span
	First affiliate.Day
}

// BlockOf is the block that a day lies in.
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

// last is the last day of the block.
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

// Stretch is a stretch of neighbouring blocks of the same span.
type Stretch struct {
	Span  Span
	First affiliate.Day // of the first block
	Last  affiliate.Day // the first day of the last block
}

// Cover makes days up of the longest blocks that lie within, in order: years,
// months beside them, weeks beside those, and single days at the edges. No
// block is longer than asked for with longest.
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

// longestBlock is the longest block that begins with day and does not reach
// beyond last. A week does not reach into a month that can be had as a whole.
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

// Widen stretches days over neighbours that nothing is stored of, to the
// edges of their years. Larger blocks then fit, and the answer is the same.
// stored are the days from the first to the last one with records.
func Widen(days, stored affiliate.Days) affiliate.Days {
	if days.First <= stored.First {
		days.First = BlockOf(OfYear, stored.First).First
	}
	if days.Last >= stored.Last {
		days.Last = BlockOf(OfYear, stored.Last).last()
	}
	return days
}
