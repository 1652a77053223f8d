package main

import (
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/store/storetest"
)

// SECOND_FACTOR=all asks viewers too: a session of before opens only the page that sets up an
// authenticator, which asks for the password, and each later sign-in asks for a code.
func TestSecondFactorOfAll(t *testing.T) {
	t.Parallel()
	const password = "seven lanterns uphill"
	place := filepath.Join(t.TempDir(), "desk.db")
	storetest.Place(t, place)
	env := []string{"REBATEDESK_DB=" + place, "REBATEDESK_BACKUP_KEEP=0"}
	add := process(t, env, "user", "add", "--name", "vera", "--role", "viewer", "--password-stdin")
	add.Stdin = strings.NewReader(password)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &formBrowser{T: t, Client: http.Client{Jar: jar,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	s := serving(t, env)
	b.address = s.url
	b.send(b.open("/login"), "/login", http.StatusSeeOther, "username", "vera", "password", password)
	b.open("/commissions")
	if _, err := s.terminated(); err != nil {
		t.Fatal(err)
	}

	s = serving(t, append(env, "REBATEDESK_SECOND_FACTOR=all"))
	b.address = s.url
	closed := func() {
		t.Helper()
		for _, path := range []string{"/commissions", "/account", "/commissions.json"} {
			answer, err := b.Get(b.address + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if to := answer.Header.Get("Location"); answer.StatusCode == http.StatusOK || to != "" && !strings.HasPrefix(to, "/login?") {
				t.Errorf("%s without an authenticator: status %d, redirected to %q", path, answer.StatusCode, to)
			}
		}
	}
	closed()
	page := b.open("/account/totp")
	if !strings.Contains(page, "You need a one-time code in addition to the password.") {
		t.Error("the page does not say that a code is needed")
	}
	secret := strings.ReplaceAll(found(t, page, `select-all">([A-Z2-7 ]+)<`), " ", "")
	code := func(at time.Time) string {
		code, err := totp.GenerateCode(secret, at)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	begun := time.Now()
	b.send(page, "/account/totp", http.StatusUnauthorized, "totp", code(begun.Add(-30*time.Second)))
	closed()
	b.send(page, "/account/totp", http.StatusOK, "totp", code(begun.Add(-30*time.Second)), "password", password)
	b.open("/commissions")

	if b.Jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	b.send(b.open("/login"), "/login", http.StatusUnauthorized, "username", "vera", "password", password, "totp", code(begun.Add(-30*time.Second)))
	b.send(b.open("/login"), "/login", http.StatusSeeOther, "totp", code(begun.Add(30*time.Second)))
	b.open("/commissions")
}
