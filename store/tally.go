package store

import (
	"cmp"
	"hash/fnv"
	"slices"

	"rebatedesk/affiliate"
)

// kind is what the lines of a block are by.
type kind string

const (
	byUID    kind = "uid"
	bySymbol kind = "symbol"
)

var kinds = []kind{byUID, bySymbol}

// uidShards is into how many parts the lines by UID of a block are split: a
// question about one invitee reads one of them.
const uidShards = 8

// shardOf is the part of a block that has the lines of a name.
func shardOf(k kind, name string) int64 {
	if k != byUID {
		return 0
	}
	hash := fnv.New32a()
	hash.Write([]byte(name)) // never fails
	return int64(hash.Sum32() % uidShards)
}

// tally adds records up by line and day. A record costs one look-up of its
// key; the rest is done with small numbers.
type tally struct {
	kind  kind
	index map[lineKey]int32
	keys  []tallyKey
	cells map[cell]*sums
}

type tallyKey struct {
	lineKey
	text  string
	shard int64
}

// cell is a day and the key of a line, as its place in keys.
type cell struct {
	day affiliate.Day
	key int32
}

func newTally(k kind) *tally {
	return &tally{kind: k, index: map[lineKey]int32{}, cells: map[cell]*sums{}}
}

// at is the sums of a line on a day.
func (t *tally) at(day affiliate.Day, k lineKey) *sums {
	i, ok := t.index[k]
	if !ok {
		i = int32(len(t.keys))
		t.index[k] = i
		t.keys = append(t.keys, tallyKey{k, k.text(), shardOf(t.kind, k.name)})
	}
	return at(t.cells, cell{day, i})
}

func at[K comparable](m map[K]*sums, k K) *sums {
	s := m[k]
	if s == nil {
		s = new(sums)
		m[k] = s
	}
	return s
}

// part is what a tally has for one shard of a block, in order of key.
type part struct {
	block
	shard   int64
	changes []change
}

// placed is a cell with its place in the order of parts: block, shard, and rank
// of its key, in one number, since sorting them is most of the work.
type placed struct {
	place uint64
	sums  *sums
}

const (
	rankBits  = 32
	shardBits = 8
)

// parts folds the tally into blocks of a span, in their order. ranks are those
// of the tally.
func (t *tally) parts(s span, ranks ranks) []part {
	list := t.placed(s, ranks)
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	var parts []part
	for i, p := range list {
		if i == 0 || p.place>>rankBits != list[i-1].place>>rankBits {
			first := ranks.oldest + affiliate.Day(p.place>>(rankBits+shardBits))
			parts = append(parts, part{block: block{s, first}, shard: int64(p.place >> rankBits & (1<<shardBits - 1))})
		}
		into := &parts[len(parts)-1]
		if i > 0 && list[i-1].place == p.place {
			into.changes[len(into.changes)-1].sums.addSums(p.sums)
			continue
		}
		own := new(sums) // the tally itself stays as it is
		own.addSums(p.sums)
		into.changes = append(into.changes, change{ranks.text[p.place&(1<<rankBits-1)], own})
	}
	return parts
}

func (t *tally) placed(s span, ranks ranks) []placed {
	list := make([]placed, 0, len(t.cells))
	firsts := map[affiliate.Day]affiliate.Day{}
	for c, figures := range t.cells {
		first, ok := firsts[c.day]
		if !ok {
			first = blockOf(s, c.day).first
			firsts[c.day] = first
		}
		place := uint64(first-ranks.oldest)<<(rankBits+shardBits) | uint64(t.keys[c.key].shard)<<rankBits | uint64(ranks.of[c.key])
		list = append(list, placed{place, figures})
	}
	return list
}

// ranks are the places of the keys of a tally in the order of their texts.
type ranks struct {
	of     []int         // by place in keys
	text   []string      // by rank
	oldest affiliate.Day // no block of the tally begins before it
}

func (t *tally) ranks() ranks {
	order := make([]int, len(t.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(t.keys[a].text, t.keys[b].text) })
	r := ranks{of: make([]int, len(order)), text: make([]string, len(order))}
	for rank, key := range order {
		r.of[key], r.text[rank] = rank, t.keys[key].text
	}
	started := false
	for c := range t.cells {
		if !started || c.day < r.oldest {
			r.oldest, started = c.day, true
		}
	}
	for _, s := range spans {
		r.oldest = min(r.oldest, blockOf(s, r.oldest).first)
	}
	return r
}
