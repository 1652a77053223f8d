package findings

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/recent"
)

var _ = register(Kind{
	Finding: Refused{},
	Check:   &Check{Place: 20, Of: "what the exchange refuses", Find: findRefused},
})

// Refused says that the exchange does not give bills or transfers of an account.
type Refused struct {
	Account affiliate.Account
	Streams []affiliate.Stream
	Since   affiliate.Millis // of the first refusal
	Error   string           // of the exchange
}

// Severity is the lowest: only the books of payments lack something.
func (Refused) Severity() Severity { return SeverityInfo }

func (f Refused) words(a About) Statement {
	return Statement{Title: "Earned cannot be compared with paid" + a.of(f.Account), Foreign: phrase.Told(f.Error),
		Text: phrase.Say(phrase.Refused(f.Streams) + " " + phrase.RefusedHint + " Refused since " + phrase.Clock(f.Since.Time(), a.Zone) + "."),
		Link: "See the collection", Href: "/collection"}
}

// findRefused lists the accounts whose key may not read bills or transfers.
func findRefused(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	list, err := s.Refusals(ctx)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, account := range s.Accounts {
		f := Refused{Account: account}
		for _, r := range list {
			if r.Account != account || r.Partial() {
				continue
			}
			if len(f.Streams) == 0 || r.Since < f.Since {
				f.Since = r.Since
			}
			f.Streams = append(f.Streams, affiliate.Stream{Kind: r.Stream})
			f.Error = r.Error
		}
		if len(f.Streams) > 0 {
			found = append(found, f)
		}
	}
	return found, nil
}
