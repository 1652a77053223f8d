package access

import (
	"context"
	"encoding/binary"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/identity"
)

// paces limit how often a user may do something, over all nodes.
type paces struct {
	store *store.Store
	clock func() time.Time
}

// byHand is the key by which mails sent by hand are counted.
var byHand = limit{kind: 11}

// Burst and interval of the mails that a user may send by hand: a test goes to any given
// address.
const (
	mailsAtOnce = 30
	mailEvery   = 30 * time.Second
)

// CountMail counts a mail that a user sends by hand. The error is [*Throttled] if there were
// too many.
func (s paces) CountMail(ctx context.Context, p Principal) error {
	now := affiliate.MillisOf(s.clock())
	var wait time.Duration
	err := identity.ChangeThrottles(ctx, s.store, [][]byte{byHand.keyed(true, keySize, binary.BigEndian.AppendUint64(nil, uint64(p.UserID))).key}, func(list []identity.Throttle) bool {
		t := &list[0] // Until is when all mails so far would have been sent at the interval
		full := now + affiliate.Millis((mailsAtOnce * mailEvery).Milliseconds())
		next := min(max(t.Until, now), full) + affiliate.Millis(mailEvery.Milliseconds())
		if wait = time.Duration(next-full) * time.Millisecond; wait > 0 {
			return false
		}
		t.Count, t.Since, t.Until, t.Last = 1, now, next, now
		return true
	})
	if err == nil && wait > 0 {
		return &Throttled{wait}
	}
	return err
}
