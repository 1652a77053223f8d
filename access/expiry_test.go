package access

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rebatedesk/store"
)

// A token works until it expires, and then says so.
func TestTokensExpire(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	began := d.clock.Now()
	for name, c := range map[string]struct {
		expires string
		life    time.Duration // 0: for ever
	}{
		"usual": {"", TokenDays * 24 * time.Hour}, "month": {"30d", 30 * 24 * time.Hour}, "never": {"never", 0},
		"day": {"2026-09-30", time.Date(2026, time.October, 1, 0, 0, 0, 0, time.UTC).Sub(began)},
	} {
		expires, err := ParseExpiry(c.expires, began, time.UTC)
		done(t, err)
		d.clock.mu.Lock()
		d.clock.now = began
		d.clock.mu.Unlock()
		text, token, err := d.CreateToken(t.Context(), console, NewToken{User: "ann", Name: name, Scopes: []Scope{ScopeRead}, Expires: expires})
		done(t, err)
		if c.life == 0 {
			d.clock.add(50 * 365 * 24 * time.Hour)
			d.allowed(text)
			if !token.Expires.IsZero() || token.Soon {
				t.Errorf("%s: %+v", name, token)
			}
			continue
		}
		if end := began.Add(c.life); !token.Expires.Equal(end) {
			t.Errorf("%s expires on %s, want %s", name, token.Expires, end)
		}
		for _, step := range []struct {
			before time.Duration
			soon   bool
		}{{WarnTokens + time.Second, false}, {WarnTokens, true}, {time.Millisecond, true}} {
			d.clock.mu.Lock()
			d.clock.now = began.Add(c.life - step.before)
			d.clock.mu.Unlock()
			d.allowed(text)
			list, err := d.Tokens(t.Context(), "ann")
			done(t, err)
			for _, l := range list {
				if l.ID == token.ID && (l.Ended || l.Soon != step.soon) {
					t.Errorf("%s, %s before its end: %+v", name, step.before, l)
				}
			}
		}
		d.clock.add(time.Millisecond)
		_, err = d.ByToken(t.Context(), text, home)
		if expired, ok := errors.AsType[*Expired](err); !ok || !expired.At.Equal(token.Expires) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s after its end: %v", name, err)
		}
		// The name is free again.
		_, again, err := d.CreateToken(t.Context(), console, NewToken{User: "ann", Name: name, Scopes: []Scope{ScopeRead}})
		done(t, err)
		done(t, d.RevokeToken(t.Context(), console, again.ID))
		_, err = d.ByToken(t.Context(), text, home)
		if _, ok := errors.AsType[*Expired](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseExpiry(t *testing.T) {
	east := time.FixedZone("east", 9*3600)
	now := time.Date(2026, time.December, 31, 20, 0, 0, 0, time.UTC) // a year later there
	for _, text := range []string{"0d", "-3d", "4000d", "d", "1h", "soon", "2026-12-31", "2026-13-01", "9999-01-01", "NEVER", "2027-02-29"} {
		_, err := ParseExpiry(text, now, east)
		refused(t, err)
	}
	for text, want := range map[string]time.Time{
		"1d": now.AddDate(0, 0, 1), " 3650d ": now.AddDate(0, 0, 3650), "2027-01-01": time.Date(2027, time.January, 2, 0, 0, 0, 0, east),
	} {
		e, err := ParseExpiry(text, now, east)
		done(t, err)
		if got := e.millis(now).Time(); !got.Equal(want) {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// Every reset after a break-in ends the tokens, too; other changes of a user do not.
func TestResetsEndTokens(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *fixture, e Entry) error
		ends   bool
	}{
		"password set": {func(d *fixture, _ Entry) error {
			return d.SetPassword(d.t.Context(), console, "ann", store.AnyVersion, otherPassword)
		}, true},
		"password changed": {func(d *fixture, e Entry) error { return d.changePassword(e) }, true},
		"codes reset":      {func(d *fixture, _ Entry) error { return d.ResetTOTP(d.t.Context(), console, "ann", store.AnyVersion) }, true},
		"role": {func(d *fixture, _ Entry) error {
			return d.SetRole(d.t.Context(), console, "ann", store.AnyVersion, Manager)
		}, true},
		"the same role": {func(d *fixture, _ Entry) error {
			return d.SetRole(d.t.Context(), console, "ann", store.AnyVersion, Viewer)
		}, false},
		"disabled":   {func(d *fixture, _ Entry) error { return d.Disable(d.t.Context(), console, "ann", store.AnyVersion) }, true},
		"signed out": {func(d *fixture, e Entry) error { return d.SignOut(d.t.Context(), e.Secret, home) }, false},
		"refused": {func(d *fixture, _ Entry) error {
			refused(d.t, d.SetPassword(d.t.Context(), console, "ann", store.AnyVersion, "x"))
			return nil
		}, false},
		"first codes": {func(d *fixture, e Entry) error { d.enrol(e); return nil }, false},
		"other codes": {func(d *fixture, e Entry) error { e, _, _ = d.enrol(e); d.enrol(e); return nil }, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			d.add("ann", Viewer)
			d.add("bob", Viewer)
			e := d.enter("ann")
			text, _ := d.token("ann", "robot", ScopeRead)
			other, _ := d.token("bob", "robot", ScopeRead)
			done(t, c.change(d, e))
			_, err := d.ByToken(t.Context(), text, home)
			if ended := err == ErrNoToken; ended != c.ends {
				t.Errorf("the token ended: %v (%v), want %v", ended, err, c.ends)
			}
			if _, err := d.ByToken(t.Context(), other, home); err != nil {
				t.Error("the token of another user:", err)
			}
		})
	}
}

func (d *fixture) changePassword(e Entry) error {
	_, err := d.ChangePassword(d.t.Context(), e.Principal, rightPassword, otherPassword, home)
	return err
}
