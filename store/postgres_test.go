package store_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

const postgresClauses = `TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`

// A database that this program cannot work with is refused, and the error says what to do.
func TestPostgresRefusals(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	place, name := storetest.NewDatabase(t, postgresClauses)
	changed := func(change func(*url.URL)) string {
		u, err := url.Parse(place)
		storetest.Done(t, err)
		u.User = url.UserPassword(u.User.Username(), "canary-password")
		change(u)
		return u.String()
	}
	database := func(clauses string) string {
		_, name := storetest.NewDatabase(t, "TEMPLATE template0 "+clauses)
		return changed(func(u *url.URL) { u.Path = "/" + name })
	}
	role := "reader_" + name
	_, err := storetest.OpenAt(t, place, store.Options{}).Writer().Exec(`CREATE ROLE ` + role + ` LOGIN`)
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, storetest.Admin(`DROP ROLE `+role)) })
	foreign, _ := storetest.NewDatabase(t, postgresClauses)
	storetest.Run(t, foreign, `CREATE TABLE orders (id int)`)
	for what, c := range map[string]struct{ place, says string }{
		"encoding":         {database(`ENCODING 'SQL_ASCII' LOCALE 'C'`), "ENCODING 'UTF8' LOCALE 'C'"},
		"order of text":    {database(`ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en'`), "ENCODING 'UTF8' LOCALE 'C'"},
		"no rights":        {strings.Replace(database(`ENCODING 'UTF8' LOCALE 'C'`), "postgres:canary", role+":canary", 1), "grant it CREATE on the schema"},
		"no such database": {changed(func(u *url.URL) { u.Path = "/absent" }), "create it with CREATE DATABASE"},
		"no server":        {changed(func(u *url.URL) { u.Host = "127.0.0.1:1" }), "check that it runs"},
		"no such user":     {changed(func(u *url.URL) { u.User = url.UserPassword("absent", "canary-password") }), "check the user"},
		"foreign":          {foreign, store.ErrForeign.Error()},
		"no URL":           {"postgres://postgres:canary-password@127.0.0.1:x/y", "is not the URL of a database"},
	} {
		s, err := store.Open(t.Context(), c.place, store.Options{})
		if err == nil {
			t.Errorf("%s: it is opened (%v)", what, s.Close())
			continue
		}
		said := err.Error() + ": " + store.Hint(err)
		if !strings.Contains(said, c.says) || strings.Contains(said, "canary") {
			t.Errorf("%s: %s", what, said)
		}
	}
}

// A database of a newer program is refused, however it is opened.
func TestPostgresOfANewerProgram(t *testing.T) {
	storetest.PostgresOnly(t)
	place := storetest.Empty(t)
	storetest.Done(t, store.SetSchemaVersion(storetest.OpenAt(t, place, store.Options{}), store.KnownSchema()+1))
	for _, open := range []func(context.Context, string, store.Options) (*store.Store, error){store.Open, store.OpenUnchanged, store.OpenReadOnly} {
		if _, err := open(t.Context(), place, store.Options{}); !errors.As(err, new(*store.ErrNewer)) {
			t.Errorf("%v", err)
		}
	}
}

// Several processes may open a new database at the same moment.
func TestPostgresOpeningTogether(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	for range 3 {
		place, _ := storetest.NewDatabase(t, postgresClauses)
		failures := make([]error, 8)
		var openers sync.WaitGroup
		for i := range failures {
			openers.Go(func() {
				s, err := store.Open(context.Background(), place, store.Options{})
				if err == nil {
					err = errors.Join(upkeep.CheckIntegrity(context.Background(), s), s.Close())
				}
				failures[i] = err
			})
		}
		openers.Wait()
		storetest.Done(t, errors.Join(failures...))
	}
}

// A text with NUL is refused with a hint, and nothing of its write is stored.
func TestNULIsRefused(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	contents := func() (all []string) {
		for _, query := range append(slices.Clone(everything), `SELECT * FROM invitees ORDER BY uid`) {
			all = append(all, lines(t, s, query)...)
		}
		return all
	}
	before := contents()
	bad := storetest.Record(2, "1")
	bad.Symbol = "a\x00b"
	_, commissions := records.ReplaceCommissions(t.Context(), s, storetest.DaySlice(storetest.OneDay), []affiliate.Commission{storetest.Record(3, "1"), bad})
	_, invitees := records.ReplaceInvitees(t.Context(), s, storetest.InviteeSlice(), []affiliate.Invitee{{UID: "1"}, {UID: "2", InviteCode: "\x00"}})
	for _, err := range []error{commissions, invitees} {
		if !strings.Contains(store.Hint(err), "NUL (U+0000), which PostgreSQL cannot store") {
			t.Errorf("%v: %q", err, store.Hint(err))
		}
	}
	if after := contents(); !slices.Equal(after, before) {
		t.Errorf("stored\n%s\nbefore\n%s", after, before)
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(3, "1"))
}

