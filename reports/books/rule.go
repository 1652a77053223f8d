package books

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Business types by which the exchange's document names rewards (4.14).
const (
	directReward = "rr_agent_reward"
	subReward    = "rake_back_reward"
)

// DefaultTypes lists the business types that count as payments while no rule is known.
func DefaultTypes() []string { return []string{directReward, subReward} }

// kinds lists the kinds of payments under the rule.
func (r *Rule) kinds() []Kind {
	if r.Together {
		return []Kind{All}
	}
	return []Kind{Direct, Sub}
}

// kindsOf lists the kinds that bills of a business type pay.
func (r *Rule) kindsOf(business string) (kinds []Kind) {
	for _, kind := range r.kinds() {
		if slices.Contains(r.Types[kind], business) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// BusinessTypes lists the business types that count as payments, sorted.
func (r *Rule) BusinessTypes() (types []string) {
	for _, kind := range r.kinds() {
		types = append(types, r.Types[kind]...)
	}
	slices.Sort(types)
	return slices.Compact(types)
}

const ruleForm = `use for example "day+8h apart direct=rr_agent_reward sub=rake_back_reward" or "week+1d together rr_agent_reward,rake_back_reward"`

// ParseRule reads a rule: the period and the delay, "within" and how long payments are on
// time, "together" or "apart", and the business types. The part with "within" and the types
// may be left out. It does not know "auto".
func ParseRule(text string) (Rule, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Rule{}, fmt.Errorf("the payout rule is empty: %s", ruleForm)
	}
	period, delay, delayed := strings.Cut(words[0], "+")
	r := Rule{Period: Period(period), Types: map[Kind][]string{}}
	if !slices.Contains(Periods(), r.Period) {
		return Rule{}, fmt.Errorf("%.40q is no period of payouts: use hour, day, week or month, with the delay after a plus, such as day+8h", period)
	}
	var err error
	if delayed {
		if r.Delay, err = parseSpan(delay); err != nil {
			return Rule{}, err
		}
		if r.Delay > r.Period.longestDelay() {
			return Rule{}, fmt.Errorf("the delay %.40q is too long: use at most %s after the end of a period of one %s", delay, spanText(r.Period.longestDelay()), r.Period)
		}
	}
	r.Window = r.Period.leastWindow()
	words = words[1:]
	if len(words) > 0 && words[0] == "within" {
		if len(words) == 1 {
			return Rule{}, fmt.Errorf("nothing follows within: use a duration such as within 2h")
		}
		if r.Window, err = parseSpan(words[1]); err != nil {
			return Rule{}, err
		}
		if r.Window <= 0 || r.Window > r.Period.length() {
			return Rule{}, fmt.Errorf("payments cannot be on time for %.40q: use more than 0 and at most one %s", words[1], r.Period)
		}
		words = words[2:]
	}
	if len(words) == 0 || words[0] != "together" && words[0] != "apart" {
		return Rule{}, fmt.Errorf("the payout rule must say together or apart after the delay: %s", ruleForm)
	}
	r.Together = words[0] == "together"
	return r, r.parseTypes(words[1:])
}

// parseTypes reads the business types, and adds the usual ones for kinds without any.
func (r *Rule) parseTypes(words []string) error {
	for _, word := range words {
		kind, list, named := strings.Cut(word, "=")
		if !named {
			kind, list = string(All), word
		}
		switch {
		case !slices.Contains(r.kinds(), Kind(kind)) || named && r.Together:
			return fmt.Errorf("%.60q does not fit into the payout rule: %s", word, ruleForm)
		case r.Types[Kind(kind)] != nil:
			return fmt.Errorf("the payout rule gives the business types twice: put all of them into one list, with commas between")
		}
		for _, escaped := range strings.Split(list, ",") {
			business, err := url.QueryUnescape(escaped)
			if err != nil || business == "" {
				return fmt.Errorf("%.60q is not a list of business types: use their names, with commas between and without spaces", list)
			}
			r.Types[Kind(kind)] = append(r.Types[Kind(kind)], business)
		}
	}
	r.completeTypes()
	return nil
}

// completeTypes sorts the business types, and adds the usual ones for kinds without any.
func (r *Rule) completeTypes() {
	usual := map[Kind][]string{Direct: {directReward}, Sub: {subReward}, All: DefaultTypes()}
	for _, kind := range r.kinds() {
		if len(r.Types[kind]) == 0 {
			r.Types[kind] = usual[kind]
		}
		slices.Sort(r.Types[kind])
		r.Types[kind] = slices.Compact(r.Types[kind])
	}
}

// String returns the form that [ParseRule] reads. The rules that it reads are equal again.
func (r Rule) String() string {
	text := string(r.Period) + "+" + spanText(r.Delay)
	if r.Window != r.Period.leastWindow() {
		text += " within " + spanText(r.Window)
	}
	if r.Together {
		return text + " together " + typeList(r.Types[All])
	}
	text += " apart"
	for _, kind := range r.kinds() {
		if len(r.Types[kind]) > 0 {
			text += " " + string(kind) + "=" + typeList(r.Types[kind])
		}
	}
	return text
}

func typeList(types []string) string {
	escaped := make([]string, len(types))
	for i, business := range types {
		escaped[i] = url.QueryEscape(business)
	}
	return strings.Join(escaped, ",")
}

// parseSpan reads a duration that may begin with days: 8h, 90m, 1d, 1d12h.
func parseSpan(text string) (time.Duration, error) {
	rest := text
	var span time.Duration
	if days, after, ok := strings.Cut(text, "d"); ok {
		n, err := time.ParseDuration(days + "h")
		if err != nil || strings.ContainsAny(days, "hms.+-") || n > 1000*time.Hour {
			return 0, notSpan(text)
		}
		span, rest = 24*n, after
	}
	if rest != "" || span == 0 && rest == text {
		n, err := time.ParseDuration(rest)
		if err != nil || n < 0 || n%time.Millisecond != 0 {
			return 0, notSpan(text)
		}
		if span += n; span < 0 { // more than a duration can hold
			return 0, notSpan(text)
		}
	}
	return span, nil
}

func notSpan(text string) error {
	return fmt.Errorf("%.40q is not a duration: use for example 8h, 90m, 1d or 1d12h", text)
}

// spanText writes a duration as [parseSpan] reads it.
func spanText(span time.Duration) string {
	if span == 0 {
		return "0h"
	}
	text := ""
	if days := span / (24 * time.Hour); days > 0 {
		text = fmt.Sprintf("%dd", days)
	}
	span %= 24 * time.Hour
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}, {time.Millisecond, "ms"}} {
		if n := span / unit.size; n > 0 {
			text += fmt.Sprintf("%d%s", n, unit.name)
		}
		span %= unit.size
	}
	return text
}
