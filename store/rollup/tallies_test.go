package rollup

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
	tallies := TallyBeside(nil) // no zone: no day can be told
	for range 20 {
		tallies.Add(1, []affiliate.Commission{{DealTime: affiliate.MillisOf(time.Now())}}, 1)
	}
	tallies.End()
	if _, panicked := errors.AsType[*guard.Panic](tallies.Err); !panicked {
		t.Errorf("adding up gave %v", tallies.Err)
	}
}

// Merging ends when it is stopped, whatever is left to merge.
func TestMergingStops(t *testing.T) {
	change := part{Block: Block{OfDay, 1}, Changes: []change{{"1\tSPOT\tUSDT\tdirect\t", &LineFigures{Records: 1}}}}
	changes := BlockChanges{ByUID, OfDay, nil}
	for range 3 * mergeAhead {
		changes.Parts = append(changes.Parts, change)
	}
	m := MergeBeside([]BlockChanges{changes}, []map[BlockShard]string{{}})
	<-m.Blocks
	m.Stop()
	if _, open := <-m.Blocks; open || m.Err != nil {
		t.Errorf("merging goes on (%v)", m.Err)
	}
}
