package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

const (
	goodPassword  = "plum-gravel-otter-57"
	otherPassword = "velvet-anchor-moss-83"
)

// accessHarness runs the commands for users and tokens on one database.
type accessHarness struct {
	t  *testing.T
	db string
}

func newAccessHarness(t *testing.T) *accessHarness {
	t.Helper()
	return &accessHarness{t, filepath.Join(t.TempDir(), "access.db")}
}

func (g *accessHarness) run(stdin string, args ...string) (status int, stdout, stderr string) {
	g.t.Helper()
	var out, errs bytes.Buffer
	p := &program{environ: []string{"REBATEDESK_DB=" + g.db}, stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs}
	status = p.runs(g.t.Context(), args)
	for _, secret := range []string{goodPassword, otherPassword} {
		if strings.Contains(out.String()+errs.String(), secret) {
			g.t.Errorf("%v prints the password", args)
		}
	}
	return status, out.String(), errs.String()
}

// works runs a command that must succeed, and returns its output.
func (g *accessHarness) works(stdin string, args ...string) string {
	g.t.Helper()
	status, stdout, stderr := g.run(stdin, args...)
	if status != statusDone {
		g.t.Fatalf("%v: status %d, stderr %q", args, status, stderr)
	}
	return stdout
}

// fails runs a command that must fail with a message on stderr and no other output.
func (g *accessHarness) fails(want int, words, stdin string, args ...string) {
	g.t.Helper()
	status, stdout, stderr := g.run(stdin, args...)
	if status != want || stdout != "" || !strings.Contains(stderr, words) {
		g.t.Errorf("%v: status %d, stdout %q, stderr %q; want %d and %q", args, status, stdout, stderr, want, words)
	}
}

// service opens access control on the same database, as the server does.
func (g *accessHarness) service() *access.Service {
	g.t.Helper()
	key, err := secret.ReadFile(g.db + database.KeySuffix)
	if err != nil {
		g.t.Fatal(err)
	}
	st, err := store.Open(g.t.Context(), g.db, store.Options{AuditKey: key.Derive(database.AuditLabel)})
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() {
		if err := st.Close(); err != nil {
			g.t.Error(err)
		}
	})
	return access.NewForTests(access.Options{Store: st, Box: key.Box()})
}

func TestUserCommands(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	g.fails(statusFailed, "there is no database", "", "user", "list")
	g.works(goodPassword+"\n", "user", "add", "--name", "ann", "--role", "admin", "--password-stdin")
	g.works(goodPassword+" \n", "user", "add", "bob", "--role", "viewer", "--password-stdin")
	g.fails(statusFailed, "already", goodPassword, "user", "add", "--name", "ANN", "--role", "admin", "--password-stdin")
	g.fails(statusUsage, "letters, digits", goodPassword, "user", "add", "--name", "a b", "--role", "admin", "--password-stdin")
	g.fails(statusFailed, "last admin", "", "user", "disable", "--name", "ann")
	g.fails(statusFailed, "last admin", "", "user", "role", "--name", "ann", "--role", "viewer")
	g.fails(statusFailed, "no such user", "", "user", "disable", "--name", "eve")
	g.works("", "user", "role", "--name", "bob", "--role", "manager")
	g.works("", "user", "disable", "Bob")
	list := g.works("", "user", "list")
	for _, line := range []string{`(?m)^ann +admin +enabled +no +- +everything$`, `(?m)^bob +manager +disabled +no +- +everything$`} {
		if !regexp.MustCompile(line).MatchString(list) {
			t.Errorf("no line %s in:\n%s", line, list)
		}
	}
	g.works("", "user", "enable", "--name", "bob")
	g.works(otherPassword+"\r\n", "user", "password", "--name", "bob", "--password-stdin")
	g.works("", "user", "reset-totp", "--name", "ann")
	s := g.service()
	if e, err := s.SignIn(t.Context(), "bob", otherPassword, access.Origin{}); err != nil || e.Principal.Role != access.Manager {
		t.Error("the line's end became part of the password:", err)
	}
	if e, err := s.SignIn(t.Context(), "ann", goodPassword, access.Origin{}); err != nil || e.Principal.State != access.NeedsEnrolment {
		t.Error("ann:", e.Principal.State, err)
	}
}

