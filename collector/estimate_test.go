package collector

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Windows have any size, and the exchange requests pauses of ten seconds. The estimate
// begins at a tenth of the work and never grows. From a quarter on it lies between half of
// the time without the future pauses and twice the time with them.
func TestEstimateOfSteadyWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		each := time.Duration(rapid.Int64Range(300, 2000).Draw(t, "pace")) * time.Millisecond
		windows := rapid.SliceOfN(rapid.IntRange(8, 30), 60, 200).Draw(t, "windows")
		start := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
		ends, wanted, at := []time.Time{}, 0, start
		for i, days := range windows {
			wanted += days
			if at = at.Add(each * time.Duration(days)); i%9 == 2 {
				at = at.Add(10 * time.Second)
			}
			ends = append(ends, at)
		}
		var e estimate
		e.begin(start, 0)
		told, done := time.Duration(0), 0
		for i, days := range windows {
			done += days
			e.advance(ends[i], done, wanted)
			left := e.left(ends[i], done, wanted)
			if (left > 0) != (done*firstEstimate >= wanted && done < wanted) {
				t.Fatalf("%s left after %d of %d", left, done, wanted)
			}
			if told > 0 && left > told {
				t.Fatalf("%s left after %s", left, told)
			}
			least, most := each*time.Duration(wanted-done)/2, 2*at.Sub(ends[i])+30*time.Second
			if done*4 >= wanted && (left > most || left < least) {
				t.Fatalf("%s left, not within %s and %s", left, least, most)
			}
			told = left
		}
	})
}

// If the work really becomes slower, the estimate grows after a while.
func TestEstimateAdmitsSlowness(t *testing.T) {
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	var e estimate
	e.begin(now, 0)
	var before, after time.Duration
	for done := 1; done < 1000; done++ {
		if now = now.Add(time.Second); done > 300 {
			now = now.Add(19 * time.Second)
		}
		e.advance(now, done, 1000)
		switch left := e.left(now, done, 1000); done {
		case 300:
			before = left
		case 700:
			after = left
		}
	}
	if before < 10*time.Minute || before > 13*time.Minute || after < 90*time.Minute {
		t.Errorf("700 seconds were estimated as %s; at a twentieth of the rate, 6000 as %s", before, after)
	}
}

// A collection that begins in a burst is not promised to go on like that: the budget says how long
// the rest takes at least.
func TestEstimateKnowsTheBudget(t *testing.T) {
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	var e estimate
	e.begin(now, 0)
	for done := 1; done <= 200; done++ { // two thousand days, at a weight of 2 each
		now = now.Add(time.Millisecond)
		e.advance(now, done, 2000)
	}
	e.least = rationed(400, 200, 2000, 400)
	if left := e.left(now, 200, 2000); left != 90*time.Second {
		t.Errorf("%s left, and a weight of 3,600 at 400 in ten seconds takes 90 s", left)
	}
	if none := rationed(400, 0, 2000, 400) + rationed(400, 200, 2000, 0) + rationed(400, 2000, 2000, 400); none != 0 {
		t.Errorf("what is unknown takes %s", none)
	}
}
