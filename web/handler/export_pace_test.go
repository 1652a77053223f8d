package handler

import (
	"testing"
	"time"
)

// A slow reader may take an hour, and then as long as the size of the file requires. A
// reader that only keeps the connection alive is cut off. The time for computing a file
// does not count.
func TestPaceOfReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("ten hours of pieces, and nothing of it is concurrent")
	}
	const piece = 4 << 10
	for _, c := range []struct {
		name          string
		making, taken time.Duration // for one piece
		lasts         time.Duration // minimum time until the end
		cut           time.Duration // when the reader is cut off; 0: never
	}{
		{"fast", 0, time.Millisecond, 10 * time.Minute, 0},
		{"slow", 0, 50 * time.Millisecond, 10 * time.Hour, 0},
		{"very slow", 0, 400 * time.Millisecond, time.Hour, 70 * time.Minute},
		{"very slow, and so are we", 50 * time.Second, 400 * time.Millisecond, 10 * time.Hour, 0},
		{"not at all", 0, WriteTimeout + time.Second, 0, 5 * time.Minute},
		{"as little as keeps it alive", 0, WriteTimeout - time.Second, 0, 5 * time.Minute},
		{"a little more", 0, 2 * time.Second, 0, 5 * time.Minute},
	} {
		var p pace
		at := time.Date(2026, 11, 20, 14, 5, 0, 0, time.UTC)
		began, cut := at, false
		for !cut && at.Sub(began) < max(c.lasts, c.cut) {
			p.asks(at)
			at = at.Add(c.making)
			until := p.gets(at, piece)
			at = at.Add(c.taken)
			cut = at.After(until)
		}
		if lasted := at.Sub(began); cut != (c.cut > 0) || lasted < c.lasts {
			t.Errorf("%s: cut %v after %v, want not before %v, and until %v", c.name, cut, lasted, c.lasts, c.cut)
		}
	}
}
