package pivot

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
	"rebatedesk/store/sums"
)

// gridSum is the sum of a cell.
type gridSum struct {
	records int64
	amount  affiliate.Sum
}

func (s *gridSum) add(o sums.PivotSum) {
	s.records += o.Records
	s.amount.AddSum(o.Amount)
}

// gridRow holds the cells of a row, in no order, and their true total, which counts each
// record once.
type gridRow struct {
	cells []sums.PivotSum // may be shared with the cache
	total gridSum
}

// add adds a sum to the cell of its column. The cells must not be shared.
func (g *gridRow) add(o sums.PivotSum) {
	for i := range g.cells {
		if g.cells[i].Column == o.Column {
			g.cells[i].Records += o.Records
			g.cells[i].Amount.AddSum(o.Amount)
			return
		}
	}
	g.cells = append(g.cells, o)
}

// at returns the sum in a column. A row that is missing is empty.
func (g *gridRow) at(column int) (sum gridSum) {
	if g == nil {
		return sum
	}
	for _, s := range g.cells {
		if s.Column == column {
			sum.add(s)
		}
	}
	return sum
}

func (g *gridRow) whole() gridSum {
	if g == nil {
		return gridSum{}
	}
	return g.total
}

// grid is a table of sums.
type grid struct {
	rows  map[sums.PivotKey]*gridRow
	total gridRow
}

func newGrid() *grid { return &grid{rows: map[sums.PivotKey]*gridRow{}} }

func (g *grid) row(key sums.PivotKey) *gridRow { return rollup.At(g.rows, key) }

// grid reads the table of the range or of the compared period.
func (m *maker) grid(ctx context.Context, columns []TableHead, before bool) (*grid, error) {
	r := &m.report
	only := make([]sums.PivotKey, len(columns))
	for i, c := range columns {
		only[i] = c.PivotKey
	}
	switch AxisTag {
	case r.By:
		return m.tagRows(ctx, only, before)
	case r.Across:
		return m.tagColumns(ctx, only, before)
	}
	lines, err := m.read(ctx, r.By, r.Across, only, before)
	if err != nil {
		return nil, err
	}
	g := newGrid()
	for key, list := range lines {
		row := g.row(key)
		row.cells = list
		for _, s := range list {
			row.total.add(s)
			g.total.add(s)
			g.total.total.add(s)
		}
	}
	return g, nil
}

// read reads sums of two axes, none of which is tags.
func (m *maker) read(ctx context.Context, rows, columns sums.PivotAxis, only []sums.PivotKey, before bool) (sums.PivotLines, error) {
	p := sums.PivotQuestion{Rows: rows, Columns: columns, Figure: m.report.Figure, Only: only}
	f := m.filter()
	if before {
		f.Days = m.ref.Days
		p.Shift, p.Last = m.shift(), m.Days.Last
	}
	if p.Columns == sums.AxisNone {
		p.Only = []sums.PivotKey{{}}
	}
	return snapshot.OfDays(ctx, m.Snapshot, fmt.Sprintf("pivot %#v", p), f, p.Reading(), sums.JoinPivot)
}

// filter returns the query as the store takes it, in the coin of the table.
func (m *maker) filter() records.CommissionFilter {
	f := m.Filter()
	if m.report.Coin != "" {
		f.Coin = m.report.Coin
	}
	return f
}

// tags returns the tags of each invitee that has any.
func (m *maker) tags(ctx context.Context) (map[affiliate.UID][]string, error) {
	return snapshot.Part(ctx, m.Snapshot, "tags of invitees", nil, func(ctx context.Context) (map[affiliate.UID][]string, error) {
		return people.TagsByUID(ctx, m.Tx)
	})
}

// tagsOf returns the tags of an invitee; none is the empty tag.
func tagsOf(tags map[affiliate.UID][]string, invitee sums.PivotKey) []string {
	if own := tags[affiliate.UID(invitee.Name)]; len(own) > 0 {
		return own
	}
	return []string{""}
}

// tagRows reads the invitees by column, and counts each in the rows of its tags.
func (m *maker) tagRows(ctx context.Context, only []sums.PivotKey, before bool) (*grid, error) {
	tags, err := m.tags(ctx)
	if err != nil {
		return nil, err
	}
	columns := m.report.Across
	if columns == sums.AxisInvitee {
		columns = sums.AxisNone // the invitee of a row is its column
	}
	lines, err := m.read(ctx, sums.AxisInvitee, columns, only, before)
	if err != nil {
		return nil, err
	}
	g := newGrid()
	for invitee, list := range lines {
		for _, s := range list {
			if m.report.Across == sums.AxisInvitee {
				s.Column = columnOf(only, invitee)
			}
			g.total.add(s)
			g.total.total.add(s)
			for _, tag := range tagsOf(tags, invitee) {
				row := g.row(sums.PivotKey{Name: tag})
				row.add(s)
				row.total.add(s)
			}
		}
	}
	return g, nil
}

