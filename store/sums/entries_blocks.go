package sums

import (
	"context"
	"fmt"

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
	kinds rollup.KindReader
}

func askBlocks(ctx context.Context, r *store.Tx, f records.CommissionFilter, k rollup.Grouping) (*blockQuestion, error) {
	q := &blockQuestion{Tx: r, f: f, kind: k}
	if f.Code == "" {
		return q, nil
	}
	invitees, err := inviteesOfCode(ctx, r, f.Code)
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
	if q.f.UID != "" {
		w.Add(`b.shard = ?`, rollup.ShardOf(q.kind, string(q.f.UID)))
	}
	return w
}

// eachEntry passes on the lines of a run of blocks that match the filter. It reads no more
// lines of a block than a query about one invitee needs.
func (q *blockQuestion) eachEntry(ctx context.Context, run rollup.Stretch, see func(*entry) error) error {
	w := q.where(run)
	rows, err := q.QueryContext(ctx, `SELECT b.day, b.account_id, b.lines FROM commission_blocks b WHERE `+w.String()+
		` ORDER BY b.day, b.account_id, b.shard`, w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var e entry
	var lines string
	targets := []any{(*store.DayText)(&e.day), &e.account, &lines}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		own := rollup.LinesOf(lines)
		if q.f.UID != "" {
			own = rollup.LinesAbout(lines, string(q.f.UID))
		}
		if err := q.eachLine(&e, own, see); err != nil {
			return fmt.Errorf("block of %s: %w", e.day, err)
		}
	}
	return rows.Err()
}

// eachLine passes on the lines that match the filter.
func (q *blockQuestion) eachLine(e *entry, lines rollup.BlockLines, see func(*entry) error) error {
	var seen string // name of the previous entry
	e.another = true
	for lines.Next() {
		kind, err := q.kinds.Of(lines.BlockLine)
		if err != nil {
			return err
		}
		e.Name, e.LineKind, e.figures = lines.Name(), kind, lines.Figures
		if !q.wantsKind(e.LineKind) || !q.wantsName(e) {
			continue
		}
		e.another = e.another || e.Name != seen
		if err := see(e); err != nil {
			return err
		}
		seen, e.another = e.Name, false
	}
	return lines.Err()
}

func (q *blockQuestion) wantsKind(k rollup.LineKind) bool {
	return affiliate.AsksFor(q.f.Product, k.Product) &&
		affiliate.AsksFor(q.f.Coin, k.Coin) &&
		(q.f.Source == "" || k.Source == q.f.Source)
}

// wantsName checks the name of a line as far as the choice of blocks has not decided it.
func (q *blockQuestion) wantsName(e *entry) bool {
	return (q.f.UID == "" || e.Name == string(q.f.UID)) &&
		(q.coded == nil || q.coded[e.person()]) &&
		(q.f.Symbol == "" || equalNoCase(e.Name, q.f.Symbol))
}

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