// If the network is cut at any request of a write, the write is stored as a whole or not at
// all, and the next one works.
func TestPostgresCutAtEachRequest(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	place, cut := storetest.NewCut(t, storetest.Empty(t))
	now := storetest.Day.Start(time.UTC)
	s := storetest.OpenAt(t, place, store.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
	state := func(n int) (rows []affiliate.Commission) {
		for i := range 30 {
			rows = append(rows, storetest.Record(n*7+i, "1"))
		}
		return rows
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), state(0)...)
	turn, kept := 0, 0
	var failed error
	cuts := cut.Each(storetest.Every(1, 1), false, func() {
		turn++
		_, failed = records.ReplaceCommissions(t.Context(), s, storetest.DaySlice(storetest.OneDay), state(turn))
	}, func(at storetest.Break) {
		before, after := state(turn-1), state(turn)
		got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays})
		whole := equalMultiset(got, after)
		if !whole && !equalMultiset(got, before) {
			t.Fatalf("%s: %d kinds of rows are stored (%v)", at, len(got), failed)
		}
		if whole {
			kept++
		}
		if failed == nil && !whole {
			t.Errorf("%s: the write is lost without an error", at)
		}
		storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), after...)
		if faults := unsound(verify(t, s)); len(faults) > 0 {
			t.Fatalf("%s: %q", at, faults)
		}
	})
	if cuts < 20 || kept == 0 {
		t.Errorf("%d cuts, %d of them behind the commit", cuts, kept)
	}
	t.Logf("%d cuts, %d of them behind the commit", cuts, kept)
}

// The words that PostgreSQL lacks are translated, and texts are not touched.
func TestTranslated(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT a FROM t WHERE b = ? AND c = ?`:           `SELECT a FROM t WHERE b = $1 AND c = $2`,
		`SELECT '?' || ? || 'it''s ?'`:                    `SELECT '?' || $1 || 'it''s ?'`,
		`SELECT a LIKE ? ESCAPE '\', ' LIKE '`:            `SELECT a ILIKE $1 ESCAPE '\', ' LIKE '`,
		`ORDER BY c.fee COLLATE decimal DESC, id`:         `ORDER BY decimal_key(c.fee) DESC, id`,
		`INSERT INTO t VALUES (?,?),(?,?) ON CONFLICT DO`: `INSERT INTO t VALUES ($1,$2),($3,$4) ON CONFLICT DO`,
	} {
		if got := store.Translated(query); got != want {
			t.Errorf("%s became %s, want %s", query, got, want)
		}
	}
	if got := store.Translated(strings.Repeat("?,", 12)); !strings.HasSuffix(got, fmt.Sprintf("$%d,", 12)) {
		t.Error(got)
	}
}

// A connection that the server ended while it was idle does not fail the next write.
func TestPostgresEndsIdleConnections(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	place := storetest.Empty(t)
	s, other := storetest.OpenAt(t, place, store.Options{}), storetest.OpenAt(t, place, store.Options{})
	for n := range 3 {
		storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(n, "1"))
		if _, err := storetest.Lines(other, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
			t.Fatal(err)
		}
		if got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays}); got[storetest.Record(n, "1").Key()] != 1 {
			t.Errorf("%v", got)
		}
	}
}

// A server that is killed and started again has every write that returned, and the store
// works on.
func TestPostgresServerIsKilled(t *testing.T) {
	t.Parallel()
	server := storetest.NewServer(t)
	s := storetest.OpenAt(t, server.Empty(), store.Options{})
	for n := range 2 {
		storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(n, "1"))
		server.Kill()
		_, err := records.ReplaceCommissions(t.Context(), s, storetest.DaySlice(storetest.OneDay), nil)
		if hint := store.Hint(err); !strings.Contains(hint, "database server") {
			t.Errorf("%v: %q", err, hint)
		}
		server.Wake()
		if got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays}); len(got) != 1 || got[storetest.Record(n, "1").Key()] != 1 {
			t.Errorf("after the start there are %v", got)
		}
		if faults := unsound(verify(t, s)); len(faults) > 0 {
			t.Errorf("%q", faults)
		}
	}
}
