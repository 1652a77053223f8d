package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A terms file is compared, imported, listed, imported again and written again unchanged; a
// file with faults is refused whole, with line and column.
func TestTermsCommands(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	file := func(text string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "terms.csv")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const head = "scope,value,product_type,rate,from,to,note,account,source,tier_by,tier_from,reference,coin\r\n"
	const lines = "all,,,0.30,2026-01-01,,\"basic, by mail\",,,,,https://example.com/a.pdf,\r\n" +
		"all,,,0.35,2026-01-01,,,,,volume,1000000,,\r\nsub-affiliate,9001,SPOT,0.1,2026-01-01,2026-12-31,'=note,main,,,,,BTC\r\n"
	first := file(head + lines)
	sum := func(out string) string {
		all := strings.Split(strings.TrimSpace(out), "\n")
		return all[len(all)-1]
	}
	if got, want := sum(d.done(nil, "terms", "import", first, "--dry-run")), "nothing written; an import would make it: 3 added, 0 changed, 0 ended earlier, 0 unchanged"; got != want {
		t.Errorf("dry run: %s", got)
	}
	if got := d.done(nil, "terms", "list", "--csv"); got != head {
		t.Errorf("after the dry run: %q", got)
	}
	status, out, _ := d.run(t.Context(), nil, "terms", "import", first) // a key for the audit log is made
	if status != statusDone || sum(out) != "3 added, 0 changed, 0 ended earlier, 0 unchanged" || !strings.Contains(out, "added: line 2: all: 0.30, from 2026-01-01, \"basic, by mail\"") {
		t.Errorf("import: %d, %s", status, out)
	}
	if got := d.done(nil, "terms", "list", "--csv"); got != head+lines {
		t.Errorf("written again: %q", got)
	}
	if got := sum(d.done(nil, "terms", "import", first)); got != "0 added, 0 changed, 0 ended earlier, 3 unchanged" {
		t.Errorf("again: %s", got)
	}
	for text, want := range map[string]string{
		head[:42] + "\nall,,,0.2,2026-06-01,,\nuid,1,,1.5,2026-06-01,,\n": "line 3, column 4 (rate): 1.5 is above 1",
		head[:42] + "\nall,,,0.2,2026-06-01,,\nall,,,0.4,2026-01-01,,\n":  "line 3, column 4 (rate): the rate 0.4 contradicts the rate 0.30 in term 1",
	} {
		for _, flags := range [][]string{nil, {"--dry-run"}} {
			if status, out, said := d.run(t.Context(), nil, append([]string{"terms", "import", file(text)}, flags...)...); status != statusUsage || out != "" || !strings.Contains(said, "1 fault, so nothing was taken") || !strings.Contains(said, want) {
				t.Errorf("%q: %d, %s%s", text, status, out, said)
			}
		}
	}
	out = d.done(nil, "terms", "import", file(head[:42]+"\nall,,,0.2,2026-06-01,2026-06-30,\n"))
	for _, want := range []string{"added: line 2: all: 0.2, from 2026-06-01 to 2026-06-30", "ended on 2026-05-31 by line 2: term 1: all: 0.30", "note: Term 1 about all does not come back when line 2 has ended on 2026-06-30"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	var listed struct{ Terms []termJSON }
	if err := json.Unmarshal([]byte(d.done(nil, "terms", "list", "--json")), &listed); err != nil {
		t.Fatal(err)
	}
	if len(listed.Terms) != 4 || listed.Terms[0].Ends != "2026-05-31" || listed.Terms[0].EndedBy != 4 || listed.Terms[0].To != "" {
		t.Errorf("%+v", listed.Terms)
	}
	if got := d.done(nil, "terms", "remove", "4"); got != "removed: term 4: all: 0.2, from 2026-06-01 to 2026-06-30\n" {
		t.Errorf("removed: %q", got)
	}
	if status, _, said := d.run(t.Context(), nil, "terms", "remove", "4"); status != statusFailed || !strings.Contains(said, "Term 4 was removed") {
		t.Errorf("removed again: %d, %s", status, said)
	}
	if got := d.done(nil, "terms", "list", "--csv"); got != head+lines {
		t.Errorf("after the removal: %q", got)
	}
	if got := d.done(nil, "terms", "list"); !strings.Contains(got, "sub-affiliate 9001, main, SPOT ") {
		t.Errorf("list:\n%s", got)
	}
	if got := d.done(nil, "terms", "list", "--as-of", "2026-01-01"); strings.Count(got, "\n") != 1 {
		t.Errorf("as of then:\n%s", got)
	}
}
