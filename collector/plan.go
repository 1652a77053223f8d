package collector

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// settleAfter is how long after its end a day must have been read to be left
// alone: records appear late, change and vanish for some days.
const settleAfter = 72 * time.Hour

// rereadInvitees is how old the knowledge of a registration day may get. KYC,
// deposits and trades of an old invitee change long after registration.
const rereadInvitees = 20 * time.Hour

// plan is the work of a run: for each stream the days that are due.
type plan struct {
	streams []*streamPlan
	total   int // stream-days that were due at the start
}

// streamPlan is what is left to read of one stream, newest first.
type streamPlan struct {
	stream  affiliate.Stream
	due     []affiliate.Day // falling
	longest int             // days that the next window may have
	ongoing []window        // parts of a window that turned out too large
}

// newPlan derives what is due from coverage: what was never read whole, what
// was last read before it settled, and everything since the given day.
func newPlan(streams []affiliate.Stream, covered []store.CoverageDay, first, since affiliate.Day, now time.Time) *plan {
	type dayOf struct {
		stream affiliate.Stream
		day    affiliate.Day
	}
	known := make(map[dayOf]store.CoverageDay, len(covered))
	for _, c := range covered {
		known[dayOf{c.Stream, c.Day}] = c
	}
	p := &plan{}
	today := affiliate.DayOf(now, time.UTC)
	for _, stream := range streams {
		sp := &streamPlan{stream: stream, longest: firstLength(stream)}
		oldest := first
		if stream.Kind == affiliate.Invitees {
			oldest = max(first, affiliate.DayOf(now.Add(-inviteeReach), time.UTC))
		}
		for day := today; day >= oldest; day-- {
			if day >= since || isDue(known[dayOf{stream, day}], stream, day, now) {
				sp.due = append(sp.due, day)
			}
		}
		p.total += len(sp.due)
		p.streams = append(p.streams, sp)
	}
	return p
}

// isDue reports whether a day has to be read (again).
func isDue(c store.CoverageDay, stream affiliate.Stream, day affiliate.Day, now time.Time) bool {
	if c.Failed.Known() || !c.Through.Known() {
		return true
	}
	settled := (day + 1).Start(time.UTC).Add(settleAfter)
	if c.LastRead.Time().Before(settled) {
		return true
	}
	return stream.Kind == affiliate.Invitees && now.Sub(c.LastRead.Time()) > rereadInvitees
}

// left is how many stream-days are still to be read.
func (p *plan) left() int {
	n := 0
	for _, sp := range p.streams {
		n += len(sp.due)
		for _, w := range sp.ongoing {
			n += w.days.Len()
		}
	}
	return n
}

// next takes the window to read next off the plan: the one that ends on the
// newest day, in the order of the streams where several do.
func (p *plan) next() (window, bool) {
	var newest *streamPlan
	for _, sp := range p.streams {
		day, ok := sp.newest()
		if !ok {
			continue
		}
		if newest != nil {
			if best, _ := newest.newest(); day <= best {
				continue
			}
		}
		newest = sp
	}
	if newest == nil {
		return window{}, false
	}
	return newest.take(), true
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

// take cuts the newest stretch of neighbouring days off what is due, as long
// as a window may be.
func (sp *streamPlan) take() window {
	if len(sp.ongoing) > 0 {
		w := sp.ongoing[0]
		sp.ongoing = sp.ongoing[1:]
		return w
	}
	n := 1
	for n < len(sp.due) && n < sp.longest && sp.due[n] == sp.due[n-1]-1 {
		n++
	}
	w := window{sp.stream, affiliate.Days{First: sp.due[n-1], Last: sp.due[0]}}
	sp.due = sp.due[n:]
	return w
}

// firstLength is how many days a window may have before anything is known of
// how dense the records of its stream lie.
func firstLength(stream affiliate.Stream) int {
	if stream.Kind == affiliate.Commissions {
		return recentDays
	}
	return maxDays
}

// measured sets the length of the stream's next window by how many records the
// last one held.
func (p *plan) measured(w window, records int) {
	fits := maxDays
	if records > 0 {
		fits = pagesPerWindow * pageSize * w.days.Len() / records
	}
	p.of(w.stream).longest = min(max(fits, 1), maxDays)
}

// split puts a window back in parts, the newest first.
func (p *plan) split(parts ...window) {
	sp := p.of(parts[0].stream)
	sp.ongoing = append(parts, sp.ongoing...)
}

func (p *plan) of(stream affiliate.Stream) *streamPlan {
	for _, sp := range p.streams {
		if sp.stream == stream {
			return sp
		}
	}
	panic("collector: no plan for " + stream.String())
}
