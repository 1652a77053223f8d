package access

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"rebatedesk/store/audit"
)

// RefusalReason is why a request of an authenticated user was refused.
type RefusalReason string

// The reasons for a refusal.
const (
	RefusedRole  RefusalReason = "role"       // it requires another role
	RefusedScope RefusalReason = "scope"      // it requires another scope, or a session
	RefusedForm  RefusalReason = "form token" // it did not come from a page of the session
)

// refusal is the key by which refused requests are counted.
type refusal struct {
	user, via string
	why       RefusalReason
}

// refusals counts those of one key.
type refusals struct {
	count   int64  // since the last line in the audit log
	address string // of the last one
	told    time.Time
}

// NoteRefusal counts a refused request, only in memory. It is written to the audit log
// within a minute, and afterwards once an hour: a program may retry for days.
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

// due reports whether the refusals must be written to the audit log now.
func (r *refusals) due(now time.Time) bool {
	return r.count > 0 && (r.told.IsZero() || now.Sub(r.told) >= tellEvery)
}

// refusalLines returns the lines for the audit log, and the counts that they report. The
// caller holds the lock.
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

// refusalsTold notes that the refusals were written to the audit log. More may have arrived
// since. The caller holds the lock.
func (s *recent) refusalsTold(told map[refusal]int64) {
	for key, n := range told {
		if r := s.refusals[key]; r != nil {
			r.count -= n
			r.told = s.now()
		}
	}
}

// requests returns a number of requests in words.
func requests(n int64) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}
