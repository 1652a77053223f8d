package web

import "time"

// slowestLine is how many bytes a second the reader of a file has to take, on
// the average of all the time it was waited for. Whoever takes less holds a
// state of the store, beside which its log grows, and a place that others need.
const slowestLine = 8 << 10

// pace is how fast a reader takes a file. The time that the file itself takes
// to be made is not the reader's.
type pace struct {
	sent  int64
	taken time.Duration // in which the reader was waited for
	since time.Time     // it is waited for again
}

// asks notes that the reader has taken what it was given.
func (p *pace) asks(now time.Time) {
	if !p.since.IsZero() {
		p.taken += now.Sub(p.since)
	}
}

// gets notes that n more bytes are ready, and says until when they have to be
// taken.
func (p *pace) gets(now time.Time, n int) time.Time {
	p.since = now
	p.sent += int64(n)
	granted := writeTimeout + time.Duration(p.sent/slowestLine)*time.Second
	return now.Add(min(writeTimeout, granted-p.taken))
}
