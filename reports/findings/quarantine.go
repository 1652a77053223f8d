package findings

import (
	"strings"

	"rebatedesk/reports/phrase"
)

var _ = register(Kind{Finding: Quarantine{}}) // the check of missing days finds it

// Quarantine says that records of an account could not be read, so that their days are
// incomplete. Days and reason are those of these records.
type Quarantine struct {
	Gap
	Records int
}

func (f Quarantine) words(a About) Statement {
	text := phrase.Capital(phrase.Gaps(f.Gaps)) + ". The record is kept as received and is in no figure, so its day is incomplete until the exchange sends it right."
	if f.Records > 1 {
		text = phrase.Capital(phrase.Gaps(f.Gaps)) + ". The records are kept as received and are in no figure, so their days are incomplete until the exchange sends them right."
	}
	return a.ofDays(Statement{
		Title:   phrase.Things(f.Records, "record") + " of the exchange could not be read" + a.of(f.Account),
		Foreign: strings.TrimPrefix(f.Reason, "1 record could not be read: "), Link: "See the records", Href: "/collection#quarantine",
	}, text)
}
