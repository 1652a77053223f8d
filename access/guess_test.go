package access

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/race"
	"rebatedesk/store/identity"
)

// flood makes 10,000 guesses at ann's password within an hour, from that many addresses in
// turn. It returns how many were checked.
func (d *fixture) flood(addresses int) int64 {
	d.t.Helper()
	before := d.hasher.computed.Load()
	const guesses = 10_000
	for i := range guesses {
		d.clock.add(time.Hour / guesses)
		from := at(fmt.Sprintf("198.51.%d.%d", i%addresses/250, i%addresses%250))
		_, err := d.SignIn(d.t.Context(), "ann", fmt.Sprint("guess ", i), from)
		if _, throttled := errors.AsType[*Throttled](err); !throttled {
			wants(d.t, err, ErrWrong)
		}
	}
	return d.hasher.computed.Load() - before
}

// knownBrowser returns a browser in which ann signed in.
func (d *fixture) knownBrowser() Origin {
	d.t.Helper()
	from := home
	from.Device = d.enter("ann").Device
	return from
}

// guessFrom is an attempt at ann's password.
func (d *fixture) guessFrom(from Origin) attempt {
	d.t.Helper()
	g, err := d.passwordAttempt(d.t.Context(), "ann", from, nil)
	done(d.t, err)
	return g
}

func TestTenThousandGuesses(t *testing.T) {
	race.Skip(t, "ten thousand guesses, one after the other")
	for _, c := range []struct {
		addresses int
		most      int64
	}{{1, 20}, {1000, 180}} {
		t.Run(fmt.Sprint(c.addresses, " addresses"), func(t *testing.T) {
			d := newFixture(t)
			d.add("ann", Viewer)
			known := d.knownBrowser()
			computed := d.flood(c.addresses)
			if computed < 5 || computed > c.most {
				t.Errorf("%d of 10,000 guesses were looked at, want 5 to %d", computed, c.most)
			}
			t.Logf("%d of 10,000 guesses in an hour were looked at", computed)
			// The guesser is slowed and ann is not, wherever the guesser is.
			known.Address = at("198.51.0.0").Address
			if _, err := d.SignIn(t.Context(), "ann", rightPassword, known); err != nil {
				t.Error("ann with the known browser:", err)
			}
			if _, err := d.SignIn(t.Context(), "ann", rightPassword, at("203.0.113.9")); err != nil {
				t.Error("ann with a new browser, at an address that never failed:", err)
			}
			for i := range 5 {
				_, err := d.SignIn(t.Context(), "ann", fmt.Sprint("guess ", i), at("198.51.0.0"))
				if err == nil {
					t.Fatal("let in")
				}
			}
			d.restart()
			before := d.hasher.computed.Load()
			_, err := d.SignIn(t.Context(), "ann", rightPassword, at("198.51.0.0"))
			if _, throttled := errors.AsType[*Throttled](err); !throttled || d.hasher.computed.Load() != before {
				t.Error("the guesser is forgotten after a restart:", err)
			}
		})
	}
}

// Guessers in very many networks, who try as fast as they can for a day and never twice
// from one address, are slowed nevertheless. Meanwhile ann signs in with a new browser
// after the announced wait at most.
func TestGuessersEverywhere(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	known := d.knownBrowser()
	before := d.hasher.computed.Load()
	const guesses = 12_000
	for i := range guesses {
		d.clock.add(24 * time.Hour / guesses)
		_, err := d.SignIn(t.Context(), "ann", "not it", at(fmt.Sprintf("%d.%d.%d.7", 11+i/65536, i/256%256, i%256)))
		if _, throttled := errors.AsType[*Throttled](err); !throttled {
			wants(t, err, ErrWrong)
		}
	}
	computed := d.hasher.computed.Load() - before
	t.Logf("%d of %d guesses in a day were looked at", computed, guesses)
	if most := byClean.free + int64(24*time.Hour/byClean.longest); computed > most {
		t.Errorf("%d guesses were looked at, want at most %d", computed, most)
	}
	var err error
	for range 2 { // the second time after the announced wait
		_, err = d.SignIn(t.Context(), "ann", rightPassword, at("203.0.113.9"))
		if throttled, ok := errors.AsType[*Throttled](err); ok {
			if throttled.Wait > byClean.longest {
				t.Errorf("ann waits %s", throttled.Wait)
			}
			d.clock.add(throttled.Wait)
		}
	}
	done(t, err)
	if _, err := d.SignIn(t.Context(), "ann", rightPassword, known); err != nil {
		t.Error("ann with the known browser:", err)
	}
}

