package store_test

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"rebatedesk/internal/benchdata"
	"rebatedesk/internal/memdir"
	"rebatedesk/internal/soak"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
)

func TestMain(m *testing.M) {
	for name, be := range map[string]func(string) error{writeInto: beWriter, leadIn: beLeader, writingIn: writeUntilKilled} {
		if what := os.Getenv(name); what != "" {
			if err := be(what); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	if err := cmp.Or(memdir.Use(), soak.Draws(25)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	benchdata.Remove()
	os.Exit(code)
}

func marketStore(b *testing.B, size int) *store.Store {
	b.Helper()
	return storetest.OpenAt(b, benchdata.Path(b, size), store.Options{})
}

// sqlite3 measures a query of the command-line tool, including its start, or returns 0 if
// the tool is missing.
func sqlite3(b *testing.B, path, query string) time.Duration {
	b.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		b.Log("sqlite3 is not installed: no comparison")
		return 0
	}
	start := time.Now()
	out, err := exec.Command("sqlite3", "-readonly", path, query).CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) == 0 {
		b.Fatalf("sqlite3: %v: %s", err, out)
	}
	return time.Since(start)
}