// Every character of the line except its final newline is part of the password.
func TestPasswordFrom(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"a\n": "a", "a": "a", "a \n": "a ", "a\n\n": "a\n", "a\r\n": "a", " a\r": " a\r", "ä\nb\n": "ä\nb",
	} {
		if got, err := passwordFrom(strings.NewReader(typed)); err != nil || got != want {
			t.Errorf("%q: %q, %v", typed, got, err)
		}
	}
	for _, typed := range []string{"", "\n", "\r\n"} {
		if _, err := passwordFrom(strings.NewReader(typed)); statusOf(err) != statusUsage {
			t.Errorf("%q: %v", typed, err)
		}
	}
}

func TestWrongUseOfAccess(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	for _, args := range [][]string{
		{"user", "add", "--role", "viewer", "--password-stdin"},
		{"user", "add", "--name", "ann", "--role", "viewer"},
		{"user", "add", "--name", "ann", "--role", "emperor", "--password-stdin"},
		{"user", "add", "--name", "ann", "--password-stdin"},
		{"user", "disable"},
		{"token", "create", "--user", "ann", "--name", "x"},
		{"token", "create", "--user", "ann", "--name", "x", "--scope", "all"},
		{"token", "create", "--name", "x", "--scope", "read"},
		{"token", "create", "--user", "ann", "--name", "x", "--scope", "read", "--expires", "soon"},
		{"token", "create", "--user", "ann", "--name", "x", "--scope", "read", "--expires", "0d"},
		{"token", "create", "--user", "ann", "--name", "x", "--scope", "read", "--expires", "2020-01-01"},
		{"token", "revoke"},
		{"token", "revoke", "1", "--user", "ann", "--name", "x"},
		{"token", "revoke", "--name", "x"},
	} {
		g.fails(statusUsage, "webapp: ", goodPassword, args...)
	}
	if _, err := os.Stat(g.db); err == nil {
		t.Error("wrong usage made a database")
	}
}

// tokenID returns the number of the only token of a name.
func (g *accessHarness) tokenID(name string) string {
	g.t.Helper()
	return found(g.t, g.works("", "token", "list"), `(?m)^(\d+) +\S+ +`+name+` `)
}

func TestTokenCommands(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	g.works(goodPassword, "user", "add", "--name", "tom", "--role", "trader", "--password-stdin")
	printed := g.works("", "token", "create", "--user", "Tom", "--name", "robot", "--scope", "trade", "--scope", "read")
	if !regexp.MustCompile(`^rbd_[A-Za-z0-9_-]{43}\n$`).MatchString(printed) {
		t.Fatalf("printed %q", printed)
	}
	text := strings.TrimSpace(printed)
	s := g.service()
	// It works before its user has an authenticator.
	p, err := s.ByToken(t.Context(), text, access.Origin{})
	if err != nil || !p.May(access.MayTrade) || !p.May(access.MayRead) || p.May(access.MayExport) {
		t.Errorf("%+v, %v", p, err)
	}
	if list := g.works("", "token", "list", "--user", "tom"); !strings.Contains(list, "read,trade") || strings.Contains(list, text[4:]) {
		t.Errorf("list:\n%s", list)
	}
	g.fails(statusFailed, "already", "", "token", "create", "--user", "tom", "--name", "robot", "--scope", "read")
	g.works("", "token", "revoke", "--user", "tom", "--name", "robot")
	if _, err := s.ByToken(t.Context(), text, access.Origin{}); err == nil {
		t.Error("a revoked token works")
	}
	g.fails(statusFailed, "no token called", "", "token", "revoke", "--user", "tom", "--name", "robot")
	g.fails(statusFailed, "no such token", "", "token", "revoke", "77")
	id := g.tokenID("robot")
	if !regexp.MustCompile(`^[1-9][0-9]{8}$`).MatchString(id) {
		t.Errorf("the token has the number %s, which should tell nothing and be easily typed", id)
	}
	g.works("", "token", "revoke", id)
	g.works(goodPassword, "user", "add", "--name", "vic", "--role", "viewer", "--password-stdin")
	_, stdout, stderr := g.run("", "token", "create", "--user", "vic", "--name", "files", "--scope", "export")
	if !strings.HasPrefix(stdout, "rbd_") || !strings.Contains(stderr, "limited to the role") {
		t.Errorf("stdout %q, stderr %q", stdout, stderr)
	}
	if _, _, stderr := g.run("", "token", "create", "--user", "vic", "--name", "pages", "--scope", "read"); stderr != "" {
		t.Errorf("a token within the role: stderr %q", stderr)
	}
}

