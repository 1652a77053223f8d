package mail

import (
	"fmt"
	"slices"
	"strings"

	"rebatedesk/mail/mailer"
	"rebatedesk/store"
)

// The optional sections of a summary, in addition to its cards.
const (
	SectionChart         = "chart"
	SectionSplits        = "splits"
	SectionInvitees      = "invitees"
	SectionCodes         = "codes"
	SectionMovers        = "movers"
	SectionSubAffiliates = "sub-affiliates"
	SectionPayments      = "payments"
	SectionGoals         = "goals"
	SectionRates         = "rates"
	SectionMonths        = "months" // changes of closed months, in monthly summaries
	SectionWorklist      = "worklist"
	SectionAttention     = "attention"

	// SectionNone alone selects a message with only its cards.
	SectionNone = "none"
)

// Sections lists them in the order of the message.
func Sections() []string {
	return []string{SectionChart, SectionGoals, SectionSplits, SectionInvitees, SectionCodes, SectionMovers, SectionSubAffiliates, SectionPayments, SectionRates, SectionMonths, SectionWorklist, SectionAttention}
}

// checkSections refuses unknown sections. An empty list means all sections.
func checkSections(sections []string) error {
	if slices.Equal(sections, []string{SectionNone}) {
		return nil
	}
	for _, name := range sections {
		if !slices.Contains(Sections(), name) {
			return &store.RuleError{Problem: fmt.Sprintf("There is no section %q; the sections are %s, or %s alone for the cards only.", mailer.Cut(name, 40), strings.Join(Sections(), ", "), SectionNone), Field: "sections"}
		}
	}
	return nil
}

// tells reports whether a summary has a section.
func (s Schedule) tells(section string) bool {
	some := s.Segment != "" || s.AsUser != "" // of the invitees
	switch {
	case s.AsUser != "" && (section == SectionGoals || section == SectionRates):
		return false // they are a matter of the whole programme
	case section == SectionSubAffiliates && (s.Coin != "" || s.Code != "" || some):
		return false // their records know no coin and no invite code
	case section == SectionMonths && (Every(s.Every) != Monthly || some):
		return false
	case section == SectionWorklist && s.Product != "":
		return false // an invitee is worth a call whatever it trades
	case section == SectionGoals && s.Product != "":
		return false // goals are about all products
	case section == SectionPayments && (s.Product != "" || s.Code != "" || some):
		return false // the exchange pays all products and invitees in one sum
	}
	return len(s.Sections) == 0 || slices.Contains(s.Sections, section)
}
