package handler

import "time"

// WriteTimeout is how long a client may take to read an answer. A page must be ready
// well before; an export extends the deadline while it is sent.
const WriteTimeout = 60 * time.Second

// How many bytes a second the reader of a file has to take, averaged over all the time
// that the server waited for them: little in the first hour, for bad lines, and then
// more. A slower reader holds a state of the store, during which the store's log grows,
// and a place that others need. So a file may take an hour, and longer only because of
// its size.
const (
	slowestLine = 8 << 10
	laterLine   = 64 << 10
	badLineFor  = time.Hour
)

// hardlyWaited is how long the server has to wait for a reader before it can judge
// their line.
const hardlyWaited = 5 * time.Second

// pace measures how fast a reader takes a file. The time that the making of the file
// takes is not counted.
type pace struct {
	sent  int64
	taken time.Duration // in which the server waited for the reader
	since time.Time     // start of the current wait for the reader; zero while the reader waits
}

// asks notes that the reader has taken all bytes given so far.
func (p *pace) asks(now time.Time) {
	p.taken, p.since = p.waited(now), time.Time{}
}

// waited returns how long the server has waited for the reader until now.
func (p *pace) waited(now time.Time) time.Duration {
	if p.since.IsZero() {
		return p.taken
	}
	return p.taken + now.Sub(p.since)
}

// gets notes that n more bytes are ready and returns the time by which they have to be
// taken.
func (p *pace) gets(now time.Time, n int) time.Time {
	p.since = now
	p.sent += int64(n)
	slowly := min(p.sent, slowestLine*int64(badLineFor/time.Second))
	granted := WriteTimeout + time.Duration(slowly/slowestLine+(p.sent-slowly)/laterLine)*time.Second
	return now.Add(min(WriteTimeout, granted-p.taken))
}

// line returns how many bytes a second the reader takes; known is false if the server
// has hardly waited for the reader.
func (p *pace) line(now time.Time) (perSecond float64, known bool) {
	waited := p.waited(now)
	if waited < hardlyWaited {
		return 0, false
	}
	return float64(p.sent) / waited.Seconds(), true
}
