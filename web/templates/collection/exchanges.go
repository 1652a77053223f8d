package collection

import (
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
)

// fact is what a sheet says of one subject.
type fact struct{ name, words string }

// factsOf are the facts of a sheet, in the order in which they matter to who reads figures.
func factsOf(s *affiliate.Sheet) []fact {
	yes := func(is bool) string {
		if is {
			return "yes"
		}
		return "not told"
	}
	reach := "as far as there are records"
	if s.Reach != nil && *s.Reach > 0 {
		reach = phrase.Things(*s.Reach, "day")
	} else if s.Reach != nil {
		reach = "from the first reading on"
	}
	facts := []fact{
		{"A row covers", grainWords[s.Grain]},
		{"Days of", s.DayZone},
		{"Paid is proven by", proofWords[s.Paid]},
		{"Goes back", reach},
		{"Fees", yes(s.Fees)},
		{"Volumes", yes(s.Volumes)},
		{"Invite codes", yes(s.Codes)},
		{"Sub-affiliates", yes(s.SubAffiliates)},
		{"Console and orders", map[bool]string{true: "yes", false: "no"}[s.Console]},
	}
	window := "no windows"
	if s.Window > 0 {
		window = phrase.Things(s.Window, "day")
	}
	return append(facts, fact{"Read in windows of", window}, fact{"Rows of a page", strconv.Itoa(s.PageSize)})
}

var grainWords = map[affiliate.Grain]string{
	affiliate.GrainRecord: "an instant",
	affiliate.GrainTrade:  "a trade",
	affiliate.GrainDay:    "a day",
	affiliate.GrainSpan:   "the time between two readings",
}

var proofWords = map[affiliate.Proof]string{
	affiliate.ProofBills: "changes of a wallet",
	affiliate.ProofState: "what the exchange says of a payout",
	affiliate.ProofNone:  "nothing",
}
