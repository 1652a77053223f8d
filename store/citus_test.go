package store_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// spread returns records of many invitees, so that each worker has some, all with one
// commission.
func spread(commission int) (list []affiliate.Commission) {
	for n := range 42 {
		list = append(list, storetest.Record(n, affiliate.Number(fmt.Sprint(commission))))
	}
	return list
}

// Rows are spread over workers, which have no common snapshot. A transaction that reads
// nevertheless sees one write as a whole, together with what the same write left on the
// coordinator.
func TestCitusReadsOneState(t *testing.T) {
	s := storetest.OpenAt(t, storetest.Citus(t), store.Options{})
	if !s.Distributed() {
		t.Fatal("a new database on a cluster is not distributed")
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), spread(1)...)
	write := func(n int) error {
		return s.Update(t.Context(), func(tx *store.Tx, stamp affiliate.Millis) error {
			for _, statement := range []string{
				`INSERT INTO commissions (id, account_id, product, deal_time_ms, uid, symbol, source, coin, taker_amount, maker_amount, fee, rate, commission, opened_ms)
					SELECT id + 42, account_id, product, deal_time_ms, uid, symbol, source, coin, taker_amount, maker_amount, fee, rate, ` + fmt.Sprintf("'%d', %d", n, stamp) + ` FROM commissions WHERE closed_ms IS NULL`,
				fmt.Sprintf(`UPDATE commissions SET closed_ms = %d WHERE closed_ms IS NULL AND opened_ms < %[1]d`, stamp),
				fmt.Sprintf(`UPDATE meta SET bounded = %d`, n),
			} {
				if _, err := tx.ExecContext(t.Context(), statement); err != nil {
					return err
				}
			}
			return nil
		})
	}
	storetest.Done(t, write(1))
	var stop atomic.Bool
	var writer sync.WaitGroup
	writes := 1
	writer.Go(func() {
		for n := 2; !stop.Load(); n++ {
			if err := write(n); err != nil {
				t.Error(err)
				return
			}
			writes = n
		}
	})
	// read returns the states of the rows, and that of the coordinator.
	read := func() (rows []string, coordinator int) {
		r := storetest.Reader(t, s)
		defer r.Close()
		storetest.Done(t, r.QueryRowContext(t.Context(), `SELECT bounded FROM meta`).Scan(&coordinator))
		rows, err := store.ReadColumn[string](t.Context(), r, `SELECT c.commission || ' ' || count(*) FROM commissions c WHERE c.closed_ms IS NULL GROUP BY c.commission`)
		storetest.Done(t, err)
		return rows, coordinator
	}
	states := map[int]bool{}
	for n := 0; n < 400 && !t.Failed() || len(states) < 20; n++ {
		rows, state := read()
		if want := fmt.Sprintf("%d 42", state); !slices.Equal(rows, []string{want}) {
			t.Fatalf("read %d: rows %q, want %q", n, rows, want)
		}
		states[state] = true
	}
	stop.Store(true)
	writer.Wait()
	t.Logf("%d states during %d writes", len(states), writes)
	if _, state := read(); state != writes {
		t.Errorf("after the last write of %d: %d", writes, state)
	}
}

// A process may die between the commit of a write and the note that it is complete on all
// workers. The next reader or writer makes the note.
func TestCitusAbandonedWrite(t *testing.T) {
	place := storetest.Citus(t)
	s := storetest.OpenAt(t, place, store.Options{})
	slice := storetest.DaySlice(storetest.OneDay)
	storetest.Replace(t, s, slice, spread(1)...)
	abandon := func() {
		t.Helper()
		storetest.Replace(t, s, slice, spread(2)...)
		_, err := s.Writer().Exec(`UPDATE schema_version SET settled_ms = settled_ms - 1`)
		storetest.Done(t, err)
	}
	openRows := func(s *store.Store) (n int, err error) {
		r := storetest.Reader(t, s)
		defer r.Close()
		err = r.QueryRowContext(t.Context(), `SELECT count(*) FROM commissions c WHERE c.closed_ms IS NULL AND c.commission = '2'`).Scan(&n)
		return n, err
	}

	abandon()
	other, err := store.OpenReadOnly(t.Context(), place, store.Options{})
	storetest.Done(t, err)
	defer other.Close()
	if _, err := openRows(other); !errors.Is(err, store.ErrUnsettled) {
		t.Errorf("a process that cannot write read rows of an unsettled write: %v", err)
	}
	if n, err := openRows(s); err != nil || n != 42 {
		t.Errorf("a reader found %d rows: %v", n, err)
	}
	if n, err := openRows(other); err != nil || n != 42 {
		t.Errorf("the other process then found %d rows: %v", n, err)
	}

	abandon()
	storetest.Replace(t, s, storetest.DaySlice(affiliate.Days{First: storetest.Day + 1, Last: storetest.Day + 1}))
	if n, err := openRows(other); err != nil || n != 42 {
		t.Errorf("after another write %d rows: %v", n, err)
	}
}