// The whole network of a guesser is one guesser.
func TestGuessersInOneNetwork(t *testing.T) {
	for _, pattern := range []string{"198.51.100.%d", "2001:db8:7:%x::1"} {
		d := newFixture(t)
		d.add("ann", Viewer)
		before := d.hasher.computed.Load()
		for i := range 250 {
			_, err := d.SignIn(t.Context(), "ann", "not it", at(fmt.Sprintf(pattern, i)))
			if err == nil {
				t.Fatal("let in")
			}
		}
		if n := d.hasher.computed.Load() - before; n != byNetwork.free {
			t.Errorf("%s: %d passwords were computed, want %d", pattern, n, byNetwork.free)
		}
	}
}

// A guesser who observes the waits does not succeed either.
func TestPatientGuesser(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	end := d.clock.Now().Add(3 * 24 * time.Hour)
	var i int
	for ; d.clock.Now().Before(end); i++ {
		_, err := d.SignIn(t.Context(), "ann", fmt.Sprint("guess ", i), home)
		if throttled, ok := errors.AsType[*Throttled](err); ok {
			d.clock.add(throttled.Wait)
		} else {
			wants(t, err, ErrWrong)
		}
	}
	computed := d.hasher.computed.Load()
	t.Logf("%d guesses in three days", computed)
	if computed < 3*96 || computed > 3*110 {
		t.Errorf("%d guesses in three days", computed)
	}
}

// Many accounts guessed from one place are slowed for that place.
func TestGuessesByAddress(t *testing.T) {
	d := newFixture(t)
	for i := range 1000 {
		_, err := d.SignIn(t.Context(), fmt.Sprint("user", i), "Summer2026", at("198.51.100.7"))
		if err == nil {
			t.Fatal("let in")
		}
	}
	if n := d.hasher.computed.Load(); n != byAddress.free {
		t.Errorf("%d passwords were computed, want %d", n, byAddress.free)
	}
	d.clock.add(time.Hour)
	_, err := d.SignIn(t.Context(), "user1", "Summer2026", at("198.51.100.7"))
	wants(t, err, ErrWrong)
}

// Guesses that come at the same moment are counted one after the other.
func TestParallelGuesses(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	before := d.hasher.computed.Load()
	const n = 50
	results := make(chan error, n)
	for i := range n {
		go func() {
			_, err := d.SignIn(t.Context(), "ann", fmt.Sprint("guess ", i), home)
			results <- err
		}()
	}
	for range n {
		if <-results == nil {
			t.Error("let in")
		}
	}
	if computed := d.hasher.computed.Load() - before; computed > byPair.free {
		t.Errorf("%d passwords were computed, want at most %d", computed, byPair.free)
	}
}

// The codes are guessed with the password known: from anywhere, and by signing
// in again for each guess.
func TestGuessingCodes(t *testing.T) {
	d := newFixture(t)
	_, secret, _ := d.enrolled("ann", Admin)
	known := home
	known.Device = d.whole("ann", secret).Device
	var looked int
	for i := range 1000 {
		d.clock.add(30 * time.Second)
		from := at(fmt.Sprintf("198.51.%d.%d", i/250, i%250))
		half, err := d.SignIn(t.Context(), "ann", rightPassword, from)
		if _, throttled := errors.AsType[*Throttled](err); throttled {
			continue
		}
		done(t, err)
		_, err = d.Confirm(t.Context(), half.Secret, "not it", from)
		if _, throttled := errors.AsType[*Throttled](err); !throttled {
			wants(t, err, ErrWrong)
			looked++
		}
	}
	t.Logf("%d codes in %s", looked, 30000*time.Second)
	if looked < 10 || looked > 32 {
		t.Errorf("%d codes were looked at", looked)
	}
	half, err := d.SignIn(t.Context(), "ann", rightPassword, known)
	done(t, err)
	if _, err = d.Confirm(t.Context(), half.Secret, d.later(secret), known); err != nil {
		t.Error("ann with the known browser:", err)
	}
}

// From one place, signing in again does not give new guesses at the code.
func TestPasswordDoesNotRefundCodes(t *testing.T) {
	d := newFixture(t)
	d.enrolled("ann", Admin)
	var looked int64
	for range 100 {
		half, err := d.SignIn(t.Context(), "ann", rightPassword, home)
		if err != nil {
			break
		}
		if _, err = d.Confirm(t.Context(), half.Secret, "not it", home); errors.Is(err, ErrWrong) {
			looked++
		}
	}
	if looked != byPair.free {
		t.Errorf("%d codes were looked at, want %d", looked, byPair.free)
	}
}

