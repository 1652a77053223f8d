package store

import (
	"context"
	"slices"
	"strings"

	"rebatedesk/affiliate"
)

// blockQuestion is a filter made ready to be held against lines.
type blockQuestion struct {
	*Reader
	f     CommissionFilter
	kind  kind
	coded map[accountShard][]string // names of the code asked for, as lines begin with them, in order
}

func (r *Reader) blockQuestion(ctx context.Context, f CommissionFilter, k kind) (*blockQuestion, error) {
	q := &blockQuestion{Reader: r, f: f, kind: k}
	if f.Code == "" {
		return q, nil
	}
	invitees, err := r.inviteesOfCode(ctx, f.Code)
	if err != nil {
		return nil, err
	}
	q.coded = map[accountShard][]string{}
	for _, p := range invitees {
		of := accountShard{p.account, shardOf(k, string(p.uid))}
		if f.UID == "" || f.UID == p.uid {
			q.coded[of] = append(q.coded[of], beginOfLines(string(p.uid)))
		}
	}
	for _, names := range q.coded {
		slices.Sort(names)
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
	w := q.where(run)
	rows, err := q.tx.QueryContext(ctx, `SELECT b.account_id, b.shard, b.day, b.lines FROM commission_blocks b WHERE `+w.String(), w.args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var e entry
		var shard int64
		var day, lines string
		if err := rows.Scan(&e.account, &shard, &day, &lines); err != nil {
			return err
		}
		if e.day, err = affiliate.ParseDay(day); err != nil {
			return err
		}
		if err := q.eachWanted(&e, shard, lines, see); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eachWanted gives the lines of one block that the filter lets through. Where
// it names invitees, the lines of the others are passed over unread.
func (q *blockQuestion) eachWanted(e *entry, shard int64, lines string, see func(*entry) error) error {
	var names []string
	switch {
	case q.f.Code != "":
		names = q.coded[accountShard{e.account, shard}]
	case q.f.UID != "":
		names = []string{beginOfLines(string(q.f.UID))}
	default:
		return q.eachLine(e, lines, see)
	}
	for _, name := range names {
		var own string
		own, lines = cutLines(lines, name)
		if err := q.eachLine(e, own, see); err != nil {
			return err
		}
	}
	return nil
}

// eachLine gives the lines that the filter lets through.
func (q *blockQuestion) eachLine(e *entry, lines string, see func(*entry) error) error {
	var seen string // the name of the entry before
	e.another = true
	for lines != "" {
		text, after, _ := strings.Cut(lines, "\n")
		lines = after
		if err := e.parse(text); err != nil {
			return err
		}
		if !q.matches(e) {
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

// matches holds the filter against a line. What the choice of blocks has
// settled is not asked again.
func (q *blockQuestion) matches(e *entry) bool {
	return (q.f.Product == "" || e.product == q.f.Product) &&
		(q.f.Coin == "" || e.coin == q.f.Coin) &&
		(q.f.Source == "" || e.source == q.f.Source) &&
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
