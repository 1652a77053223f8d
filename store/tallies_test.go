package store

import (
	"errors"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/guard"
)

// A panic of what is added up beside ends the write, and not the process; whoever
// hands over records does not wait for what is no longer done.
func TestTalliesThatPanic(t *testing.T) {
	tallies := tallyBeside(nil) // no zone: no day can be told
	for range 20 {
		tallies.add(1, []affiliate.Commission{{DealTime: affiliate.MillisOf(time.Now())}}, 1)
	}
	tallies.end()
	if _, panicked := errors.AsType[*guard.Panic](tallies.err); !panicked {
		t.Errorf("adding up gave %v", tallies.err)
	}
}

// Merging ends when it is stopped, whatever is left to merge.
func TestMergingStops(t *testing.T) {
	change := part{block: block{ofDay, 1}, changes: []change{{"1\tSPOT\tUSDT\tdirect\t", &sums{records: 1}}}}
	changes := blockChanges{byUID, ofDay, nil}
	for range 3 * mergeAhead {
		changes.parts = append(changes.parts, change)
	}
	m := mergeBeside([]blockChanges{changes}, []map[blockShard]string{{}})
	<-m.blocks
	m.stop()
	if _, open := <-m.blocks; open || m.err != nil {
		t.Errorf("merging goes on (%v)", m.err)
	}
}
