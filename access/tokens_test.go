package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// token makes a token by the command line.
func (d *fixture) token(user, name string, scopes ...Scope) (string, Token) {
	d.t.Helper()
	text, token, err := d.CreateToken(d.t.Context(), console, NewToken{User: user, Name: name, Scopes: scopes})
	done(d.t, err)
	return text, token
}

// allowed lists what a token may do.
func (d *fixture) allowed(text string) []Permission {
	d.t.Helper()
	p, err := d.ByToken(d.t.Context(), text, home)
	done(d.t, err)
	var list []Permission
	for _, wanted := range []Permission{MayRead, MayExport, MayReadBills, MayEdit, MayAdminister, MayConsole, MayTrade} {
		if p.May(wanted) {
			list = append(list, wanted)
		}
	}
	return list
}

// A token permits what both its scopes and the role of its user permit.
func TestTokensNeverExceedTheRole(t *testing.T) {
	d := newFixture(t)
	d.add("root", Admin)
	d.add("ann", Viewer)
	together := slices.DeleteFunc(slices.Clone(Scopes), Scope.InAddress)
	for _, role := range []Role{Viewer, Manager, Trader, Admin, Viewer} {
		done(t, d.SetRole(t.Context(), console, "ann", store.AnyVersion, role))
		for _, scope := range Scopes {
			text, _ := d.token("ann", string(scope)+" of a "+string(role), scope)
			d.clock.add(time.Second)
			for _, may := range d.allowed(text) {
				if !role.May(may) || !scope.May(may) {
					t.Errorf("the token %s of a %s may %s", scope, role, may)
				}
			}
		}
		all, token := d.token("ann", "all of a "+string(role), together...)
		want := slices.DeleteFunc([]Permission{MayRead, MayExport, MayReadBills, MayConsole, MayTrade}, func(p Permission) bool { return !role.May(p) })
		if got := d.allowed(all); !slices.Equal(got, want) {
			t.Errorf("the token of everything of a %s may %v, want %v", role, got, want)
		}
		done(t, d.RevokeToken(t.Context(), console, token.ID))
	}
}

func TestTokensEndAtOnce(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	e := d.enter("ann")
	one, first := d.token("ann", "one", ScopeRead)
	two, _ := d.token("ann", "two", ScopeRead)
	done(t, d.RevokeToken(t.Context(), e.Principal.Actor(), first.ID))
	done(t, d.RevokeToken(t.Context(), e.Principal.Actor(), first.ID))
	_, err := d.ByToken(t.Context(), one, home)
	wants(t, err, ErrNoToken)
	d.allowed(two)
	done(t, d.Disable(t.Context(), console, "ann", store.AnyVersion))
	_, err = d.ByToken(t.Context(), two, home)
	wants(t, err, ErrNoToken)
	if d.alive(e.Secret) {
		t.Error("a disabled user has a session")
	}
	_, _, err = d.CreateToken(t.Context(), console, NewToken{User: "ann", Name: "three", Scopes: []Scope{ScopeRead}})
	refused(t, err)
	done(t, d.Enable(t.Context(), console, "ann", store.AnyVersion))
	_, err = d.ByToken(t.Context(), two, home)
	wants(t, err, ErrNoToken)
}

func TestTokenRules(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	d.add("bob", Viewer)
	admin, _, _ := d.enrolled("cleo", Admin)
	ann := d.enter("ann").Principal
	for _, n := range []NewToken{{User: "ann", Name: "", Scopes: []Scope{ScopeRead}}, {User: "ann", Name: "x", Scopes: nil}, {User: "ann", Name: "x", Scopes: []Scope{"all"}}, {User: "nobody", Name: "x", Scopes: []Scope{ScopeRead}}} {
		_, _, err := d.CreateToken(t.Context(), console, n)
		refused(t, err)
	}
	text, token, err := d.CreateToken(t.Context(), ann.Actor(), NewToken{User: "ann", Name: "mine", Scopes: []Scope{ScopeExport, ScopeRead, ScopeRead}})
	if err != nil || len(text) != 47 || !strings.HasPrefix(text, "rbd_") || !slices.Equal(token.Scopes, []Scope{ScopeRead, ScopeExport}) {
		t.Fatal(text, token, err)
	}
	_, _, err = d.CreateToken(t.Context(), ann.Actor(), NewToken{User: "ann", Name: "mine", Scopes: []Scope{ScopeRead}})
	refused(t, err)
	p, err := d.ByToken(t.Context(), text, home)
	done(t, err)
	// Neither another user, nor an admin on the user's behalf, nor a token can create it.
	for _, by := range []Actor{d.enter("bob").Principal.Actor(), admin.Principal.Actor(), p.Actor()} {
		_, _, err := d.CreateToken(t.Context(), by, NewToken{User: "ann", Name: "theirs", Scopes: []Scope{ScopeRead}})
		wants(t, err, ErrForbidden)
	}
	wants(t, d.RevokeToken(t.Context(), d.enter("bob").Principal.Actor(), token.ID), ErrForbidden)
	wants(t, d.RevokeToken(t.Context(), p.Actor(), token.ID), ErrForbidden)
	done(t, d.RevokeToken(t.Context(), admin.Principal.Actor(), token.ID))
	for _, text := range []string{"", "rbd_", text[4:], text + "A", "rbd_" + newSecret(), strings.ToUpper(text), text[:46] + "!"} {
		_, err := d.ByToken(t.Context(), text, home)
		wants(t, err, ErrNoToken)
	}
}

