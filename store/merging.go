package store

import (
	"fmt"

	"rebatedesk/internal/guard"
)

// mergeAhead is how many merged blocks wait to be written at most.
const mergeAhead = 16

// merging merges changes into stored blocks while the ones before are written.
type merging struct {
	blocks chan mergedBlock
	enough chan struct{} // closed when no more are wanted
	err    error         // once blocks is closed
}

// mergedBlock is a block as it is to be stored.
type mergedBlock struct {
	kind kind
	span span
	blockShard
	names int64
	lines string
}

// mergeBeside begins to merge; stored has the lines of each of the changes. The
// caller calls stop.
func mergeBeside(changes []blockChanges, stored []map[blockShard]string) *merging {
	m := &merging{blocks: make(chan mergedBlock, mergeAhead), enough: make(chan struct{})}
	go func() {
		defer close(m.blocks)
		// Uncaught, a panic here would end the process.
		m.err = guard.Run(nil, "merging roll-ups", func() error { return m.merge(changes, stored) })
	}()
	return m
}

func (m *merging) merge(changes []blockChanges, stored []map[blockShard]string) error {
	for i, c := range changes {
		for _, p := range c.parts {
			shard := blockShard{p.first.String(), p.shard}
			lines, err := mergeLines(stored[i][shard], p.changes)
			if err != nil {
				return fmt.Errorf("%s of %s by %s: %w", c.span, shard.day, c.kind, err)
			}
			select {
			case m.blocks <- mergedBlock{c.kind, c.span, shard, countNames(lines), lines}:
			case <-m.enough:
				return nil
			}
		}
	}
	return nil
}

// stop ends the merging, done or not.
func (m *merging) stop() {
	close(m.enough)
	for range m.blocks { // until it has ended
	}
}

type blockShard struct {
	day   string
	shard int64
}
