package store_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// A server that is too old is refused with the version that is needed.
func TestPostgresVersion(t *testing.T) {
	if err := store.TooOld(150000); err != nil {
		t.Error(err)
	}
	for version, want := range map[int]string{140013: "PostgreSQL 14, which is too old", 90624: "PostgreSQL 9, which is too old"} {
		wrong := new(store.PlaceError)
		if err := store.TooOld(version); !errors.As(err, &wrong) || !strings.Contains(wrong.Wrong, want) || !strings.Contains(wrong.Mend, "15 or later") {
			t.Errorf("%d: %v", version, err)
		}
	}
}

// The hints for what a server and the pool before it say.
func TestPostgresHints(t *testing.T) {
	for code, want := range map[string]string{
		"53100": "make room on the disk of the database server", "53200": "out of memory", "53300": "max_connections", "53400": "make room",
		"25006": "target_session_attrs=read-write", "42501": "make the user the owner", "57P01": "was cut", "58030": "see its log", "26000": "default_query_exec_mode=exec",
	} {
		if hint := store.Hint(&pgconn.PgError{Code: code, Message: "x"}); !strings.Contains(hint, want) {
			t.Errorf("%s: %q", code, hint)
		}
	}
}

// brokenBy runs statements on the database of a store, after which a write must fail with a
// hint and store nothing, and other statements, after which the write works.
func brokenBy(t *testing.T, place, hint, breaks, mends string) {
	t.Helper()
	s := storetest.OpenAt(t, place, store.Options{})
	before, after := storetest.Record(1, "1"), storetest.Record(2, "1")
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), before)
	storetest.Run(t, place, breaks)
	_, err := records.ReplaceCommissions(t.Context(), s, storetest.DaySlice(storetest.OneDay), append(manyRecords(), after))
	if said := store.Hint(err); err == nil || !strings.Contains(said, hint) {
		t.Errorf("%v: %q", err, said)
	}
	storetest.Run(t, place, mends)
	if got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays}); len(got) != 1 || got[before.Key()] != 1 {
		t.Errorf("after the failure %v is stored", got)
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), after)
	if faults := unsound(verify(t, s)); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
}

// A server without room fails a write in its middle: nothing of it is stored, and the next
// one works.
func TestPostgresDiskIsFull(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	brokenBy(t, storetest.Empty(t), "make room on the disk of the database server", `
		CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
			RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full';
		END$$;
		CREATE TRIGGER full_disk BEFORE INSERT ON commissions FOR EACH ROW WHEN (NEW.id % 100 = 77) EXECUTE FUNCTION full_disk()`,
		`DROP TRIGGER full_disk ON commissions`)
}

// A server that becomes read-only, and a user that loses a right, fail writes in the same way.
func TestPostgresRefusesWrites(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	place, name := storetest.NewDatabase(t, postgresClauses)
	brokenBy(t, place, "grant", `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE insufficient_privilege; END$$;
		CREATE TRIGGER refuse BEFORE INSERT ON commissions EXECUTE FUNCTION refuse()`, `DROP TRIGGER refuse ON commissions`)

	storetest.Done(t, storetest.Admin(`ALTER DATABASE `+name+` SET default_transaction_read_only = on`))
	wrong := new(store.PlaceError)
	if s, err := store.Open(t.Context(), place, store.Options{}); !errors.As(err, &wrong) || !strings.Contains(wrong.Mend, "target_session_attrs") {
		t.Errorf("a read-only database is opened: %v, %v", s, err)
	}
	s, err := store.OpenUnchanged(t.Context(), place, store.Options{})
	storetest.Done(t, err)
	defer func() { storetest.Done(t, s.Close()) }()
	if state, err := s.EngineState(t.Context()); err != nil || !state.ReadOnly {
		t.Errorf("%+v, %v", state, err)
	}
}

// A standby can be read and not written. The primary tells how far it is behind.
func TestPostgresStandby(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	control := func(args ...string) (folder, place string) {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "../.ci/postgres", args...).Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		folder, place, _ = strings.Cut(strings.TrimSpace(string(out)), " ")
		t.Cleanup(func() { storetest.Done(t, exec.Command("../.ci/postgres", "drop", folder).Run()) })
		return folder, place
	}
	folder, server := control("start")
	storetest.Run(t, server, `CREATE DATABASE desk `+postgresClauses)
	onDesk := func(server string) string { return strings.Replace(server, "/postgres?", "/desk?", 1) }
	created, err := store.Open(t.Context(), onDesk(server), store.Options{})
	storetest.Done(t, err)
	storetest.Done(t, created.Close())
	_, follower := control("follow", folder)

	wrong := new(store.PlaceError)
	if s, err := store.Open(t.Context(), onDesk(follower), store.Options{}); !errors.As(err, &wrong) || !strings.Contains(wrong.Mend, "name the primary") {
		t.Errorf("a standby is opened: %v, %v", s, err)
	}
	primary := storetest.OpenAt(t, onDesk(server), store.Options{Node: "web-1"})
	copied, err := store.OpenUnchanged(t.Context(), onDesk(follower), store.Options{})
	storetest.Done(t, err)
	defer func() { storetest.Done(t, copied.Close()) }()
	if state, err := copied.EngineState(t.Context()); err != nil || !state.ReadOnly {
		t.Errorf("the standby: %+v, %v", state, err)
	}

	behind := func() store.StandbyServer {
		t.Helper()
		state, err := primary.EngineState(t.Context())
		if err != nil || state.ReadOnly || len(state.Standbys) != 1 || state.Standbys[0].Bytes == nil || len(state.Nodes) != 1 || state.Nodes[0] != "web-1" {
			t.Fatalf("%+v, %v", state, err)
		}
		return state.Standbys[0]
	}
	until := time.Now().Add(time.Minute)
	wait := func(what string, done func(store.StandbyServer) bool) {
		t.Helper()
		for seen := behind(); !done(seen); seen = behind() {
			if time.Now().After(until) {
				t.Fatalf("%s: it is behind by %d bytes", what, *seen.Bytes)
			}
		}
	}
	for state, err := primary.EngineState(t.Context()); len(state.Standbys) == 0 && time.Now().Before(until); state, err = primary.EngineState(t.Context()) {
		storetest.Done(t, err) // it is connecting
	}
	upToDate := func(s store.StandbyServer) bool { return *s.Bytes == 0 && s.Lag != nil }
	wait("at the start", upToDate)
	storetest.Run(t, follower, `SELECT pg_wal_replay_pause()`)
	storetest.Replace(t, primary, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	wait("paused", func(s store.StandbyServer) bool { return *s.Bytes > 0 })
	storetest.Run(t, follower, `SELECT pg_wal_replay_resume()`)
	wait("resumed", upToDate)
	if got := stored(t, copied, records.CommissionFilter{Days: storetest.AnyDays}); got[storetest.Record(1, "1").Key()] != 1 {
		t.Errorf("on the standby: %v", got)
	}
}

// manyRecords are the records of a day, more than one COPY or INSERT carries.
func manyRecords() (rows []affiliate.Commission) {
	for n := range 600 {
		rows = append(rows, storetest.Record(n, "2"))
	}
	return rows
}
