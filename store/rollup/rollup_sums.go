package rollup

import "rebatedesk/affiliate"

// LineFigures are the figures of a roll-up line. Closed rows count negative.
type LineFigures struct {
	Records                                   int64
	Fee, Commission, TakerAmount, MakerAmount affiliate.Sum
	Days                                      MonthDays // with records; only lines by UID of a month have them
	gone                                      bool      // a day that has no line any more, see [change]
}

// Add counts a record once, or removes it with times -1.
func (s *LineFigures) Add(c *affiliate.Commission, times int64) {
	s.Records += times
	if times < 0 {
		s.Fee.Sub(c.Fee)
		s.Commission.Sub(c.Commission)
		s.TakerAmount.Sub(c.TakerAmount)
		s.MakerAmount.Sub(c.MakerAmount)
		return
	}
	s.Fee.Add(c.Fee)
	s.Commission.Add(c.Commission)
	s.TakerAmount.Add(c.TakerAmount)
	s.MakerAmount.Add(c.MakerAmount)
}

func (s *LineFigures) AddSums(o *LineFigures) {
	s.Records += o.Records
	s.Fee.AddSum(o.Fee)
	s.Commission.AddSum(o.Commission)
	s.TakerAmount.AddSum(o.TakerAmount)
	s.MakerAmount.AddSum(o.MakerAmount)
	s.Days |= o.Days
}

// Negated returns the figures that undo these.
func (s *LineFigures) Negated() *LineFigures {
	return &LineFigures{Records: -s.Records, Fee: s.Fee.Negated(), Commission: s.Commission.Negated(),
		TakerAmount: s.TakerAmount.Negated(), MakerAmount: s.MakerAmount.Negated()}
}