// A token expires at the requested time, and the list shows when each token expires.
func TestTokensExpire(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	g.works(goodPassword, "user", "add", "--name", "ann", "--role", "viewer", "--password-stdin")
	s := g.service()
	for name, c := range map[string]struct {
		args []string
		days int // 0: never
	}{"usual": {nil, 90}, "month": {[]string{"--expires", "30d"}, 30}, "ever": {[]string{"--expires", "never"}, 0}} {
		before := time.Now()
		text := strings.TrimSpace(g.works("", append([]string{"token", "create", "--user", "ann", "--name", name, "--scope", "read"}, c.args...)...))
		if _, err := s.ByToken(t.Context(), text, access.Origin{}); err != nil {
			t.Error(err)
		}
		list, err := s.Tokens(t.Context(), "ann")
		if err != nil {
			t.Fatal(err)
		}
		end := before.AddDate(0, 0, c.days)
		if got := list[0].Expires; c.days == 0 && !got.IsZero() || c.days > 0 && (got.Before(end.Add(-time.Second)) || got.After(end.Add(time.Minute))) {
			t.Errorf("%s expires %s", name, got)
		}
	}
	day := time.Now().UTC().AddDate(0, 0, 3)
	g.works("", "token", "create", "--user", "ann", "--name", "day", "--scope", "read", "--expires", day.Format(time.DateOnly))
	list := g.works("", "token", "list")
	if !strings.Contains(list, "EXPIRES (UTC)") || !strings.Contains(list, "never") || !strings.Contains(list, day.AddDate(0, 0, 1).Format(time.DateOnly)+" 00:00:00  expires soon") {
		t.Errorf("the list:\n%s", list)
	}
	// A new password revokes all tokens.
	g.works(otherPassword, "user", "password", "--name", "ann", "--password-stdin")
	if list := g.works("", "token", "list"); strings.Count(list, "  revoked  ") != 4 {
		t.Errorf("after a new password:\n%s", list)
	}
}

func TestIssuer(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]string{
		"": "Rebatedesk", "https://desk.example.com": "Rebatedesk desk.example.com", "http://[::1]:8080": "Rebatedesk ::1",
	} {
		if got := issuer(config.Config{PublicURL: public}); got != want {
			t.Errorf("%q: %q, want %q", public, got, want)
		}
	}
}

// A token revoked since a backup works again when the backup is restored, and restore
// reports this.
func TestRestoreTellsOfWhatWasRevoked(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	g.works(goodPassword, "user", "add", "--name", "ann", "--role", "viewer", "--password-stdin")
	g.works("", "token", "create", "--user", "ann", "--name", "script", "--scope", "read")
	file := filepath.Join(t.TempDir(), "backup.db")
	g.works("", "backup", file)
	g.works("", "token", "revoke", g.tokenID("script"))
	restored := filepath.Join(t.TempDir(), "restored.db")
	if _, _, stderr := g.run("", "restore", file, "--db="+restored); !strings.Contains(stderr, "revoked") || !strings.Contains(stderr, "webapp token list") {
		t.Errorf("restore says %q", stderr)
	}
}

// The program gives every password its full cost, which the other tests do not.
func TestPasswordsCostInFull(t *testing.T) {
	t.Parallel()
	g := newAccessHarness(t)
	add := process(t, []string{"REBATEDESK_DB=" + g.db, fullPasswords + "=1"}, "user", "add", "--name", "ann", "--role", "admin", "--password-stdin")
	add.Stdin = strings.NewReader(goodPassword)
	if said, err := add.CombinedOutput(); err != nil {
		t.Fatal(err, string(said))
	}
	st := storetest.OpenAt(t, g.db, store.Options{})
	var stored string
	if err := st.Readers().QueryRowContext(t.Context(), `SELECT password FROM users`).Scan(&stored); err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=65536,t=3,p=1$") {
		t.Errorf("%v, %.32s", err, stored)
	}
}
