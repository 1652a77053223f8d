package rollup

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
)

// Tallies add up what slices change in the roll-ups on a goroutine of their
// own, while the rows of the slices are written.
type Tallies struct {
	zone  *time.Location
	work  chan tallied
	done  chan struct{}
	ended bool

	// The goroutine's, until done is closed.
	Rolls map[int64]*Delta // by account
	Err   error
}

// tallied are records to be counted once each, or to be taken away with -1.
type tallied struct {
	account int64
	records []affiliate.Commission
	times   int64
}

// TallyBeside begins. The caller calls end, whatever happens.
func TallyBeside(zone *time.Location) *Tallies {
	t := &Tallies{zone: zone, work: make(chan tallied, 4), done: make(chan struct{}), Rolls: map[int64]*Delta{}}
	go t.run()
	return t
}

func (t *Tallies) run() {
	defer close(t.done)
	t.Err = guard.Do(nil, "adding up a slice", t.tally) // uncaught it would end the process
	for range t.work {                                  // add must not wait for what is no longer done
	}
}

func (t *Tallies) tally() error {
	for w := range t.work {
		roll := t.Rolls[w.account]
		if roll == nil {
			roll = NewDelta(t.zone, w.account)
			t.Rolls[w.account] = roll
		}
		for i := range w.records {
			roll.Add(&w.records[i], w.times)
		}
	}
	for _, roll := range t.Rolls {
		roll.Fold()
	}
	return nil
}

// Add hands records over. They must not change until end.
func (t *Tallies) Add(account int64, records []affiliate.Commission, times int64) {
	t.work <- tallied{account, records, times}
}

// Last says that nothing more will be handed over.
func (t *Tallies) Last() {
	if !t.ended {
		t.ended = true
		close(t.work)
	}
}

// End waits until all is added up.
func (t *Tallies) End() {
	t.Last()
	<-t.done
}