// A right password ends the count of its account and place, and takes one from
// what is shared.
func TestRefund(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	for range 4 {
		_, err := d.SignIn(t.Context(), "ann", "wrong", home)
		wants(t, err, ErrWrong)
	}
	d.enter("ann")
	counts, err := identity.Throttles(t.Context(), d.st, d.guessFrom(home).keys())
	done(t, err)
	if counts[0].Count != 0 || counts[1].Count != 4 || counts[2].Count != 1 {
		t.Errorf("counts by pair, address and account: %+v", counts)
	}
	d.clock.add(time.Hour) // the address is clean again
	before, err := identity.Throttles(t.Context(), d.st, d.guessFrom(home).keys())
	done(t, err)
	d.enter("ann")
	after, err := identity.Throttles(t.Context(), d.st, d.guessFrom(home).keys())
	done(t, err)
	if before[2].Count != 3 || before[3].Count != 3 || after[2].Count != 3 || after[3].Count != 3 || after[1].Count != 0 {
		t.Errorf("counts by pair, address, network and over all clean addresses: %+v, then %+v", before, after)
	}
}

// A mark of another account, or an invented one, is not a known browser, and the sign-in
// does not adopt it.
func TestDevicesAreOfOneAccount(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	d.add("bob", Viewer)
	mark := d.enter("bob").Device
	for _, device := range []string{"", mark, newSecret(), "x"} {
		from := home
		from.Device = device
		u, err := identity.UserNamed(t.Context(), d.st, "ann")
		done(t, err)
		if hash, err := d.device(t.Context(), u, from); err != nil || hash != nil {
			t.Errorf("%q is known: %v", device, err)
		}
		e, err := d.SignIn(t.Context(), "ann", rightPassword, from)
		if err != nil || e.Device == "" || e.Device == device {
			t.Errorf("after %q the mark is %q: %v", device, e.Device, err)
		}
		from.Device = e.Device
		if e, err = d.SignIn(t.Context(), "ann", rightPassword, from); err != nil || e.Device != "" {
			t.Errorf("a known browser gets another mark: %v", err)
		}
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"2001:db8::1", "2001:db8::ffff:1:2:3", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
		{"fe80::1%eth0", "fe80::2%eth1", true},
	} {
		a, b := netip.MustParseAddr(c.a), netip.MustParseAddr(c.b)
		if same := string(place(a)) == string(place(b)); same != c.same {
			t.Errorf("%s and %s are the same place: %v", a, b, same)
		}
	}
}

// A clock that was wrong for a while locks no user out for longer than one wait.
func TestWrongClock(t *testing.T) {
	g := attempt{counts: placeCounts("ann", home)}
	now := affiliate.MillisOf(time.Date(2026, 9, 7, 0, 0, 0, 0, time.UTC))
	list := make([]identity.Throttle, len(g.counts))
	list[0].Until = now + 365*24*3600*1000
	if wait := g.wait(list, now); wait != byPair.longest {
		t.Error("waits", wait)
	}
}

// All spellings of a name share one count of guesses.
func TestSpellingsOfANameAreOneAccount(t *testing.T) {
	d := newFixture(t)
	d.add("José", Viewer)
	before := d.hasher.computed.Load()
	for i, name := range []string{"José", "josé", "JOSE\u0301", " José", "José ", "\tjosé", "José\u00a0", "\u2003José\n", "  José  "} {
		_, err := d.SignIn(t.Context(), name, fmt.Sprint("guess ", i), home)
		if _, throttled := errors.AsType[*Throttled](err); !throttled {
			wants(t, err, ErrWrong)
		}
	}
	if computed := d.hasher.computed.Load() - before; computed != byPair.free {
		t.Errorf("%d passwords were computed, want %d", computed, byPair.free)
	}
}

// A person who has an open session and the password does not get back the guesses at the
// code by giving the password.
func TestPasswordDoesNotRefundStepUps(t *testing.T) {
	d := newFixture(t)
	e, _, _ := d.enrolled("ann", Admin)
	var looked int64
	for range 30 {
		if err := d.StepUp(t.Context(), e.Principal, "not it"); errors.Is(err, ErrWrong) {
			looked++
		}
		_, err := d.ChangePassword(t.Context(), e.Principal, rightPassword, "too short", home)
		refused(t, err)
	}
	if looked != byStepUp.free {
		t.Errorf("%d codes were looked at, want %d", looked, byStepUp.free)
	}
}
