package access

import (
	"bytes"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/store/audit"
	"rebatedesk/store/identity"
)

func TestCodes(t *testing.T) {
	d := newFixture(t)
	_, secret, _ := d.enrolled("ann", Trader)
	used := d.code(secret) // by the enrolment
	for name, code := range map[string]string{
		"used": used, "empty": "", "short": "12345", "letters": "abcdef", "long": strings.Repeat("1", 5000),
	} {
		_, err := d.Confirm(t.Context(), d.enter("ann").Secret, code, at("198.51.100.1"))
		if err == nil {
			t.Errorf("%s: let in", name)
		}
	}
	d.clock.add(24 * time.Hour)
	// A code half a minute early or late is accepted; beyond that it is not.
	for seconds, want := range map[int]bool{-90: false, -30: true, 0: true, 30: true, 90: false} {
		d.clock.add(time.Hour)
		now := d.clock.Now()
		d.clock.add(time.Duration(seconds) * time.Second)
		code := d.code(secret)
		d.clock.add(now.Sub(d.clock.Now()))
		_, err := d.Confirm(t.Context(), d.enter("ann").Secret, code[:3]+" "+code[3:], home)
		if (err == nil) != want {
			t.Errorf("%d seconds off: %v", seconds, err)
		}
	}
}

// A code works once, even in another session, in another process, or when two attempts come
// at the same moment.
func TestCodeWorksOnce(t *testing.T) {
	d := newFixture(t)
	_, secret, _ := d.enrolled("ann", Admin)
	first, second := d.enter("ann").Secret, d.enter("ann").Secret
	code := d.later(secret)
	results := make(chan error, 2)
	for _, half := range []string{first, second} {
		go func() {
			_, err := d.Confirm(t.Context(), half, code, home)
			results <- err
		}()
	}
	if a, b := <-results, <-results; (a == nil) == (b == nil) {
		t.Fatal("one of two should be let in:", a, b)
	}
	d.restart()
	_, err := d.Confirm(t.Context(), d.enter("ann").Secret, code, home)
	wants(t, err, ErrWrong)
}

func TestRecoveryCodes(t *testing.T) {
	d := newFixture(t)
	_, secret, recovery := d.enrolled("ann", Admin)
	if len(recovery) != 10 {
		t.Fatal(len(recovery), "recovery codes")
	}
	for i, typed := range []string{recovery[0], strings.ToLower(recovery[1]), strings.ReplaceAll(recovery[2], "-", " ")} {
		e, err := d.Confirm(t.Context(), d.enter("ann").Secret, typed, home)
		if err != nil || e.Principal.State != Full {
			t.Errorf("%d: %v", i, err)
		}
		_, err = d.Confirm(t.Context(), d.enter("ann").Secret, typed, home)
		wants(t, err, ErrWrong)
	}
	users, err := d.Users(t.Context())
	if err != nil || users[0].Recovery != 7 {
		t.Error("left:", users, err)
	}
	// A new authenticator comes with new codes; the old ones are void.
	e := d.whole("ann", secret)
	begun, err := d.Enrol(t.Context(), e.Principal)
	done(t, err)
	if begun.Secret == secret {
		t.Error("the new secret is the old one")
	}
	_, _, err = d.ConfirmEnrolment(t.Context(), e.Principal, "", d.later(begun.Secret), home)
	done(t, err)
	_, err = d.Confirm(t.Context(), d.enter("ann").Secret, recovery[5], home)
	wants(t, err, ErrWrong)
}

func TestEnrolment(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Admin)
	half := d.enter("ann")
	if half.Principal.State != NeedsEnrolment || half.Principal.May(MayRead) || half.Device != "" {
		t.Fatalf("%+v", half)
	}
	_, err := d.Confirm(t.Context(), half.Secret, "000000", home)
	wants(t, err, ErrNoSession)
	begun, err := d.Enrol(t.Context(), half.Principal)
	done(t, err)
	again, err := d.Enrol(t.Context(), half.Principal)
	uri, bad := url.Parse(begun.URI)
	if err != nil || bad != nil || again != begun || uri.Scheme != "otpauth" || uri.Query().Get("secret") != begun.Secret || uri.Path != "/Rebatedesk:ann" {
		t.Errorf("%+v, then %+v: %v", begun, again, err)
	}
	_, _, err = d.ConfirmEnrolment(t.Context(), half.Principal, "", "000000", home)
	wants(t, err, ErrWrong)
	_, e, err := d.ConfirmEnrolment(t.Context(), half.Principal, "", d.code(begun.Secret), home)
	if err != nil || e.Principal.State != Full || !e.Principal.HasTOTP || !e.Principal.May(MayAdminister) || e.Device == "" {
		t.Fatalf("%+v, %v", e, err)
	}
	if next := d.enter("ann"); next.Principal.State != NeedsCode || next.Principal.May(MayRead) {
		t.Errorf("the next sign-in: %+v", next.Principal)
	}
}

