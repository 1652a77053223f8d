package simulator

import (
	"math/rand/v2"
	"strings"
	"time"

	"rebatedesk/exchange/weex/simulator/seeded"
)

// Fault is one kind of misbehaviour.
type Fault string

// Faults of transport: the call fails, and succeeds when repeated.
const (
	RateLimited Fault = "rate-limited" // HTTP 429 although the weight limit was kept; no ban follows
	ServerError Fault = "server-error" // HTTP 5xx, with code 40015 or with an empty body
	HTMLOK      Fault = "html-200"     // a proxy's page, with HTTP 200
	HTMLError   Fault = "html-502"     // a proxy's page, with HTTP 502
	Truncated   Fault = "truncated"    // the body ends in the middle
	Reset       Fault = "reset"        // the connection is closed abruptly without an answer
	Slow        Fault = "slow"         // a correct answer, late by the rule's Delay, or by up to 300 ms

	Dropped    Fault = "dropped"  // as reset, and the call was not executed either
	Redirected Fault = "redirect" // HTTP 307 to the rule's Location; the call was not executed
)

// Faults of the reply: the call has been executed, and its answer says otherwise. The same
// is true of Truncated and Reset; after RateLimited, ServerError, HTMLOK and HTMLError the
// call was not executed.
const (
	ExecutedError  Fault = "executed-error"    // as server-error
	ExecutedHTMLOK Fault = "executed-html-200" // as html-200
	ExecutedHTML   Fault = "executed-html-502" // as html-502
)

// Faults of wording: the answer is correct but written differently.
const (
	DateField       Fault = "date-field"        // a commission's time is "date", not "dealTime"
	OtherTypes      Fault = "other-types"       // numbers where text is usual, and the reverse
	ProductField    Fault = "product-field"     // commissions carry productType
	NullFields      Fault = "null-fields"       // unknown values are null or "", not absent
	RequestTimeText Fault = "request-time-text" // requestTime and timestamp are text
	OldEnvelope     Fault = "old-envelope"      // 4.17 and 4.18: total and list at the top level
	NullList        Fault = "null-list"         // 4.17 to 4.19: null instead of the list on a page that is empty by its counts
	NoList          Fault = "no-list"           // 4.17 to 4.19: no list on such a page
	WrongEcho       Fault = "wrong-echo"        // placing and cancelling: the answer repeats another client's identifier
	EmptyFields     Fault = "empty-fields"      // 4.12: orderType and fillPrice are ""
	ZeroTotals      Fault = "zero-totals"       // 4.12: totals is 0 although there are rows
)

// Faults of a listing, which is one window with all its pages. A listing has at most one of
// them. Wrong totals stay wrong however often the listing is read, but change only during
// its first two readings. A page is repeated or left empty once, so that the next reading
// is clean.
const (
	TotalLow      Fault = "total-low"
	TotalHigh     Fault = "total-high"
	TotalChanging Fault = "total-changing"
	WrongPages    Fault = "wrong-pages"
	RepeatedPage  Fault = "repeated-page" // a page is answered with the previous page
	EmptyPage     Fault = "empty-page"    // a page in the middle has no records
)

// Changes of the truth while a window is listed, just before a page after the first is
// answered. Each one shows in total, because a revision comes together with an insertion. A
// window that was listed completely and cleanly never changes afterwards.
const (
	Inserted Fault = "inserted"
	Removed  Fault = "removed"
	Revised  Fault = "revised"
	Late     Fault = "late" // an insertion into the latest two days
)

// FaultRule says when a fault happens. Faults of transport, reply and wording count
// requests; the others count listings in which the fault is possible.
type FaultRule struct {
	Fault       Fault
	Path        string  // only requests whose path contains it; empty means all
	Every       int     // every n-th occasion; 0 leaves it to Probability
	After       int     // with Every: the first occasion, counted from 1; 0 means Every
	Probability float64 // for each occasion
	Limit       int     // the most times it happens; 0 means no limit

	// Delay is how late the answer is, for Slow. For Reset and the executed faults it is
	// how much later, by the exchange's clock, an order or cancellation is executed: a
	// query before that does not find it.
	Delay    time.Duration
	Location string // for Redirected; empty means the same address
}

// Kinds of faults that affect a single request.
var (
	transportFaults = []Fault{
		RateLimited, ServerError, HTMLOK, HTMLError, Truncated, Reset, Slow,
		Dropped, Redirected, ExecutedError, ExecutedHTMLOK, ExecutedHTML,
	}
	wordingFaults = []Fault{
		DateField, OtherTypes, ProductField, NullFields, RequestTimeText, OldEnvelope, NullList, NoList, WrongEcho, EmptyFields, ZeroTotals,
	}
	// unseenFaults are those after which the call has been executed and its real answer
	// does not arrive.
	unseenFaults = []Fault{Truncated, Reset, ExecutedError, ExecutedHTMLOK, ExecutedHTML}
)

// trigger is a rule and the count of its occasions.
type trigger struct {
	FaultRule
	seen, fired int
}

// triggers decides about faults. All randomness of the faults comes from one seeded source,
// so equal requests in equal order meet equal faults.
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

// first returns the first of the kinds that happens now, or none.
func (t *triggers) first(path string, applies func(Fault) bool) Fault {
	return t.rule(path, applies).Fault
}

// rule returns the first rule that makes one of the kinds happen now, or an empty rule. A
// kind counts if applies returns true for it; each rule of such a kind counts the occasion.
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

// any reports whether any rule could ever produce one of the kinds.
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
