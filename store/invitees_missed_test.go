package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// inviteeFixture is a store under one clock with the exchange, which the test sets.
type inviteeFixture struct {
	testing.TB
	*store.Store
	now time.Time
	run int64
}

func newInviteeFixture(t testing.TB, now time.Time) *inviteeFixture {
	r := &inviteeFixture{TB: t, now: now}
	r.Store = storetest.Open(t, store.Options{Now: func() time.Time { return r.now }})
	var err error
	if r.run, err = records.StartRun(t.Context(), r.Store, "main", "test"); err != nil {
		t.Fatal(err)
	}
	return r
}

// read stores a reading of days, made a minute after the previous one.
func (r *inviteeFixture) read(days affiliate.Days, list ...affiliate.Invitee) records.Written {
	r.Helper()
	r.now = r.now.Add(time.Minute)
	w, err := records.ReplaceInvitees(context.Background(), r.Store, records.Slice{
		Account: "main", Stream: affiliate.Stream{Kind: affiliate.Invitees}, Days: days,
		Through: affiliate.MillisOf(r.now), Run: r.run, Started: r.now,
	}, list)
	if err != nil {
		r.Fatal(err)
	}
	return w
}

// one returns the invitee with the UID "1".
func (r *inviteeFixture) one(asOf affiliate.Millis) records.InviteeRow {
	r.Helper()
	list := storetest.Invitees(r, r.Store, records.InviteeFilter{UID: "1", AsOf: asOf})
	if len(list) != 1 {
		r.Fatalf("as of %s the invitees are %+v", asOf, list)
	}
	return list[0]
}

func (r *inviteeFixture) stamp() affiliate.Millis { return affiliate.MillisOf(r.now) }

// An invitee that is missing from an answer that covers it has vanished until it is
// listed again. The history keeps both, and each can be read as of any instant.
func TestInviteeVanishesAndReappears(t *testing.T) {
	storetest.Engines(t, "statements about invitees, missing values", testInviteeVanishesAndReappears)
}

func testInviteeVanishesAndReappears(t *testing.T) {
	r := newInviteeFixture(t, storetest.Day.Start(time.UTC).Add(60*time.Hour))
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 2}
	one := affiliate.Invitee{UID: "1", RegisterTime: storetest.At(storetest.Day + 1)}
	r.read(days, one)
	r.read(days, one)
	listed := r.stamp()
	if got := r.one(0); got.LastSeen != listed || got.Vanished.Known() || got.Status(r.now) != records.InviteeListed {
		t.Errorf("listed: %+v", got)
	}
	if w := r.read(days); w.Changed != 1 || unchanged(w) {
		t.Errorf("missed: %+v", w)
	}
	gone := r.stamp()
	if w := r.read(days); !unchanged(w) {
		t.Errorf("missed again: %+v", w)
	}
	if got := r.one(0); got.LastSeen != listed || got.Vanished != gone || got.Status(r.now.AddDate(2, 0, 0)) != records.InviteeVanished {
		t.Errorf("vanished: %+v", got)
	}
	if w := r.read(days, one); w.Changed != 1 {
		t.Errorf("listed again: %+v", w)
	}
	back := r.stamp()
	if got := r.one(0); got.LastSeen != back || got.Vanished.Known() {
		t.Errorf("reappeared: %+v", got)
	}
	for _, then := range []struct{ asOf, lastSeen, vanished affiliate.Millis }{
		{listed - 1, listed - 60_000, 0}, {listed, listed, 0}, {gone - 1, listed, 0}, {gone, listed, gone}, {back - 1, listed, gone}, {back, back, 0},
	} {
		if got := r.one(then.asOf); got.LastSeen != then.lastSeen || got.Vanished != then.vanished {
			t.Errorf("as of %s: %+v", then.asOf, got)
		}
	}
	reader := storetest.Reader(t, r.Store)
	defer reader.Close()
	_, changes, found, err := records.InviteeHistory(t.Context(), reader, records.InviteeFilter{Account: "main", UID: "1", AsOf: back - 1})
	want := []records.InviteeChange{
		{Noticed: gone, Field: records.FieldLastSeen, Was: "0", Became: fmt.Sprint(int64(listed))},
		{Noticed: gone, Field: records.FieldVanished, Was: "0", Became: fmt.Sprint(int64(gone))},
	}
	if err != nil || !found || !slices.Equal(changes, want) {
		t.Errorf("the history is %+v (%v)", changes, err)
	}
	if _, _, found, err := records.InviteeHistory(t.Context(), reader, records.InviteeFilter{Account: "main", UID: "2"}); found || err != nil {
		t.Errorf("an invitee that was never listed is found: %v (%v)", found, err)
	}
}

// A reading without differences writes nothing into the table of invitees.
func TestUnchangedReadWritesNoInvitee(t *testing.T) {
	storetest.Engines(t, "which rows a statement with a conflict clause writes", testUnchangedReadWritesNoInvitee)
}

