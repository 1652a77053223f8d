package trading

import "slices"

// Rule is one thing that a flight check looks at.
type Rule string

// The rules, in the order in which they are looked at.
const (
	RuleMode      Rule = "trading is on"
	RuleAccount   Rule = "account"
	RuleKey       Rule = "trading key"
	RuleKill      Rule = "kill switch"
	RuleAllowed   Rule = "allowed pairs"
	RuleForm      Rule = "form"
	RuleFields    Rule = "fields"
	RuleCount     Rule = "number of orders"
	RulePair      Rule = "pair is listed"
	RuleEnabled   Rule = "pair is traded"
	RuleClock     Rule = "clock"
	RuleTicker    Rule = "age of the price"
	RuleTick      Rule = "tick size"
	RuleStep      Rule = "step size"
	RuleMin       Rule = "smallest quantity"
	RuleMax       Rule = "largest quantity"
	RuleMarket    Rule = "largest market order"
	RuleRatio     Rule = "distance from the market"
	RuleOrderCap  Rule = "cap of an order"
	RuleDayCap    Rule = "cap of a day"
	RuleBlock     Rule = "unknown outcomes"
	RuleDuplicate Rule = "the same order again"
	RuleExpired   Rule = "age of the review"
)

// The words for a draft or an order that a rule kept from being sent, as the
// proxy has them.
const (
	WordRefused   = "refused"
	WordForbidden = "forbidden"
	WordBlocked   = "blocked"
	WordNotSent   = "not-sent"
)

// Word is what keeping to the rule is called.
func (r Rule) Word() string {
	switch r {
	case RuleMode, RuleKey, RuleKill:
		return WordForbidden
	case RuleBlock:
		return WordBlocked
	}
	return WordRefused
}

// RefusedDraft is a draft that was not prepared: nothing was written, and nothing
// sent.
type RefusedDraft struct{ Flight Flight }

// Error is what the rules say that stop it.
func (r *RefusedDraft) Error() string { return words(r.Flight.Stops()) }

// Word is what the refusal is called: forbidden before blocked before refused,
// and not-sent where it only could not be told.
func (r *RefusedDraft) Word() string {
	var all []string
	for _, line := range r.Flight.Stops() {
		if line.Verdict == VerdictUnknown {
			all = append(all, WordNotSent)
		} else {
			all = append(all, line.Rule.Word())
		}
	}
	for _, word := range []string{WordForbidden, WordBlocked, WordRefused} {
		if slices.Contains(all, word) {
			return word
		}
	}
	return WordNotSent
}

// words are lines as one sentence after the other.
func words(lines []FlightLine) string {
	text := ""
	for _, line := range lines {
		if text != "" {
			text += " "
		}
		text += line.Words
	}
	return text
}
