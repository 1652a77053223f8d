package transport

import (
	"time"
)

// BudgetState is a snapshot of a [Budget].
type BudgetState struct {
	Used        int              // weight that counts now, by address; of a shared budget, as of its last change by this process
	Users       map[string]int   // the same by user, only for users with a count
	Limit       int              // of each count
	Reserve     int              // of the limit, reserved for orders
	BannedUntil time.Time        // no call starts before this time; zero or past if there is no ban
	Bans        int              // how often the exchange has refused a call of this process for its rate
	Waiting     map[Priority]int // of this process
}

// State reports how full the budget is now, and how many calls wait.
func (b *Budget) State() BudgetState {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	s := BudgetState{
		Users: map[string]int{}, Limit: b.limit, Reserve: b.reserve, BannedUntil: b.banned, Bans: b.bans,
		Waiting: map[Priority]int{},
	}
	if b.shared != nil && !b.banned.IsZero() {
		s.BannedUntil = b.banned.Add(-b.shared.ahead)
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

// Budget returns a snapshot of the budget, which clients may share.
func (c *Sender) Budget() BudgetState { return c.cfg.Budget.State() }
