package rollup

import (
	"cmp"
	"hash/fnv"
	"slices"

	"rebatedesk/affiliate"
)

// Grouping says by what the lines of a block are grouped.
type Grouping string

const (
	ByUID    Grouping = "uid"
	BySymbol Grouping = "symbol"
)

var Groupings = []Grouping{ByUID, BySymbol}

// uidShards is the number of parts into which the lines by UID of a block are split: a
// query about one invitee reads only one part.
const uidShards = 8

// ShardOf returns the part of a block that has the lines of a name.
func ShardOf(k Grouping, name string) int64 {
	if k != ByUID {
		return 0
	}
	hash := fnv.New32a()
	hash.Write([]byte(name)) // never fails
	return int64(hash.Sum32() % uidShards)
}

// Tally adds records up by line and day. A record costs one look-up of its key; the rest
// works on small numbers.
type Tally struct {
	Kind  Grouping
	index map[LineKey]int32
	Keys  []tallyKey
	Cells map[cell]*LineFigures
}

type tallyKey struct {
	LineKey
	text  string
	shard int64
}

// cell is a day and the index of a line's key in keys.
type cell struct {
	Day affiliate.Day
	Key int32
}

func NewTally(k Grouping) *Tally {
	return &Tally{Kind: k, index: map[LineKey]int32{}, Cells: map[cell]*LineFigures{}}
}

// At returns the sums of a line on a day.
func (t *Tally) At(day affiliate.Day, k LineKey) *LineFigures {
	i, ok := t.index[k]
	if !ok {
		i = int32(len(t.Keys))
		t.index[k] = i
		t.Keys = append(t.Keys, tallyKey{k, k.Text(), ShardOf(t.Kind, k.Name)})
	}
	return At(t.Cells, cell{day, i})
}

func At[K comparable](m map[K]*LineFigures, k K) *LineFigures {
	s := m[k]
	if s == nil {
		s = new(LineFigures)
		m[k] = s
	}
	return s
}

// part is the content of a tally for one shard of a block, sorted by key.
type part struct {
	Block
	Shard   int64
	Changes []change
}

// placed is a cell with its position in the order of parts. Block, shard and rank of its
// key are packed into one number, because sorting the cells is most of the work.
type placed struct {
	place uint64
	sums  *LineFigures
}

const (
	rankBits  = 32
	shardBits = 8
)

// Parts folds the tally into the blocks of a span, in order. ranks must be those of the
// tally.
func (t *Tally) Parts(s Span, ranks ranks) []part {
	list := t.placed(s, ranks)
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	var parts []part
	for i, p := range list {
		if i == 0 || p.place>>rankBits != list[i-1].place>>rankBits {
			first := ranks.oldest + affiliate.Day(p.place>>(rankBits+shardBits))
			parts = append(parts, part{Block: Block{s, first}, Shard: int64(p.place >> rankBits & (1<<shardBits - 1))})
		}
		into := &parts[len(parts)-1]
		if i > 0 && list[i-1].place == p.place {
			into.Changes[len(into.Changes)-1].sums.AddSums(p.sums)
			continue
		}
		own := new(LineFigures) // the tally itself stays unchanged
		own.AddSums(p.sums)
		into.Changes = append(into.Changes, change{ranks.text[p.place&(1<<rankBits-1)], own})
	}
	return parts
}

func (t *Tally) placed(s Span, ranks ranks) []placed {
	list := make([]placed, 0, len(t.Cells))
	firsts := map[affiliate.Day]affiliate.Day{}
	for c, figures := range t.Cells {
		first, ok := firsts[c.Day]
		if !ok {
			first = BlockOf(s, c.Day).First
			firsts[c.Day] = first
		}
		place := uint64(first-ranks.oldest)<<(rankBits+shardBits) | uint64(t.Keys[c.Key].shard)<<rankBits | uint64(ranks.of[c.Key])
		list = append(list, placed{place, figures})
	}
	return list
}

// ranks holds the positions of the keys of a tally in the order of their texts.
type ranks struct {
	of     []int         // by index in keys
	text   []string      // by rank
	oldest affiliate.Day // no block of the tally begins before it
}

func (t *Tally) Ranks() ranks {
	order := make([]int, len(t.Keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.Keys[a].text, t.Keys[b].text) })
	r := ranks{of: make([]int, len(order)), text: make([]string, len(order))}
	for rank, key := range order {
		r.of[key], r.text[rank] = rank, t.Keys[key].text
	}
	started := false
	for c := range t.Cells {
		if !started || c.Day < r.oldest {
			r.oldest, started = c.Day, true
		}
	}
	for _, s := range Spans {
		r.oldest = min(r.oldest, BlockOf(s, r.oldest).First)
	}
	return r
}
