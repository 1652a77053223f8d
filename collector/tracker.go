package collector

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/records"
)

// tracker holds the progress of the current collection for readers.
type tracker struct {
	now    func() time.Time
	mu     sync.Mutex
	p      Progress
	budget func() exchange.BudgetState // of the account being read

	goesOn   bool // the next run continues this collection
	accounts int
	shares   map[affiliate.Account]*share
	left     estimate
	failures map[affiliate.Account]*Failure

	spentBefore exchange.Usage // in earlier runs and by other accounts
}

// share is the part of an account in a collection.
type share struct {
	before int // stream-days read in earlier runs
	done   int // in this one
	wanted int // in this one, as planned
}

func (t *tracker) get() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p.Running {
		t.left.least = rationed(t.p.Weight, t.p.Done, t.p.Wanted, t.budget().Limit)
		t.p.Remaining = t.left.left(t.now(), t.p.Done, t.p.Wanted)
		t.p.reached = min(99, t.p.Percent())
	}
	p := t.p
	for _, name := range slices.Sorted(maps.Keys(t.failures)) {
		p.Failures = append(p.Failures, *t.failures[name])
	}
	if p.Running && p.Waiting == "" {
		p.Waiting = heldUp(t.budget(), time.Now()) // budgets use real time
	}
	return p
}

// open begins a collection over a number of accounts, or another run of the one that was
// postponed.
func (t *tracker) open(accounts int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.accounts = accounts
	if t.goesOn {
		for _, s := range t.shares {
			s.before, s.done, s.wanted = s.before+s.done, 0, s.wanted-s.done
		}
		return
	}
	t.shares, t.left, t.p = map[affiliate.Account]*share{}, estimate{}, Progress{Finished: t.p.Finished}
	maps.DeleteFunc(t.failures, func(_ affiliate.Account, f *Failure) bool { return f.Since.IsZero() })
	for _, f := range t.failures {
		f.earlier = true
	}
}

// close ends a run. The next run continues the collection if this one was postponed.
func (t *tracker) close(postponed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.goesOn = postponed
}

// heldUp returns why a call of the collection is delayed, or an empty string if none waits.
func heldUp(b exchange.BudgetState, now time.Time) string {
	switch {
	case b.Waiting[exchange.Collection] == 0:
		return ""
	case b.BannedUntil.After(now):
		return "the exchange asked for a pause until " + clockTime(b.BannedUntil)
	}
	return "the request budget is used up for a moment"
}

func (t *tracker) change(f func(p *Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.p)
}

func (t *tracker) begin(account Target, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.p
	t.p = Progress{Running: true, Account: account.Name, Started: now, Done: before.Done, Wanted: before.Wanted,
		Requests: before.Requests, Weight: before.Weight, Records: before.Records, reached: before.reached}
	if !before.Started.IsZero() {
		t.p.Started = before.Started
	}
	t.budget = account.Source.Budget
	t.spentBefore = exchange.Usage{Requests: before.Requests, Weight: before.Weight}
	t.left.begin(now, t.p.Done)
}

func (t *tracker) waiting(why string) {
	t.change(func(p *Progress) { p.Waiting = why })
}

func (t *tracker) planned(wanted int) {
	t.change(func(p *Progress) {
		t.share().done, t.share().wanted = 0, wanted
		t.count()
	})
}

// share returns the part of the account being read.
func (t *tracker) share() *share {
	if t.shares[t.p.Account] == nil {
		t.shares[t.p.Account] = &share{}
	}
	return t.shares[t.p.Account]
}

// count adds up all accounts. An account without a plan counts as the average of the
// others.
func (t *tracker) count() {
	t.p.Done, t.p.Wanted = 0, 0
	for _, s := range t.shares {
		t.p.Done += s.before + s.done
		t.p.Wanted += s.before + s.wanted
	}
	if planned := len(t.shares); planned > 0 && planned < t.accounts {
		t.p.Wanted += t.p.Wanted / planned * (t.accounts - planned)
	}
}

func (t *tracker) reading(w window) {
	t.change(func(p *Progress) { p.Stream, p.Window = w.stream, w.days })
}

func (t *tracker) wrote(w records.Written) {
	t.change(func(p *Progress) {
		p.Records += int64(w.Records)
		switch f := t.failures[p.Account]; {
		case f == nil:
		case f.earlier:
			delete(t.failures, p.Account)
		default:
			f.Since = time.Time{}
		}
	})
}

// failed notes a failure of the account being read.
func (t *tracker) failed(cause error) {
	t.change(func(p *Progress) {
		f := &Failure{Account: p.Account, Error: cause.Error(), Class: exchange.ClassOf(cause), Since: t.now()}
		if e, ok := errors.AsType[*exchange.Error](cause); ok {
			f.Hint = e.Hint
		}
		if before := t.failures[p.Account]; before != nil {
			f.ReadTo = before.ReadTo
			if !before.Since.IsZero() {
				f.Since = before.Since
			}
		}
		t.failures[p.Account] = f
	})
}

// readTo tells how far an account was read that fails.
func (t *tracker) readTo(name affiliate.Account, at affiliate.Millis) {
	t.change(func(*Progress) {
		if f := t.failures[name]; f != nil && at.Known() {
			f.ReadTo = at.Time()
		}
	})
}

// only forgets the failures of accounts that are no longer in use.
func (t *tracker) only(accounts []Target) {
	t.change(func(*Progress) {
		maps.DeleteFunc(t.failures, func(name affiliate.Account, _ *Failure) bool {
			return !slices.ContainsFunc(accounts, func(a Target) bool { return a.Name == name })
		})
	})
}

func (t *tracker) advance(done int, spent exchange.Usage) {
	t.change(func(p *Progress) {
		p.Requests, p.Weight = t.spentBefore.Requests+spent.Requests, t.spentBefore.Weight+spent.Weight
		t.share().done = done
		t.count()
		t.left.advance(t.now(), p.Done, p.Wanted)
	})
}

func (t *tracker) pausing(next time.Time) {
	t.change(func(p *Progress) { p.Next = next })
}

func (t *tracker) end() {
	t.change(func(p *Progress) {
		p.Running, p.Finished, p.Remaining = false, t.now(), 0
	})
}
