package rollup

import (
	"fmt"

	"rebatedesk/internal/guard"
)

// mergeAhead is how many merged blocks wait to be written at most.
const mergeAhead = 16

// merging merges changes into stored blocks while the ones before are written.
type merging struct {
	Blocks chan mergedBlock
	enough chan struct{} // closed when no more are wanted
	Err    error         // once blocks is closed
}

// mergedBlock is a block as it is to be stored.
type mergedBlock struct {
	Kind Grouping
	Span Span
	BlockShard
	Names int64
	Lines string
}

// MergeBeside begins to merge; stored has the lines of each of the changes. The
// caller calls stop.
func MergeBeside(changes []BlockChanges, stored []map[BlockShard]string) *merging {
	m := &merging{Blocks: make(chan mergedBlock, mergeAhead), enough: make(chan struct{})}
	go func() {
		defer close(m.Blocks)
		// Uncaught, a panic here would end the process.
		m.Err = guard.Do(nil, "merging roll-ups", func() error { return m.merge(changes, stored) })
	}()
	return m
}

func (m *merging) merge(changes []BlockChanges, stored []map[BlockShard]string) error {
	for i, c := range changes {
		for _, p := range c.Parts {
			shard := BlockShard{p.First.String(), p.Shard}
			lines, err := MergeLines(stored[i][shard], p.Changes)
			if err != nil {
				return fmt.Errorf("%s of %s by %s: %w", c.Span, shard.Day, c.Kind, err)
			}
			select {
			case m.Blocks <- mergedBlock{c.Kind, c.Span, shard, CountNames(lines), lines}:
			case <-m.enough:
				return nil
			}
		}
	}
	return nil
}

// Stop ends the merging, done or not.
func (m *merging) Stop() {
	close(m.enough)
	for range m.Blocks { // until it has ended
	}
}

type BlockShard struct {
	Day   string
	Shard int64
}
