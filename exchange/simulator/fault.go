package simulator

import (
	"math/rand/v2"
	"strings"
	"time"

	"rebatedesk/exchange/simulator/seeded"
)

// Fault is one kind of misbehaviour.
type Fault string

// Faults of the way there and back: the call fails, and asked again it works.
const (
	RateLimited Fault = "rate-limited" // HTTP 429 although the weight was kept; no ban follows
	ServerError Fault = "server-error" // HTTP 5xx, with code 40015 or with nothing
	HTMLOK      Fault = "html-200"     // a page of a proxy, with HTTP 200
	HTMLError   Fault = "html-502"     // a page of a proxy, with HTTP 502
	Truncated   Fault = "truncated"    // the body ends in the middle
	Reset       Fault = "reset"        // the connection is torn down without an answer
	Slow        Fault = "slow"         // a correct answer, late by the rule's Delay, else by up to 300 ms

	Dropped    Fault = "dropped"  // as reset, and nothing has been done either
	Redirected Fault = "redirect" // HTTP 307 to the rule's Location; nothing has been done
)

// Faults of the way back: the call has been executed, and its answer says
// otherwise. The same is true of Truncated and Reset; after RateLimited,
// ServerError, HTMLOK and HTMLError nothing has been done.
const (
	ExecutedError  Fault = "executed-error"    // as server-error
	ExecutedHTMLOK Fault = "executed-html-200" // as html-200
	ExecutedHTML   Fault = "executed-html-502" // as html-502
)

// Faults of the wording: the answer is right and written differently.
const (
	DateField       Fault = "date-field"        // a commission's time is "date", not "dealTime"
	OtherTypes      Fault = "other-types"       // numbers where texts are usual, and the reverse
	ProductField    Fault = "product-field"     // commissions carry productType
	NullFields      Fault = "null-fields"       // unknown values are null or "", not absent
	RequestTimeText Fault = "request-time-text" // requestTime and timestamp are texts
	OldEnvelope     Fault = "old-envelope"      // 4.17 and 4.18: total and list at the top level
	NullList        Fault = "null-list"         // 4.17 to 4.19: null for the list of a page that the counts leave empty
	NoList          Fault = "no-list"           // 4.17 to 4.19: no list at all on such a page
	WrongEcho       Fault = "wrong-echo"        // placing and cancelling: the answer repeats another client's identifier
	EmptyFields     Fault = "empty-fields"      // 4.12: orderType and fillPrice are ""
	ZeroTotals      Fault = "zero-totals"       // 4.12: totals is 0 although there are rows
)

// Faults of a listing: one window with all its pages. A listing has one of
// them at most. The totals stay wrong however often it is read, but change
// only while it is read the first two times; a page is repeated or left empty
// once, so that the next reading is clean.
const (
	TotalLow      Fault = "total-low"
	TotalHigh     Fault = "total-high"
	TotalChanging Fault = "total-changing"
	WrongPages    Fault = "wrong-pages"
	RepeatedPage  Fault = "repeated-page" // a page is answered with the page before it
	EmptyPage     Fault = "empty-page"    // a page in the middle has no records
)

// Changes of the truth while a window is listed, just before a page after the
// first is answered. Each shows in total, since a revision comes together with
// an insertion. A window that was listed completely and cleanly never changes
// afterwards.
const (
	Inserted Fault = "inserted"
	Removed  Fault = "removed"
	Revised  Fault = "revised"
	Late     Fault = "late" // an insertion into the latest two days
)

// FaultRule says when a fault happens. Faults of the way and of the wording count
// requests; the others count listings that offer the occasion.
type FaultRule struct {
	Fault       Fault
	Path        string  // only requests whose path contains it; empty is all
	Every       int     // each n-th occasion; 0 leaves it to Probability
	After       int     // with Every: the first time, counted from 1; 0 is Every
	Probability float64 // of each occasion
	Limit       int     // how often at most; 0 is without limit

	// Delay is by how much the answer is late, for Slow. For Reset and the
	// executed faults it is how much later, by the exchange's clock, an order
	// or cancellation is executed: looking earlier does not find it.
	Delay    time.Duration
	Location string // of Redirected; the same address where empty
}

// The kinds that belong to a single request.
var (
	transportFaults = []Fault{
		RateLimited, ServerError, HTMLOK, HTMLError, Truncated, Reset, Slow,
		Dropped, Redirected, ExecutedError, ExecutedHTMLOK, ExecutedHTML,
	}
	wordingFaults = []Fault{
		DateField, OtherTypes, ProductField, NullFields, RequestTimeText, OldEnvelope, NullList, NoList, WrongEcho, EmptyFields, ZeroTotals,
	}
	// unseenFaults are those after which the call has been executed and its
	// real answer is not seen.
	unseenFaults = []Fault{Truncated, Reset, ExecutedError, ExecutedHTMLOK, ExecutedHTML}
)

// trigger is a rule with the count of its occasions.
type trigger struct {
	FaultRule
	seen, fired int
}

// triggers decide about faults. All randomness of the faults comes from one
// seeded source, so equal requests in equal order meet equal faults.
type triggers struct {
	random *rand.Rand
	rules  []*trigger
}

func newTriggers(o Options) *triggers {
	t := &triggers{random: seeded.Rand(o.Seed, "faults")}
	for _, rule := range append(profile(o.Faults, t.random), o.Rules...) {
		t.rules = append(t.rules, &trigger{FaultRule: rule})
	}
	return t
}

// first is the first of the kinds that happens now, or none.
func (t *triggers) first(path string, applies func(Fault) bool) Fault {
	return t.rule(path, applies).Fault
}

// rule is the first rule that makes one of the kinds happen now, or an empty
// one. A kind is one that applies reports true for; each rule of such a kind
// counts the occasion.
func (t *triggers) rule(path string, applies func(Fault) bool) FaultRule {
	var chosen FaultRule
	for _, rule := range t.rules {
		if !applies(rule.Fault) || !strings.Contains(path, rule.Path) {
			continue
		}
		rule.seen++
		if chosen.Fault == "" && rule.due(t.random) {
			rule.fired++
			chosen = rule.FaultRule
		}
	}
	return chosen
}

// any reports whether any rule could ever concern a kind.
func (t *triggers) any(applies func(Fault) bool) bool {
	for _, rule := range t.rules {
		if applies(rule.Fault) {
			return true
		}
	}
	return false
}

func (r *trigger) due(random *rand.Rand) bool {
	if r.Limit > 0 && r.fired >= r.Limit {
		return false
	}
	if r.Every > 0 {
		after := r.After
		if after == 0 {
			after = r.Every
		}
		return r.seen >= after && (r.seen-after)%r.Every == 0
	}
	return random.Float64() < r.Probability
}
