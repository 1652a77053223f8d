package store

import (
	"context"

	"rebatedesk/affiliate"
)

// blockID names a block, or the shard of it that is stored in a row.
type blockID struct {
	kind kind
	block
	account, shard int64
}

// blockVersion is a block in one of its states. Each write draws a number at
// random for every block that it touches a record of, even where the figures
// stay the same: no two states of a database, nor of a copy of it, share one.
type blockVersion struct {
	blockID
	version int64
}

// versions are the blocks of a run as they are in the state of the reader.
func (q *blockQuestion) versions(ctx context.Context, run run) ([]blockVersion, error) {
	w := q.where(run)
	rows, err := q.tx.QueryContext(ctx, `SELECT b.day, b.account_id, b.shard, b.version FROM commission_blocks b WHERE `+w.String()+
		` ORDER BY b.day, b.account_id, b.shard`, w.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []blockVersion
	b := blockVersion{blockID: blockID{kind: q.kind, block: block{span: run.span}}}
	var day, before string
	targets := []any{&day, &b.account, &b.shard, &b.version}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		if day != before {
			if b.first, err = affiliate.ParseDay(day); err != nil {
				return nil, err
			}
			before = day
		}
		list = append(list, b)
	}
	return list, rows.Err()
}

// lines is the text of a block.
func (q *blockQuestion) lines(ctx context.Context, b blockVersion) (lines string, err error) {
	err = q.tx.QueryRowContext(ctx, `
		SELECT lines FROM commission_blocks WHERE kind = ? AND span = ? AND day = ? AND account_id = ? AND shard = ?`,
		string(b.kind), string(b.span), b.first.String(), b.account, b.shard).Scan(&lines)
	return lines, err
}

// packed packs the lines of a block and remembers it; nil: it cannot be packed.
func (q *blockQuestion) packed(b blockVersion, lines string) (*packedBlock, error) {
	packed, err := q.pack.pack(lines)
	if packed != nil {
		q.memory.keepBlock(b, packed)
	}
	return packed, err
}
