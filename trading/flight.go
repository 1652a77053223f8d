package trading

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// Verdict is what a flight check says about a rule.
type Verdict string

// The verdicts. Only Pass lets an order fly.
const (
	VerdictPass    Verdict = "pass"
	VerdictFail    Verdict = "fail"
	VerdictUnknown Verdict = "cannot tell"
)

// FlightLine is one rule of a flight check.
type FlightLine struct {
	Rule    Rule
	Order   int // which order of the draft, from 0; -1: the draft as a whole
	Verdict Verdict
	Field   string // the field that breaks the rule, as the document names it; may be empty
	Words   string // a sentence with the figures in it
}

// Flight is a flight check.
type Flight struct {
	Draft  Draft            // as it would be sent: quantities rounded down to the step
	Lines  []FlightLine     // every rule that was looked at
	Last   affiliate.Number // last price of the pair; unknown where it was not read
	Ticker affiliate.Millis // when that price was, by the exchange's clock
	At     affiliate.Millis // when the check was made, by the exchange's clock as far as it is known

	made time.Time // the same by our clock
}

// Clear reports whether every rule holds.
func (f Flight) Clear() bool {
	return len(f.Lines) > 0 && !slices.ContainsFunc(f.Lines, FlightLine.stops)
}

// Stops are the lines that forbid sending.
func (f Flight) Stops() []FlightLine {
	return slices.DeleteFunc(slices.Clone(f.Lines), func(l FlightLine) bool { return !l.stops() })
}

func (l FlightLine) stops() bool { return l.Verdict != VerdictPass }
