package handler

import "time"

// WriteTimeout is how long a client may take to read an answer. A page must be
// ready well before; an export moves that deadline as it goes on.
const WriteTimeout = 60 * time.Second

// How many bytes a second the reader of a file has to take, on the average of all
// the time they were waited for: little in the first hour, for bad lines, and then
// more. Whoever takes less holds a state of the store, beside which its log grows,
// and a place that others need. So a file may take an hour, and longer only by its
// size.
const (
	slowestLine = 8 << 10
	laterLine   = 64 << 10
	badLineFor  = time.Hour
)

// hardlyWaited is how long a reader is waited for before anything can be said
// about their line.
const hardlyWaited = 5 * time.Second

// pace is how fast a reader takes a file. The time that the file itself takes
// to be made is not the reader's.
type pace struct {
	sent  int64
	taken time.Duration // in which the reader was waited for
	since time.Time     // they are waited for again; zero: they wait
}

// asks notes that the reader has taken what it was given.
func (p *pace) asks(now time.Time) {
	p.taken, p.since = p.waited(now), time.Time{}
}

// waited is how long the reader was waited for until now.
func (p *pace) waited(now time.Time) time.Duration {
	if p.since.IsZero() {
		return p.taken
	}
	return p.taken + now.Sub(p.since)
}

// gets notes that n more bytes are ready, and says until when they have to be
// taken.
func (p *pace) gets(now time.Time, n int) time.Time {
	p.since = now
	p.sent += int64(n)
	slowly := min(p.sent, slowestLine*int64(badLineFor/time.Second))
	granted := WriteTimeout + time.Duration(slowly/slowestLine+(p.sent-slowly)/laterLine)*time.Second
	return now.Add(min(WriteTimeout, granted-p.taken))
}

// line is how many bytes a second the reader takes; known is false of one who was
// hardly waited for.
func (p *pace) line(now time.Time) (perSecond float64, known bool) {
	waited := p.waited(now)
	if waited < hardlyWaited {
		return 0, false
	}
	return float64(p.sent) / waited.Seconds(), true
}
