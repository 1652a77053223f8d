package findings

import (
	"net/url"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
)

var _ = register(Kind{Finding: Unruled{}}) // the check of payments finds it

// Unruled says that the payments of an account follow no rule that is known, so that
// nobody can say which of them lacks something.
type Unruled struct {
	Account affiliate.Account
	Bills   int // that look like payments
}

// Severity is the lowest: what was earned and paid in all is known.
func (Unruled) Severity() Severity { return SeverityInfo }

func (f Unruled) words(a About) Statement {
	return Statement{Title: "The payout rule" + a.of(f.Account) + " is not known",
		Text: phrase.Say("No rule explains enough of " + phrase.Things(f.Bills, "payment") + ", so it is not known which periods they pay. Earned and paid in all are known. You can fix the rule on the page of payments."),
		Link: "See the payments", Href: "/payments?" + url.Values{"account": {string(f.Account)}}.Encode()}
}
