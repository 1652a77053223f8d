package store

import (
	"context"
	"strings"

	"rebatedesk/affiliate"
)

// blockQuestion is a filter made ready to be held against lines.
type blockQuestion struct {
	*Reader
	f     CommissionFilter
	kind  kind
	coded map[person]bool // who has the code asked for; nil: none is
	pack  *packer
}

func (r *Reader) blockQuestion(ctx context.Context, f CommissionFilter, k kind) (*blockQuestion, error) {
	q := &blockQuestion{Reader: r, f: f, kind: k, pack: newPacker(r.memory.table())}
	if f.Code == "" {
		return q, nil
	}
	invitees, err := r.inviteesOfCode(ctx, f.Code)
	if err != nil {
		return nil, err
	}
	q.coded = map[person]bool{}
	for _, p := range invitees {
		q.coded[p] = true
	}
	return q, nil
}

// where is the condition on the blocks of a run.
func (q *blockQuestion) where(run run) where {
	var w where
	w.add(`b.kind = ? AND b.span = ? AND b.day BETWEEN ? AND ?`, string(q.kind), string(run.span), run.first.String(), run.last.String())
	if q.f.Account != "" {
		w.add(`b.account_id = (SELECT id FROM accounts WHERE name = ?)`, q.f.Account)
	}
	if q.f.UID != "" {
		w.add(`b.shard = ?`, shardOf(q.kind, string(q.f.UID)))
	}
	return w
}

// eachEntry gives the lines of a run of blocks that the filter lets through.
func (q *blockQuestion) eachEntry(ctx context.Context, run run, see func(*entry) error) error {
	blocks, err := q.versions(ctx, run)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		if err := q.eachOf(ctx, b, see); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// eachOf gives the wanted lines of one block. Of a block that is not in memory
// a question about one invitee reads the few lines that it needs.
func (q *blockQuestion) eachOf(ctx context.Context, b blockVersion, see func(*entry) error) error {
	e := entry{account: b.account, day: b.first}
	packed := q.memory.block(b, q.pack.table)
	if packed == nil {
		lines, err := q.lines(ctx, b)
		if err != nil {
			return err
		}
		if q.f.UID != "" {
			own, _ := cutLines(lines, beginOfLines(string(q.f.UID)))
			return q.eachLine(&e, strings.Clone(own), see) // an answer must not hold on to the whole text
		}
		if packed, err = q.packed(b, lines); err != nil {
			return err
		}
		if packed == nil {
			return q.eachLine(&e, lines, see)
		}
	}
	return q.eachPacked(&e, packed, see)
}

// eachPacked gives the lines of a packed block that the filter lets through.
func (q *blockQuestion) eachPacked(e *entry, b *packedBlock, see func(*entry) error) error {
	names, kinds := b.table.list(), make([]bool, len(b.kinds))
	for i, k := range b.kinds {
		kinds[i] = q.wantsKind(k)
	}
	e.block = b
	var begin uint32
	for i, id := range b.names {
		end := b.ends[i]
		e.id, e.name, e.another = id, names[id], true
		if !q.wantsName(e) {
			begin = end
			continue
		}
		for ; begin < end; begin++ {
			kind := b.kind[begin]
			if !kinds[kind] {
				continue
			}
			e.line, e.lineKind = begin, b.kinds[kind]
			if err := see(e); err != nil {
				return err
			}
			e.another = false
		}
	}
	return nil
}

// eachLine gives the lines of a text that the filter lets through.
func (q *blockQuestion) eachLine(e *entry, lines string, see func(*entry) error) error {
	var seen string // the name of the entry before
	e.another = true
	for lines != "" {
		text, after, _ := strings.Cut(lines, "\n")
		lines = after
		var l line
		if err := l.parse(text); err != nil {
			return err
		}
		e.lineKey, e.figures = l.lineKey, l.figures
		if !q.wantsKind(e.lineKind) || !q.wantsName(e) {
			continue
		}
		e.another = e.another || e.name != seen
		if err := see(e); err != nil {
			return err
		}
		seen, e.another = e.name, false
	}
	return nil
}

func (q *blockQuestion) wantsKind(k lineKind) bool {
	return affiliate.AsksFor(q.f.Product, k.product) &&
		affiliate.AsksFor(q.f.Coin, k.coin) &&
		(q.f.Source == "" || k.source == q.f.Source)
}

// wantsName holds against the name of a line what the choice of blocks has not
// settled.
func (q *blockQuestion) wantsName(e *entry) bool {
	return (q.f.UID == "" || e.name == string(q.f.UID)) &&
		(q.coded == nil || q.coded[e.person()]) &&
		(q.f.Symbol == "" || equalNoCase(e.name, q.f.Symbol))
}

// equalNoCase compares as COLLATE NOCASE does: only the letters of ASCII have
// a case.
func equalNoCase(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lowerASCII(a[i]) != lowerASCII(b[i]) {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
