package collector

import (
	"sync"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/store"
)

// tracker keeps the progress of the run at work for others to read.
type tracker struct {
	now    func() time.Time
	mu     sync.Mutex
	p      Progress
	budget func() exchange.BudgetState // of the account being read
}

func (t *tracker) get() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.p
	if p.Running && p.Done > 0 && p.Wanted > p.Done {
		each := t.now().Sub(p.Started) / time.Duration(p.Done)
		p.Remaining = each * time.Duration(p.Wanted-p.Done)
	}
	if p.Running && p.Waiting == "" {
		p.Waiting = heldUp(t.budget(), time.Now()) // budgets keep real time
	}
	return p
}

// heldUp says why a call of the collection does not go out; empty when none
// waits.
func heldUp(b exchange.BudgetState, now time.Time) string {
	switch {
	case b.Waiting[exchange.Collection] == 0:
		return ""
	case b.BannedUntil.After(now):
		return "the exchange asked for a pause until " + clockTime(b.BannedUntil)
	}
	return "waiting for the request budget"
}

func (t *tracker) change(f func(p *Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f(&t.p)
}

func (t *tracker) begin(account Account, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.p = Progress{Running: true, Account: account.Name, Started: now}
	t.budget = account.Client.Budget
}

func (t *tracker) waiting(why string) {
	t.change(func(p *Progress) { p.Waiting = why })
}

func (t *tracker) planned(wanted int) {
	t.change(func(p *Progress) { p.Wanted = wanted })
}

func (t *tracker) reading(w window) {
	t.change(func(p *Progress) { p.Stream, p.Window = w.stream, w.days })
}

func (t *tracker) wrote(w store.Written) {
	t.change(func(p *Progress) { p.Records += int64(w.Records) })
}

func (t *tracker) failed(cause error) {
	t.change(func(p *Progress) { p.Error = cause.Error() })
}

func (t *tracker) advance(done int, spent exchange.Usage) {
	t.change(func(p *Progress) { p.Done, p.Requests, p.Weight = done, spent.Requests, spent.Weight })
}

func (t *tracker) pausing(next time.Time) {
	t.change(func(p *Progress) { p.Next = next })
}

func (t *tracker) end() {
	t.change(func(p *Progress) { p.Running, p.Finished = false, t.now() })
}
