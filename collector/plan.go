package collector

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/records"
)

// recheckTurn says that every n-th window goes to days that are only read once more, as
// long as there are days never read: a long backfill comes first, but does not delay
// verification until its end.
const recheckTurn = 8

// plan is the work of a run: for each stream the days that are due.
type plan struct {
	wanted  []*streamPlan // days never read to their end, or still changing
	recheck []*streamPlan // days read once more, after all those
	turn    int           // windows taken, including those of earlier runs
	total   int           // stream-days that were due at the start, see uncounted
}

// oldestOfWhole is the first day of lists that an exchange gives whole, of any age: none is older.
var oldestOfWhole = affiliate.DayOf(time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC), time.UTC)

// streamPlan is the rest to read of one stream with one urgency, newest first.
type streamPlan struct {
	stream  affiliate.Stream
	recheck bool
	due     []affiliate.Day // descending

	// uncounted says that the days are left out of the progress. A request gives months of bills,
	// which next to commissions would make every estimate of the time too short.
	uncounted bool

	sheet   exchange.StreamSheet
	longest int      // maximum days of the next window
	ongoing []window // parts of a window that was too large
}

// scope is the input of a plan.
type scope struct {
	sheet     *exchange.Sheet
	streams   []affiliate.Stream
	first     affiliate.Day // the oldest day to collect
	since     affiliate.Day // every day from here on is due, whatever is covered
	now       time.Time     // by the exchange's clock
	scheduled bool
	refused   refusals
	here      time.Time // by the clock of this machine
	read      time.Time // when figures that only grow were last read to their end; zero = never
}

// newPlan derives what is due from coverage (see needOf), and adds everything since the
// given day.
func newPlan(s scope, covered []records.CoverageDay) *plan {
	type dayOf struct {
		stream affiliate.Stream
		day    affiliate.Day
	}
	known := make(map[dayOf]records.CoverageDay, len(covered))
	for _, c := range covered {
		known[dayOf{c.Stream, c.Day}] = c
	}
	p := &plan{}
	for _, stream := range s.streams {
		sheet := s.sheet.Of(stream)
		first := &streamPlan{stream: stream, sheet: sheet, longest: sheet.First}
		after := &streamPlan{stream: stream, sheet: sheet, longest: sheet.First, recheck: true}
		for day := affiliate.DayOf(s.now, time.UTC); day >= s.oldest(sheet); day-- {
			need := needOf(known[dayOf{stream, day}], sheet, s.sheet.Settling, day, s.now, s.scheduled)
			switch {
			case day < s.since && !s.refused.asks(stream.Kind, day, s.here, s.scheduled):
			case day >= s.since || need == wanted:
				first.due = append(first.due, day)
			case need == recheck:
				after.due = append(after.due, day)
			}
		}
		if sheet.Whole && len(first.due) > 0 { // one reading of the list does for all
			first.due = append(first.due, after.due...)
			slices.SortFunc(first.due, func(a, b affiliate.Day) int { return int(b - a) })
			after.due = nil
		}
		p.wanted, p.recheck = append(p.wanted, first), append(p.recheck, after)
	}
	p.count()
	return p
}

// count counts the days that are due, and decides whether those of bills and transfers are among
// them: only if they are the greater part.
func (p *plan) count() {
	all := slices.Concat(p.wanted, p.recheck)
	money, others := 0, 0
	for _, sp := range all {
		if sp.stream.Kind.Money() {
			money += len(sp.due)
		} else {
			others += len(sp.due)
		}
	}
	for _, sp := range all {
		sp.uncounted = sp.sheet.Whole || sp.stream.Kind.Money() && money <= others
	}
	p.total = p.left()
}

// beginWith moves another stream to the front of those that are due up to the same day.
func (p *plan) beginWith(n int) {
	if len(p.wanted) > 0 {
		n %= len(p.wanted)
		p.wanted = slices.Concat(p.wanted[n:], p.wanted[:n])
	}
}

// oldestOf returns the first day of any stream that can be requested.
func (s scope) oldestOf() affiliate.Day {
	day := s.first
	for _, stream := range s.streams {
		day = min(day, s.oldest(s.sheet.Of(stream)))
	}
	return day
}

