package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
)

// RowTally counts and sums the written rows, so that a reader can check the file.
type RowTally struct {
	Rows int64        `json:"row_count"`
	Sums []SumsByCoin `json:"sums"` // per coin, the one with most rows first
}

// SumsByCoin holds the exact sums of the rows of one coin. Coin is empty if the table names
// none.
type SumsByCoin struct {
	Coin    affiliate.Coin
	Rows    int64
	Columns []ColumnSum // in the order of the table
}

// ColumnSum is the sum of a column as a plain decimal. Unknown values add nothing.
type ColumnSum struct {
	Column string
	Sum    affiliate.Number
}

// Of returns the sum of a column. It is unknown if the column is not added up.
func (s SumsByCoin) Of(column string) affiliate.Number {
	for _, c := range s.Columns {
		if c.Column == column {
			return c.Sum
		}
	}
	return ""
}

// MarshalJSON writes one flat object, with the columns by their names.
func (s SumsByCoin) MarshalJSON() ([]byte, error) {
	coin, err := json.Marshal(s.Coin)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"coin":%s,"rows":%d`, coin, s.Rows)
	for _, c := range s.Columns {
		fmt.Fprintf(&b, `,"%s":"%s"`, c.Column, c.Sum)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// summer adds up the summed columns per coin.
type summer struct {
	headings []heading
	coin     int   // the column that names the coin; -1 if none does
	columns  []int // columns that are added up
	rows     int64
	groups   map[string]*group
	last     *group // group of the previous row: most rows have the same coin
}

type group struct {
	coin string
	rows int64
	sums []affiliate.Sum
}

func newSummer(headings []heading) *summer {
	s := &summer{headings: headings, coin: -1, groups: map[string]*group{}}
	for i, h := range headings {
		switch h.role {
		case summed:
			s.columns = append(s.columns, i)
		case coined:
			s.coin = i
		}
	}
	return s
}

func (s *summer) add(cells []cell) error {
	s.rows++
	if len(s.columns) == 0 {
		return nil
	}
	g := s.group(cells)
	g.rows++
	for i, column := range s.columns {
		c := &cells[column]
		n := affiliate.Number(c.text)
		if c.known {
			n = affiliate.Number(fmt.Sprint(c.n))
		}
		if !g.sums[i].Add(n) {
			return fmt.Errorf("the %s of row %d is not a decimal: %.50q", s.headings[column].name, s.rows, n)
		}
	}
	return nil
}

func (s *summer) group(cells []cell) *group {
	coin := ""
	if s.coin >= 0 {
		coin = cells[s.coin].text
	}
	if s.last == nil || s.last.coin != coin {
		g := s.groups[coin]
		if g == nil {
			g = &group{coin: coin, sums: make([]affiliate.Sum, len(s.columns))}
			s.groups[coin] = g
		}
		s.last = g
	}
	return s.last
}

func (s *summer) summary() RowTally {
	summary := RowTally{Rows: s.rows, Sums: make([]SumsByCoin, 0, len(s.groups))}
	for coin, g := range s.groups {
		sums := SumsByCoin{Coin: affiliate.Coin(coin), Rows: g.rows}
		for i, column := range s.columns {
			sums.Columns = append(sums.Columns, ColumnSum{s.headings[column].name, affiliate.Number(g.sums[i].String())})
		}
		summary.Sums = append(summary.Sums, sums)
	}
	slices.SortFunc(summary.Sums, func(a, b SumsByCoin) int {
		return cmp.Or(cmp.Compare(b.Rows, a.Rows), cmp.Compare(a.Coin, b.Coin))
	})
	return summary
}
