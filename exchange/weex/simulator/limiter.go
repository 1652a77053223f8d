package simulator

import (
	"strconv"
	"time"
)

// The weight window and the ban that follows when it is exceeded.
const (
	weightWindow = 10 * time.Second
	banTime      = 10 * time.Second
)

// budget counts the weight that one address or one user spent in the last ten seconds. It
// uses the real clock, whatever the exchange's clock shows.
type budget struct {
	spent       []expense
	sum         int
	peak        int
	bannedUntil time.Time
}

type expense struct {
	at     time.Time
	weight int
}

// forget drops weight that has left the window.
func (b *budget) forget(now time.Time) {
	gone := 0
	for gone < len(b.spent) && now.Sub(b.spent[gone].at) >= weightWindow {
		b.sum -= b.spent[gone].weight
		gone++
	}
	b.spent = append(b.spent[:0], b.spent[gone:]...)
}

// allows reports whether more weight fits. If not, a ban begins. A request during a ban
// does not prolong it.
func (b *budget) allows(now time.Time, weight, limit int) bool {
	b.forget(now)
	if now.Before(b.bannedUntil) {
		return false
	}
	if limit >= 0 && b.sum+weight > limit {
		b.bannedUntil = now.Add(banTime)
		return false
	}
	return true
}

func (b *budget) spend(now time.Time, weight int) {
	if weight == 0 {
		return
	}
	b.spent = append(b.spent, expense{now, weight})
	b.sum += weight
	b.peak = max(b.peak, b.sum)
}

// limiter keeps a budget for each address and each user.
type limiter struct {
	limit   int // negative: no limit
	budgets map[string]*budget
	peak    int // of all addresses
}

func newLimiter(limit int) *limiter {
	return &limiter{limit: limit, budgets: map[string]*budget{}}
}

func (l *limiter) of(name string) *budget {
	b := l.budgets[name]
	if b == nil {
		b = &budget{}
		l.budgets[name] = b
	}
	return b
}

// take spends the weight of a call. It returns the weight that the address has used, or
// that the call must not be answered. Refused calls cost nothing.
func (l *limiter) take(now time.Time, address, user string, ip, uid int) (used int, ok bool) {
	byAddress, byUser := l.of("ip "+address), l.of("uid "+user)
	fits := byAddress.allows(now, ip, l.limit)
	if user != "" {
		fits = byUser.allows(now, uid, l.limit) && fits
	}
	if !fits {
		return byAddress.sum, false
	}
	byAddress.spend(now, ip)
	if user != "" {
		byUser.spend(now, uid)
	}
	l.peak = max(l.peak, byAddress.peak)
	return byAddress.sum, true
}

// header tells the client its used weight, if there is a limit.
func (l *limiter) header(used int) map[string]string {
	if l.limit < 0 {
		return nil
	}
	return map[string]string{
		"X-USED-WEIGHT-10S":      strconv.Itoa(used),
		"X-REMAINING-WEIGHT-10S": strconv.Itoa(max(0, l.limit-used)),
	}
}
