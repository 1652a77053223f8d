package web

import (
	"testing"
	"time"
)

// A slow reader gets its file, however long it takes; one that only keeps the
// connection alive is cut, and the time that a file takes to be made is nobody's
// fault.
func TestPaceOfReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("ten hours of pieces, and nothing of it is concurrent")
	}
	const piece = 4 << 10
	for _, c := range []struct {
		name          string
		making, taken time.Duration // of a piece
		cut           bool
	}{
		{"fast", 0, time.Millisecond, false},
		{"slow", 0, 400 * time.Millisecond, false},
		{"slow, and so are we", 50 * time.Second, 400 * time.Millisecond, false},
		{"not at all", 0, writeTimeout + time.Second, true},
		{"as little as keeps it alive", 0, writeTimeout - time.Second, true},
		{"a little more", 0, 2 * time.Second, true},
	} {
		var p pace
		at := time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC)
		allowed, cut := 5*time.Minute, false
		if !c.cut {
			allowed = 10 * time.Hour
		}
		for began := at; !cut && at.Sub(began) < allowed; {
			p.asks(at)
			at = at.Add(c.making)
			until := p.gets(at, piece)
			at = at.Add(c.taken)
			cut = at.After(until)
		}
		if cut != c.cut {
			t.Errorf("%s: cut %v within %v, want %v", c.name, cut, allowed, c.cut)
		}
	}
}
