package store_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rebatedesk/store"
)

// Answers follow the reporting zone as well: another process may take the
// roll-ups over into its own, and the next write back.
func TestAnswersFollowTheZone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.db")
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	s, other := openAt(t, path, store.Options{}), openAt(t, path, store.Options{Zone: newYork})
	withInvitees(t, s, "vip")
	for k, writer := range []*store.Store{s, other, s} {
		replace(t, writer, daySlice(rememberedDays), rememberedState(k)...)
		for _, asked := range []*store.Store{s, other} {
			remembers(t, asked, "a write in a zone")
			agreesWithRows(t, asked)
		}
	}
}

// agreesWithRows checks the days of an invitee against those that are read from
// the rows, as those of an earlier state are.
func agreesWithRows(t *testing.T, s *store.Store) {
	t.Helper()
	r := reader(t, s)
	f := store.CommissionFilter{Days: rememberedDays, UID: "2"}
	got, err := told(r.DaySums(t.Context(), f))
	if err != nil {
		t.Fatal(err)
	}
	if f.AsOf, err = r.LastWrite(t.Context()); err != nil {
		t.Fatal(err)
	}
	want, err := told(r.DaySums(t.Context(), f))
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the days are %q, by the rows %q (%v)", got, want, err)
	}
}

// A write that fails leaves answers as they were, also those that were asked
// for meanwhile.
func TestAnswersAfterAWriteThatFailed(t *testing.T) {
	s := openStore(t, store.Options{})
	withInvitees(t, s, "vip")
	replace(t, s, daySlice(rememberedDays), rememberedState(1)...)
	remembers(t, s, "the first read")
	err := store.Corrupt(s, `CREATE TRIGGER refuse BEFORE INSERT ON coverage BEGIN SELECT RAISE(ABORT, 'refused'); END`)
	if err != nil {
		t.Fatal(err)
	}
	for k := range 2 {
		if _, err := s.ReplaceCommissions(t.Context(), daySlice(rememberedDays), rememberedState(k+2)); err == nil {
			t.Fatal("the write was not refused")
		}
		remembers(t, s, "a write that failed")
	}
}

// A question that is stopped on its way leaves nothing half behind.
func TestAnswersAfterQuestionsThatWereStopped(t *testing.T) {
	s := openStore(t, store.Options{})
	withInvitees(t, s, "vip")
	stopped := 0
	for k := range 36 {
		if k%6 == 0 { // what is in memory is worth nothing from here on
			replace(t, s, daySlice(rememberedDays), rememberedState(k)...)
		}
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(rand.IntN(8000))*time.Microsecond, cancel)
		f := askedOf[k%len(askedOf)]
		if r, err := s.Read(ctx); err == nil {
			if _, err := answers(ctx, r, f); err != nil {
				stopped++
			}
			r.Close() // fails where it was stopped
		}
		timer.Stop()
		cancel()
		if difference, err := differs(t.Context(), s, f); err != nil || difference != "" {
			t.Fatal(difference, err)
		}
	}
	if stopped == 0 {
		t.Error("no question was stopped on its way")
	}
}
