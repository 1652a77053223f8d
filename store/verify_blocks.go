package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rebatedesk/affiliate"
)

// storedBlock is a block as the table names it.
type storedBlock struct {
	kind kind
	span span
	day  string
}

func (b storedBlock) compare(o storedBlock) int {
	return cmp.Or(cmp.Compare(b.day, o.day), cmp.Compare(b.span, o.span), cmp.Compare(b.kind, o.kind))
}

// blockChecks gathers blocks from the rows, which come in order of time: one
// block of each span at a time.
type blockChecks struct {
	left map[storedBlock]bool // stored, not compared yet
	open map[span]*openBlock
}

type openBlock struct {
	block
	tallies map[int64]map[kind]*tally // by account
}

func (c *blockChecks) read(ctx context.Context, r *Tx) error {
	c.left, c.open = map[storedBlock]bool{}, map[span]*openBlock{}
	rows, err := r.QueryContext(ctx, `SELECT DISTINCT kind, span, day FROM commission_blocks`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var b storedBlock
		if err := rows.Scan(&b.kind, &b.span, &b.day); err != nil {
			return err
		}
		c.left[b] = true
	}
	return rows.Err()
}

// addToBlocks adds what a day brought, and compares the blocks that ended
// before it.
func (v *verification) addToBlocks(ctx context.Context, r *Tx, rolls map[int64]*rollup) error {
	for account, roll := range rolls {
		for _, t := range roll.tallies {
			for c, figures := range t.cells {
				for _, s := range spans {
					into, err := v.openBlock(ctx, r, blockOf(s, c.day), account, t.kind)
					if err != nil {
						return err
					}
					into.at(blockOf(s, c.day).first, t.keys[c.key].lineKey).addSums(figures)
				}
			}
		}
	}
	return nil
}

// openBlock is the tally to gather a block in.
func (v *verification) openBlock(ctx context.Context, r *Tx, b block, account int64, k kind) (*tally, error) {
	open := v.blocks.open[b.span]
	if open == nil || open.block != b {
		if err := v.endBlock(ctx, r, b.span); err != nil {
			return nil, err
		}
		open = &openBlock{b, map[int64]map[kind]*tally{}}
		v.blocks.open[b.span] = open
	}
	if open.tallies[account] == nil {
		open.tallies[account] = map[kind]*tally{byUID: newTally(byUID), bySymbol: newTally(bySymbol)}
	}
	return open.tallies[account][k], nil
}

// endBlock compares the block of a span that is being gathered, if any.
func (v *verification) endBlock(ctx context.Context, r *Tx, s span) error {
	open := v.blocks.open[s]
	if open == nil {
		return nil
	}
	delete(v.blocks.open, s)
	for _, k := range kinds {
		computed := map[accountShard]string{}
		for account, tallies := range open.tallies {
			for _, p := range tallies[k].parts(s, tallies[k].ranks()) {
				lines, err := mergeLines("", p.changes)
				if err != nil {
					return err
				}
				computed[accountShard{account, p.shard}] = lines
			}
		}
		if err := v.compareBlock(ctx, r, storedBlock{k, s, open.first.String()}, computed); err != nil {
			return err
		}
	}
	return nil
}

// leftBlocks ends the last blocks and compares those that have no rows.
func (v *verification) leftBlocks(ctx context.Context, r *Tx) error {
	for _, s := range spans {
		if err := v.endBlock(ctx, r, s); err != nil {
			return err
		}
	}
	for _, b := range slices.SortedFunc(maps.Keys(v.blocks.left), storedBlock.compare) {
		if err := v.compareBlock(ctx, r, b, nil); err != nil {
			return err
		}
	}
	return nil
}

type accountShard struct{ account, shard int64 }

// compareBlock compares a stored block with the lines that its rows give.
func (v *verification) compareBlock(ctx context.Context, r *Tx, b storedBlock, computed map[accountShard]string) error {
	delete(v.blocks.left, b)
	rows, err := r.QueryContext(ctx, `
		SELECT account_id, shard, names, lines FROM commission_blocks WHERE kind = ? AND span = ? AND day = ?`,
		string(b.kind), string(b.span), b.day)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var of accountShard
		var names int64
		var lines string
		if err := rows.Scan(&of.account, &of.shard, &names, &lines); err != nil {
			return err
		}
		want := computed[of]
		delete(computed, of)
		switch {
		case lines != want:
			v.explain(b, of, lines, want)
		case names != countNames(lines):
			v.rollups.fault("%s: it claims lines of %d names, and has %d", v.blockWords(b, of), names, countNames(lines))
		}
	}
	for of, want := range computed {
		v.explain(b, of, "", want)
	}
	return rows.Err()
}

// explain tells how the lines of a block differ from those of the rows.
func (v *verification) explain(b storedBlock, of accountShard, is, want string) {
	wanted := map[lineKey]rolledSums{}
	for text := range eachLine(want) {
		if k, s, err := rolledLine(text); err == nil {
			wanted[k] = s
		}
	}
	before := v.rollups.count()
	for text := range eachLine(is) {
		k, s, err := rolledLine(text)
		switch w, ok := wanted[k]; {
		case err != nil:
			v.rollups.fault("%s: %s", v.blockWords(b, of), err)
		case !ok:
			v.rollups.fault("%s: stored %s; there are no rows", v.lineWords(b, of, k), s)
		case s != w:
			v.rollups.fault("%s: stored %s; the rows give %s", v.lineWords(b, of, k), s, w)
		}
		delete(wanted, k)
	}
	for _, k := range slices.SortedFunc(maps.Keys(wanted), func(a, b lineKey) int { return strings.Compare(a.text(), b.text()) }) {
		v.rollups.fault("%s: nothing is stored; the rows give %s", v.lineWords(b, of, k), wanted[k])
	}
	if v.rollups.count() == before {
		v.rollups.fault("%s: its lines are those that the rows give, but not in their order or form", v.blockWords(b, of))
	}
}

// count is how many faults were found.
func (f *Finding) count() int { return len(f.Faults) + f.More }

func rolledLine(text string) (lineKey, rolledSums, error) {
	var l line
	if err := l.parse(text); err != nil {
		return lineKey{}, rolledSums{}, err
	}
	var checked sums
	if err := checked.addFigures(l.figures); err != nil {
		return lineKey{}, rolledSums{}, err
	}
	amounts := strings.Split(l.figures, "\t")
	return l.lineKey, rolledSums{checked.records, amounts[1], amounts[2], amounts[3], amounts[4]}, nil
}

func (v *verification) blockWords(b storedBlock, of accountShard) string {
	return fmt.Sprintf("commission_blocks of the %s %s, %s, shard %d by %s", b.span, b.day, v.names[of.account], of.shard, b.kind)
}

func (v *verification) lineWords(b storedBlock, of accountShard, k lineKey) string {
	return fmt.Sprintf("commission_blocks of the %s %s, %s %s %s %s, %s %s",
		b.span, b.day, v.names[of.account], k.product, k.coin, k.source, b.kind, affiliate.UID(k.name))
}
