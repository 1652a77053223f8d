package store

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"rebatedesk/affiliate"
)

// packedBlock is a block as it is kept in memory: its lines column by column.
// It is never changed.
type packedBlock struct {
	table   *nameTable
	names   []uint32 // in the order of their lines
	ends    []uint32 // of each name, where the lines of the next begin
	kinds   []lineKind
	kind    []uint16 // of each line, its place in kinds
	records counts

	fee, commission, takerAmount, makerAmount amounts
}

// addTo adds the figures of a line.
func (b *packedBlock) addTo(s *sums, line uint32) {
	s.records += b.records.at(line)
	b.fee.addTo(&s.fee, line)
	b.commission.addTo(&s.commission, line)
	b.takerAmount.addTo(&s.takerAmount, line)
	b.makerAmount.addTo(&s.makerAmount, line)
}

// addCommissionTo adds records and commission of a line.
func (b *packedBlock) addCommissionTo(s *sums, line uint32) {
	s.records += b.records.at(line)
	b.commission.addTo(&s.commission, line)
}

// kindBytes is about what a kind takes.
const kindBytes = 64

func (b *packedBlock) bytes() int64 {
	return int64(unsafe.Sizeof(*b)) + int64(cap(b.names)+cap(b.ends))*4 + int64(cap(b.kind))*2 + int64(len(b.kinds))*kindBytes + b.records.bytes() +
		b.fee.bytes() + b.commission.bytes() + b.takerAmount.bytes() + b.makerAmount.bytes()
}

// counts are numbers of records, of 32 bits where all of them fit.
type counts struct {
	narrow []uint32
	wide   []int64 // nil where narrow is not
}

func countsOf(list []int64) counts {
	for _, n := range list {
		if n < 0 || n > math.MaxUint32 {
			return counts{wide: append(make([]int64, 0, len(list)), list...)}
		}
	}
	c := counts{narrow: make([]uint32, len(list))}
	for i, n := range list {
		c.narrow[i] = uint32(n)
	}
	return c
}

func (c *counts) at(line uint32) int64 {
	if c.narrow != nil {
		return int64(c.narrow[line])
	}
	return c.wide[line]
}

func (c *counts) bytes() int64 { return int64(len(c.narrow))*4 + int64(len(c.wide))*8 }

// packer makes blocks out of texts, one after another.
type packer struct {
	table   *nameTable
	kindOf  map[lineKind]uint16
	before  string // the name of the line before
	records []int64
	amounts [4]amountsDraft // in the order of appendFigures
}

func newPacker(table *nameTable) *packer { return &packer{table: table} }

// mostKinds is how many kinds of lines a block may have to be packed.
const mostKinds = math.MaxUint16 + 1

// pack packs the lines of a block; nil without an error: they are of too many
// kinds.
func (p *packer) pack(text string) (*packedBlock, error) {
	p.reset()
	b := &packedBlock{table: p.table}
	for text != "" {
		own, after, _ := strings.Cut(text, "\n")
		text = after
		var l line
		if err := l.parse(own); err != nil {
			return nil, err
		}
		if !p.enter(b, &l) {
			return nil, nil
		}
		if err := p.addFigures(l.figures); err != nil {
			return nil, err
		}
		b.ends[len(b.ends)-1] = uint32(len(b.kind))
	}
	b.records = countsOf(p.records)
	b.fee, b.commission = p.amounts[0].amounts(), p.amounts[1].amounts()
	b.takerAmount, b.makerAmount = p.amounts[2].amounts(), p.amounts[3].amounts()
	return b, nil
}

func (p *packer) reset() {
	p.kindOf, p.before, p.records = map[lineKind]uint16{}, "", p.records[:0]
	for i := range p.amounts {
		p.amounts[i].reset()
	}
}

// enter notes whose line it is and of which kind; false: it is of one too many.
func (p *packer) enter(b *packedBlock, l *line) bool {
	if len(b.names) == 0 || l.name != p.before {
		b.names, b.ends = append(b.names, p.table.number(l.name)), append(b.ends, 0)
		p.before = l.name
	}
	kind := l.lineKind
	n, ok := p.kindOf[kind]
	if !ok {
		if len(b.kinds) == mostKinds {
			return false
		}
		kind = lineKind{affiliate.Product(strings.Clone(string(kind.product))), affiliate.Coin(strings.Clone(string(kind.coin))), affiliate.Source(strings.Clone(string(kind.source)))}
		n = uint16(len(b.kinds))
		b.kinds, p.kindOf[kind] = append(b.kinds, kind), n
	}
	b.kind = append(b.kind, n)
	return true
}

// addFigures takes what appendFigures wrote.
func (p *packer) addFigures(text string) error {
	rest := text
	records, _ := field(&rest) // without one there is no number either
	n, err := strconv.ParseInt(records, 10, 64)
	p.records = append(p.records, n)
	for i := range p.amounts {
		amount, ok := rest, true
		if i < len(p.amounts)-1 {
			amount, ok = field(&rest)
		}
		if err != nil || !ok || !p.amounts[i].add(amount) {
			return fmt.Errorf("the figures %.200q of a roll-up are no figures", text)
		}
	}
	return nil
}
