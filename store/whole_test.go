package store_test

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/sums"
	"rebatedesk/store/upkeep"
)

// While slices are replaced, a reader sees one of the written states, and the same one in
// all its answers.
func TestReadersSeeWholeSlices(t *testing.T) {
	storetest.Engines(t, "isolation of readers and a writer", testReadersSeeWholeSlices)
}

func testReadersSeeWholeSlices(t *testing.T) {
	s := storetest.Open(t, store.Options{Zone: zone(t, "Asia/Kathmandu")})
	days := affiliate.Days{First: storetest.Day, Last: storetest.Day + 1}
	const rows = 120
	state := func(k int) []affiliate.Commission {
		var records []affiliate.Commission
		for i := range rows {
			c := storetest.Record(i*24, affiliate.Number(fmt.Sprint(k)))
			if i%3 == 0 {
				c.Commission = "1" // equal in all states
			}
			records = append(records, c)
		}
		return records
	}
	sumOf := func(k int) string { return fmt.Sprint(rows/3 + rows*2/3*k) }
	storetest.Replace(t, s, storetest.DaySlice(days), state(1)...)

	var newest atomic.Int64 // last state whose write has returned
	newest.Store(1)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			looks := 0
			for looks < 3 || !closed(done) {
				looks++
				surely := int(newest.Load())
				sum, err := sumsAgree(s)
				if err != nil {
					t.Error(err)
					return
				}
				after := int(newest.Load()) + 1 // this state may be written and not yet counted
				for k := surely; sum != sumOf(k); k++ {
					if k > after {
						t.Errorf("a reader sees the sum %s, between the states %d and %d", sum, surely, after)
						return
					}
				}
			}
		})
	}
	for k := 2; k <= 15; k++ {
		if w := storetest.Replace(t, s, storetest.DaySlice(days), state(k)...); w.Opened != rows*2/3 || w.Closed != rows*2/3 {
			t.Errorf("state %d changed %+v", k, w)
		}
		newest.Store(int64(k))
	}
	close(done)
	readers.Wait()
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// sumsAgree adds up commissions in four ways in one read transaction.
func sumsAgree(s *store.Store) (string, error) {
	ctx := context.Background()
	r, err := s.Read(ctx)
	if err != nil {
		return "", err
	}
	defer r.Close()
	total := func() *big.Rat { return new(big.Rat) }
	add := func(to *big.Rat, n affiliate.Number) {
		v, ok := new(big.Rat).SetString(string(n))
		if !ok {
			v = big.NewRat(1, 7) // differs from every sum
		}
		to.Add(to, v)
	}
	byRow, byDay, byDayOfRows, byInvitee := total(), total(), total(), total()
	days, err := sums.ByDay(ctx, r, records.CommissionFilter{Days: storetest.AnyDays})
	if err != nil {
		return "", err
	}
	for _, d := range days {
		add(byDay, d.Commission)
	}
	for row, err := range records.Commissions(ctx, r, records.CommissionFilter{Days: storetest.AnyDays}, records.CommissionOrder{Column: "uid"}, 0, 0) {
		if err != nil {
			return "", err
		}
		add(byRow, row.Commission.Commission)
	}
	if days, err = sums.ByDay(ctx, r, records.CommissionFilter{Days: storetest.AnyDays, AsOf: end}); err != nil {
		return "", err
	}
	for _, d := range days {
		add(byDayOfRows, d.Commission)
	}
	people, err := sums.ByInvitee(ctx, r, records.CommissionFilter{Days: storetest.AnyDays})
	if err != nil {
		return "", err
	}
	for _, p := range people {
		add(byInvitee, p.Commission)
	}
	for _, sum := range []*big.Rat{byDay, byDayOfRows, byInvitee} {
		if sum.Cmp(byRow) != 0 {
			return "", fmt.Errorf("one transaction adds up to %s by row and to %s otherwise", byRow, sum)
		}
	}
	return byRow.RatString(), nil
}

