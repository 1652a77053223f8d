package rollup

import "rebatedesk/affiliate"

// LineFigures are the figures of a roll-up line. Closed rows count negative.
type LineFigures struct {
	Records int64
	affiliate.Summed[affiliate.Sum]
	Days MonthDays // with records; only lines by UID of a month have them
	gone bool      // a day that has no line any more, see [change]
}

// Add counts a record once, or removes it with times -1.
func (s *LineFigures) Add(c *affiliate.Commission, times int64) {
	s.Records += times
	amounts := c.Summed()
	for i, sum := range s.All() {
		if times < 0 {
			sum.Sub(*amounts[i])
		} else {
			sum.Add(*amounts[i])
		}
	}
}

func (s *LineFigures) AddSums(o *LineFigures) {
	s.Records += o.Records
	affiliate.AddSums(&s.Summed, &o.Summed)
	s.Days |= o.Days
}

// Negated returns the figures that undo these.
func (s *LineFigures) Negated() *LineFigures {
	return &LineFigures{Records: -s.Records, Summed: affiliate.MapSummed(&s.Summed, func(sum *affiliate.Sum) affiliate.Sum { return sum.Negated() })}
}
