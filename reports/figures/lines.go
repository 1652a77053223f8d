package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Lines are figures over time: lines that share one axis and, in a panel below with a
// separate axis, bars.
type Lines struct {
	Of    string           // what they are, e.g. "Users per day"
	Unit  string           // said after each value, e.g. "USDT" or "%"; empty for plain numbers
	Steps []affiliate.Days // the days that each point stands for, oldest first
	Parts []Curve
	Open  affiliate.Day // the day that is not over, which is the last of its step; 0: none
	// RefSteps are the days that each point of the compared part stands for; nil: there is none.
	RefSteps []affiliate.Days
}

// IsRunning reports whether step i is not over, so that its values may still grow.
func (l Lines) IsRunning(i int) bool { return l.Open != 0 && l.Steps[i].Contains(l.Open) }

// AnyRunning reports whether a known value belongs to a step that is not over.
func (l Lines) AnyRunning() bool {
	for i := range l.Steps {
		for _, part := range l.Parts {
			if l.IsRunning(i) && !part.Compared && part.IsKnown(i) {
				return true
			}
		}
	}
	return false
}

// Curve is one line or set of bars, with a value for each step.
type Curve struct {
	Name   string
	Values []decimal.Decimal
	Known  []bool // false: the step is unknown; nil = all are known
	// Compared says that the line is the compared period, drawn dashed.
	Compared bool
	Bars     bool // drawn as bars below the lines, since the lines' scale would flatten it
}

// IsKnown reports whether the value of step i is known.
func (l Curve) IsKnown(i int) bool { return l.Known == nil || l.Known[i] }

// AnyKnown reports whether the value of any step is known.
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
