package access

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/store/audit"
)

// RefusalReason is why a request of somebody who is known was refused.
type RefusalReason string

// The refusals.
const (
	RefusedRole  RefusalReason = "role"       // it takes another role
	RefusedScope RefusalReason = "scope"      // it takes another scope, or no API token
	RefusedForm  RefusalReason = "form token" // it did not come from a page of the session
)

// refusal is what refused requests are counted by.
type refusal struct {
	user, via string
	why       RefusalReason
}

// refusals are those of one kind.
type refusals struct {
	count   int64  // since the audit log heard of them
	address string // of the last one
	told    time.Time
}

// NoteRefusal counts a request that was refused, in memory alone. The audit log
// hears of it within a minute, and then once an hour: somebody's program may try
// for days.
func (s *recent) NoteRefusal(p Principal, why RefusalReason) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := refusal{p.User, p.Via(), why}
	r := s.refusals[key]
	if r == nil {
		r = &refusals{}
		s.refusals[key] = r
	}
	r.count++
	r.address = addressText(p.Address)
}

// due reports whether the audit log is to hear of them now.
func (r *refusals) due(now time.Time) bool {
	return r.count > 0 && (r.told.IsZero() || now.Sub(r.told) >= tellEvery)
}

// refusalLines are those of the audit log, and the counts that they tell of.
// The caller holds the lock.
func (s *recent) refusalLines() (lines []audit.Line, told map[refusal]int64) {
	told = map[refusal]int64{}
	keys := slices.SortedFunc(maps.Keys(s.refusals), func(a, b refusal) int {
		return cmp.Or(cmp.Compare(a.user, b.user), cmp.Compare(a.via, b.via), cmp.Compare(a.why, b.why))
	})
	for _, key := range keys {
		r := s.refusals[key]
		if !r.due(s.now()) {
			continue
		}
		told[key] = r.count
		line := Actor{Name: key.user, Via: key.via, Address: r.address}.line("requests refused")
		line.Object, line.Detail, line.Outcome = "by "+string(key.why), requests(r.count), "refused"
		lines = append(lines, line)
	}
	return lines, told
}

// refusalsTold notes that the audit log heard of them. Something may have come
// since. The caller holds the lock.
func (s *recent) refusalsTold(told map[refusal]int64) {
	for key, n := range told {
		if r := s.refusals[key]; r != nil {
			r.count -= n
			r.told = s.now()
		}
	}
}

// requests says how many.
func requests(n int64) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}
