package main

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

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
			status := p.run(t.Context(), args, &commandLine{})
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
