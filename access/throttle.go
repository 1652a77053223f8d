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

// limit says how guesses are slowed: a number of free guesses within a window of time,
// after which each guess is followed by a wait that doubles from one second to the longest.
type limit struct {
	kind    byte // of the key
	free    int64
	window  time.Duration
	longest time.Duration
}

// These are the keys by which guesses are counted. A browser that has signed in to the
// account before is counted separately: the guesses of others do not slow it.
var (
	byPair    = limit{1, 5, 24 * time.Hour, 15 * time.Minute}   // account and address
	byAddress = limit{2, 30, time.Hour, 15 * time.Minute}       // over all accounts
	byAccount = limit{3, 100, 24 * time.Hour, 15 * time.Minute} // over all addresses
	byDevice  = limit{4, 5, 24 * time.Hour, 15 * time.Minute}   // account and known browser
	byCode    = limit{5, 10, 7 * 24 * time.Hour, time.Hour}     // per account, for guessers who know the password
	byUser    = limit{6, 5, 24 * time.Hour, 15 * time.Minute}   // a password, in a session of the account
	byStepUp  = limit{7, 5, 24 * time.Hour, 15 * time.Minute}   // a code, in such a session
	bySetup   = limit{8, 5, time.Hour, time.Minute}             // the setup token, by address

	// byNetwork and byClean replace byAccount for an address that has not failed recently:
	// otherwise a guesser with many addresses could lock the user out.
	byNetwork = limit{9, 5, 24 * time.Hour, 15 * time.Minute}     // account and network
	byClean   = limit{10, 1000, 24 * time.Hour, 30 * time.Second} // account, over all such addresses

	longestOf = max(byPair.window, byAddress.window, byCode.window) // nothing counts any longer after it
)

// count is one key by which guesses are counted.
type count struct {
	limit
	key  []byte
	mine bool // cleared by a success: it belongs to this user alone
}

// keyed makes the key of a count. The parts cannot be read from it.
func (l limit) keyed(mine bool, size int, parts ...[]byte) count {
	hash := sha256.New()
	for _, part := range append([][]byte{{l.kind}}, parts...) {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part)))) // never fails: no hash does
		hash.Write(part)
	}
	return count{limit: l, key: append([]byte{l.kind}, hash.Sum(nil)[:size]...), mine: mine}
}

const keySize = 16

// account returns a short hash of a name as typed, one of 16 million. Some people type
// their password there, and it must not be recoverable.
func account(name string) []byte {
	hash := sha256.Sum256([]byte(plain(name)))
	return hash[:3]
}

// place returns what an address is counted as: a client with one IPv6 address has all of
// its /64.
func place(a netip.Addr) []byte {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return a.AsSlice()
	}
	prefix, err := a.Prefix(64)
	if err != nil {
		return a.AsSlice() // impossible: 64 bits are in range
	}
	return prefix.Masked().Addr().AsSlice()
}

// network returns what the addresses are counted as that one guesser easily controls: a
// /24, or for IPv6 a /48.
func network(a netip.Addr) []byte {
	a = a.Unmap().WithZone("")
	bits := 24
	if a.Is6() {
		bits = 48
	}
	prefix, err := a.Prefix(bits)
	if err != nil {
		return a.AsSlice() // not an address
	}
	return prefix.Masked().Addr().AsSlice()
}

// attempt is an attempt to authenticate.
type attempt struct {
	counts []count
	known  bool // by a browser that signed in to the account before
}

// passwordAttempt is an attempt with a password. device is its hash if the account knows
// it.
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

// maxSlips is how many wrong guesses within an hour still leave an address clean, because
// people mistype.
const maxSlips = 2

// clean reports whether an address has made hardly any wrong guesses recently, for any
// account.
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

// placeCounts returns the counts of an attempt by its origin.
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

// ownGuess is an attempt by a signed-in user, at the password or at the code: knowing one
// does not give back the guesses at the other.
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

// wait returns how long g must wait at an instant; zero or less means no wait.
func (g attempt) wait(list []identity.Throttle, now affiliate.Millis) time.Duration {
	var longest time.Duration
	for i, t := range list {
		wait := time.Duration(t.Until-now) * time.Millisecond
		longest = max(longest, min(wait, g.counts[i].longest)) // the clock may have been wrong when it was written
	}
	return longest
}

// countAttempt counts the guess before anything is checked, so that many simultaneous
// guesses count as many. The error is [*Throttled].
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

// allow reports whether the guess may be made now, without counting it: most guesses of a
// flood end here, at the cost of a look-up. The error is [*Throttled].
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

// forgiveAttempt takes back a right guess. With whole, the counts of this account and place
// are cleared; shared counts are reduced by the one guess.
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
