package web

// earningsArea is what is earned: the overview, the commissions and what needs
// attention.
type earningsArea struct{ *base }

func newEarningsArea(b *base) *earningsArea { return &earningsArea{b} }