// A person who found a session open cannot replace the authenticator.
func TestChangingTheAuthenticatorNeedsAFreshCode(t *testing.T) {
	d := newFixture(t)
	e, secret, _ := d.enrolled("ann", Admin)
	d.clock.add(stepUpFor)
	_, err := d.Enrol(t.Context(), e.Principal)
	wants(t, err, ErrStepUp)
	wants(t, d.StepUp(t.Context(), e.Principal, "000000"), ErrWrong)
	_, err = d.Enrol(t.Context(), e.Principal)
	wants(t, err, ErrStepUp)
	code := d.later(secret)
	done(t, d.StepUp(t.Context(), e.Principal, code))
	wants(t, d.StepUp(t.Context(), e.Principal, code), ErrWrong)
	_, err = d.Enrol(t.Context(), e.Principal)
	done(t, err)
	if !d.steppedUp(e.Principal, time.Minute) {
		t.Error("the code does not count")
	}
	d.clock.add(time.Minute)
	if d.steppedUp(e.Principal, time.Minute) {
		t.Error("the code counts for too long")
	}
	d.clock.add(-2 * time.Minute)
	if d.steppedUp(e.Principal, time.Minute) {
		t.Error("the code counts for longer on a clock that was set back")
	}
	d.clock.add(2 * time.Minute)
	var looked int
	for range 100 {
		if d.StepUp(t.Context(), e.Principal, "000000") == ErrWrong {
			looked++
		}
	}
	if looked > int(byStepUp.free) {
		t.Errorf("%d codes were looked at", looked)
	}
}

// What is sealed for one user does not open for another.
func TestSealedSecretIsBoundToItsUser(t *testing.T) {
	d := newFixture(t)
	d.enrolled("ann", Admin)
	u, err := identity.UserNamed(t.Context(), d.st, "ann")
	done(t, err)
	if plain, err := d.box.Open(u.TOTP, TOTPRow(u.ID)); err != nil || len(plain) != 32 {
		t.Error(plain, err)
	}
	if _, err := d.box.Open(u.TOTP, TOTPRow(u.ID+1)); err == nil {
		t.Error("the sealed secret opens for another user")
	}
	u.ID++
	how, err := d.tryCode(t.Context(), ownGuess(byStepUp, 1), u, "123456")
	if err == nil || how != "" || bytes.Contains([]byte(err.Error()), u.TOTP) {
		t.Error(how, err)
	}
}

// In the demo no user must have an authenticator, but a user who has one must give a code.
func TestOptionalCodes(t *testing.T) {
	d := newFixture(t)
	d.factor = OfNobody
	d.add("demo", Admin)
	e := d.enter("demo")
	if e.Principal.State != Full || !e.Principal.May(MayAdminister) {
		t.Fatalf("%+v", e.Principal)
	}
	d.factor = OfAdmins
	if p, err := d.BySession(t.Context(), e.Secret, home); err != nil || p.State != NeedsEnrolment || p.May(MayRead) {
		t.Errorf("outside the demo: %+v, %v", p, err)
	}
}

// Every step of a sign-in is recorded, including a right password without the code, and a
// code that is given later.
func TestHalfAndLaterStepsAreAudited(t *testing.T) {
	d := newFixture(t)
	e, _, recovery := d.enrolled("ann", Admin)
	d.enter("ann")
	done(t, d.StepUp(t.Context(), e.Principal, recovery[0]))
	var got []string
	r, err := d.st.Read(t.Context())
	done(t, err)
	defer r.Close()
	for line, err := range audit.Lines(t.Context(), r, audit.LogQuery{Actor: "ann"}) {
		done(t, err)
		got = append(got, strings.Join([]string{line.Action, line.Detail, line.Outcome}, "|"))
	}
	want := []string{"sign-in|password|a code is missing", "authenticator set up||", "sign-in|password|a code is missing", "code given|recovery code|"}
	if !slices.Equal(got, want) {
		t.Errorf("the log has %q, want %q", got, want)
	}
}

// A person who finds a browser open cannot lock its user out with an authenticator.
func TestEnrolmentLaterNeedsThePassword(t *testing.T) {
	d := newFixture(t)
	d.add("mia", Manager)
	e := d.enter("mia")
	if e.Principal.State != Full || !e.Principal.NeedsPassword() {
		t.Fatalf("%+v", e.Principal)
	}
	begun, err := d.Enrol(t.Context(), e.Principal)
	done(t, err)
	for _, password := range []string{"", "no password of hers"} {
		_, _, err = d.ConfirmEnrolment(t.Context(), e.Principal, password, d.code(begun.Secret), home)
		wants(t, err, ErrWrong)
	}
	_, e, err = d.ConfirmEnrolment(t.Context(), e.Principal, rightPassword, d.code(begun.Secret), home)
	if err != nil || !e.Principal.HasTOTP || e.Principal.NeedsPassword() {
		t.Fatalf("%+v, %v", e, err)
	}
}
