package store

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
)

// tallies add up what slices change in the roll-ups on a goroutine of their
// own, while the rows of the slices are written.
type tallies struct {
	zone  *time.Location
	work  chan tallied
	done  chan struct{}
	ended bool

	// The goroutine's, until done is closed.
	rolls map[int64]*rollup // by account
	err   error
}

// tallied are records to be counted once each, or to be taken away with -1.
type tallied struct {
	account int64
	records []affiliate.Commission
	times   int64
}

// tallyBeside begins. The caller calls end, whatever happens.
func tallyBeside(zone *time.Location) *tallies {
	t := &tallies{zone: zone, work: make(chan tallied, 4), done: make(chan struct{}), rolls: map[int64]*rollup{}}
	go t.run()
	return t
}

func (t *tallies) run() {
	defer close(t.done)
	t.err = guard.Run(nil, "adding up a slice", t.tally) // uncaught it would end the process
	for range t.work {                                   // add must not wait for what is no longer done
	}
}

func (t *tallies) tally() error {
	for w := range t.work {
		roll := t.rolls[w.account]
		if roll == nil {
			roll = newRollup(t.zone, w.account)
			t.rolls[w.account] = roll
		}
		for i := range w.records {
			roll.add(&w.records[i], w.times)
		}
	}
	for _, roll := range t.rolls {
		roll.fold()
	}
	return nil
}

// add hands records over. They must not change until end.
func (t *tallies) add(account int64, records []affiliate.Commission, times int64) {
	t.work <- tallied{account, records, times}
}

// last says that nothing more will be handed over.
func (t *tallies) last() {
	if !t.ended {
		t.ended = true
		close(t.work)
	}
}

// end waits until all is added up.
func (t *tallies) end() {
	t.last()
	<-t.done
}