func testUnchangedReadWritesNoInvitee(t *testing.T) {
	r := newInviteeFixture(t, storetest.Day.Start(time.UTC).Add(60*time.Hour))
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 2}
	list := []affiliate.Invitee{{UID: "1", RegisterTime: storetest.At(storetest.Day + 1), KYC: "true"}, {UID: "2"}, {UID: "3", RegisterTime: storetest.At(storetest.Day), LastTrade: storetest.At(storetest.Day + 1)}}
	r.read(days, list...)
	const table = `SELECT * FROM invitees ORDER BY uid`
	before, err := storetest.Lines(r.Store, table)
	if err != nil || len(before) != 3 {
		t.Fatalf("%q (%v)", before, err)
	}
	storetest.Refuse(t, r.Store, "invitees", "UPDATE", "true", "written")
	if w := r.read(days, list...); !unchanged(w) {
		t.Errorf("the same reading again: %+v", w)
	}
	after, err := storetest.Lines(r.Store, table)
	if err != nil || !slices.Equal(before, after) {
		t.Errorf("before %q, after %q (%v)", before, after, err)
	}
	if got := r.one(0); got.LastSeen != r.stamp() {
		t.Errorf("last seen %s, last reading %s", got.LastSeen, r.stamp())
	}
	if got := storetest.Invitees(t, r.Store, records.InviteeFilter{UID: "2"})[0]; got.LastSeen.Known() {
		t.Errorf("an invitee of unknown registration is reported as last seen at %s", got.LastSeen)
	}
}

// An answer may list an invitee twice, with differences. The first entry counts, so that
// the same answer changes nothing the next time.
func TestInviteeListedTwiceInOneAnswer(t *testing.T) {
	storetest.Engines(t, "a row twice in one statement", testInviteeListedTwiceInOneAnswer)
}

func testInviteeListedTwiceInOneAnswer(t *testing.T) {
	r := newInviteeFixture(t, storetest.Day.Start(time.UTC).Add(60*time.Hour))
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 2}
	one := affiliate.Invitee{UID: "1", RegisterTime: storetest.At(storetest.Day + 1), KYC: "false"}
	two := one
	two.KYC = "true"
	if w := r.read(days, one, two); w.Opened != 1 || w.Changed != 0 {
		t.Errorf("first reading: %+v", w)
	}
	if w := r.read(days, one, two); !unchanged(w) {
		t.Errorf("the same reading again: %+v", w)
	}
	if got := r.one(0); got.KYC != "false" {
		t.Errorf("%+v", got)
	}
	if faults := unsound(verify(t, r.Store)); len(faults) > 0 {
		t.Errorf("faults %q", faults)
	}
}

// An old database kept no history of missed invitees. For an invitee that a reading
// missed, it is unknown when it was last seen in states before the upgrade.
func TestLastSeenOfAnOldDatabaseAsOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	const first, missed, read = 1788310000000, 1788350000000, 1788400000000
	err := store.MakeOld(t.Context(), path, 1, fmt.Sprintf(`
		UPDATE meta SET last_write_ms = %[3]d;
		INSERT INTO accounts (name) VALUES ('main');
		INSERT INTO coverage VALUES (1, 'invitees', '', '2026-09-01', 1788307200000, %[1]d, %[3]d, 1, 0, '');
		INSERT INTO invitees VALUES (1, '7', 'c', 1788300000000, '', 0, 0, 0, 0, %[1]d, %[2]d),
			(1, '8', 'c', 1788300000000, '', 0, 0, 0, 0, %[1]d, %[3]d)`, first, missed, read))
	if err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenAt(t, path, store.Options{})
	if faults := unsound(verify(t, s)); len(faults) > 0 {
		t.Errorf("faults %q", faults)
	}
	for asOf, want := range map[affiliate.Millis]affiliate.Millis{0: missed, read: missed, missed: missed, missed - 1: 0} {
		if got := storetest.Invitees(t, s, records.InviteeFilter{UID: "7", AsOf: asOf})[0]; got.LastSeen != want {
			t.Errorf("as of %q last seen %q, want %q", asOf, got.LastSeen, want)
		}
	}
}

// No invitee vanishes from days that a reading did not cover.
func TestOnlyCoveredInviteesVanish(t *testing.T) {
	storetest.Engines(t, "statements about invitees", testOnlyCoveredInviteesVanish)
}

