package findings

import (
	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
)

var _ = register(Kind{Finding: Stale{}}) // the check of runs finds it

// staleHours is how long no run may have begun. A run is due every quarter of an hour,
// and back-off after failures ends well below this.
const staleHours = 3

// Stale says that no run of the collector has started for hours.
type Stale struct {
	Account affiliate.Account
	Last    affiliate.Millis // when the newest began
}

// Severity is the highest, because the figures grow old unnoticed.
func (Stale) Severity() Severity { return SeverityAlert }

func (f Stale) words(a About) Statement {
	return Statement{Title: "No collection has begun for hours",
		Text: phrase.Say("The newest run" + a.of(f.Account) + " began on " + phrase.Clock(f.Last.Time(), a.Zone) + "; one is due every quarter of an hour by default."),
		Link: "See the collection", Href: "/collection"}
}
