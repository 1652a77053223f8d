package trading

import "slices"

// Rule is one rule of a flight check.
type Rule string

// The rules in the order in which they are checked.
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

// The words of the proxy for a draft or an order that a rule kept from being sent.
const (
	WordRefused   = "refused"
	WordForbidden = "forbidden"
	WordBlocked   = "blocked"
	WordNotSent   = "not-sent"
)

// Word returns the proxy's word for an order stopped by the rule.
func (r Rule) Word() string {
	switch r {
	case RuleMode, RuleKey, RuleKill:
		return WordForbidden
	case RuleBlock:
		return WordBlocked
	}
	return WordRefused
}

// RefusedDraft is a draft that was not prepared: nothing was stored, and nothing sent.
type RefusedDraft struct{ Flight Flight }

// Error returns the sentences of the rules that stop the draft.
func (r *RefusedDraft) Error() string { return words(r.Flight.Stops()) }

// Word returns the word for the refusal: forbidden before blocked before refused, and
// not-sent if the only failure is that a rule could not be checked.
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

// words joins the sentences of lines.
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