func testOnlyCoveredInviteesVanish(t *testing.T) {
	const reach = 365 * 24 * time.Hour
	noon := (storetest.Day + 400).Start(time.UTC).Add(12 * time.Hour)
	today := affiliate.DayOf(noon, time.UTC)
	whole := affiliate.Days{First: today - 365, Last: today}
	for name, c := range map[string]struct {
		registered time.Time
		days       affiliate.Days
		vanishes   bool
		status     records.InviteeStatus
	}{
		"in the middle":              {noon.Add(-100 * 24 * time.Hour), whole, true, records.InviteeVanished},
		"before the reach":           {noon.Add(-reach - time.Minute), whole, false, records.InviteeBeyondReach},
		"at the margin of the reach": {noon.Add(-reach + 5*time.Minute), whole, false, records.InviteeListed},
		"just within the reach":      {noon.Add(-reach + time.Hour), whole, true, records.InviteeVanished},
		"before the slice":           {noon.Add(-100 * 24 * time.Hour), affiliate.Days{First: today - 99, Last: today}, false, records.InviteeListed},
		"the slice's first instant":  {(today - 99).Start(time.UTC), affiliate.Days{First: today - 99, Last: today}, true, records.InviteeVanished},
		"the slice's last instant":   {(today - 98).Start(time.UTC).Add(-time.Millisecond), affiliate.Days{First: today - 99, Last: today - 99}, true, records.InviteeVanished},
		"after the slice":            {(today - 98).Start(time.UTC), affiliate.Days{First: today - 99, Last: today - 99}, false, records.InviteeListed},
		"after the read began":       {noon.Add(5 * time.Minute), whole, false, records.InviteeListed},
	} {
		t.Run(name, func(t *testing.T) {
			r := newInviteeFixture(t, noon.Add(-3*time.Minute))
			one := affiliate.Invitee{UID: "1", RegisterTime: affiliate.MillisOf(c.registered)}
			all := affiliate.Days{First: whole.First - 10, Last: today}
			r.read(all, one)
			first := r.stamp()
			r.read(c.days)
			got := r.one(0)
			if got.Vanished.Known() != c.vanishes || got.Status(noon) != c.status {
				t.Errorf("%s: %+v", got.Status(noon), got)
			}
			if got.LastSeen != first {
				t.Errorf("last seen %s, but only the answer of %s contained it", got.LastSeen, first)
			}
			r.read(all, one)
			if got := r.one(0); got.Vanished.Known() || got.LastSeen != r.stamp() {
				t.Errorf("listed again: %+v", got)
			}
		})
	}
}

// If the exchange corrects a registration, the invitee has not vanished as long as it is
// listed at the new time.
func TestCorrectedRegistrationIsNotVanished(t *testing.T) {
	storetest.Engines(t, "statements about invitees", testCorrectedRegistrationIsNotVanished)
}

func testCorrectedRegistrationIsNotVanished(t *testing.T) {
	r := newInviteeFixture(t, (storetest.Day + 20).Start(time.UTC))
	early, late := affiliate.Days{First: storetest.Day, Last: storetest.Day + 4}, affiliate.Days{First: storetest.Day + 5, Last: storetest.Day + 9}
	r.read(early, affiliate.Invitee{UID: "1", RegisterTime: storetest.At(storetest.Day + 1)}, affiliate.Invitee{UID: "2", RegisterTime: storetest.At(storetest.Day + 1)})
	r.read(early, affiliate.Invitee{UID: "1", RegisterTime: storetest.At(storetest.Day + 3)}, affiliate.Invitee{UID: "2", RegisterTime: storetest.At(storetest.Day + 1)})
	if got := r.one(0); got.Vanished.Known() || got.LastSeen != r.stamp() {
		t.Errorf("corrected within the window: %+v", got)
	}
	r.read(late, affiliate.Invitee{UID: "1", RegisterTime: storetest.At(storetest.Day + 7)})
	moved := r.stamp()
	r.read(early, affiliate.Invitee{UID: "2", RegisterTime: storetest.At(storetest.Day + 1)})
	if got := r.one(0); got.Vanished.Known() || got.RegisterTime != storetest.At(storetest.Day+7) || got.LastSeen != moved {
		t.Errorf("corrected into another window: %+v", got)
	}
}

// The time when each invitee was last seen survives the migration of an old database.
func TestLastSeenOutlivesTheMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	if err := store.MakeOld(t.Context(), path, 1, `
		INSERT INTO accounts (id, name) VALUES (1, 'main');
		UPDATE meta SET last_write_ms = 1790000000000;
		INSERT INTO coverage VALUES (1, 'invitees', '', '2026-09-01', 1788307200000, 1788300000000, 1788400000000, 2, 0, '');
		INSERT INTO coverage VALUES (1, 'commissions', 'SPOT', '2026-09-01', 1788307200000, 1788300000000, 1788400000000, 2, 0, '');
		INSERT INTO invitees VALUES (1, '1', '', 1788220800000, '', 0, 0, 0, 0, 1788300000000, 1788400000123);
		INSERT INTO invitees VALUES (1, '2', '', 1788220800001, '', 0, 0, 0, 0, 1788300000000, 1788300000000);
		INSERT INTO invitees VALUES (1, '3', '', 0, '', 0, 0, 0, 0, 1788300000000, 1788400000123)`); err != nil {
		t.Fatal(err)
	}
	s := storetest.OpenAt(t, path, store.Options{})
	seen := map[affiliate.UID]affiliate.Millis{}
	for _, row := range storetest.Invitees(t, s, records.InviteeFilter{}) {
		seen[row.UID] = row.LastSeen
	}
	if len(seen) != 3 || seen["1"] != 1788400000123 || seen["2"] != 1788300000000 || seen["3"].Known() {
		t.Errorf("last seen at %v", seen)
	}
	lines, err := storetest.Lines(s, `SELECT stream, read_ms FROM coverage ORDER BY stream`)
	if want := []string{"commissions 1788400000000", "invitees 1788400000123"}; err != nil || !slices.Equal(lines, want) {
		t.Errorf("last reading %q (%v)", lines, err)
	}
}