// While a worker is away, questions about rows end with an error that names the mend.
// Figures from roll-ups, and writes that concern no rows, go on. Afterwards all is there.
func TestCitusWithoutAWorker(t *testing.T) {
	place := storetest.Citus(t)
	s := storetest.OpenAt(t, place, store.Options{})
	slice := storetest.DaySlice(storetest.OneDay)
	storetest.Replace(t, s, slice, spread(1)...)
	back := storetest.StopWorker(t, place, 0)

	rowCount := func() (n int, err error) {
		r := storetest.Reader(t, s)
		defer r.Close()
		err = r.QueryRowContext(t.Context(), `SELECT count(*) FROM commissions c WHERE c.closed_ms IS NULL`).Scan(&n)
		return n, err
	}
	if _, err := rowCount(); err == nil || !strings.Contains(store.Hint(err), "worker") {
		t.Errorf("rows of a worker that is away: %v, with the hint %q", err, store.Hint(err))
	}
	lines, err := storetest.Lines(s, `SELECT records, commission FROM commission_days`)
	if err != nil || !slices.Equal(lines, []string{"42 42"}) {
		t.Errorf("roll-ups meanwhile: %v, %v", lines, err)
	}
	if err := s.WantFrom(t.Context(), "main", storetest.Day-10); err == nil {
		t.Error("an account, which each worker has a copy of, was changed without one of them")
	}
	err = s.UpdateQuietly(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), `UPDATE meta SET bounded = bounded`)
		return err
	})
	if err != nil {
		t.Errorf("a write of the coordinator alone: %v", err)
	}
	if _, err := records.ReplaceCommissions(t.Context(), s, slice, spread(2)); err == nil {
		t.Error("a slice was written without a worker")
	}

	back()
	if n, err := rowCount(); err != nil || n != 42 {
		t.Errorf("after the worker came back: %d rows, %v", n, err)
	}
	storetest.Replace(t, s, slice, spread(3)...)
	for name, found := range verify(t, s) {
		if !found.Sound() {
			t.Errorf("%s: %q", name, found.Faults)
		}
	}
}

// A database that exists is distributed with its rows.
func TestCitusDistribute(t *testing.T) {
	place, attach := storetest.CitusLater(t)
	s := storetest.OpenAt(t, place, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), spread(7)...)
	if _, err := s.Distribute(t.Context()); !errors.Is(err, store.ErrNoCitus) {
		t.Errorf("without the extension: %v", err)
	}
	before := contentsOf(t, s)
	attach(storetest.Workers(t)...)
	again := storetest.OpenAt(t, place, store.Options{})
	for _, want := range []bool{true, false} {
		if done, err := again.Distribute(t.Context()); err != nil || done != want {
			t.Fatalf("distributed: %v, %v; want %v", done, err, want)
		}
	}
	if words := before.Differences(contentsOf(t, again)); !again.Distributed() || len(words) > 0 {
		t.Errorf("distributed: %v; %v", again.Distributed(), words)
	}
	storetest.Replace(t, again, storetest.DaySlice(storetest.OneDay), spread(8)...)
	for row := range stored(t, again, records.CommissionFilter{Days: storetest.OneDay}) {
		if row.Commission != "8" {
			t.Errorf("after the next write: %+v", row)
		}
	}
}

