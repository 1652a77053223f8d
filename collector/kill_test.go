package collector_test

import (
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
	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/soak"
)

// stepsOfRun counts the steps that a fixture takes in its database, and the windows that it
// reads, while it collects everything, its database being new.
func stepsOfRun(t testing.TB) (steps, windows int64) {
	t.Helper()
	var taken, read atomic.Int64
	crashtest.Watch(func(crashtest.Step) { taken.Add(1) })
	defer crashtest.Watch(nil)
	crashpoint.Watch(func(crashpoint.Point) { read.Add(1) })
	defer crashpoint.Watch(nil)
	k := newKilling(t, 20)
	k.run(collector.RunRequest{})
	return taken.Load(), read.Load()
}

// noSoundInvitees answers requests for invitees like a faulty proxy in between.
func noSoundInvitees(w http.ResponseWriter, r *http.Request) bool {
	if !strings.Contains(r.URL.Path, "getAffiliateUIDs") {
		return false
	}
	w.WriteHeader(http.StatusOK)
	_, err := w.Write([]byte("<html>one moment</html>"))
	return err == nil
}

// Killed anywhere, at any instant, before any step in the database or with a window in
// hand, a collector leaves only whole slices, and the runs after it reach the same end
// without intervention.
func TestSoakKilledAnywhere(t *testing.T) {
	if raced {
		t.Skip("a process has no races with its own death")
	}
	want := soak.Times(24, 2000)
	steps, windows := stepsOfRun(t)
	seed := rand.Uint64()
	t.Logf("seed %d, %d steps, %d windows", seed, steps, windows)
	k := newKilling(t, seed)
	k.measure()
	hits := map[crashpoint.Point]int{}
	for tries := 0; k.kills < want; tries++ {
		if tries > 5*want {
			t.Fatalf("%d children, and only %d of them were killed", tries, k.kills)
		}
		if k.kills%2 == 0 {
			k.once(crashtest.Aim{})
			continue
		}
		at := crashtest.Aim{N: k.early(steps)}
		if k.kills%8 == 1 {
			at = crashtest.Aim{Point: crashpoint.WindowRead, N: k.early(windows)}
		}
		if k.once(at) {
			hits[at.Point]++
		}
	}
	k.settles()
	t.Logf("%d kills, %d of them within a run; %d children came to their end", k.kills, k.amidst, k.finished)
	if hits[0] < want/4 || hits[crashpoint.WindowRead] < want/16 {
		t.Errorf("%d kills in the database and %d with a window, of %d", hits[0], hits[crashpoint.WindowRead], k.kills)
	}
	if k.amidst < want/3 {
		t.Errorf("only %d of %d kills were within a run", k.amidst, k.kills)
	}
}

// early draws one of n, an early one more often than a late one.
func (k *killing) early(n int64) int64 {
	n = max(1, n>>k.random.IntN(max(1, bits.Len64(uint64(n)))))
	return 1 + k.random.Int64N(n)
}

// once kills a child, at the aim or at any instant, and checks what it left.
func (k *killing) once(at crashtest.Aim) (killed bool) {
	k.prepare()
	child := startChild(k, k.task(at))
	if at.N > 0 {
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

// measure lets a child do all its work undisturbed.
func (k *killing) measure() {
	if err := k.store.Close(); err != nil {
		k.Fatal(err)
	}
	k.goOn()
	k.fresh()
	begun := time.Now()
	if startChild(k, k.task(crashtest.Aim{})).killed() {
		k.Fatal("a child ended before it was killed")
	}
	k.whole = time.Since(begun)
	k.looksAt(k.holdsTheTruth)
}

// settles lets a child read everything after all those that were killed, and then another
// one, which finds nothing new.
func (k *killing) settles() {
	work := k.task(crashtest.Aim{})
	work.Since = k.since()
	for range 2 {
		if startChild(k, work).killed() {
			k.Fatal("a child ended before it was killed")
		}
	}
	k.looksAt(func() {
		k.holdsTheTruth()
		if run := k.lastRun(); run.Opened != 0 || run.Closed != 0 || run.Slices == 0 {
			k.Errorf("reading everything again opened %d and closed %d in %d slices", run.Opened, run.Closed, run.Slices)
		}
	})
}
