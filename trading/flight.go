package trading

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// Verdict is the result of a flight check for one rule.
type Verdict string

// The verdicts. Only Pass permits an order.
const (
	VerdictPass    Verdict = "pass"
	VerdictFail    Verdict = "fail"
	VerdictUnknown Verdict = "cannot tell"
)

// FlightLine is the result of a flight check for one rule.
type FlightLine struct {
	Rule    Rule
	Order   int // index of the order in the draft, from 0; -1: the draft as a whole
	Verdict Verdict
	Field   string         // the field that breaks the rule, by its name in the document; may be empty
	Words   string         // a sentence with the figures
	Nearest []NearestValue // the nearest values with which the rule would hold; none if no one value does
}

// NearestValue is a value of a field with which a rule would hold.
type NearestValue struct {
	Field string // price or quantity
	Value affiliate.Number
}

// Flight is the result of a flight check.
type Flight struct {
	Draft  Draft            // as it would be sent: quantities rounded down to the step
	Lines  []FlightLine     // every rule that was checked
	Last   affiliate.Number // last price of the pair; unknown if it was not read
	Ticker affiliate.Millis // time of that price, by the exchange's clock
	At     affiliate.Millis // time of the check, by the exchange's clock as far as it is known

	made time.Time // the same by our clock
}

// Clear reports whether every rule holds.
func (f Flight) Clear() bool {
	return len(f.Lines) > 0 && !slices.ContainsFunc(f.Lines, FlightLine.stops)
}

// Stops returns the lines that forbid sending.
func (f Flight) Stops() []FlightLine {
	return slices.DeleteFunc(slices.Clone(f.Lines), func(l FlightLine) bool { return !l.stops() })
}

func (l FlightLine) stops() bool { return l.Verdict != VerdictPass }
