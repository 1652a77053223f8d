package transport

import (
	"time"
)

// BudgetState is a snapshot of a [Budget].
type BudgetState struct {
	Used        int            // weight that counts at this moment, by address
	Users       map[string]int // the same by user, those with a count only
	Limit       int            // of each count
	Reserve     int            // of the limit, kept for orders
	BannedUntil time.Time      // no call starts before; zero or past when there is no ban
	Bans        int            // how often the exchange has refused a call for its rate
	Waiting     map[Priority]int
}

// State tells how full the budget is now, and how many calls wait.
func (b *Budget) State() BudgetState {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	s := BudgetState{
		Users: map[string]int{}, Limit: b.limit, Reserve: b.reserve, BannedUntil: b.banned, Bans: b.bans,
		Waiting: map[Priority]int{},
	}
	s.Used, _ = b.ip.used(now)
	for name, c := range b.users {
		if s.Users[name], _ = c.used(now); s.Users[name] == 0 {
			delete(s.Users, name)
		}
	}
	for p, line := range b.waiting {
		s.Waiting[Priority(p)] = len(line)
	}
	return s
}

// Budget is a snapshot of the budget, which clients may share.
func (c *Sender) Budget() BudgetState { return c.cfg.Budget.State() }
