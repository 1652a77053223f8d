package sums

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// PivotAxis says by what one axis of a pivot table counts records.
type PivotAxis string

// Axes of a pivot table.
const (
	AxisNone    PivotAxis = "" // all records together
	AxisDay     PivotAxis = "day"
	AxisWeek    PivotAxis = "week" // from Monday
	AxisMonth   PivotAxis = "month"
	AxisProduct PivotAxis = "product"
	AxisSymbol  PivotAxis = "symbol"
	AxisCoin    PivotAxis = "coin"
	AxisSource  PivotAxis = "source"
	AxisCode    PivotAxis = "code" // invite code of the invitee; empty: not known
	AxisInvitee PivotAxis = "invitee"
	AxisAccount PivotAxis = "account"
)

// Span returns the length of the periods of an axis of time, or false.
func (a PivotAxis) Span() (rollup.Span, bool) {
	switch a {
	case AxisDay:
		return rollup.OfDay, true
	case AxisWeek:
		return rollup.OfWeek, true
	case AxisMonth:
		return rollup.OfMonth, true
	}
	return "", false
}

// PivotKey names a row or a column: the first day of a period, or a name; an invitee also has
// its account.
type PivotKey struct {
	Day     affiliate.Day
	Name    string
	Account affiliate.Account
}

// PivotRecords is the figure of a pivot table that counts records. The others are the names of
// [affiliate.Metrics].
const PivotRecords = "records"

// PivotQuestion asks for the sums of one figure by rows and columns. The filter must name one
// coin, unless an axis is the coin or the figure has none.
type PivotQuestion struct {
	Rows, Columns PivotAxis
	Figure        string // PivotRecords, or the name of a metric
	// Only are the columns that stand apart. Records of others are added up in the column
	// len(Only).
	Only []PivotKey
	// Shift and Last map the days of a compared period to those it is compared with: a day is
	// counted as the day Shift later, but not later than Last. Last 0 leaves days as they are.
	Shift affiliate.Day
	Last  affiliate.Day
}

// PivotSum is the sum of a row in a column.
type PivotSum struct {
	Column  int // index in PivotQuestion.Only, or its length
	Records int64
	Amount  affiliate.Sum // of the figure; the number of records has none
}

// PivotLines are the sums by row, each in no order. A column without records is missing.
type PivotLines map[PivotKey][]PivotSum

// Reading returns how the sums are read. The cost is that of the roll-ups which hold both axes;
// a pair together with a person is read from the months of such pairs, and from rows at the
// edges. An earlier state or a text reads rows.
func (p PivotQuestion) Reading() Reading[PivotLines] {
	longest := rollup.OfYear
	for _, axis := range []PivotAxis{p.Rows, p.Columns} {
		if span, ok := axis.Span(); ok && slices.Index(rollup.Spans, span) < slices.Index(rollup.Spans, longest) {
			longest = span
		}
	}
	return Reading[PivotLines]{longest: longest, invitees: p.has(AxisCode), Read: func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (PivotLines, error) {
		lines, err := p.read(ctx, r, f, longest)
		if err != nil {
			return nil, fmt.Errorf("adding up commissions by %s and %s: %w", p.Rows, p.Columns, err)
		}
		return lines, nil
	}}
}

// JoinPivot adds up all parts, which are of different days.
func JoinPivot(parts ...PivotLines) PivotLines {
	if len(parts) == 1 {
		return parts[0]
	}
	joined := PivotLines{}
	for _, part := range parts {
		for key, list := range part {
			for i := range list {
				joined.at(key, list[i].Column).add(&list[i])
			}
		}
	}
	return joined
}

func (s *PivotSum) add(o *PivotSum) {
	s.Records += o.Records
	s.Amount.AddSum(o.Amount)
}

// at returns the sum of a row in a column. It is valid until the row gets another column.
func (l PivotLines) at(key PivotKey, column int) *PivotSum {
	list := l[key]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Column == column {
			return &list[i]
		}
	}
	list = append(list, PivotSum{Column: column})
	l[key] = list
	return &list[len(list)-1]
}

