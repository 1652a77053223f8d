package store

import "rebatedesk/affiliate"

// sums are the figures of a roll-up line. Closed rows count negative.
type sums struct {
	records                                   int64
	fee, commission, takerAmount, makerAmount affiliate.Sum
}

// add counts a record once, or takes it away with -1.
func (s *sums) add(c *affiliate.Commission, times int64) {
	s.records += times
	if times < 0 {
		s.fee.Sub(c.Fee)
		s.commission.Sub(c.Commission)
		s.takerAmount.Sub(c.TakerAmount)
		s.makerAmount.Sub(c.MakerAmount)
		return
	}
	s.fee.Add(c.Fee)
	s.commission.Add(c.Commission)
	s.takerAmount.Add(c.TakerAmount)
	s.makerAmount.Add(c.MakerAmount)
}

func (s *sums) addSums(o *sums) {
	s.records += o.records
	s.fee.AddSum(o.fee)
	s.commission.AddSum(o.commission)
	s.takerAmount.AddSum(o.takerAmount)
	s.makerAmount.AddSum(o.makerAmount)
}
