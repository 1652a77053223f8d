package frame

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
)

// IntentStates are the states by which the order log is narrowed.
var IntentStates = []trading.IntentState{trading.IntentUnknown, trading.IntentSending, trading.IntentDrafted, trading.IntentPlaced, trading.IntentCancelled, trading.IntentRefused,
	trading.IntentNotSent, trading.IntentResolved, trading.IntentDryRun}

// IntentAddress returns the page of an intent.
func IntentAddress(in trading.Intent) string { return "/console/intents/" + url.PathEscape(in.ID) }

// OneSentence describes a single order of an intent.
func OneSentence(in trading.Intent, o trading.Order) string {
	in.Orders = []trading.Order{o}
	return trading.Describe(in)
}

// IntentWords describes an intent in one line.
func IntentWords(in trading.Intent) string {
	words := OneSentence(in, in.Orders[0])
	if n := len(in.Orders); n > 1 {
		words += " And " + phrase.Things(n-1, "more order") + "."
	}
	return words
}

// CountsOf says how many orders are in each state.
func CountsOf(in trading.Intent) string {
	counts := map[trading.IntentState]int{}
	for _, o := range in.Orders {
		counts[o.State]++
	}
	var parts []string
	for _, state := range IntentStates {
		if n := counts[state]; n > 0 && len(in.Orders) == 1 {
			parts = append(parts, StateName(state))
		} else if n > 0 {
			parts = append(parts, phrase.Count(n)+phrase.Space+StateName(state))
		}
	}
	return strings.Join(parts, ", ")
}

// StateName is the name of a state for people.
func StateName(s trading.IntentState) string {
	switch s {
	case trading.IntentDrafted:
		return "to be reviewed"
	case trading.IntentSending:
		return "on its way"
	case trading.IntentNotSent:
		return "not sent"
	case trading.IntentDryRun:
		return "dry run"
	}
	return string(s)
}

// StateClass returns the severity of a state.
func StateClass(s trading.IntentState) string {
	switch s {
	case trading.IntentPlaced, trading.IntentCancelled:
		return "text-success"
	case trading.IntentUnknown, trading.IntentRefused:
		return "text-error"
	case trading.IntentSending, trading.IntentNotSent:
		return "text-warning"
	}
	return "text-muted"
}

// WorstState is the state of an intent that needs attention first.
func WorstState(in trading.Intent) trading.IntentState {
	for _, state := range []trading.IntentState{trading.IntentUnknown, trading.IntentSending, trading.IntentRefused, trading.IntentNotSent} {
		if slices.ContainsFunc(in.Orders, func(o trading.Order) bool { return o.State == state }) {
			return state
		}
	}
	return in.Orders[0].State
}

// StateMeans explains what a state guarantees.
var StateMeans = map[trading.IntentState]string{
	trading.IntentDrafted:   "Written down. Nothing was sent.",
	trading.IntentSending:   "It is being sent. Open the page again in a moment.",
	trading.IntentPlaced:    "The exchange took the order.",
	trading.IntentCancelled: "The exchange cancelled the order.",
	trading.IntentRefused:   "The exchange said no: nothing was done.",
	trading.IntentNotSent:   "Nothing left this machine.",
	trading.IntentUnknown:   "It may have been done, or not. It is not sent again; its side of the pair is blocked until this is cleared up.",
	trading.IntentResolved:  "It was unknown. Somebody looked, and said what became of it.",
	trading.IntentDryRun:    "Everything was done but sending.",
}

// EnteredBy says who entered an order, and how.
func EnteredBy(in trading.Intent) string {
	if in.Source == string(trading.FromPage) {
		return in.Actor + " in the browser"
	}
	return in.Actor + " through the proxy, by " + in.Via
}

// VerdictWords say how a person settled an unknown outcome.
func VerdictWords(verdict string) string {
	if verdict == "done" {
		return "done"
	}
	return "not done"
}

// MillisWords writes an instant to the second, or never.
func MillisWords(m affiliate.Millis, zone *time.Location) string {
	if !m.Known() {
		return "never"
	}
	return phrase.Second(m.Time(), zone)
}

// EvidenceWords sum up what is known of the outcome of an intent.
func EvidenceWords(in trading.Intent) string {
	o := in.Orders[0]
	for _, other := range in.Orders {
		if other.State == WorstState(in) {
			o = other
			break
		}
	}
	var words string
	add := func(text string) {
		if words != "" {
			words += " · "
		}
		words += text
	}
	if o.OrderID != "" && o.Side != "" {
		add("order " + o.OrderID)
	}
	if o.Rule != "" {
		add("rule: " + o.Rule)
	}
	if o.Status != 0 {
		add(fmt.Sprintf("HTTP %d", o.Status))
	}
	if o.Code != "" {
		add("code " + o.Code)
	}
	if o.Message != "" {
		add("“" + o.Message + "”")
	}
	if o.Verdict != "" {
		add(o.DecidedBy + ": " + VerdictWords(o.Verdict) + ", " + o.Reason)
	}
	return words
}
