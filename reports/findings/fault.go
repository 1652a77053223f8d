package findings

import "rebatedesk/reports/phrase"

var _ = register(Kind{Finding: Fault{}}) // a check that fails leaves it

// Fault says that a check could not be made, by a fault of this program: there may be more
// findings.
type Fault struct{ Check string } // what it looks for

// Severity is an alert: what the check would find is not known.
func (Fault) Severity() Severity { return SeverityAlert }

func (f Fault) words(About) Statement {
	return Statement{Title: "Nothing was found out about " + f.Check, Text: phrase.Say(phrase.NotMade + " There may be more that needs attention.")}
}
