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
	ByCode   Grouping = "code" // the invite code of the invitee, as known now; empty: not known
	ByPair   Grouping = "pair" // lines of an invitee for each symbol; their name is the UID
)

var Groupings = []Grouping{ByUID, BySymbol, ByCode, ByPair}

// Spans lists the spans of the blocks that are kept, shortest first.
func (k Grouping) Spans() []Span {
	switch k {
	case ByCode:
		return []Span{OfDay} // charts ask for days; other sums of a code are sums of its invitees
	case ByPair:
		return []Span{OfMonth} // many lines: each further span costs every write
	}
	return Spans
}

func (k Grouping) sharded() bool { return k == ByUID || k == ByPair }

// uidShards is the number of parts into which the lines by UID of a block are split: a
// query about one invitee reads only one part.
const uidShards = 8

// ShardOf returns the part of a block that has the lines of a name.
func ShardOf(k Grouping, name string) int64 {
	if !k.sharded() {
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
	index map[namedKind]int32
	kinds map[LineKind]int32
	kind  LineKind // of the previous key, whose number is last: adjacent records share it
	last  int32
	Keys  []tallyKey
	Cells map[cell]*LineFigures
	made  FiguresMaker
}

// namedKind is a line's key with the number of its kind, which is compared faster.
type namedKind struct {
	name string
	kind int32
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
	return &Tally{Kind: k, index: map[namedKind]int32{}, kinds: map[LineKind]int32{}, last: -1, Cells: map[cell]*LineFigures{}}
}

// At returns the sums of a line on a day.
func (t *Tally) At(day affiliate.Day, k LineKey) *LineFigures {
	return t.at(cell{day, t.key(k)})
}

func (t *Tally) at(c cell) *LineFigures {
	s := t.Cells[c]
	if s == nil {
		s = t.made.Next()
		t.Cells[c] = s
	}
	return s
}

// key returns the index of a line's key.
func (t *Tally) key(k LineKey) int32 {
	if t.last < 0 || t.kind != k.LineKind {
		n, ok := t.kinds[k.LineKind]
		if !ok {
			n = int32(len(t.kinds))
			t.kinds[k.LineKind] = n
		}
		t.kind, t.last = k.LineKind, n
	}
	named := namedKind{k.Name, t.last}
	i, ok := t.index[named]
	if !ok {
		i = int32(len(t.Keys))
		t.index[named] = i
		t.Keys = append(t.Keys, tallyKey{k, k.Text(), ShardOf(t.Kind, k.Name)})
	}
	return i
}

// FiguresMaker makes many figures at once: a write needs one or more for each record, and a
// list one or more for each invitee.
type FiguresMaker struct {
	free []LineFigures
	made int
}

// Next returns zero figures.
func (m *FiguresMaker) Next() *LineFigures {
	if len(m.free) == 0 {
		m.made = min(max(8, 2*m.made), 256)
		m.free = make([]LineFigures, m.made)
	}
	s := &m.free[0]
	m.free = m.free[1:]
	return s
}

// At returns the value of a key, and makes it if it does not exist.
func At[K comparable, V any](m map[K]*V, k K) *V {
	v := m[k]
	if v == nil {
		v = new(V)
		m[k] = v
	}
	return v
}

// BlockPart is the content of a tally for one shard of a block, sorted by key.
type BlockPart struct {
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
// tally. The lines of an invitee in a month get the days they are made of: merge the parts
// of days first, since those tell which days were left without a line.
func (t *Tally) Parts(s Span, ranks ranks) []BlockPart {
	list := t.placed(s, ranks)
	slices.SortFunc(list, func(a, b placed) int { return cmp.Compare(a.place, b.place) })
	var parts []BlockPart
	var sums FiguresMaker
	once := len(t.Kind.Spans()) == 1 // otherwise the tally keeps its own
	for i, p := range list {
		if i == 0 || p.place>>rankBits != list[i-1].place>>rankBits {
			first := ranks.oldest + affiliate.Day(p.place>>(rankBits+shardBits))
			parts = append(parts, BlockPart{Block: Block{s, first}, Shard: int64(p.place >> rankBits & (1<<shardBits - 1))})
		}
		into := &parts[len(parts)-1]
		if i == 0 || list[i-1].place != p.place {
			c := change{key: ranks.text[p.place&(1<<rankBits-1)], sums: p.sums}
			if !once {
				c.sums = sums.Next()
			}
			into.Changes = append(into.Changes, c)
		}
		c := &into.Changes[len(into.Changes)-1]
		if c.sums != p.sums {
			c.sums.AddSums(p.sums)
		}
		switch {
		case s == OfDay:
			c.cell = p.sums
		case s == OfMonth && p.sums.gone:
			c.left |= p.sums.Days
		}
	}
	if s != OfMonth || t.Kind != ByUID {
		for _, part := range parts {
			for _, c := range part.Changes {
				c.sums.Days = 0
			}
		}
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
