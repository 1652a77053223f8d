package rollup

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// Delta collects in memory what a write changes in the roll-ups, and adds it to the stored
// roll-ups at the end. Its cost grows with the changed rows, not with the size of the
// slice, and reporting days may begin anywhere within the slice.
type Delta struct {
	zone    *time.Location
	Account int64
	Tallies map[Grouping]*Tally    // those by code and pair are filled by Fold
	Shrinks map[affiliate.Day]bool // days from which records were removed
	day     affiliate.Day          // of the previous record: adjacent records share their day
	span    affiliate.Range        // of that day
	month   affiliate.Day          // the first day of its month
	pairs   map[pairCell]*LineFigures
	made    FiguresMaker // for pairs
	hours   map[hourCell]*HourSums
}

// pairCell is a month and the indexes of an invitee's and a symbol's key, which have the
// same product, coin and source.
type pairCell struct {
	month       affiliate.Day
	uid, symbol int32
}

// BlockShard identifies a part of a stored block: the first day of the block and the shard.
type BlockShard struct {
	Day   string
	Shard int64
}

func NewDelta(zone *time.Location, account int64) *Delta {
	return &Delta{zone: zone, Account: account, Shrinks: map[affiliate.Day]bool{},
		Tallies: NewTallies(), pairs: map[pairCell]*LineFigures{}, hours: map[hourCell]*HourSums{}}
}

// NewTallies returns an empty tally of each grouping.
func NewTallies() map[Grouping]*Tally {
	tallies := make(map[Grouping]*Tally, len(Groupings))
	for _, k := range Groupings {
		tallies[k] = NewTally(k)
	}
	return tallies
}

// Lines returns how many lines were collected.
func (r *Delta) Lines() int { return len(r.Tallies[ByUID].Cells) }

// ChangedDays lists the days of the collected records, oldest first.
func (r *Delta) ChangedDays() []affiliate.Day {
	days := map[affiliate.Day]bool{}
	for c := range r.Tallies[ByUID].Cells {
		days[c.Day] = true
	}
	return slices.Sorted(maps.Keys(days))
}

// Add counts a record once, or removes it with times -1.
func (r *Delta) Add(c *affiliate.Commission, times int64) {
	if !r.span.Contains(c.DealTime) {
		r.day = affiliate.DayOf(c.DealTime.Time(), r.zone)
		r.span = r.day.Range(r.zone)
		r.month = BlockOf(OfMonth, r.day).First
	}
	if times < 0 {
		r.Shrinks[r.day] = true
	}
	var one LineFigures
	one.Add(c, times)
	kind := LineKind{Product: c.Product, Coin: c.Coin, Source: c.Source}
	byUID, bySymbol := r.Tallies[ByUID], r.Tallies[BySymbol]
	pair := pairCell{r.month, byUID.key(LineKey{string(c.UID), kind}), bySymbol.key(LineKey{c.Symbol, kind})}
	r.addHour(c.DealTime, byUID.last, one.Commission)
	bySymbol.at(cell{r.day, pair.symbol}).AddSums(&one)
	sums := r.pairs[pair]
	if sums == nil {
		sums = r.made.Next()
		r.pairs[pair] = sums
	}
	sums.AddSums(&one)
	one.Days = 1 << (r.day - r.month)
	byUID.at(cell{r.day, pair.uid}).AddSums(&one)
}

// Fold adds the collected records up by invite code and by pair. codes has the invitees
// with a known code. Nothing may be added afterwards.
func (r *Delta) Fold(codes map[affiliate.UID]string) {
	byUID, bySymbol, byCode, byPair := r.Tallies[ByUID], r.Tallies[BySymbol], r.Tallies[ByCode], r.Tallies[ByPair]
	of := make([]int32, len(byUID.Keys)) // the key of the code, by that of the invitee
	for i, k := range byUID.Keys {
		of[i] = byCode.key(LineKey{codes[affiliate.UID(k.Name)], k.LineKind})
	}
	for c, figures := range byUID.Cells {
		byCode.at(cell{c.Day, of[c.Key]}).AddSums(figures)
	}
	for c, figures := range r.pairs {
		key := byUID.Keys[c.uid].LineKey
		key.Symbol = bySymbol.Keys[c.symbol].Name
		byPair.Cells[cell{c.month, byPair.key(key)}] = figures
	}
	r.pairs = nil
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
