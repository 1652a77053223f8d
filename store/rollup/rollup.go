package rollup

import (
	"cmp"
	"time"

	"rebatedesk/affiliate"
)

// Delta collects in memory what a write changes in the roll-ups, and adds it to the stored
// roll-ups at the end. Its cost grows with the changed rows, not with the size of the
// slice, and reporting days may begin anywhere within the slice.
type Delta struct {
	zone    *time.Location
	Account int64
	Tallies map[Grouping]*Tally
	Shrinks map[affiliate.Day]bool // days from which records were removed
	day     affiliate.Day          // of the previous record: adjacent records share their day
	span    affiliate.Range        // of that day
	Changes []BlockChanges         // after Fold
}

// BlockChanges are the changes of a roll-up to the blocks of a kind and span.
type BlockChanges struct {
	Kind  Grouping
	Span  Span
	Parts []part
}

// BlockShard identifies a part of a stored block: the first day of the block and the shard.
type BlockShard struct {
	Day   string
	Shard int64
}

func NewDelta(zone *time.Location, account int64) *Delta {
	return &Delta{zone: zone, Account: account, Shrinks: map[affiliate.Day]bool{},
		Tallies: map[Grouping]*Tally{ByUID: NewTally(ByUID), BySymbol: NewTally(BySymbol)}}
}

// Lines returns how many lines were collected.
func (r *Delta) Lines() int { return len(r.Tallies[ByUID].Cells) }

// Add counts a record once, or removes it with times -1.
func (r *Delta) Add(c *affiliate.Commission, times int64) {
	if !r.span.Contains(c.DealTime) {
		r.day = affiliate.DayOf(c.DealTime.Time(), r.zone)
		r.span = r.day.Range(r.zone)
	}
	if times < 0 {
		r.Shrinks[r.day] = true
	}
	var one LineFigures
	one.Add(c, times)
	r.Tallies[ByUID].At(r.day, LineKey{string(c.UID), LineKind{c.Product, c.Coin, c.Source}}).AddSums(&one)
	r.Tallies[BySymbol].At(r.day, LineKey{c.Symbol, LineKind{c.Product, c.Coin, c.Source}}).AddSums(&one)
}

// Fold computes the changes of blocks from the collected records. Nothing may be added
// afterwards.
func (r *Delta) Fold() {
	if r.Changes != nil {
		return
	}
	for _, k := range Groupings {
		ranks := r.Tallies[k].Ranks()
		for _, s := range Spans {
			r.Changes = append(r.Changes, BlockChanges{k, s, r.Tallies[k].Parts(s, ranks)})
		}
	}
}

// DayKey is a line of the roll-up of days.
type DayKey struct {
	Day     string
	Product affiliate.Product
	Coin    affiliate.Coin
	Source  affiliate.Source
}

func (k DayKey) Compare(o DayKey) int {
	return cmp.Or(cmp.Compare(k.Day, o.Day), cmp.Compare(k.Product, o.Product), cmp.Compare(k.Coin, o.Coin), cmp.Compare(k.Source, o.Source))
}

// Days folds what was collected by symbol, which is the shorter list.
func (r *Delta) Days() map[DayKey]*LineFigures {
	days := map[DayKey]*LineFigures{}
	bySymbol := r.Tallies[BySymbol]
	for c, figures := range bySymbol.Cells {
		k := bySymbol.Keys[c.Key]
		At(days, DayKey{c.Day.String(), k.Product, k.Coin, k.Source}).AddSums(figures)
	}
	return days
}
