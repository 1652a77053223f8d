package access

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/identity"
)

// limit says how guesses are slowed: free of them within a window of time, and
// from then on each is followed by a wait, doubling from a second to the
// longest.
type limit struct {
	kind    byte // of the key
	free    int64
	window  time.Duration
	longest time.Duration
}

// What guesses are counted by. A browser that has signed in to the account
// before is counted for itself alone: what others guess does not slow it.
var (
	byPair    = limit{1, 5, 24 * time.Hour, 15 * time.Minute}   // account and address
	byAddress = limit{2, 30, time.Hour, 15 * time.Minute}       // over all accounts
	byAccount = limit{3, 100, 24 * time.Hour, 15 * time.Minute} // over all addresses
	byDevice  = limit{4, 5, 24 * time.Hour, 15 * time.Minute}   // account and known browser
	byCode    = limit{5, 10, 7 * 24 * time.Hour, time.Hour}     // of one account, whose password is known to the guesser
	byUser    = limit{6, 5, 24 * time.Hour, 15 * time.Minute}   // a password, by a session of the account
	byStepUp  = limit{7, 5, 24 * time.Hour, 15 * time.Minute}   // a code, by such a session
	bySetup   = limit{8, 5, time.Hour, time.Minute}             // the setup token, by address

	// What stands in the place of byAccount for an address that has not failed
	// lately: else whoever guesses from everywhere would shut the user out.
	byNetwork = limit{9, 5, 24 * time.Hour, 15 * time.Minute}     // account and network
	byClean   = limit{10, 1000, 24 * time.Hour, 30 * time.Second} // account, over all such addresses

	longestOf = max(byPair.window, byAddress.window, byCode.window) // after it nothing counts any more
)

// count is one thing that guesses are counted by.
type count struct {
	limit
	key  []byte
	mine bool // cleared by a success: it is of nobody else
}

// keyed makes the key of a count. What the parts are cannot be read from it.
func (l limit) keyed(mine bool, size int, parts ...[]byte) count {
	hash := sha256.New()
	for _, part := range append([][]byte{{l.kind}}, parts...) {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part)))) // never fails, as no hash does
		hash.Write(part)
	}
	return count{limit: l, key: append([]byte{l.kind}, hash.Sum(nil)[:size]...), mine: mine}
}

const keySize = 16

// account is a short hash of a name as it was typed, of which there are 16
// million. Some people type their password there: it is not to be found.
func account(name string) []byte {
	hash := sha256.Sum256([]byte(plain(name)))
	return hash[:3]
}

// place is what an address counts as: whoever has an IPv6 address has all of
// its /64.
func place(a netip.Addr) []byte {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return a.AsSlice()
	}
	prefix, err := a.Prefix(64)
	if err != nil {
		return a.AsSlice() // cannot be: 64 bits are in range
	}
	return prefix.Masked().Addr().AsSlice()
}

// network is what addresses count as that one guesser easily has many of: a /24,
// and of IPv6 a /48.
func network(a netip.Addr) []byte {
	a = a.Unmap().WithZone("")
	bits := 24
	if a.Is6() {
		bits = 48
	}
	prefix, err := a.Prefix(bits)
	if err != nil {
		return a.AsSlice() // no address at all
	}
	return prefix.Masked().Addr().AsSlice()
}

// attempt is an attempt to be somebody.
type attempt struct {
	counts []count
	known  bool // by a browser that signed in to the account before
}

// passwordAttempt is an attempt with a password. The device is its hash where
// the account knows it.
func (s *Service) passwordAttempt(ctx context.Context, name string, from Origin, device []byte) (attempt, error) {
	if device != nil {
		return knownAttempt(name, device), nil
	}
	clean, err := s.clean(ctx, from)
	if err != nil || !clean {
		return attempt{counts: append(placeCounts(name, from), byAccount.keyed(false, keySize, account(name)))}, err
	}
	return attempt{counts: append(placeCounts(name, from),
		byNetwork.keyed(false, keySize, account(name), network(from.Address)),
		byClean.keyed(false, keySize, account(name)))}, nil
}

// maxSlips is how many wrong guesses within an hour still leave an address
// clean: people mistype.
const maxSlips = 2