func (p PivotQuestion) has(axes ...PivotAxis) bool {
	return slices.Contains(axes, p.Rows) || slices.Contains(axes, p.Columns)
}

func (p PivotQuestion) read(ctx context.Context, r *store.Tx, f records.CommissionFilter, longest rollup.Span) (PivotLines, error) {
	if !p.has(AxisSymbol, AxisCode, AxisInvitee) {
		return p.fromDays(ctx, r, f)
	}
	k := p.grouping(r, f)
	for longest != rollup.OfDay && !slices.Contains(k.Spans(), longest) {
		longest = rollup.Spans[slices.Index(rollup.Spans, longest)-1]
	}
	if k != rollup.ByUID {
		return p.fromEntries(ctx, r, f, wholly, k, longest)
	}
	parts, err := inHalves(ctx, r, f, func(r *store.Tx, part half) (PivotLines, error) {
		return p.fromEntries(ctx, r, f, part, k, longest)
	})
	if err != nil {
		return nil, err
	}
	return JoinPivot(parts...), nil
}

// grouping returns the blocks with the fewest lines that hold both axes and the filter.
func (p PivotQuestion) grouping(r *store.Tx, f records.CommissionFilter) rollup.Grouping {
	person := p.has(AxisCode, AxisInvitee) || f.UID != "" || f.Code != "" || f.Members.Single()
	switch {
	case person && (p.has(AxisSymbol) || f.Symbol != ""):
		return rollup.ByPair
	case p.has(AxisSymbol):
		return rollup.BySymbol
	case !p.has(AxisInvitee) && inBlocks(r, f, rollup.ByCode):
		return rollup.ByCode
	}
	return rollup.ByUID
}

// fromDays reads sums by day, which hold all axes but pair and person.
func (p PivotQuestion) fromDays(ctx context.Context, r *store.Tx, f records.CommissionFilter) (PivotLines, error) {
	list, err := ByDay(ctx, r, f)
	if err != nil {
		return nil, err
	}
	fill, places := p.filler(), p.places()
	for i := range list {
		d := &list[i]
		key := func(axis PivotAxis) PivotKey {
			switch axis {
			case AxisProduct:
				return PivotKey{Name: string(d.Product)}
			case AxisCoin:
				return PivotKey{Name: string(d.Coin)}
			case AxisSource:
				return PivotKey{Name: string(d.Source)}
			case AxisAccount:
				return PivotKey{Name: string(d.Account)}
			}
			return p.periodOf(axis, d.Day)
		}
		sum := fill.sum(key(p.Rows), key(p.Columns))
		sum.Records += d.Records
		amounts := d.All()
		for _, i := range places {
			sum.Amount.Add(*amounts[i])
		}
	}
	return fill.lines, nil
}

// places are the indexes in [affiliate.Summed.All] of the amounts that make up the figure.
func (p PivotQuestion) places() []int {
	metric, _ := affiliate.MetricOf(p.Figure) // the number of records has none
	return metric.Places()
}

// fromEntries reads blocks or rows. A week or month is read by itself if there is one, so that
// no longer block hides it; the day of an entry tells a day.
func (p PivotQuestion) fromEntries(ctx context.Context, r *store.Tx, f records.CommissionFilter, part half, k rollup.Grouping, longest rollup.Span) (PivotLines, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	var codes codeOf
	if p.has(AxisCode) && (k != rollup.ByCode || !inBlocks(r, f, k)) {
		if codes, err = inviteeCodes(ctx, r, f); err != nil {
			return nil, err
		}
	}
	blocks := inBlocks(r, f, k) || k == rollup.ByPair && pairsOfPeople(r, f)
	fill, places := p.filler(), p.places()
	for _, stretch := range p.stretches(f.Days) {
		of := f
		of.Days = stretch.days
		see := func(e *entry) error {
			key := func(axis PivotAxis) PivotKey {
				switch axis {
				case AxisProduct:
					return PivotKey{Name: string(e.Product)}
				case AxisCoin:
					return PivotKey{Name: string(e.Coin)}
				case AxisSource:
					return PivotKey{Name: string(e.Source)}
				case AxisAccount:
					return PivotKey{Name: string(names[e.account])}
				case AxisSymbol:
					if k == rollup.BySymbol {
						return PivotKey{Name: e.Name}
					}
					return PivotKey{Name: e.Symbol}
				case AxisInvitee:
					return PivotKey{Name: e.Name, Account: names[e.account]}
				case AxisCode:
					if codes != nil {
						return PivotKey{Name: codes(e.person())}
					}
					return PivotKey{Name: e.Name}
				case AxisDay:
					return p.periodOf(axis, e.day)
				}
				return PivotKey{Day: stretch.first}
			}
			sum := fill.sum(key(p.Rows), key(p.Columns))
			return addTo(sum, e, places)
		}
		if blocks {
			err = eachLineOf(ctx, r, of, part, k, longest, see)
		} else {
			err = eachRecord(ctx, r, of, k, see)
		}
		if err != nil {
			return nil, err
		}
	}
	return fill.lines, nil
}

