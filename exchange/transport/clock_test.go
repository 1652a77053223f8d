package transport

import (
	"testing"
	"time"

	"rebatedesk/affiliate"
)

// A quick answer determines the clock better than a slow one. After either clock was set,
// a new answer prevails.
func TestClockPrefersPreciseAnswers(t *testing.T) {
	start := affiliate.Millis(1756103438804).Time()
	k := clock{local: func() time.Time { return start }}
	learn := func(offset, took time.Duration) time.Duration {
		k.learn(start.Add(took/2+offset), start, start.Add(took), 0)
		return k.offset
	}
	for _, step := range []struct{ offset, took, want time.Duration }{
		{5 * time.Second, 20 * time.Second, 5 * time.Second},      // the first answer
		{time.Second, 100 * time.Millisecond, time.Second},        // more precise
		{3 * time.Second, 10 * time.Second, time.Second},          // slow: may be wrong
		{time.Minute, 10 * time.Second, time.Minute},              // too far off: a clock was set
		{2 * time.Second, 10 * time.Millisecond, 2 * time.Second}, // more precise
		{2001 * time.Millisecond, 0, 2001 * time.Millisecond},     // as precise as possible
	} {
		if got := learn(step.offset, step.took); got != step.want {
			t.Errorf("offset %v in %v: the clock is %v off, want %v", step.offset, step.took, got, step.want)
		}
	}
}
