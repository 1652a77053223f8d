package upkeep_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/upkeep"
)

// The totals count the logged runs of each account, and LastSuccesses says when its last
// complete run ended.
func TestRunTotals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, r := range []struct {
		account affiliate.Account
		weight  int64
		cause   string
	}{{"main", 20, ""}, {"main", 40, "no answer"}, {"main", 60, ""}, {"asia", 5, "wrong key"}} {
		id, err := records.StartRun(t.Context(), st, r.account, "schedule")
		if err == nil {
			err = records.FinishRun(t.Context(), st, id, 1, r.weight, r.cause)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	open, err := records.StartRun(t.Context(), st, "main", "button") // still running
	if err != nil {
		t.Fatal(err)
	}
	reader, err := st.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	totals, err := upkeep.TotalRuns(t.Context(), reader)
	want := []upkeep.RunTotals{
		{Account: "asia", Failed: 1, Requests: 1, Weight: 5},
		{Account: "main", Complete: 2, Failed: 1, Requests: 3, Weight: 120},
	}
	if err != nil || len(totals) != 2 || totals[0] != want[0] || totals[1] != want[1] {
		t.Errorf("%+v, %v; want %+v", totals, err, want)
	}
	last, err := upkeep.LastSuccesses(t.Context(), reader)
	if err != nil || len(last) != 2 || last["asia"].Known() {
		t.Errorf("%v, %v", last, err)
	}
	runs, _, err := records.Runs(t.Context(), reader, "main", 10, 0)
	if err != nil || runs[0].ID != open || runs[1].Finished != last["main"] {
		t.Errorf("the last complete run ended at %v, %v, %v", last["main"], runs, err)
	}
}

func TestVitals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	v, err := upkeep.ReadVitals(t.Context(), st)
	if err != nil || v.Schema == 0 || v.Schema != v.Known || v.Size == 0 || v.WAL == 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// An inspection changes nothing, finds damage and reports the parts that it cannot read.
func TestInspect(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "desk.db")
	if _, err := upkeep.Inspect(t.Context(), path); err == nil {
		t.Error("a missing file was inspected")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := records.MakeRollups(t.Context(), st); err != nil {
		t.Fatal(err)
	}
	besides, err := upkeep.Inspect(t.Context(), path) // next to a process that uses the database
	if err != nil || besides.Schema != besides.Known || besides.Zone != "UTC" || len(besides.Faults) != 0 {
		t.Errorf("%+v, %v", besides, err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(whole[:len(whole)/2:len(whole)/2], strings.Repeat("\xa5", len(whole)/2)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := upkeep.Inspect(t.Context(), path); err == nil && len(found.Faults) == 0 {
		t.Errorf("damage was not found: %+v", found)
	}
	empty := filepath.Join(dir, "empty.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if found, err := upkeep.Inspect(t.Context(), empty); err != nil || found.Schema != 0 {
		t.Errorf("an empty file: %+v, %v", found, err)
	}
	if info, err := os.Stat(empty); err != nil || info.Size() != 0 {
		t.Errorf("the empty file was changed: %v, %v", info, err)
	}
}
