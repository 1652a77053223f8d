package books

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
)

func TestParseRule(t *testing.T) {
	for text, want := range map[string]Rule{
		"day+8h apart direct=rr_agent_reward sub=rake_back_reward": {
			Period: Day, Delay: 8 * time.Hour, Window: time.Hour, Types: map[Kind][]string{Direct: {directReward}, Sub: {subReward}},
		},
		"week+1d together rr_agent_reward,rake_back_reward": {
			Period: Week, Delay: 24 * time.Hour, Window: time.Hour, Together: true, Types: map[Kind][]string{All: {subReward, directReward}},
		},
		"  hour  apart sub=b,a,b": {Period: Hour, Window: 15 * time.Minute, Types: map[Kind][]string{Direct: {directReward}, Sub: {"a", "b"}}},
		"month+2d4h30m within 1d12h together a%20b": {
			Period: Month, Delay: 52*time.Hour + 30*time.Minute, Window: 36 * time.Hour, Together: true, Types: map[Kind][]string{All: {"a b"}},
		},
	} {
		if got, err := ParseRule(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, mend := range map[string]string{
		"":                                 "use for example",
		"auto":                             "use hour, day, week or month",
		"year+1d apart":                    "use hour, day, week or month",
		"day+soon apart":                   "use for example 8h",
		"day+ apart":                       "use for example 8h",
		"day+-3h apart":                    "use for example 8h",
		"day+1.5d apart":                   "use for example 8h",
		"day+99999999d apart":              "use for example 8h",
		"day+400d apart":                   "use at most",
		"day+1d2562047h apart":             "use for example 8h",
		"day+8h within 1d2562047h apart":   "use for example 8h",
		"day+8h":                           "together or apart",
		"day+8h both":                      "together or apart",
		"day+8h within apart":              "use for example 8h",
		"day+8h within":                    "use a duration",
		"day+8h within 0h apart":           "more than 0",
		"hour+8h within 2h apart":          "at most one hour",
		"day+8h together direct=a":         "use for example",
		"day+8h apart all=a":               "use for example",
		"day+8h apart a":                   "use for example",
		"day+8h apart direct=a direct=b":   "one list",
		"day+8h together a b":              "one list",
		"day+8h together a,,b":             "list of business types",
		"day+8h apart direct=":             "list of business types",
		"day+8h apart direct=%zz":          "list of business types",
		"day+8h together " + "x=" + "y z=": "use for example",
	} {
		if got, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), mend) {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, mend)
		}
	}
}

// A rule that was read is the same after it is written and read again.
func TestRuleIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := Rule{Period: rapid.SampledFrom(Periods()).Draw(t, "period"), Together: rapid.Bool().Draw(t, "together"), Types: map[Kind][]string{}}
		r.Delay = time.Duration(rapid.Int64Range(0, int64(3*24*time.Hour/time.Millisecond)).Draw(t, "delay")) * time.Millisecond
		r.Window = time.Duration(rapid.Int64Range(1, int64(time.Hour/time.Millisecond)).Draw(t, "window")) * time.Millisecond
		for _, kind := range r.kinds() {
			r.Types[kind] = rapid.SliceOfN(rapid.StringN(1, 8, -1), 0, 3).Draw(t, string(kind))
		}
		r.completeTypes()
		if got, err := ParseRule(r.String()); err != nil || !reflect.DeepEqual(got, r) {
			t.Fatalf("%+v is written %q and read %+v, %v", r, r, got, err)
		}
	})
}

func TestParseRuleNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"day", "+", "8h", "d", " ", "within ", "apart ", "together ", "direct=", "sub=", ",", "%", "a", "-1h"})).Draw(t, "words"), "")
		if r, err := ParseRule(text); err == nil {
			if again, err := ParseRule(r.String()); err != nil || !reflect.DeepEqual(r, again) {
				t.Fatalf("%q: %+v, then %+v, %v", text, r, again, err)
			}
		}
	})
}

// Periods follow each other without a gap, and contain the instant.
func TestPeriods(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom(Periods()).Draw(t, "period")
		at := affiliate.Millis(rapid.Int64Range(-1e12, 4e12).Draw(t, "at"))
		from, to := p.Around(at)
		if at < from || at >= to || time.Duration(to-from)*time.Millisecond < p.length() {
			t.Fatalf("%s around %v is %v to %v", p, at, from, to)
		}
		if next, _ := p.Around(to); next != to {
			t.Fatalf("%s after %v begins %v", p, to, next)
		}
		switch start := time.UnixMilli(int64(from)).UTC(); {
		case p == Week && start.Weekday() != time.Monday, p == Month && start.Day() != 1, p != Hour && start.Hour() != 0, start.Minute() != 0:
			t.Fatalf("%s begins %v", p, start)
		}
	})
}
