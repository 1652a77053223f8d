package figures

import "github.com/shopspring/decimal"

// Count is a number of people or records with its comparison.
type Count struct {
	N         int64
	Known     bool // false: not known yet; shown as a dash with Reason
	AtLeast   bool // N are known, and there were more that can no longer be counted, for Reason
	Reason    string
	Reference int64
	Change    Change
}

// CountOf returns a number of people, or unknown with a reason.
func CountOf(n int64, unknown string) Count {
	return Count{N: n, Known: unknown == "", Reason: unknown, Change: Change{Kind: ChangeNone}}
}

// CountFrom returns a count. It is a lower bound if short says that some people are no
// longer listed, and unknown if none is left to count.
func CountFrom(n int64, unknown string, short bool) Count {
	switch {
	case unknown != "" || !short:
		return CountOf(n, unknown)
	case n == 0:
		return CountOf(n, OutOfReach)
	}
	c := CountOf(n, "")
	c.AtLeast, c.Reason = true, OutOfReach
	return c
}

// Compare compares the count with its reference. open is [Change.Open].
func (c *Count) Compare(before int64, known, open bool) {
	c.Reference = before
	if !c.Known || c.AtLeast || !known {
		c.Change = Change{Kind: ChangeUnknown}
		return
	}
	c.Change = ChangeOf("", decimal.NewFromInt(c.N), decimal.NewFromInt(before))
	c.Change.Open = open
}

// Reasons why a number of people is not known, worded for the page.
const (
	NotBegun   = "these days have not begun"
	NotYet     = "not collected completely yet"
	OutOfReach = "the exchange lists only invitees who registered in the last 365 days"

	NotReported = "the exchange does not report it for this account"
)
