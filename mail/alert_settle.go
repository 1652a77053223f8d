package mail

import (
	"cmp"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/outbox"
)

// signal is something that is so at the time it is looked for.
type signal struct {
	Key   string
	Words string
	Page  string        // path that shows it
	After time.Duration // how long it must have been seen before it is told
}

// settled is what becomes of the facts of an alert.
type settled struct {
	tell []outbox.Fact // now, oldest first
	note []outbox.Fact // new or changed, and not told yet
	over []string      // keys of what was over before it had lasted
}

// settle holds what is so now against what is known. What has lasted is told,
// even if it is over meanwhile, as soon as nothing holds it back. What was told
// is never told again.
func settle(known []outbox.Fact, signals []signal, now time.Time, hold bool) (s settled) {
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
		case !f.Lasting.Known():
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

// factOf is a fact as it stands now. What was seen in the future was seen by a
// clock that was wrong, and is seen now for the first time.
func factOf(one signal, old outbox.Fact, now time.Time) outbox.Fact {
	stamp := affiliate.MillisOf(now)
	f := outbox.Fact{Key: one.Key, Words: one.Words, Page: one.Page, Seen: old.Seen, Lasting: old.Lasting}
	if !f.Seen.Known() || f.Seen > stamp {
		f.Seen = stamp
	}
	if !f.Lasting.Known() && now.Sub(f.Seen.Time()) >= one.After {
		f.Lasting = stamp
	}
	return f
}
