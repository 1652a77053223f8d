package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/internal/soak"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// countedWrites makes some writes of different kinds.
func countedWrites(t testing.TB, s *store.Store, n int) {
	t.Helper()
	for range n {
		storetest.Done(t, countedWrite(t.Context(), s))
	}
}

func countedWrite(ctx context.Context, s *store.Store) error {
	return s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE meta SET last_write_ms = last_write_ms + 1`)
		return err
	})
}

// taken copies a database with its log, as a crash leaves them.
func taken(t testing.TB, path string, endings ...string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "desk.db")
	for _, ending := range append([]string{""}, endings...) {
		copyFile(t, path+ending, to+ending)
	}
	return to
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	storetest.Done(t, err)
	defer in.Close()
	out, err := os.Create(to)
	storetest.Done(t, err)
	_, err = io.Copy(out, in)
	storetest.Done(t, errors.Join(err, out.Close()))
}

func refusedLog(t testing.TB, path string) bool {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{})
	if err == nil {
		storetest.Done(t, s.Close())
		return false
	}
	wrong, ok := errors.AsType[*store.PlaceError](err)
	if !ok || !strings.Contains(wrong.Wrong, "the log of writes of another database") || !strings.Contains(wrong.Mend, path+"-wal") {
		t.Fatalf("opening %s: %v", path, err)
	}
	return true
}

// A log of a crash is applied, and one of another database is refused, at every point of its life.
func TestForeignWriteLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	storetest.Done(t, err)
	defer func() { storetest.Done(t, s.Close()) }()
	countedWrites(t, s, 3)
	backup := filepath.Join(t.TempDir(), "backup.db")
	_, err = upkeep.Backup(t.Context(), s, backup)
	storetest.Done(t, err)
	plain := taken(t, path, "-wal") // of the user, with the program stopped
	closed, err := store.Open(t.Context(), plain, store.Options{})
	storetest.Done(t, err)
	storetest.Done(t, closed.Close())

	for _, step := range []struct {
		name string
		do   func()
	}{
		{"first writes", func() {}},
		{"a checkpoint", func() { checkpoint(t, s, "PASSIVE") }},
		{"a write into the same log", func() { countedWrites(t, s, 1) }},
		{"a restarted log", func() { checkpoint(t, s, "RESTART"); countedWrites(t, s, 2) }},
		{"half a log copied", func() { countedWrites(t, s, 50); checkpoint(t, s, "PASSIVE"); countedWrites(t, s, 2) }},
		{"an emptied log", func() { checkpoint(t, s, "TRUNCATE") }},
		{"a new log", func() { countedWrites(t, s, 1) }},
	} {
		step.do()
		if refusedLog(t, taken(t, path, "-wal")) {
			t.Errorf("after %s: its own log is refused", step.name)
		}
		if step.name == "an emptied log" {
			continue
		}
		over := taken(t, path, "-wal")
		copyFile(t, backup, over)
		if !refusedLog(t, over) {
			t.Errorf("after %s: a backup with the log of its original is opened", step.name)
		}
		storetest.Done(t, os.Remove(over+"-wal"))
		if refusedLog(t, over) {
			t.Errorf("after %s: a backup without a log is refused", step.name)
		}
		if step.name != "a restarted log" && step.name != "half a log copied" && step.name != "a new log" {
			continue // the copy is the state before the log, or one of it
		}
		over = taken(t, path, "-wal")
		copyFile(t, plain, over)
		if !refusedLog(t, over) {
			t.Errorf("after %s: an old copy with the log of its original is opened", step.name)
		}
	}
	// A restored backup is a database of its own as well.
	restored := filepath.Join(t.TempDir(), "restored.db")
	_, err = upkeep.Restore(t.Context(), backup, restored, upkeep.RestoreOptions{})
	storetest.Done(t, err)
	if refusedLog(t, restored) {
		t.Error("a restored backup is refused")
	}
	over := taken(t, path, "-wal")
	copyFile(t, restored, over)
	if !refusedLog(t, over) {
		t.Error("a restored backup with the log of another database is opened")
	}
}

func checkpoint(t testing.TB, s *store.Store, kind string) {
	t.Helper()
	var busy, pages, copied int
	storetest.Done(t, s.Writer().QueryRowContext(t.Context(), `PRAGMA wal_checkpoint(`+kind+`)`).Scan(&busy, &pages, &copied))
	if busy != 0 {
		t.Fatalf("the checkpoint %s was hindered", kind)
	}
}

// writingIn is the variable with the database of a child that writes until it is killed.
const writingIn = "REBATEDESK_TEST_WRITES"

func writeUntilKilled(path string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	fmt.Println("opened")
	for i := 0; err == nil; i++ {
		err = countedWrite(ctx, s)
		if err == nil && i%7 == 0 {
			var ignored [3]int
			err = s.Writer().QueryRowContext(ctx, `PRAGMA wal_checkpoint(RESTART)`).Scan(&ignored[0], &ignored[1], &ignored[2])
		}
	}
	return err
}

// However a process is killed, its log is its own, also while others open the database.
func TestSoakLogOfKilledProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	for range soak.Times(3, 30) {
		ctx, kill := context.WithCancel(t.Context())
		command := exec.CommandContext(ctx, os.Args[0])
		command.Env = append(command.Environ(), writingIn+"="+path)
		out, err := command.StdoutPipe()
		storetest.Done(t, err)
		storetest.Done(t, command.Start())
		var word string
		if _, err := fmt.Fscan(out, &word); err != nil || word != "opened" {
			t.Fatalf("the child said %q, %v", word, err)
		}
		for range 20 {
			s, err := store.OpenReadOnly(t.Context(), path, store.Options{})
			storetest.Done(t, err)
			storetest.Done(t, s.Close())
		}
		kill()
		_ = command.Wait() // it was killed
		if refusedLog(t, taken(t, path, "-wal")) {
			t.Fatal("the log of a killed process is refused")
		}
	}
}
