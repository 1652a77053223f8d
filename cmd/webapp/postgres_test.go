package main

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/store/storetest"
)

// databaseWith returns the URL of a new database, created with the given clauses, with a
// password that must not be shown.
func databaseWith(t testing.TB, clauses string) *url.URL {
	t.Helper()
	place, _ := storetest.NewDatabase(t, clauses)
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(u.User.Username(), "canary-word")
	return u
}

// Every fault of the place of a database that waiting does not mend ends the program with
// the status of wrong settings, and names the mend. No output has the password.
func TestPlaceOfPostgres(t *testing.T) {
	storetest.PostgresOnly(t)
	const plain = "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
	t.Chdir(t.TempDir())
	role, foreign := "stranger_"+strings.ToLower(t.Name()), databaseWith(t, plain)
	storetest.Run(t, foreign.String(), `CREATE TABLE theirs (id BIGINT)`)
	storetest.Run(t, foreign.String(), `DROP ROLE IF EXISTS `+role+`; CREATE ROLE `+role+` LOGIN`)
	t.Cleanup(func() { storetest.Run(t, foreign.String(), `DROP ROLE `+role) })
	change := func(u *url.URL, f func(*url.URL)) string {
		f(u)
		return u.String()
	}
	for _, c := range []struct {
		name, place string
		status      int
		want        string
	}{
		{"missing", change(databaseWith(t, plain), func(u *url.URL) { u.Path = "/rebatedesk_none" }), statusUsage, "CREATE DATABASE"},
		{"locale", databaseWith(t, "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'").String(), statusUsage, "LOCALE 'C'"},
		{"encoding", databaseWith(t, "TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'").String(), statusUsage, "ENCODING 'UTF8'"},
		{"user", change(databaseWith(t, plain), func(u *url.URL) { u.User = url.UserPassword("rebatedesk_nobody", "canary-word") }), statusUsage, "check the user"},
		{"rights", change(databaseWith(t, plain), func(u *url.URL) { u.User = url.UserPassword(role, "canary-word") }), statusUsage, "owner"},
		{"foreign", foreign.String(), statusFailed, "is no database of Rebatedesk"},
		{"unreachable", change(databaseWith(t, plain), func(u *url.URL) { u.Host = "127.0.0.1:9" }), statusFailed, "check that it runs"},
	} {
		for _, args := range [][]string{{"serve", "--listen=127.0.0.1:0"}, {"doctor"}, {"backup", filepath.Join(t.TempDir(), "copy.db")}, {"verify"}} {
			env := []string{"REBATEDESK_DB=" + c.place, "REBATEDESK_BASE_URL=http://127.0.0.1:9", "REBATEDESK_API_KEY=k", "REBATEDESK_API_SECRET=s", "REBATEDESK_API_PASSPHRASE=p"}
			var out, errs strings.Builder
			p := &program{environ: env, stdin: strings.NewReader(""), stdout: &out, stderr: &errs}
			status := p.runs(t.Context(), args)
			said := out.String() + errs.String()
			if strings.Contains(said, "canary") {
				t.Errorf("%s, %v: shows the password: %s", c.name, args, said)
			}
			missing := c.name == "rights" && args[0] != "serve" // the database is empty, and only serve changes it
			if !missing && (status != c.status || !strings.Contains(said, c.want)) {
				t.Errorf("%s, %v: status %d, %s", c.name, args, status, said)
			}
		}
	}
}

// The main job works on PostgreSQL as on SQLite: collect, export, back up, restore, verify,
// and copy there and back. Every file is the same.
func TestMainJobOnPostgres(t *testing.T) {
	storetest.PostgresOnly(t)
	d := newHarness(t, nil)
	const plain = "TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
	dir := t.TempDir()
	t.Chdir(dir)
	first, second, third := databaseWith(t, plain).String(), databaseWith(t, plain).String(), databaseWith(t, plain).String()
	on := func(db string, args ...string) string {
		t.Helper()
		status, stdout, stderr := d.run(t.Context(), []string{"REBATEDESK_DB=" + db}, args...)
		if status != statusDone {
			t.Fatalf("%v: status %d, %s", args, status, stderr)
		}
		if strings.Contains(stdout+stderr, "canary") {
			t.Errorf("%v shows the password: %s%s", args, stdout, stderr)
		}
		return stdout
	}
	on(first, "collect")
	p := &program{environ: append(d.env, "REBATEDESK_DB="+first), now: d.now, stdin: strings.NewReader("seven lanterns uphill"), stdout: io.Discard, stderr: io.Discard}
	if status := p.runs(t.Context(), []string{"user", "add", "--name", "mia", "--role", "admin", "--password-stdin"}); status != statusDone {
		t.Fatalf("user add: status %d", status)
	}
	on(first, "backup", "copy.db")
	on(second, "restore", "copy.db")
	on("restored.db", "restore", "copy.db", "--db=restored.db", "--master-key-file=rebatedesk.key")
	copied := on(first, "copy", "--from="+first, "--to=there.db")
	back := on(first, "copy", "--from=there.db", "--to="+third)
	if _, counts, _ := strings.Cut(copied, "\n"); !strings.HasSuffix(back, counts) || !strings.Contains(counts, "checked: SPOT ") {
		t.Errorf("there: %s\nback: %s", copied, back)
	}
	for _, db := range []string{first, second, third, "there.db", "restored.db"} {
		key := "--master-key-file=rebatedesk.key"
		if seen := on(db, "verify", "--db="+db, key); !strings.Contains(seen, "ok: audit log: ") || !strings.Contains(seen, "ok: roll-ups") {
			t.Errorf("%s: %s", config.Database(db), seen)
		}
		for _, kind := range []string{"commissions", "invitees", "sub-affiliates", "daily"} {
			if on(db, "export", kind, "--db="+db) != on(first, "export", kind) {
				t.Errorf("export %s of %s is another", kind, config.Database(db))
			}
		}
	}
	for _, args := range [][]string{{"copy", "--from=there.db", "--to=" + first}, {"copy", "--from=" + first, "--to=there.db"}, {"restore", "copy.db", "--db=" + first}} {
		status, stdout, stderr := d.run(t.Context(), nil, args...)
		if status != statusFailed || stdout != "" || !strings.Contains(stderr, "holds data already") || strings.Contains(stderr, "canary") {
			t.Errorf("%s: status %d, %s%s", args[0], status, stdout, stderr)
		}
	}
	// The numbers of new rows go on: another user and another run of the collection.
	on(third, "collect", "--db="+third)
	p = &program{environ: append(d.env, "REBATEDESK_DB="+third), now: d.now, stdin: strings.NewReader("eight lanterns uphill"), stdout: io.Discard, stderr: os.Stderr}
	if status := p.runs(t.Context(), []string{"user", "add", "--name", "noah", "--role", "viewer", "--password-stdin"}); status != statusDone {
		t.Errorf("another user: status %d", status)
	}
	on(third, "verify", "--db="+third)
}