// clean reports whether hardly anything wrong came from an address lately, for
// whatever account.
func (s *Service) clean(ctx context.Context, from Origin) (bool, error) {
	list, err := identity.Throttles(ctx, s.store, [][]byte{byAddress.keyed(false, keySize, place(from.Address)).key})
	if err != nil {
		return false, err
	}
	since := time.Duration(affiliate.MillisOf(s.now())-list[0].Since) * time.Millisecond
	return list[0].Count <= maxSlips || since >= byAddress.window, nil
}

// knownAttempt is an attempt by a browser that the account knows.
func knownAttempt(name string, device []byte) attempt {
	return attempt{[]count{byDevice.keyed(true, keySize, account(name), device)}, true}
}

// placeCounts are what an attempt counts as by where it comes from.
func placeCounts(name string, from Origin) []count {
	return []count{
		byPair.keyed(true, keySize, account(name), place(from.Address)),
		byAddress.keyed(false, keySize, place(from.Address)),
	}
}

// codeGuess is an attempt with a code after the password was right.
func codeGuess(user identity.User, from Origin, device []byte) attempt {
	if device != nil {
		return knownAttempt(user.Name, device)
	}
	return attempt{counts: append(placeCounts(user.Name, from),
		byCode.keyed(true, keySize, binary.BigEndian.AppendUint64(nil, uint64(user.ID))))}
}

// ownGuess is an attempt by somebody who is signed in, at the password or at
// the code: who knows the one does not get back the guesses at the other.
func ownGuess(by limit, user int64) attempt {
	return attempt{[]count{by.keyed(true, keySize, binary.BigEndian.AppendUint64(nil, uint64(user)))}, true}
}

func (g attempt) keys() [][]byte {
	keys := make([][]byte, len(g.counts))
	for i, c := range g.counts {
		keys[i] = c.key
	}
	return keys
}

// wait is how long g has to wait at an instant; none or less is not at all.
func (g attempt) wait(list []identity.Throttle, now affiliate.Millis) time.Duration {
	var longest time.Duration
	for i, t := range list {
		wait := time.Duration(t.Until-now) * time.Millisecond
		longest = max(longest, min(wait, g.counts[i].longest)) // the clock may have been wrong when it was written
	}
	return longest
}

// countAttempt counts the guess before anything is looked at, so that many at the
// same moment are many. The error is [*Throttled].
func (s *Service) countAttempt(ctx context.Context, g attempt) error {
	now := affiliate.MillisOf(s.now())
	var wait time.Duration
	err := identity.ChangeThrottles(ctx, s.store, g.keys(), func(list []identity.Throttle) bool {
		if wait = g.wait(list, now); wait > 0 {
			return false
		}
		for i := range list {
			g.counts[i].add(&list[i], now)
		}
		return true
	})
	if err == nil && wait > 0 {
		return &Throttled{wait}
	}
	return err
}

// allow reports whether the guess may be made now, without counting it: by far
// the most guesses of a flood end here, at the cost of a look. The error is
// [*Throttled].
func (s *Service) allow(ctx context.Context, g attempt) error {
	list, err := identity.Throttles(ctx, s.store, g.keys())
	if err != nil {
		return err
	}
	if wait := g.wait(list, affiliate.MillisOf(s.now())); wait > 0 {
		return &Throttled{wait}
	}
	return nil
}

// add counts one guess.
func (l limit) add(t *identity.Throttle, now affiliate.Millis) {
	if t.Count == 0 || time.Duration(now-t.Since)*time.Millisecond >= l.window {
		t.Count, t.Since, t.Until = 0, now, 0
	}
	t.Count++
	t.Last = now
	if over := t.Count - l.free; over >= 0 {
		wait := l.longest
		if over < 20 {
			wait = min(wait, time.Second<<over)
		}
		t.Until = now + affiliate.Millis(wait.Milliseconds())
	}
}

// forgiveAttempt takes back a guess that was right. With whole, what is the account's
// and the place's own is forgotten; what others share loses the one guess.
func (s *Service) forgiveAttempt(ctx context.Context, g attempt, whole bool) error {
	return identity.ChangeThrottles(ctx, s.store, g.keys(), func(list []identity.Throttle) bool {
		for i := range list {
			t := &list[i]
			if whole && g.counts[i].mine {
				t.Count = 0
				continue
			}
			t.Count = max(0, t.Count-1)
			if t.Count < g.counts[i].free {
				t.Until = 0
			}
		}
		return true
	})
}