func TestTokenRate(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	text, _ := d.token("ann", "fast", ScopeRead)
	other, _ := d.token("ann", "other", ScopeRead)
	count := func() (let int) {
		for range 200 {
			_, err := d.ByToken(t.Context(), text, home)
			if throttled, ok := errors.AsType[*Throttled](err); ok {
				if throttled.Wait <= 0 || throttled.Wait > time.Second || throttled.Seconds() != 1 {
					t.Fatal("waits", throttled.Wait)
				}
				continue
			}
			done(t, err)
			let++
		}
		return let
	}
	if n := count(); n != tokenBurst {
		t.Errorf("%d at once", n)
	}
	if _, err := d.ByToken(t.Context(), other, home); err != nil {
		t.Error("another token is slowed:", err)
	}
	d.clock.add(2 * time.Second)
	if n := count(); n != 2*tokenRate {
		t.Errorf("%d in two seconds", n)
	}
}

// The audit log records a token in use now and then, not each request.
func TestTokenUseIsToldNowAndThen(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	text, _ := d.token("ann", "robot", ScopeRead)
	before := len(audited(t, d.st))
	for range 3 * 60 {
		d.clock.add(time.Minute)
		_, err := d.ByToken(t.Context(), text, home)
		done(t, err)
		done(t, d.Flush(t.Context()))
	}
	if n := len(audited(t, d.st)) - before; n != 3 {
		t.Errorf("%d lines in three hours", n)
	}
	_, err := d.ByToken(t.Context(), text, at("203.0.113.1"))
	done(t, err)
	list, err := d.Tokens(t.Context(), "ANN")
	if err != nil || len(list) != 1 || list[0].Address != "203.0.113.1" || !list[0].Used.Equal(d.clock.Now()) {
		t.Error("before it is written:", list, err)
	}
	done(t, d.Flush(t.Context()))
	if n := len(audited(t, d.st)) - before; n != 4 {
		t.Errorf("a new address is not reported: %d lines", n)
	}
	d.restart()
	if list, err := d.Tokens(t.Context(), ""); err != nil || list[0].Address != "203.0.113.1" || !list[0].Used.Equal(d.clock.Now()) {
		t.Error("after a restart:", list, err)
	}
}

// The use of a stolen token is recorded, however busy its owner is, and a token used from
// everywhere does not fill the log.
func TestTokenUseIsToldOfEachAddress(t *testing.T) {
	d := newFixture(t)
	d.add("ann", Viewer)
	text, _ := d.token("ann", "robot", ScopeRead)
	use := func(address string) {
		d.clock.add(time.Second)
		_, err := d.ByToken(t.Context(), text, at(address))
		done(t, err)
	}
	use("192.0.2.10")
	use("203.0.113.1")
	use("192.0.2.10")
	done(t, d.Flush(t.Context()))
	told := d.told()
	if len(told) != 2 || told["192.0.2.10"] != "2 requests" || told["203.0.113.1"] != "1 requests" {
		t.Errorf("reported are %v", told)
	}
	for i := range 200 {
		use(fmt.Sprint("198.51.100.", i))
	}
	done(t, d.Flush(t.Context()))
	if told = d.told(); len(told) != 2+maxAddresses+1 || told[""] != fmt.Sprint(200-maxAddresses, " requests from further addresses") {
		t.Errorf("reported are %d addresses, and %q", len(told), told[""])
	}
}

// told returns the lines of the audit log about the use of tokens, by address.
func (d *fixture) told() map[string]string {
	d.t.Helper()
	r, err := d.st.Read(d.t.Context())
	done(d.t, err)
	defer r.Close()
	told := map[string]string{}
	for line, err := range audit.Lines(d.t.Context(), r, audit.LogQuery{Action: "token used"}) {
		done(d.t, err)
		told[line.Address] = line.Detail
	}
	return told
}
