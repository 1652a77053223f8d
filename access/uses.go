package access

import (
	"context"
	"maps"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/identity"
)

// The rate at which a token may send requests.
const (
	tokenRate  = 10 // requests per second
	tokenBurst = 50
)

const (
	flushEvery = time.Minute
	// tellEvery is how often the audit log records that a token is in use from an address.
	// A new address is recorded at the next flush.
	tellEvery = time.Hour
)

// see records the use of a session, only in memory.
func (s *recent) see(session int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[session] = affiliate.MillisOf(s.now())
}

// lastSeen returns when a session was last used, whether that is stored or not.
func (s *recent) lastSeen(x identity.Session) affiliate.Millis {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(x.Seen, s.seen[x.ID])
}

// TokenPolicy returns how many requests a token may send within a time, bursts included.
func TokenPolicy() (requests int, within time.Duration) {
	return tokenBurst, tokenBurst / tokenRate * time.Second
}

// useToken records the use of a token, only in memory, and returns how many requests the token
// may send at once after this one. If the token sends requests too fast, it returns how long
// the token must wait instead.
func (s *recent) useToken(x identity.TokenUser, from Origin) (left int, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	p := s.programs[x.Token.ID]
	if p == nil {
		p = newProgram(x)
		s.programs[x.Token.ID] = p
	}
	reserved := p.limiter.ReserveN(now, 1)
	if wait = reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
		return 0, wait
	}
	p.used(identity.TokenUse{At: affiliate.MillisOf(now), Address: addressText(from.Address)})
	return int(p.limiter.TokensAt(now)), 0
}

// lastUse returns a use of a token that may not be stored yet.
func (s *recent) lastUse(token int64) (use identity.TokenUse, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.programs[token]; p != nil {
		return p.use, true
	}
	return use, false
}

// Flush writes when sessions and tokens were last used, and adds lines about tokens and
// refused requests to the audit log. Data that could not be written is kept for the next
// time.
func (s *Service) Flush(ctx context.Context) error {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	uses, told, refused := s.uses()
	if len(uses.Sessions)+len(uses.Tokens)+len(uses.Lines) == 0 {
		return nil
	}
	if err := identity.NoteUses(ctx, s.store, uses); err != nil {
		return err
	}
	s.flushed(uses, told, refused)
	return nil
}

// uses collects the data to write: last uses, and the counts of token requests by address
// and of refused requests for the audit log.
func (s *recent) uses() (uses identity.Uses, told map[int64]map[string]int64, refused map[refusal]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uses = identity.Uses{Sessions: maps.Clone(s.seen), Tokens: map[int64]identity.TokenUse{}}
	told = map[int64]map[string]int64{}
	for id, p := range s.programs {
		if p.use != p.stored {
			uses.Tokens[id] = p.use
		}
		if news := p.news(s.now()); len(news) > 0 {
			told[id] = news
			uses.Lines = append(uses.Lines, p.lines(news)...)
		}
	}
	lines, refused := s.refusalLines()
	uses.Lines = append(uses.Lines, lines...)
	return uses, told, refused
}

// flushed notes what was written. More may have arrived since.
func (s *recent) flushed(uses identity.Uses, told map[int64]map[string]int64, refused map[refusal]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range uses.Sessions {
		if s.seen[id] == at {
			delete(s.seen, id)
		}
	}
	for id, use := range uses.Tokens {
		s.programs[id].stored = use
	}
	for id, news := range told {
		s.programs[id].heard(news, s.now())
	}
	s.refusalsTold(refused)
}

// Run flushes every minute and removes what has ended, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
			defer cancel()
			if err := s.Flush(last); err != nil {
				s.log.Warn("the last use of sessions and tokens could not be noted", "error", err)
			}
			return
		case <-tick.C:
			if err := s.tidy(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("sessions could not be tidied up; it is tried again in a minute", "error", err)
			}
		}
	}
}

// tidy flushes, and removes expired sessions, guesses that no longer count, the data about both in
// memory, and what is known of browsers that were not used for long.
func (s *Service) tidy(ctx context.Context) error {
	if err := s.Flush(ctx); err != nil {
		return err
	}
	sessions, err := identity.Sessions(ctx, s.store, "")
	if err != nil {
		return err
	}
	var over []int64
	for _, x := range sessions {
		if x.Seen = s.lastSeen(x.Session); s.over(x) {
			over = append(over, x.Session.ID)
		}
	}
	s.forget()
	if len(over) > 0 {
		if err := identity.RemoveSessions(ctx, s.store, over); err != nil {
			return err
		}
	}
	if err := identity.ForgetDevices(ctx, s.store, affiliate.MillisOf(s.now().Add(-deviceKept))); err != nil {
		return err
	}
	return identity.RemoveThrottles(ctx, s.store, affiliate.MillisOf(s.now().Add(-longestOf)))
}

// forget deletes data in memory that is no longer needed.
func (s *recent) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	maps.DeleteFunc(s.refusals, func(_ refusal, r *refusals) bool { return r.count == 0 && now.Sub(r.told) >= tellEvery })
	maps.DeleteFunc(s.programs, func(_ int64, p *program) bool {
		return p.use == p.stored && len(p.asked) == 0 && now.Sub(p.use.At.Time()) > tellEvery
	})
}
