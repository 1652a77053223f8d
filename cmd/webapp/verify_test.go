package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	status, stdout, stderr := d.run(t.Context(), nil, "verify")
	if status != statusDone || stderr != "" || strings.Count(stdout, "\n") != 14 || strings.Count(stdout, "ok: ") != 14 {
		t.Fatalf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// A sound database never has a record beyond the part of its day that was read.
func TestVerifyFindsFaults(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "broken.db")
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	day := affiliate.NewDay(2026, time.September, 1)
	noon := affiliate.MillisOf(day.Start(time.UTC).Add(12 * time.Hour))
	_, err = records.ReplaceCommissions(t.Context(), st, records.Slice{
		Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot},
		Days: affiliate.Days{First: day, Last: day}, Through: noon - 1000, Started: time.Now(),
	}, []affiliate.Commission{{DealTime: noon, UID: "1", Product: affiliate.Spot, Source: affiliate.Direct, Coin: "USDT", Fee: "1", Commission: "0.1"}})
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := webapp(t.Context(), "verify", "--db="+path)
	if status != statusFailed || strings.Count(stdout, "ok: ") != 13 || strings.Contains(stdout, "ok: coverage") {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
	for _, words := range []string{"webapp: coverage: ", "webapp: coverage: what to do: "} {
		if !strings.Contains(stderr, words) {
			t.Errorf("stderr does not say %q: %s", words, stderr)
		}
	}
}

// Verify names the command that repairs roll-ups, and that command does.
func TestVerifyMendsRollups(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "damaged.db")
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	day := affiliate.NewDay(2026, time.September, 1)
	record := affiliate.Commission{DealTime: affiliate.MillisOf(day.Start(time.UTC)), UID: "1", Product: affiliate.Spot,
		Source: affiliate.Direct, Coin: "USDT", Fee: "1", Commission: "0.11111111"}
	twin := record
	twin.Commission = "0.22222222"
	_, err = records.ReplaceCommissions(t.Context(), st, records.Slice{
		Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot},
		Days: affiliate.Days{First: day, Last: day}, Through: affiliate.MillisOf(day.Start(time.UTC).Add(24 * time.Hour)), Started: time.Now(),
	}, []affiliate.Commission{record, twin})
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	// Only roll-ups contain the sum of the two.
	damaged := strings.ReplaceAll(contents(t, path), "0.33333333", "0.33333334")
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := webapp(t.Context(), "verify", "--db="+path)
	if status != statusFailed || strings.Contains(stdout, "ok: roll-ups") || !strings.Contains(stderr, "0.33333334") || !strings.Contains(stderr, "webapp verify --rebuild") {
		t.Errorf("damaged: status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	for _, args := range [][]string{{"verify", "--rebuild", "--db=" + path}, {"verify", "--db=" + path}} {
		if status, stdout, stderr := webapp(t.Context(), args...); status != statusDone || stderr != "" || !strings.Contains(stdout, "ok: roll-ups") {
			t.Errorf("%v: status %d, stdout %q, stderr %q", args, status, stdout, stderr)
		}
	}
}

func TestVerifyNeedsADatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "none.db")
	status, stdout, stderr := webapp(t.Context(), "verify", "--db="+path)
	if status != statusFailed || stdout != "" || !strings.Contains(stderr, "there is no database at "+path) {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}
