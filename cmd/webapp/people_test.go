package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A people file is compared, imported, written again unchanged and undone; a file with faults is
// refused whole, with line and column.
func TestPeopleCommands(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	file := func(text string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "people.csv")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	kept := func() string { return strings.TrimPrefix(d.done(nil, "export", "people"), "\ufeff") }
	const head = "uid,name,invite_code,tags,owner,cost,cost_coin,note,phone,email,telegram\r\n"
	const line = "990001,Ann Example,,big;vip,mia,12.50,USDT,calls back,'+4915123456,ann@example.com,ann_x\r\n"
	first := file(head + line)

	status, out, said := d.run(t.Context(), nil, "import", "people", first, "--dry-run")
	if status != statusDone || out != "" || !strings.Contains(said, "1 new, 0 changed, 0 unchanged") || !strings.Contains(said, "990001") || strings.Contains(said, "Ann") {
		t.Errorf("dry run: %d, %q, %s", status, out, said)
	}
	if got := kept(); got != head {
		t.Errorf("after the dry run: %q", got)
	}
	status, out, said = d.run(t.Context(), nil, "import", "people", first)
	if status != statusDone || out != "import: 1\n" || !strings.Contains(said, "1 new, 0 changed, 0 unchanged") || strings.Contains(said, "Ann") {
		t.Errorf("import: %d, %q, %s", status, out, said)
	}
	if got := kept(); got != head+line {
		t.Errorf("written again: %q, want %q", got, head+line)
	}
	for text, want := range map[string]string{
		"uid,name\n1,Ann\n1,Bea\n":          "line 3, column 1",
		"uid,cost\n2,12\n":                  "line 2, column 2",
		"uid,name,colour\n1,Ann,red\n":      "line 1, column 3",
		"uid,cost,cost_coin\n3,many,USDT\n": "line 2, column 2",
		"uid,name\n4.66E+09,Ann\n":          "line 2, column 1",
	} {
		for _, flags := range [][]string{nil, {"--dry-run"}} {
			if status, out, said := d.run(t.Context(), nil, append([]string{"import", "people", file(text)}, flags...)...); status != statusUsage || out != "" || !strings.Contains(said, want) {
				t.Errorf("%q: %d, %q, %s", text, status, out, said)
			}
		}
	}
	if got := kept(); got != head+line {
		t.Errorf("after refused files: %q", got)
	}
	if status, out, said := d.run(t.Context(), nil, "import", "undo", "1"); status != statusDone || out != "undone: 1\n" {
		t.Errorf("undo: %d, %q, %s", status, out, said)
	}
	if got := kept(); got != head {
		t.Errorf("after the undo: %q", got)
	}
	if status, _, said := d.run(t.Context(), nil, "import", "undo", "1"); status != statusFailed || said == "" {
		t.Errorf("undone twice: %d, %s", status, said)
	}
}
