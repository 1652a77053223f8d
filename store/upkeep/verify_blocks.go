package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rebatedesk/store"
	"rebatedesk/store/rollup"
)

// storedBlock identifies a block as the table does.
type storedBlock struct {
	kind rollup.Grouping
	span rollup.Span
	day  string
}

func (b storedBlock) compare(o storedBlock) int {
	return cmp.Or(cmp.Compare(b.day, o.day), cmp.Compare(b.span, o.span), cmp.Compare(b.kind, o.kind))
}

// blockChecks builds blocks from the rows, which arrive ordered by time: one block of each
// span at a time.
type blockChecks struct {
	left map[storedBlock]bool // stored, not yet compared
	open map[rollup.Span]*openBlock
	// codes are those of the table: the kept ones of a store would hide a changed one
	codes *store.KnownCodes
}

type openBlock struct {
	rollup.Block
	tallies map[int64]map[rollup.Grouping]*rollup.Tally // by account
}

func (c *blockChecks) read(ctx context.Context, r *store.Tx) error {
	c.left, c.open = map[storedBlock]bool{}, map[rollup.Span]*openBlock{}
	var err error
	if c.codes, err = r.ReadInviteCodes(ctx); err != nil {
		return err
	}
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

// addToBlocks adds the rows of a day and compares the blocks that ended before it.
func (v *verification) addToBlocks(ctx context.Context, r *store.Tx, rolls map[int64]*rollup.Delta) error {
	for account, roll := range rolls {
		roll.Fold(v.blocks.codes.Of(account))
		for _, t := range roll.Tallies {
			for c, figures := range t.Cells {
				for _, s := range t.Kind.Spans() {
					into, err := v.openBlock(ctx, r, rollup.BlockOf(s, c.Day), account, t.Kind)
					if err != nil {
						return err
					}
					into.At(rollup.BlockOf(s, c.Day).First, t.Keys[c.Key].LineKey).AddSums(figures)
				}
			}
		}
	}
	return nil
}

// openBlock returns the tally that builds a block.
func (v *verification) openBlock(ctx context.Context, r *store.Tx, b rollup.Block, account int64, k rollup.Grouping) (*rollup.Tally, error) {
	open := v.blocks.open[b.Span]
	if open == nil || open.Block != b {
		if err := v.endBlock(ctx, r, b.Span); err != nil {
			return nil, err
		}
		open = &openBlock{b, map[int64]map[rollup.Grouping]*rollup.Tally{}}
		v.blocks.open[b.Span] = open
	}
	if open.tallies[account] == nil {
		open.tallies[account] = rollup.NewTallies()
	}
	return open.tallies[account][k], nil
}

// endBlock compares the current block of a span, if any.
func (v *verification) endBlock(ctx context.Context, r *store.Tx, s rollup.Span) error {
	open := v.blocks.open[s]
	if open == nil {
		return nil
	}
	delete(v.blocks.open, s)
	for _, k := range rollup.Groupings {
		if !slices.Contains(k.Spans(), s) {
			continue
		}
		computed := map[accountShard]string{}
		for account, tallies := range open.tallies {
			for _, p := range tallies[k].Parts(s, tallies[k].Ranks()) {
				lines, _, err := rollup.MergeLines("", p.Changes)
				if err != nil {
					return err
				}
				computed[accountShard{account, p.Shard}] = lines
			}
		}
		if err := v.compareBlock(ctx, r, storedBlock{k, s, open.First.String()}, computed); err != nil {
			return err
		}
	}
	return nil
}

// leftBlocks ends the last blocks and compares those without rows.
func (v *verification) leftBlocks(ctx context.Context, r *store.Tx) error {
	for _, s := range rollup.Spans {
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

// compareBlock compares a stored block with the lines computed from its rows.
func (v *verification) compareBlock(ctx context.Context, r *store.Tx, b storedBlock, computed map[accountShard]string) error {
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
		case names != rollup.CountNames(lines):
			v.rollups.Fault("%s: it claims lines of %d names, and has %d", v.blockWords(b, of), names, rollup.CountNames(lines))
		}
	}
	for of, want := range computed {
		v.explain(b, of, "", want)
	}
	return rows.Err()
}

// explain says how the lines of a block differ from those of the rows.
func (v *verification) explain(b storedBlock, of accountShard, is, want string) {
	wanted := map[rollup.LineKey]rolledSums{}
	for lines := rollup.LinesOf(want); lines.Next(); {
		if k, s, err := rolledLine(lines.BlockLine); err == nil {
			wanted[k] = s
		}
	}
	before := v.rollups.Count()
	stored := rollup.LinesOf(is)
	for stored.Next() {
		k, s, err := rolledLine(stored.BlockLine)
		switch w, ok := wanted[k]; {
		case err != nil:
			v.rollups.Fault("%s: %s", v.blockWords(b, of), err)
		case !ok:
			v.rollups.Fault("%s: stored %s; there are no rows", v.lineWords(b, of, k), s)
		case s != w:
			v.rollups.Fault("%s: stored %s; the rows give %s", v.lineWords(b, of, k), s, w)
		}
		delete(wanted, k)
	}
	if err := stored.Err(); err != nil {
		v.rollups.Fault("%s: %s", v.blockWords(b, of), err)
	}
	for _, k := range slices.SortedFunc(maps.Keys(wanted), func(a, b rollup.LineKey) int { return strings.Compare(a.Text(), b.Text()) }) {
		v.rollups.Fault("%s: nothing is stored; the rows give %s", v.lineWords(b, of, k), wanted[k])
	}
	if v.rollups.Count() == before {
		v.rollups.Fault("%s: its lines are those that the rows give, but not in their order or form", v.blockWords(b, of))
	}
}

func rolledLine(l rollup.BlockLine) (rollup.LineKey, rolledSums, error) {
	k, err := l.LineKey()
	if err != nil {
		return k, rolledSums{}, err
	}
	var f rollup.LineFigures
	if err := f.AddFigures(l.Figures); err != nil {
		return k, rolledSums{}, err
	}
	sums := rolledOf(&f)
	sums.days = f.Days
	return k, sums, nil
}

func (v *verification) blockWords(b storedBlock, of accountShard) string {
	return fmt.Sprintf("commission_blocks of the %s %s, %s, shard %d by %s", b.span, b.day, v.names[of.account], of.shard, b.kind)
}

func (v *verification) lineWords(b storedBlock, of accountShard, k rollup.LineKey) string {
	name := k.Name
	if b.kind == rollup.ByPair {
		name += " " + k.Symbol
	}
	return fmt.Sprintf("commission_blocks of the %s %s, %s %s %s %s, %s %s",
		b.span, b.day, v.names[of.account], k.Product, k.Coin, k.Source, b.kind, name)
}