// A backup of a cluster has one state while a collector writes, and gives another cluster,
// or a file, the same rows.
func TestCitusBackupAndRestore(t *testing.T) {
	place := storetest.Citus(t)
	s := storetest.OpenAt(t, place, store.Options{})
	slice := storetest.DaySlice(storetest.OneDay)
	storetest.Replace(t, s, slice, spread(1)...)
	var stop atomic.Bool
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 2; !stop.Load(); n++ {
			if _, err := records.ReplaceCommissions(t.Context(), s, slice, spread(n)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	made, err := upkeep.Backup(t.Context(), s, filepath.Join(t.TempDir(), "copy.db"))
	stop.Store(true)
	writer.Wait()
	storetest.Done(t, err)
	for _, to := range []string{storetest.Citus(t), filepath.Join(t.TempDir(), "again.db")} {
		restored, err := upkeep.Restore(t.Context(), made.File, to, upkeep.RestoreOptions{})
		storetest.Done(t, err)
		again := storetest.OpenAt(t, to, store.Options{})
		if words := made.Contents.Differences(contentsOf(t, again)); len(words) > 0 || again.Distributed() != store.IsURL(to) {
			t.Errorf("%s: distributed %t, restored %+v: %v", to, again.Distributed(), restored, words)
		}
		if rows := lines(t, again, `SELECT commission, count(*) FROM commissions c WHERE c.closed_ms IS NULL GROUP BY commission`); len(rows) != 1 || !strings.HasSuffix(rows[0], " 42") {
			t.Errorf("%s: %q", to, rows)
		}
		storetest.Replace(t, again, slice, spread(0)...)
		if faults := unsound(verify(t, again)); len(faults) > 0 {
			t.Errorf("%s: %q", to, faults)
		}
	}
}

// A worker is added while a collector writes and readers read. No reader sees half of a write. A
// transaction that a move of rows has overtaken ends with an error that says so, and a new one
// reads all.
func TestCitusGrows(t *testing.T) {
	place, attach := storetest.CitusLater(t)
	workers := storetest.Workers(t)
	attach(workers[0])
	s := storetest.OpenAt(t, place, store.Options{})
	slice := storetest.DaySlice(storetest.OneDay)
	storetest.Replace(t, s, slice, spread(1)...)
	state := func(r *store.Tx) (string, error) {
		rows, err := store.ReadColumn[string](t.Context(), r, `SELECT c.commission || ' ' || count(*) FROM commissions c WHERE c.closed_ms IS NULL GROUP BY c.commission`)
		return strings.Join(rows, ", "), err
	}
	long := storetest.Reader(t, s)
	defer long.Close()
	first, err := state(long)
	storetest.Done(t, err)
	var stop atomic.Bool
	var others sync.WaitGroup
	writes, reads, overtaken := 0, 0, 0
	others.Go(func() {
		for ; !stop.Load() && !t.Failed(); writes++ {
			if _, err := records.ReplaceCommissions(t.Context(), s, slice, spread(writes+2)); err != nil {
				t.Error(err)
			}
		}
	})
	others.Go(func() {
		for ; !stop.Load() && !t.Failed(); reads++ {
			r, err := s.Read(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			seen, err := state(r)
			switch {
			case errors.Is(err, store.ErrMoved):
				overtaken++
			case err != nil || !strings.HasSuffix(seen, " 42") || strings.Contains(seen, ","):
				t.Errorf("read %d: %q, %v", reads, seen, err)
			}
			storetest.Done(t, r.Close())
			if seen, err := state(long); seen != first && !errors.Is(err, store.ErrMoved) {
				t.Errorf("the long transaction first read %q, then %q (%v)", first, seen, err)
			}
		}
	})
	attach(workers[1:]...)
	storetest.Run(t, place, `SELECT rebalance_table_shards()`)
	stop.Store(true)
	others.Wait()
	t.Logf("%d writes and %d reads while the worker was added, %d of them overtaken", writes, reads, overtaken)
	if _, err := state(long); !errors.Is(err, store.ErrMoved) {
		t.Errorf("the long transaction ends with %v", err)
	}
	if overtaken > 8 { // at most one or two for each move
		t.Errorf("%d short transactions were overtaken", overtaken)
	}
	moved := lines(t, s, `SELECT count(DISTINCT nodeport) FROM citus_shards WHERE table_name = 'commissions'::regclass AND shard_size >= 0`)
	if !slices.Equal(moved, []string{fmt.Sprint(len(workers))}) || writes == 0 || reads == 0 {
		t.Errorf("%d writes, %d reads; the rows are on %s workers of %d", writes, reads, moved, len(workers))
	}
	storetest.Replace(t, s, slice, spread(0)...)
	if faults := unsound(verify(t, s)); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
}

func contentsOf(t *testing.T, s *store.Store) upkeep.Contents {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	c, err := upkeep.ReadContents(t.Context(), r)
	storetest.Done(t, err)
	return c
}