// oldest returns the first day of the stream that can be requested.
func (s scope) oldest(stream exchange.StreamSheet) affiliate.Day {
	if s.sheet.Grain == exchange.GrainSpan && stream.Kind == affiliate.Commissions {
		if s.read.IsZero() {
			return affiliate.DayOf(s.now, time.UTC)
		}
		return affiliate.DayOf(s.read, time.UTC)
	}
	if stream.Whole {
		return min(s.first, oldestOfWhole)
	}
	if stream.Reach > 0 {
		from := s.now.Add(-stream.Reach)
		if s.sheet.Grain == exchange.GrainDay && stream.Kind == affiliate.Commissions {
			// The record of a day begins later than the UTC day, which counts if that is in reach.
			from = from.Add(24*time.Hour - time.Millisecond - s.sheet.DayBegins)
		}
		return max(s.first, affiliate.DayOf(from, time.UTC))
	}
	return s.first
}

// left returns how many stream-days are still to be read, as far as they count.
func (p *plan) left() int {
	n := 0
	for _, sp := range slices.Concat(p.wanted, p.recheck) {
		if sp.uncounted {
			continue
		}
		n += len(sp.due)
		for _, w := range sp.ongoing {
			n += w.days.Len()
		}
	}
	return n
}

// next removes the next window to read from the plan.
func (p *plan) next() (window, bool) {
	p.turn++
	first, second := p.wanted, p.recheck
	if p.turn%recheckTurn == 0 {
		first, second = second, first
	}
	sp := newestOf(first)
	if sp == nil {
		sp = newestOf(second)
	}
	if sp == nil {
		return window{}, false
	}
	return sp.take(), true
}

// newestOf returns the stream that is due up to the newest day, the first of them if there
// are several, or nil if none is due.
func newestOf(streams []*streamPlan) (newest *streamPlan) {
	var best affiliate.Day
	for _, sp := range streams {
		if day, ok := sp.newest(); ok && (newest == nil || day > best) {
			newest, best = sp, day
		}
	}
	return newest
}

func (sp *streamPlan) newest() (affiliate.Day, bool) {
	if len(sp.ongoing) > 0 {
		return sp.ongoing[0].days.Last, true
	}
	if len(sp.due) > 0 {
		return sp.due[0], true
	}
	return 0, false
}

// take removes the newest run of adjacent days from what is due, up to the maximum length
// of a window. Of a list that is given whole it takes all days that are due, with those between them.
func (sp *streamPlan) take() window {
	if len(sp.ongoing) > 0 {
		w := sp.ongoing[0]
		sp.ongoing = sp.ongoing[1:]
		return w
	}
	n := 1
	for n < len(sp.due) && (sp.sheet.Whole || n < sp.longest && sp.due[n] == sp.due[n-1]-1) {
		n++
	}
	w := window{stream: sp.stream, days: affiliate.Days{First: sp.due[n-1], Last: sp.due[0]}, recheck: sp.recheck, uncounted: sp.uncounted, whole: sp.sheet.Whole}
	sp.due = sp.due[n:]
	return w
}

// measured sets the length of the stream's next windows by the number of records in the
// last one.
func (p *plan) measured(w window, records int) {
	for _, sp := range slices.Concat(p.wanted, p.recheck) {
		if sp.stream != w.stream || sp.sheet.Whole {
			continue
		}
		sp.longest = sp.sheet.Window
		if records > 0 {
			sp.longest = min(max(recordsPerWindow*w.days.Len()/records, 1), sp.sheet.Window)
		}
	}
}

// split returns a window to the plan in parts, newest first.
func (p *plan) split(parts ...window) {
	sp := p.of(parts[0])
	sp.ongoing = append(parts, sp.ongoing...)
}

// leave removes the days of a stream before the given one.
func (p *plan) leave(stream affiliate.Stream, before affiliate.Day) {
	for _, sp := range slices.Concat(p.wanted, p.recheck) {
		if sp.stream != stream {
			continue
		}
		sp.due = slices.DeleteFunc(sp.due, func(day affiliate.Day) bool { return day < before })
		for i := range sp.ongoing {
			sp.ongoing[i].days.First = max(sp.ongoing[i].days.First, before)
		}
		sp.ongoing = slices.DeleteFunc(sp.ongoing, func(w window) bool { return w.days.Len() == 0 })
	}
}

// of returns the part of the plan from which the window came.
func (p *plan) of(w window) *streamPlan {
	for _, sp := range slices.Concat(p.wanted, p.recheck) {
		if sp.stream == w.stream && sp.recheck == w.recheck {
			return sp
		}
	}
	panic("collector: no plan for " + w.stream.String())
}
