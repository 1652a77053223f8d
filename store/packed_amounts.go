package store

import (
	"math"
	"math/bits"
	"unsafe"

	"rebatedesk/affiliate"
)

// amounts are those of one field of a block as whole numbers of
// 10^-decimals: of 32 bits where nearly all of them fit, else of 64. The few
// that fit into neither stand beside them. Nothing is rounded.
type amounts struct {
	decimals uint8
	narrow   []uint32
	wide     []int64 // nil where narrow is not
	rest     map[uint32]affiliate.Sum
}

// The numbers that say that the amount is in rest.
const (
	narrowRest = math.MaxUint32
	wideRest   = math.MinInt64
)

// addTo adds the amount of a line.
func (c *amounts) addTo(s *affiliate.Sum, line uint32) {
	if c.narrow != nil {
		if n := c.narrow[line]; n != narrowRest {
			s.AddUnits(int64(n), c.decimals)
			return
		}
	} else if n := c.wide[line]; n != wideRest {
		s.AddUnits(n, c.decimals)
		return
	}
	s.AddSum(c.rest[line])
}

// restBytes is about what an amount in rest takes.
const restBytes = 96

func (c *amounts) bytes() int64 {
	return int64(unsafe.Sizeof(*c)) + int64(len(c.narrow))*4 + int64(len(c.wide))*8 + int64(len(c.rest))*restBytes
}

// amountsDraft gathers the amounts of a column from their texts.
type amountsDraft struct {
	units    []int64 // wideRest: the amount is in rest
	decimals []uint8 // of each
	most     uint8   // of all
	rest     map[uint32]affiliate.Sum
}

func (d *amountsDraft) reset() {
	*d = amountsDraft{units: d.units[:0], decimals: d.decimals[:0]}
}

// add takes the next amount; false: the text is none.
func (d *amountsDraft) add(text string) bool {
	units, decimals, ok := unitsOf(text)
	if !ok {
		var exact affiliate.Sum
		if !exact.Add(affiliate.Number(text)) {
			return false
		}
		units, decimals = d.aside(len(d.units), exact), 0
	}
	d.units, d.decimals, d.most = append(d.units, units), append(d.decimals, decimals), max(d.most, decimals)
	return true
}

func (d *amountsDraft) aside(line int, exact affiliate.Sum) int64 {
	if d.rest == nil {
		d.rest = map[uint32]affiliate.Sum{}
	}
	d.rest[uint32(line)] = exact
	return wideRest
}

// amounts brings all amounts to the same decimals.
func (d *amountsDraft) amounts() amounts {
	large := 0 // too large for 32 bits
	for i, n := range d.units {
		if n != wideRest {
			n = d.scaled(i, n)
			d.units[i] = n
		}
		if n < 0 || n >= narrowRest {
			large++
		}
	}
	c := amounts{decimals: d.most, rest: d.rest}
	if large > len(d.units)/16 {
		c.wide = append(make([]int64, 0, len(d.units)), d.units...)
		return c
	}
	c.narrow = make([]uint32, len(d.units))
	for i, n := range d.units {
		c.narrow[i] = uint32(n)
		if n < 0 || n >= narrowRest {
			c.narrow[i] = narrowRest
			if n != wideRest {
				var exact affiliate.Sum
				exact.AddUnits(n, d.most)
				d.aside(i, exact)
			}
		}
	}
	c.rest = d.rest
	return c
}

// scaled is an amount in the decimals of the column.
func (d *amountsDraft) scaled(line int, n int64) int64 {
	size := uint64(max(n, -n))
	high, low := bits.Mul64(size, powersOf10[d.most-d.decimals[line]])
	if high != 0 || low > math.MaxInt64 {
		var exact affiliate.Sum
		exact.AddUnits(n, d.decimals[line])
		return d.aside(line, exact)
	}
	if n < 0 {
		return -int64(low)
	}
	return int64(low)
}

// mostDecimals is how many an amount has at most, and mostDigits how many
// digits surely fit into 64 bits.
const (
	mostDecimals = 18
	mostDigits   = 18
)

var powersOf10 = func() (p [mostDecimals + 1]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// unitsOf reads -?digits[.digits] of at most mostDigits digits. Longer numbers,
// and what is none, are left to others.
func unitsOf(text string) (units int64, decimals uint8, ok bool) {
	at := 0
	if text != "" && text[0] == '-' {
		at = 1
	}
	digits, point := 0, -1
	for i := at; i < len(text); i++ {
		c := text[i]
		if c == '.' && point < 0 {
			point = i
			continue
		}
		if c -= '0'; c > 9 {
			return 0, 0, false
		}
		units = units*10 + int64(c)
		if digits++; digits > mostDigits {
			return 0, 0, false
		}
	}
	if point >= 0 {
		decimals = uint8(len(text) - point - 1)
	}
	if digits == 0 || point == at || point >= 0 && decimals == 0 {
		return 0, 0, false
	}
	if at == 1 {
		units = -units
	}
	return units, decimals, true
}