// tagColumns reads the invitees by what the rows are, and counts each in the columns of its
// tags.
func (m *maker) tagColumns(ctx context.Context, only []sums.PivotKey, before bool) (*grid, error) {
	tags, err := m.tags(ctx)
	if err != nil {
		return nil, err
	}
	var keys []sums.PivotKey
	rows := sums.AxisNone
	if m.report.By != sums.AxisInvitee {
		rows = m.report.By
		all, err := m.read(ctx, rows, sums.AxisNone, nil, before)
		if err != nil {
			return nil, err
		}
		keys = slices.SortedFunc(maps.Keys(all), compareKeys)
	}
	lines, err := m.read(ctx, sums.AxisInvitee, rows, keys, before)
	if err != nil {
		return nil, err
	}
	g := newGrid()
	for invitee, list := range lines {
		var columns []int
		for _, tag := range tagsOf(tags, invitee) {
			if column := columnOf(only, sums.PivotKey{Name: tag}); !slices.Contains(columns, column) {
				columns = append(columns, column) // two tags among the others count there once
			}
		}
		for _, s := range list {
			key := invitee
			if rows != sums.AxisNone {
				key = keys[s.Column]
			}
			row := g.row(key)
			row.total.add(s)
			g.total.total.add(s)
			for _, column := range columns {
				s.Column = column
				row.add(s)
				g.total.add(s)
			}
		}
	}
	return g, nil
}

// columnOf returns the index of a column, or the number of columns for one of the others.
func columnOf(only []sums.PivotKey, key sums.PivotKey) int {
	if i := slices.Index(only, key); i >= 0 {
		return i
	}
	return len(only)
}

func compareKeys(a, b sums.PivotKey) int {
	return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
}

// columns chooses the columns that stand apart, and counts the others: of periods the newest
// stand apart, in order of time; all coins; of anything else the largest.
func (m *maker) columns(ctx context.Context) (heads []TableHead, rest int, err error) {
	axis := m.report.Across
	var keys []sums.PivotKey
	most := mostColumns
	if span, period := axis.Span(); period {
		keys, most = m.periods(span), mostPeriods
		rest = max(0, len(keys)-most)
		keys = keys[rest:]
	} else {
		if keys, err = m.largest(ctx, axis); err != nil {
			return nil, 0, err
		}
		if axis == sums.AxisCoin {
			most = len(keys) // their amounts cannot be added up
		}
		rest = max(0, len(keys)-most)
		keys = keys[:len(keys)-rest]
	}
	for _, key := range keys {
		heads = append(heads, m.head(axis, key))
	}
	return heads, rest, nil
}

// periods lists the periods of the range that have begun, oldest first.
func (m *maker) periods(span rollup.Span) (keys []sums.PivotKey) {
	last := max(m.Days.First, min(m.Days.Last, m.DayOf(affiliate.MillisOf(m.Now))))
	for day := m.Days.First; day <= last; {
		block := rollup.Stretch{Span: span, First: rollup.BlockOf(span, day).First}
		block.Last = block.First
		keys = append(keys, sums.PivotKey{Day: block.First})
		day = block.Days().Last + 1
	}
	return keys
}

// largest lists the names of an axis, the largest first. A comparison adds those that only the
// compared period has.
func (m *maker) largest(ctx context.Context, axis sums.PivotAxis) ([]sums.PivotKey, error) {
	size := map[sums.PivotKey]*gridSum{}
	for _, before := range []bool{false, true} {
		if before && !m.ref.Asked {
			continue
		}
		of := axis
		var tags map[affiliate.UID][]string
		if axis == AxisTag {
			of = sums.AxisInvitee
			var err error
			if tags, err = m.tags(ctx); err != nil {
				return nil, err
			}
		}
		lines, err := m.read(ctx, of, sums.AxisNone, nil, before)
		if err != nil {
			return nil, err
		}
		for key, list := range lines {
			named := []sums.PivotKey{key}
			if axis == AxisTag {
				named = nil
				for _, tag := range tagsOf(tags, key) {
					named = append(named, sums.PivotKey{Name: tag})
				}
			}
			for _, key := range named {
				sum := rollup.At(size, key)
				for _, s := range list {
					if !before {
						sum.add(s)
					}
				}
			}
		}
	}
	keys := slices.Collect(maps.Keys(size))
	slices.SortFunc(keys, func(a, b sums.PivotKey) int {
		if axis == sums.AxisCoin {
			return cmp.Or(cmp.Compare(size[b].records, size[a].records), compareKeys(a, b))
		}
		return cmp.Or(m.value(*size[b]).Cmp(m.value(*size[a])), compareKeys(a, b))
	})
	return keys, nil
}
