package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/store"
	"rebatedesk/store/prices"
	"rebatedesk/store/storetest"
)

// A price file is compared, imported, stored whole, and undone by its number, which no import of people
// has; a file with faults is refused whole, with line and column.
func TestImportPricesCommand(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	file := func(text string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "file.csv")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	kept := func() string {
		t.Helper()
		s, err := store.OpenUnchanged(t.Context(), d.db, store.Options{})
		storetest.Done(t, err)
		defer func() { storetest.Done(t, s.Close()) }()
		r, err := s.Read(t.Context())
		storetest.Done(t, err)
		defer r.Close()
		list, err := prices.All(t.Context(), r)
		storetest.Done(t, err)
		return fmt.Sprint(list)
	}
	const head = "date,coin,price_usdt\n"
	first := file(head + "2020-01-01,BTC,7200.17\n2020-01-02,btc,6985.47\n2020-01-02,NOWHERE,1\n2020-01-03,BTC,\n")

	status, out, said := d.run(t.Context(), nil, "import", "prices", first, "--dry-run")
	for _, want := range []string{"Nothing was stored", "3 new, 0 replaced, 0 unchanged", "stored: BTC, 2 days, 1–2 Jan 2020", "1 line without a price", "NOWHERE"} {
		if status != statusDone || out != "" || !strings.Contains(said, want) {
			t.Errorf("dry run: %d, %q, without %q: %s", status, out, want, said)
		}
	}
	if got := kept(); got != "[]" {
		t.Errorf("the dry run left %s", got)
	}
	for text, want := range map[string]string{
		head + "2020-01-01,BTC,x\n":                     "line 2, column 3",
		head + "2020-01-01,BTC,1\n2999-01-01,BTC,1\n":   "line 3, column 1",
		"date,coin,price\n2020-01-01,BTC,1\n":           "line 1, column 3",
		head + "2020-01-01,BTC,1\n2020-01-01,BTC,1.1\n": "line 3, column 3",
	} {
		for _, flags := range [][]string{nil, {"--dry-run"}} {
			if status, out, said := d.run(t.Context(), nil, append([]string{"import", "prices", file(text)}, flags...)...); status != statusUsage || out != "" || !strings.Contains(said, want) {
				t.Errorf("%q: %d, %q, %s", text, status, out, said)
			}
		}
	}
	if got := kept(); got != "[]" {
		t.Errorf("refused files left %s", got)
	}
	if status, out, said := d.run(t.Context(), nil, "import", "prices", first); status != statusDone || out != "import: 1\n" || !strings.Contains(said, "3 new, 0 replaced, 0 unchanged") {
		t.Errorf("import: %d, %q, %s", status, out, said)
	}
	const stored = "[{2020-01-01 BTC 7200.17} {2020-01-02 BTC 6985.47} {2020-01-02 NOWHERE 1}]"
	if got := kept(); got != stored {
		t.Errorf("the import left %s, want %s", got, stored)
	}
	if status, out, said := d.run(t.Context(), nil, "import", "people", file("uid,name\n990001,Ann\n")); status != statusDone || out != "import: 2\n" {
		t.Errorf("an import of people after one of prices: %d, %q, %s", status, out, said)
	}
	if status, out, said := d.run(t.Context(), nil, "import", "prices", file(head+"2020-01-01,BTC,7200.18\n")); status != statusDone || out != "import: 3\n" || !strings.Contains(said, "0 new, 1 replaced") {
		t.Errorf("a second import: %d, %q, %s", status, out, said)
	}
	for _, undo := range []struct{ id, want, kept string }{
		{"3", "0 prices removed, 1 of earlier imports restored", stored},
		{"1", "3 prices removed", "[]"},
		{"2", "1 value restored", "[]"},
	} {
		if status, out, said := d.run(t.Context(), nil, "import", "undo", undo.id); status != statusDone || out != "undone: "+undo.id+"\n" || !strings.Contains(said, undo.want) {
			t.Errorf("undo of %s: %d, %q, %s", undo.id, status, out, said)
		}
		if got := kept(); got != undo.kept {
			t.Errorf("the undo of %s left %s", undo.id, got)
		}
	}
	for _, id := range []string{"1", "2", "77"} {
		if status, _, said := d.run(t.Context(), nil, "import", "undo", id); status != statusFailed || said == "" {
			t.Errorf("undo of %s again: %d, %s", id, status, said)
		}
	}
}
