package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/internal/crashtest"
	"rebatedesk/internal/race"
	"rebatedesk/internal/soak"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// writeInto is the variable that turns this test binary into a process that makes one
// write and is killed. Its value is a job.
const writeInto = "REBATEDESK_TEST_WRITE_INTO"

type job struct {
	Path  string
	Write string // empty: opens an old database
	crashtest.Aim
}

// killClock does not advance, so that the same write leaves the same stamps.
func killClock() time.Time { return (storetest.Day + 3).Start(time.UTC) }

// writes holds the writes under test, one transaction each.
var writes = map[string]func(ctx context.Context, s *store.Store) error{
	"commissions": func(ctx context.Context, s *store.Store) error {
		late := storetest.Record(9, "0.7")
		late.UID = "4667776899"
		_, err := records.ReplaceCommissionSlices(ctx, s,
			records.CommissionSlice{Slice: ofRun(storetest.DaySlice(storetest.OneDay)), Records: []affiliate.Commission{storetest.Record(1, "1"), storetest.Record(2, "2.5"), late, late}},
			records.CommissionSlice{Slice: ofRun(storetest.DaySlice(affiliate.Days{First: storetest.Day + 1, Last: storetest.Day + 1}))})
		return err
	},
	"invitees": func(ctx context.Context, s *store.Store) error {
		_, err := records.ReplaceInvitees(ctx, s, ofRun(storetest.InviteeSlice()), []affiliate.Invitee{
			{UID: "1", InviteCode: "b", RegisterTime: noonOf(storetest.Day), KYC: "true"}, {UID: "3", RegisterTime: noonOf(storetest.Day)}})
		return err
	},
	"sub-affiliates": func(ctx context.Context, s *store.Store) error {
		_, err := records.ReplaceSubAffiliateDays(ctx, s, ofRun(subSlice()), []affiliate.SubAffiliateDay{subDay("1", "10"), subDay("3", "30")})
		return err
	},
	"failure": func(ctx context.Context, s *store.Store) error {
		return records.FailSlice(ctx, s, ofRun(storetest.DaySlice(storetest.OneDay)), "no answer")
	},
	"begin of a run": func(ctx context.Context, s *store.Store) error {
		_, err := records.StartRun(ctx, s, "main", "test")
		return err
	},
	"end of a run": func(ctx context.Context, s *store.Store) error { return records.FinishRun(ctx, s, 1, 2, 3, "") },
	"roll-ups":     records.RebuildRollups,
}

func ofRun(s records.Slice) records.Slice {
	s.Run, s.Started = 1, killClock()
	return s
}

func noonOf(day affiliate.Day) affiliate.Millis {
	return affiliate.MillisOf(day.Start(time.UTC).Add(12 * time.Hour))
}

func subSlice() records.Slice {
	s := storetest.DaySlice(storetest.OneDay)
	s.Stream = affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}
	return s
}

func subDay(uid affiliate.UID, volume affiliate.Number) affiliate.SubAffiliateDay {
	return affiliate.SubAffiliateDay{UID: uid, Product: affiliate.Spot, Date: storetest.Day, TradingVolume: volume, NetTradingFee: "1", PaidCommission: "0.1"}
}

// beWriter is the main function of the child process.
func beWriter(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	if j.Write == "" {
		j.Take()
		return openOld(j.Path)
	}
	s, err := store.Open(context.Background(), j.Path, store.Options{Now: killClock})
	if err != nil {
		return err
	}
	j.Take()
	return errors.Join(writes[j.Write](context.Background(), s), s.Close())
}

// killedAt yields all steps of a long run, and about ten of a short one: the first, the last, and
// some between them.
func killedAt(steps []crashtest.Step) iter.Seq2[int, crashtest.Step] {
	apart := soak.Times(max(1, (len(steps)+8)/9), 1)
	return func(yield func(int, crashtest.Step) bool) {
		for i, step := range steps {
			if (i%apart == 0 || i == len(steps)-1) && !yield(i, step) {
				return
			}
		}
	}
}

// killed runs a child process that has to be killed before it ends.
func (j job) killed(t *testing.T) {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(child.Environ(), writeInto+"="+string(text))
	if said, err := child.CombinedOutput(); child.ProcessState.ExitCode() != -1 { // -1: ended by a signal
		t.Fatalf("%s: not killed %s: %v, %s", j.Write, j.Aim, err, said)
	}
}

// A process that is killed at any step of a transaction, including its commit, leaves
// exactly the previous state, and repeating the write gives the same result as without
// the kill.
func TestSoakKillsInAWrite(t *testing.T) {
	race.Skip(t, "killed processes, which tell of no race")
	base := filepath.Join(t.TempDir(), "base.db")
	fillBase(t, base)
	for name := range writes {
		dir := t.TempDir()
		steps := stepsOf(t, copied(t, base, dir), name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := dump(t, copied(t, base, dir))
			undisturbed := copied(t, base, dir)
			write(t, undisturbed, name)
			after := dump(t, undisturbed)
			if slices.Equal(before, after) {
				t.Fatal("the write changes nothing")
			}
			for i, step := range killedAt(steps) {
				path := copied(t, base, dir)
				at := job{path, name, crashtest.Aim{N: int64(i + 1)}}
				at.killed(t)
				if got := dump(t, path); !slices.Equal(got, before) {
					t.Fatalf("killed %s (%+v) it left\n%s", at.Aim, step, got)
				}
				if write(t, path, name); !slices.Equal(dump(t, path), after) {
					t.Fatalf("killed %s (%+v), repeating the write gives another result", at.Aim, step)
				}
			}
			t.Logf("%d steps", len(steps))
		})
	}
}

