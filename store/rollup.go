package store

import (
	"cmp"
	"time"

	"rebatedesk/affiliate"
)

// rollup gathers what a write changes in the roll-ups, in memory, and adds it
// to the stored ones at the end. Its cost follows the changed rows, not the
// size of the slice, and reporting days may begin anywhere within it.
type rollup struct {
	zone    *time.Location
	account int64
	tallies map[kind]*tally
	shrinks map[affiliate.Day]bool // days that records were taken from
	day     affiliate.Day          // of the record before: neighbours share their day
	span    affiliate.Range        // of that day
	changes []blockChanges         // once folded
}

// blockChanges are what a roll-up changes in the blocks of a kind and span.
type blockChanges struct {
	kind  kind
	span  span
	parts []part
}

func newRollup(zone *time.Location, account int64) *rollup {
	return &rollup{zone: zone, account: account, shrinks: map[affiliate.Day]bool{},
		tallies: map[kind]*tally{byUID: newTally(byUID), bySymbol: newTally(bySymbol)}}
}

// lines is how much was gathered.
func (r *rollup) lines() int { return len(r.tallies[byUID].cells) }

// add counts a record once, or takes it away with -1.
func (r *rollup) add(c *affiliate.Commission, times int64) {
	if !r.span.Contains(c.DealTime) {
		r.day = affiliate.DayOf(c.DealTime.Time(), r.zone)
		r.span = r.day.Range(r.zone)
	}
	if times < 0 {
		r.shrinks[r.day] = true
	}
	var one sums
	one.add(c, times)
	r.tallies[byUID].at(r.day, lineKey{string(c.UID), lineKind{c.Product, c.Coin, c.Source}}).addSums(&one)
	r.tallies[bySymbol].at(r.day, lineKey{c.Symbol, lineKind{c.Product, c.Coin, c.Source}}).addSums(&one)
}

// fold makes up the changes of blocks of what was gathered. Nothing is gathered
// afterwards.
func (r *rollup) fold() {
	if r.changes != nil {
		return
	}
	for _, k := range kinds {
		ranks := r.tallies[k].ranks()
		for _, s := range spans {
			r.changes = append(r.changes, blockChanges{k, s, r.tallies[k].parts(s, ranks)})
		}
	}
}

// dayKey is a line of the roll-up of days.
type dayKey struct {
	day     string
	product affiliate.Product
	coin    affiliate.Coin
	source  affiliate.Source
}

func (k dayKey) compare(o dayKey) int {
	return cmp.Or(cmp.Compare(k.day, o.day), cmp.Compare(k.product, o.product), cmp.Compare(k.coin, o.coin), cmp.Compare(k.source, o.source))
}

// days folds what was gathered by symbol, which is the shorter list.
func (r *rollup) days() map[dayKey]*sums {
	days := map[dayKey]*sums{}
	bySymbol := r.tallies[bySymbol]
	for c, figures := range bySymbol.cells {
		k := bySymbol.keys[c.key]
		at(days, dayKey{c.day.String(), k.product, k.coin, k.source}).addSums(figures)
	}
	return days
}
