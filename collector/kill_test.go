package collector_test

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/internal/soak"
)

// passings counts how often each point is passed while a desk collects
// everything, collects it again after it changed, does both in another
// reporting zone, and meets an exchange that gives no sound answer.
func passings(t testing.TB) map[crashpoint.Point]int {
	t.Helper()
	passed := make([]atomic.Int64, len(crashpoint.All()))
	crashpoint.Watch(func(p crashpoint.Point) { passed[p].Add(1) })
	defer crashpoint.Watch(nil)
	k := newKilling(t, 20)
	k.run(collector.RunRequest{})
	k.goOn()
	zone, err := time.LoadLocation(killZones[1])
	if err != nil {
		t.Fatal(err)
	}
	k.store = k.open(zone)
	k.Collector = k.collector(k.store, k.client)
	k.run(collector.RunRequest{Since: k.since()})
	k.holdsTheTruth()
	k.answers(noSoundInvitees)
	if report, err := k.Collect(context.Background(), collector.RunRequest{}); err != nil || report.Complete {
		t.Fatalf("the run met no fault: %+v (%v)", report, err)
	}
	counts := map[crashpoint.Point]int{}
	for _, p := range crashpoint.All() {
		counts[p] = int(passed[p].Load())
	}
	return counts
}

// noSoundInvitees answers for invitees as a proxy does that stands in between.
func noSoundInvitees(w http.ResponseWriter, r *http.Request) bool {
	if !strings.Contains(r.URL.Path, "getAffiliateUIDs") {
		return false
	}
	w.WriteHeader(http.StatusOK)
	_, err := w.Write([]byte("<html>one moment</html>"))
	return err == nil
}

// A point that nobody passes would be a promise that no kill has tested.
func TestEveryCrashPointIsPassed(t *testing.T) {
	counts := passings(t)
	for _, p := range crashpoint.All() {
		if p.String() == "" || counts[p] == 0 {
			t.Errorf("point %d (%s) was passed %d times", p, p, counts[p])
		}
	}
}

// Killed anywhere, at an instant or at a point of the write path, a collector
// leaves whole slices and nothing else, and the runs after it come to the same
// end without anybody's help.
func TestSoakKilledAnywhere(t *testing.T) {
	if raced {
		t.Skip("a process has no races with its own death")
	}
	want := soak.Times(200, 2000)
	counts := passings(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	k := newKilling(t, seed)
	k.measure()
	points := crashpoint.All()
	hits := map[crashpoint.Point]int{}
	for tries := 0; k.kills < want; tries++ {
		if tries > 5*want {
			t.Fatalf("%d children, and only %d of them were killed", tries, k.kills)
		}
		if k.kills%2 == 0 {
			k.once(aim{})
			continue
		}
		p := points[k.kills/2%len(points)]
		if k.once(k.aimAt(p, counts[p])) || k.once(aim{p, 1}) {
			hits[p]++
		}
	}
	k.settles()
	t.Logf("%d kills, %d of them within a run; %d children came to their end", k.kills, k.amidst, k.finished)
	for _, p := range points {
		if hits[p] < want/2/len(points) {
			t.Errorf("%s: %d kills, want %d", p, hits[p], want/2/len(points))
		}
	}
	if k.amidst < want/3 {
		t.Errorf("only %d of %d kills were within a run", k.amidst, k.kills)
	}
}

// aimAt draws a passing of the point, an early one more often than a late one.
func (k *killing) aimAt(p crashpoint.Point, passings int) aim {
	passings = max(1, passings>>k.random.IntN(max(1, bits.Len(uint(passings)))))
	return aim{p, 1 + k.random.IntN(passings)}
}

// once lets a child die, at the aim or at any instant, and looks at what it
// left.
func (k *killing) once(at aim) (killed bool) {
	k.prepare(at)
	child := startChild(k, k.task(at))
	if at.Passing > 0 {
		killed = child.killed()
	} else {
		killed = child.killAfter(time.Duration(k.random.Int64N(int64(k.whole))))
	}
	k.answers(nil)
	k.looksAt(func() {
		if !killed {
			k.finished++
			return
		}
		k.kills++
		if run := k.lastRun(); run.Started >= affiliate.MillisOf(k.clock.now()) && !run.Finished.Known() {
			k.amidst++
		}
	})
	if k.Failed() {
		k.Fatalf("after kill %d, %s", k.kills, at)
	}
	return killed
}

// measure lets a child do all its work in peace.
func (k *killing) measure() {
	if err := k.store.Close(); err != nil {
		k.Fatal(err)
	}
	k.goOn()
	k.fresh()
	begun := time.Now()
	if startChild(k, k.task(aim{})).killed() {
		k.Fatal("a child died that nobody killed")
	}
	k.whole = time.Since(begun)
	k.looksAt(k.holdsTheTruth)
}

// settles has a child read everything after all those that died, and then
// another one, which finds nothing new.
func (k *killing) settles() {
	work := k.task(aim{})
	work.Since = k.since()
	for range 2 {
		if startChild(k, work).killed() {
			k.Fatal("a child died that nobody killed")
		}
	}
	k.looksAt(func() {
		k.holdsTheTruth()
		if run := k.lastRun(); run.Opened != 0 || run.Closed != 0 || run.Slices == 0 {
			k.Errorf("reading everything again opened %d and closed %d in %d slices", run.Opened, run.Closed, run.Slices)
		}
	})
}
