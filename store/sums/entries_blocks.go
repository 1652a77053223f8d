package sums

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// blockQuestion is a filter prepared for comparison with lines.
type blockQuestion struct {
	*store.Tx
	f     records.CommissionFilter
	kind  rollup.Grouping
	coded map[person]bool // invitees with the requested code; nil: no code requested
	of    membersByID
	uids  []string // reads the lines of these only; nil: of the filter
	half  half
	kinds rollup.KindReader
}

func askBlocks(ctx context.Context, r *store.Tx, f records.CommissionFilter, k rollup.Grouping) (*blockQuestion, error) {
	q := &blockQuestion{Tx: r, f: f, kind: k}
	q.kinds.Wants = q.wantsKind
	if f.UID != "" {
		q.uids = []string{string(f.UID)}
	}
	var err error
	if q.of, err = membersOf(ctx, r, f.Members); err != nil {
		return nil, err
	}
	if f.Code == "" || k == rollup.ByCode {
		return q, nil
	}
	invitees, err := inviteesOfCode(ctx, r, f)
	if err != nil {
		return nil, err
	}
	q.coded = map[person]bool{}
	for _, p := range invitees {
		q.coded[p] = true
	}
	return q, nil
}

// where returns the condition on the blocks of a run.
func (q *blockQuestion) where(run rollup.Stretch) store.Where {
	var w store.Where
	w.Add(`b.kind = ? AND b.span = ? AND b.day BETWEEN ? AND ?`, string(q.kind), string(run.Span), run.First.String(), run.Last.String())
	if q.f.Account != "" {
		w.Add(`b.account_id = (SELECT id FROM accounts WHERE name = ?)`, q.f.Account)
	}
	if q.f.Members.Limited() {
		// Lines of other invitees of these accounts are left out by wantsName.
		touched, ids := q.of.accounts(), []any{}
		for _, id := range touched {
			ids = append(ids, id)
		}
		w.Add(store.ForMembers(`b.account_id IN (`+strings.Join(append(slices.Repeat([]string{`?`}, len(ids)), `-1`), `, `)+`)`), ids...)
	}
	if q.half != wholly {
		w.Add(`b.shard % 2 = ?`, int(q.half-evenShards))
	}
	if q.uids != nil {
		shards := q.shards()
		w.Add(`b.shard IN (?`+strings.Repeat(`, ?`, len(shards)-1)+`)`, shards...)
	}
	return w
}

// shards returns the shards that have the lines of the UIDs.
func (q *blockQuestion) shards() (shards []any) {
	for _, uid := range q.uids {
		if shard := rollup.ShardOf(q.kind, uid); !slices.Contains(shards, any(shard)) {
			shards = append(shards, shard)
		}
	}
	return shards
}

// eachEntry passes on the lines of a run of blocks that match the filter. It reads no more
// lines of a block than a query about one invitee needs.
func (q *blockQuestion) eachEntry(ctx context.Context, run rollup.Stretch, see func(*entry) error) error {
	w := q.where(run)
	rows, err := q.QueryContext(ctx, `SELECT b.day, b.account_id, b.shard, b.lines FROM commission_blocks b WHERE `+w.String()+
		` ORDER BY b.day, b.account_id, b.shard`, w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var e entry
	var lines blockText
	var shard int64
	targets := []any{(*store.DayText)(&e.day), &e.account, &shard, &lines}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := q.eachOfBlock(&e, shard, string(lines), see); err != nil {
			return fmt.Errorf("block of %s: %w", e.day, err)
		}
	}
	return rows.Err()
}

// blockText is a block as the driver returns it, without another copy: an opening reads tens
// of megabytes. It is valid only until the next row, so nothing may keep a part of it.
type blockText string

// Scan implements sql.Scanner.
func (t *blockText) Scan(value any) error {
	bytes, ok := value.([]byte)
	if !ok && value != nil {
		return fmt.Errorf("a block is %T, not bytes", value)
	}
	*t = blockText(unsafe.String(unsafe.SliceData(bytes), len(bytes)))
	return nil
}

func (q *blockQuestion) eachOfBlock(e *entry, shard int64, lines string, see func(*entry) error) error {
	if q.uids == nil {
		return q.eachLine(e, rollup.LinesOf(lines), see)
	}
	for _, uid := range q.uids {
		if rollup.ShardOf(q.kind, uid) != shard {
			continue
		}
		if err := q.eachLine(e, rollup.LinesAbout(lines, uid), see); err != nil {
			return err
		}
	}
	return nil
}

// eachLine passes on the lines that match the filter.
func (q *blockQuestion) eachLine(e *entry, lines rollup.BlockLines, see func(*entry) error) error {
	var seen string // name of the previous entry
	e.another = true
	for lines.Next() {
		name, kind, err := q.kinds.Of(lines.BlockLine)
		if err != nil {
			return err
		}
		if !kind.Wanted {
			continue
		}
		e.Name, e.LineKind, e.figures = name, &kind.LineKind, lines.Figures
		if !q.wantsName(e) {
			continue
		}
		e.another = e.another || name != seen
		if err := see(e); err != nil {
			return err
		}
		seen, e.another = name, false
	}
	return lines.Err()
}

func (q *blockQuestion) wantsKind(k *rollup.LineKind) bool {
	return affiliate.AsksFor(q.f.Product, k.Product) &&
		affiliate.AsksFor(q.f.Coin, k.Coin) &&
		(q.f.Source == "" || k.Source == q.f.Source)
}

// wantsName checks the name of a line as far as the choice of blocks has not decided it.
func (q *blockQuestion) wantsName(e *entry) bool {
	symbol := e.Name
	switch q.kind {
	case rollup.ByCode:
		return q.f.Code == "" || affiliate.AsksFor(q.f.Code, e.Name)
	case rollup.ByPair:
		symbol = e.Symbol
	}
	return (q.f.UID == "" || e.Name == string(q.f.UID)) &&
		(q.coded == nil || q.coded[e.person()]) &&
		q.wantsMember(e) &&
		(q.f.Symbol == "" || equalNoCase(symbol, q.f.Symbol))
}

// wantsMember reports whether a line belongs to a member. A line by symbol or code belongs to
// invitees of its account, of which all are members then, see [inBlocks].
func (q *blockQuestion) wantsMember(e *entry) bool {
	single := q.of[e.account]
	return single == nil || single[affiliate.UID(e.Name)]
}

// membersByID are the members of a set by row ID of their account: the single ones, or nil for
// all of an account. Other accounts have none.
type membersByID map[int64]map[affiliate.UID]bool

func membersOf(ctx context.Context, r *store.Tx, m affiliate.Members) (membersByID, error) {
	if !m.Limited() {
		return nil, nil
	}
	names, err := r.AccountNames(ctx)
	of := membersByID{}
	for id, name := range names {
		if m.Touches(name) {
			of[id] = m.Of(name)
		}
	}
	return of, err
}

// accounts lists the accounts that have members, in order.
func (m membersByID) accounts() []int64 { return sortedKeys(m) }

// equalNoCase compares like COLLATE NOCASE: only ASCII letters have a case.
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
