package simulator

import (
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/programme"
)

// The methods in this file change the truth on purpose, for tests.

// Insert adds a commission record unchanged to those of its product, or to SPOT if it names
// none. A second equal record is a second record.
func (s *Simulator) Insert(c affiliate.Commission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.Insert(c)
}

// Remove removes one record equal to c and reports whether one existed.
func (s *Simulator) Remove(c affiliate.Commission) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.ledger.Rows[c.Product]
	i := slices.IndexFunc(all, func(r programme.TradeRow) bool {
		return r.At == int64(c.DealTime) && s.ledger.Commission(r) == c
	})
	if i < 0 {
		return false
	}
	s.ledger.Rows[c.Product] = slices.Delete(all, i, i+1)
	return true
}

// RemoveFunc removes every matching record and returns how many it removed.
func (s *Simulator) RemoveFunc(matches func(affiliate.Commission) bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ledger.Remove(matches))
}

// Revise changes every matching record and returns how many it changed. A changed time or
// product moves the record to its new place.
func (s *Simulator) Revise(matches func(affiliate.Commission) bool, change func(*affiliate.Commission)) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	revised := s.ledger.Remove(matches)
	for _, c := range revised {
		change(&c)
		s.ledger.Insert(c)
	}
	return len(revised)
}

// InsertInvitee adds an invited user.
func (s *Simulator) InsertInvitee(u affiliate.Invitee) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.AddInvitee(&u)
}

// ReviseInvitee changes an invited user, whose UID and registration stay unchanged, and
// reports whether the UID exists.
func (s *Simulator) ReviseInvitee(uid affiliate.UID, change func(*affiliate.Invitee)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.ledger.ByUID[uid]
	if u == nil {
		return false
	}
	registered := u.RegisterTime
	change(u)
	u.UID, u.RegisterTime = uid, registered
	return true
}

// InsertSubAffiliateDay adds a sub-affiliate record to those of its product.
func (s *Simulator) InsertSubAffiliateDay(d affiliate.SubAffiliateDay) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.AddSubAffiliateDay(d)
}

// RemoveSubAffiliateDay removes one record equal to d and reports whether one existed.
func (s *Simulator) RemoveSubAffiliateDay(d affiliate.SubAffiliateDay) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.ledger.Subs[d.Product], d)
	if i < 0 {
		return false
	}
	s.ledger.Subs[d.Product] = slices.Delete(s.ledger.Subs[d.Product], i, i+1)
	return true
}

// SetRate sets a rebate rate from an instant on, as [Options].Rates do. Records from that
// instant on that exist already change too; payouts that were made remain.
func (s *Simulator) SetRate(step programme.RateStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	s.ledger.SetRate(step, s.life)
}