// fillBase stores data that each write changes.
func fillBase(t *testing.T, path string) {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{Now: func() time.Time { return killClock().Add(-time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	_, err = records.StartRun(t.Context(), s, "main", "test")
	storetest.Replace(t, s, ofRun(storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day + 1})), storetest.Record(1, "1"), storetest.Record(2, "2"), storetest.Record(3, "3"), storetest.Record(1440, "4"))
	_, failed := records.ReplaceInvitees(t.Context(), s, ofRun(storetest.InviteeSlice()), []affiliate.Invitee{
		{UID: "1", InviteCode: "a", RegisterTime: noonOf(storetest.Day)}, {UID: "2", RegisterTime: noonOf(storetest.Day)}})
	_, refused := records.ReplaceSubAffiliateDays(t.Context(), s, ofRun(subSlice()), []affiliate.SubAffiliateDay{subDay("1", "10"), subDay("2", "20")})
	if err := errors.Join(err, failed, refused, s.Close()); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, name string) {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{Now: killClock})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writes[name](t.Context(), s), s.Close()); err != nil {
		t.Fatal(err)
	}
}

// stepsOf returns the steps of a write. No other write may run at the same time.
func stepsOf(t *testing.T, path, name string) (steps []crashtest.Step) {
	t.Helper()
	s := storetest.OpenAt(t, path, store.Options{Now: killClock})
	crashtest.Watch(func(step crashtest.Step) { steps = append(steps, step) })
	err := writes[name](t.Context(), s)
	if crashtest.Watch(nil); err != nil {
		t.Fatal(err)
	}
	return steps
}

// copied returns a copy of a database that no process has open.
func copied(t *testing.T, from, dir string) string {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.CreateTemp(dir, "*.db")
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// dump returns all data that the writes change.
func dump(t *testing.T, path string) (all []string) {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{Now: killClock})
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range append(slices.Clone(everything), `SELECT * FROM invitees ORDER BY uid`, `SELECT * FROM invitee_changes ORDER BY id`, `SELECT * FROM sub_affiliate_days ORDER BY id`) {
		all = append(all, lines(t, s, query)...)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return all
}

// openOld migrates a database and makes its roll-ups and bounds, as a start of the program
// does.
func openOld(path string) error {
	s, err := store.Open(context.Background(), path, store.Options{Now: killClock})
	if err != nil {
		return err
	}
	return errors.Join(records.MakeRollups(context.Background(), s), s.Close())
}

// A process that is killed at any step of opening an old database leaves one that the next
// process opens with the same result as without the kill.
func TestSoakKillsWhileAnOldDatabaseIsOpened(t *testing.T) {
	race.Skip(t, "killed processes, which tell of no race")
	dir := t.TempDir()
	base := filepath.Join(dir, "base.db")
	err := store.MakeOld(t.Context(), base, 21, `
		UPDATE meta SET zone = 'UTC';
		INSERT INTO accounts (name) VALUES ('main');
		INSERT INTO invitees (account_id, uid, register_ms, invite_code, kyc, first_deposit_ms, first_trade_ms, last_deposit_ms, last_trade_ms, first_seen_ms, last_seen_ms)
		VALUES (1, '7', 1788300000000, 'vip', '', 1, 1, 1, 1, 1, 1);
		INSERT INTO commissions (account_id, product, deal_time_ms, uid, symbol, source, coin, taker_amount, maker_amount, fee, rate, commission, opened_ms, closed_ms)
		VALUES (1, 'SPOT', 1788300000000, '7', 'S', 'direct', 'USDT', '1', '', '0.5', '', '0.05', 1, NULL),
		       (1, 'SPOT', 1788300000001, '8', 'T', 'direct', 'USDT', '1', '', '0.5', '', '0.07', 1, NULL),
		       (1, 'SPOT', 1788300000002, '7', 'S', 'direct', 'USDT', '1', '', '0.5', '', '9', 1, 2)`)
	if err != nil {
		t.Fatal(err)
	}
	undisturbed := copied(t, base, dir)
	var steps []crashtest.Step
	crashtest.Watch(func(step crashtest.Step) { steps = append(steps, step) })
	err = openOld(undisturbed)
	if crashtest.Watch(nil); err != nil {
		t.Fatal(err)
	}
	after := dump(t, undisturbed)
	for i, step := range killedAt(steps) {
		path := copied(t, base, dir)
		at := job{Path: path, Aim: crashtest.Aim{N: int64(i + 1)}}
		at.killed(t)
		if err := openOld(path); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(dump(t, path), after) {
			t.Fatalf("killed %s (%+v), the next opening gives another result", at.Aim, step)
		}
	}
	t.Logf("%d steps", len(steps))
}