// If the disk fills up in the middle of a slice, the previous data remains.
func TestFullDiskWritesNothing(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"), storetest.Record(2, "2"))
	tables := []string{"commissions", "commission_days", "commission_blocks", "coverage", "runs", "slices", "accounts", "meta"}
	dump := func() string {
		var all []string
		for _, table := range tables {
			lines, err := storetest.Lines(s, `SELECT * FROM `+table)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, strings.Join(lines, "\n"))
		}
		return strings.Join(all, "\n\n")
	}
	before := dump()
	var many []affiliate.Commission
	for i := range 1400 {
		many = append(many, storetest.Record(i, "0.123456789"))
	}
	failed := 0
	for spare := 0; ; spare += 6 {
		if err := store.SpareRoom(s, spare); err != nil {
			t.Fatal(err)
		}
		_, err := records.ReplaceCommissions(context.Background(), s, storetest.DaySlice(storetest.OneDay), many)
		if err == nil {
			break
		}
		failed++
		if after := dump(); after != before {
			t.Fatalf("with %d spare pages the database changed (%v)", spare, err)
		}
		if err := upkeep.CheckIntegrity(context.Background(), s); err != nil {
			t.Fatal(err)
		}
		if spare > 500 {
			t.Fatalf("with %d spare pages the write still fails: %v", spare, err)
		}
	}
	if failed < 3 {
		t.Errorf("the disk was full only %d times", failed)
	}
	if got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays}); !equalMultiset(got, many) {
		t.Errorf("when there is room, %d kinds of rows are stored", len(got))
	}
}

// A cancelled write stores nothing.
func TestCancelledWrite(t *testing.T) {
	storetest.Engines(t, "a write that is stopped", testCancelledWrite)
}

func testCancelledWrite(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	var many []affiliate.Commission
	for i := range 1440 {
		many = append(many, storetest.Record(i, "0.5"))
	}
	for i := range 12 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*time.Millisecond)
		_, err := records.ReplaceCommissions(ctx, s, storetest.DaySlice(storetest.OneDay), many)
		cancel()
		got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays})
		if whole := equalMultiset(got, many); !whole && len(got) != 0 || err == nil && !whole {
			t.Fatalf("cancelled after %d ms: %d kinds of rows (%v)", i, len(got), err)
		}
		storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay)) // an empty reading again
	}
}

// Only the owner can read the database and the files next to it.
func TestFilesArePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "private.db")
	s := storetest.OpenAt(t, path, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	_, release, err := s.Lock(t.Context(), store.CollectorLease)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 3 {
		t.Fatalf("files %v (%v)", files, err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %o", filepath.Base(file), mode)
		}
	}
}

// A link to a missing file does not change this, and a chain of links is refused.
func TestLinkedFileIsPrivate(t *testing.T) {
	dir := t.TempDir()
	link, chain := filepath.Join(dir, "link.db"), filepath.Join(dir, "chain.db")
	for from, to := range map[string]string{link: "target.db", chain: "link.db"} {
		if err := os.Symlink(to, from); err != nil {
			t.Fatal(err)
		}
	}
	s := storetest.OpenAt(t, link, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	files, err := filepath.Glob(filepath.Join(dir, "target.db*"))
	if err != nil || len(files) < 3 {
		t.Fatalf("files %v (%v)", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v (%v)", filepath.Base(file), info.Mode(), err)
		}
	}
	if s, err := store.Open(context.Background(), chain, store.Options{}); err == nil {
		t.Errorf("a link to a link was accepted (%v)", s.Close())
	}
}

func TestCheckFindsDamage(t *testing.T) {
	storetest.Engines(t, "statements of the examination", testCheckFindsDamage)
}

func testCheckFindsDamage(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"), storetest.Record(2, "2"))
	if err := upkeep.CheckIntegrity(context.Background(), s); err != nil {
		t.Fatalf("a sound database: %v", err)
	}
	storetest.Done(t, storetest.Corrupt(s, `DELETE FROM accounts`))
	if err := upkeep.CheckIntegrity(context.Background(), s); err == nil {
		t.Error("rows without an account were not found")
	}
}

// Each write has a distinct stamp even if the clock stops or goes back, so each state can
// be requested.
func TestStampsOnlyGrow(t *testing.T) {
	storetest.Engines(t, "the stamp of a write among writers", testStampsOnlyGrow)
}

func testStampsOnlyGrow(t *testing.T) {
	now := time.Date(2026, 9, 2, 0, 0, 0, 0, time.UTC)
	s := storetest.Open(t, store.Options{Now: func() time.Time { return now }})
	var last affiliate.Millis
	for i := range 5 {
		storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(i, "1"))
		rows := rowsOf(t, s, records.CommissionFilter{Days: storetest.AnyDays}, records.CommissionOrder{Column: "time"}, 0, 0)
		if len(rows) != 1 || rows[0].FirstSeen <= last {
			t.Fatalf("write %d: %d rows, stamp %s after %s", i, len(rows), rows[0].FirstSeen, last)
		}
		last = rows[0].FirstSeen
		if got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays, AsOf: last - 1}); i > 0 && got[storetest.Record(i-1, "1").Key()] != 1 {
			t.Fatalf("before write %d the state was %v", i, got)
		}
		now = now.Add(-time.Hour)
	}
}