// addTo adds the amounts of an entry at some places in order, and its records. Other amounts are read
// only as far as needed.
func addTo(sum *PivotSum, e *entry, places []int) (err error) {
	var all rollup.LineFigures
	switch sums := all.All(); {
	case len(places) == 0 || len(places) == 1 && sums[places[0]] == &all.Commission:
		err = e.addCommissionTo(&all)
	case sums[places[len(places)-1]] == &all.Fee:
		err = e.addFeeAndCommissionTo(&all)
	default:
		err = e.addTo(&all)
	}
	for _, i := range places {
		sum.Amount.AddSum(*all.All()[i])
	}
	sum.Records += all.Records
	return err
}

// periodOf returns the period in which a day is counted; no period has day 0.
func (p PivotQuestion) periodOf(axis PivotAxis, day affiliate.Day) PivotKey {
	span, ok := axis.Span()
	if !ok {
		return PivotKey{}
	}
	return PivotKey{Day: rollup.BlockOf(span, p.counted(day)).First}
}

// counted returns the day as which a day is counted.
func (p PivotQuestion) counted(day affiliate.Day) affiliate.Day {
	if p.Last == 0 {
		return day
	}
	return min(day+p.Shift, p.Last)
}

// pivotStretch is a range of days in one period.
type pivotStretch struct {
	days  affiliate.Days
	first affiliate.Day // of the period; 0: no axis is weeks or months
}

// stretches divides days into the weeks or months of an axis.
func (p PivotQuestion) stretches(days affiliate.Days) (list []pivotStretch) {
	span := rollup.OfDay
	for _, axis := range []PivotAxis{p.Rows, p.Columns} {
		if axis == AxisWeek || axis == AxisMonth {
			span, _ = axis.Span()
		}
	}
	if span == rollup.OfDay {
		return []pivotStretch{{days: days}}
	}
	for day := days.First; day <= days.Last; {
		first := rollup.BlockOf(span, p.counted(day)).First
		end := day
		for end < days.Last && rollup.BlockOf(span, p.counted(end+1)).First == first {
			end++
		}
		list = append(list, pivotStretch{affiliate.Days{First: day, Last: end}, first})
		day = end + 1
	}
	return list
}

// pivotFiller finds the sum of a row and a column.
type pivotFiller struct {
	lines   PivotLines
	columns map[PivotKey]int
	others  int
	owned   map[string]string // names that outlive the block they were read from
}

func (p PivotQuestion) filler() *pivotFiller {
	fill := &pivotFiller{lines: PivotLines{}, columns: make(map[PivotKey]int, len(p.Only)), others: len(p.Only), owned: map[string]string{}}
	for i, key := range p.Only {
		fill.columns[key] = i
	}
	return fill
}

func (fill *pivotFiller) sum(row, column PivotKey) *PivotSum {
	i, ok := fill.columns[column]
	if !ok {
		i = fill.others
	}
	if _, known := fill.lines[row]; !known {
		name, known := fill.owned[row.Name]
		if !known {
			name = strings.Clone(row.Name)
			fill.owned[name] = name
		}
		row.Name = name
	}
	return fill.lines.at(row, i)
}
