package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Lines are figures over time: lines that share one axis and, in a panel below
// with an axis of its own, bars.
type Lines struct {
	Of    string           // what they are, e.g. "Users per day"
	Unit  string           // said after each value, e.g. "USDT" or "%"; empty for plain numbers
	Steps []affiliate.Days // the days that each point stands for, oldest first
	Parts []Curve
}

// Curve is one of them, with a value for each step.
type Curve struct {
	Name   string
	Values []decimal.Decimal
	Known  []bool // false: nothing can be said about the step; nil = all are known
	Bars   bool   // drawn as bars below the lines, since the lines' scale would flatten it
}

// IsKnown reports whether the value of step i says anything.
func (l Curve) IsKnown(i int) bool { return l.Known == nil || l.Known[i] }

// AnyKnown reports whether any of the figures says anything.
func (l Lines) AnyKnown() bool {
	for _, part := range l.Parts {
		for i := range part.Values {
			if part.IsKnown(i) {
				return true
			}
		}
	}
	return false
}
