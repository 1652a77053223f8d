package mail

import (
	"cmp"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/findings"
	"rebatedesk/store/outbox"
)

// settled is the result of a check of an alert's facts.
type settled struct {
	tell []outbox.Fact // to be reported now, oldest first
	note []outbox.Fact // new or changed, and not reported yet
	over []string      // keys of facts that ended before they had lasted long enough, or were reported
}

// settle compares current signals with known facts. A fact that has lasted is reported,
// even if it has ended meanwhile, as soon as nothing holds it back; unless facts lapse: then
// one that has ended is not reported. A reported fact is never reported again.
func settle(known []outbox.Fact, signals []findings.Signal, now time.Time, hold, lapse bool) (s settled) {
	before := map[string]outbox.Fact{}
	for _, f := range known {
		before[f.Key] = f
	}
	seen := map[string]bool{}
	for _, one := range signals {
		old, ok := before[one.Key]
		if old.Message != 0 || seen[one.Key] {
			continue
		}
		seen[one.Key] = true
		f := factOf(one, old, now)
		switch {
		case f.Lasting.Known() && !hold:
			s.tell = append(s.tell, f)
		case !ok || f.Lasting != old.Lasting || f.Seen != old.Seen:
			s.note = append(s.note, f)
		}
	}
	for _, f := range known {
		switch {
		case f.Message != 0 || seen[f.Key]:
		case !f.Lasting.Known() || lapse:
			s.over = append(s.over, f.Key)
		case !hold:
			s.tell = append(s.tell, f)
		}
	}
	slices.SortFunc(s.tell, func(a, b outbox.Fact) int {
		return cmp.Or(cmp.Compare(a.Lasting, b.Lasting), cmp.Compare(a.Key, b.Key))
	})
	return s
}

// factOf returns the current form of a fact. A fact first seen in the future was seen
// under a wrong clock, and counts as seen now for the first time.
func factOf(one findings.Signal, old outbox.Fact, now time.Time) outbox.Fact {
	stamp := affiliate.MillisOf(now)
	f := outbox.Fact{Key: one.Key, Words: one.Words, Page: one.Page, Detail: one.Detail, Seen: old.Seen, Lasting: old.Lasting}
	if !f.Seen.Known() || f.Seen > stamp {
		f.Seen = stamp
	}
	if !f.Lasting.Known() && now.Sub(f.Seen.Time()) >= one.After {
		f.Lasting = stamp
	}
	return f
}
