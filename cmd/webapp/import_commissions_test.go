package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A commission file is compared, imported and undone. The same file twice changes nothing, and each state
// before an import is the one after its undoing.
func TestImportCommissionsCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := &harness{TB: t, db: filepath.Join(dir, "desk.db"), now: time.Now}
	d.env = []string{"REBATEDESK_DB=" + d.db, "REBATEDESK_LOG_LEVEL=error"}
	do := func(want int, contains string, args ...string) (out string) {
		t.Helper()
		status, out, said := d.run(t.Context(), nil, args...)
		if status != want || !strings.Contains(said, contains) {
			t.Fatalf("%v: %d without %q: %s%s", args, status, contains, out, said)
		}
		return out
	}
	file := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	stored := func() string {
		t.Helper()
		var rows []string
		for _, line := range strings.Split(strings.ReplaceAll(do(statusDone, "", "export", "commissions", "--from", "2026-07-01", "--to", "2026-07-03"), "\r", ""), "\n")[1:] {
			if cells := strings.Split(line, ","); len(cells) > 15 {
				rows = append(rows, strings.Join([]string{cells[0], cells[2], cells[3], cells[4], cells[8], cells[11], cells[13], cells[15], cells[16], cells[17]}, ","))
			}
		}
		return strings.Join(rows, "\n")
	}
	const head = "User,time,coin,Rebate,fee,invite_code,remark\n"
	mapped := []string{"--account", "house", "--map", "uid=User", "--map", "commission=Rebate"}
	first := file("july.csv", head+"9007199254740993123,2026-07-01 08:00:00,usdt,1.25,2.5,vip,x\n77,2026-07-02,USDT,0.1,,,\n77,2026-07-02,USDT,0.1,,,\n78,1782864000123,BTC,-0.000000000000000001,,,\n")
	with := func(name string, flags ...string) []string {
		return append(append([]string{"import", "commissions", name}, mapped...), flags...)
	}

	do(statusDone, "4 new, 0 removed, 0 unchanged", with(first, "--dry-run")...)
	if _, err := os.Stat(d.db); err == nil {
		t.Fatal("the dry run made a database")
	}
	if out := do(statusDone, "columns left out: remark", with(first)...); out != "import: 1\n" {
		t.Errorf("import printed %q", out)
	}
	const july = "2026-07-01T00:00:00.123Z,house,78,,BTC,,-0.000000000000000001,file,record,\n" +
		"2026-07-01T08:00:00.000Z,house,9007199254740993123,vip,USDT,2.5,1.25,file,record,\n" +
		"2026-07-02T00:00:00.000Z,house,77,,USDT,,0.1,file,record,\n2026-07-02T00:00:00.000Z,house,77,,USDT,,0.1,file,record,"
	if got := stored(); got != july {
		t.Fatalf("stored:\n%s\nwant:\n%s", got, july)
	}
	do(statusDone, "0 new, 0 removed, 4 unchanged", with(first)...)
	if got := stored(); got != july {
		t.Errorf("the same file again left\n%s", got)
	}

	// In another zone the first record belongs to the day before; the days are as said.
	second := file("second.csv", head+"77,2026-07-02 07:00:00,USDT,5,,,\n")
	do(statusDone, "1 new, 2 removed, 0 unchanged", with(second, "--times-in", "Asia/Singapore", "--from", "2026-07-01", "--to", "2026-07-01", "--dry-run")...)
	if out := do(statusDone, "commission in USDT changes by 3.75", with(second, "--times-in", "Asia/Singapore", "--from", "2026-07-01", "--to", "2026-07-01")...); out != "import: 3\n" {
		t.Errorf("import printed %q", out)
	}
	do(statusFailed, "Import 3 covers some of the same days", "import", "undo", "1")
	do(statusDone, "1 record removed, 2 records restored", "import", "undo", "3")
	if got := stored(); got != july {
		t.Errorf("the undoing left\n%s", got)
	}
	do(statusFailed, "undone already", "import", "undo", "3")
	do(statusDone, "", "import", "undo", "2")
	do(statusDone, "4 records removed, 0 records restored", "import", "undo", "1")
	if got := stored(); got != "" {
		t.Errorf("the undoing of all left\n%s", got)
	}
	do(statusDone, "", "verify")

	for text, want := range map[string]string{
		head + "77,2026-07-02,USDT,3%,,,\n":                                 "line 2, column 4 (commission)",
		head + "77,2999-07-02,USDT,3,,,\n":                                  "in the future",
		head + "77,02.07.2026,USDT,3,,,\n":                                  "is no time",
		head + "7 7,2026-07-02,USDT,3,,,\n":                                 "is no UID",
		head + "77,2026-07-02,,3,,,\n":                                      "the coin is missing",
		head + "77,2026-07-02,USDT,3,,a,\n77,2026-07-02,USDT,3,,b,\n":       "contradicts the code",
		"uid,time,coin,commission\n77,2026-07-02,USDT,3\n":                  "is to be read, is missing",
		head + "77,2026-07-02,USDT,3,,,\n78,2026-07-09,USDT,\"1,000\",,,\n": "has a comma",
	} {
		do(statusUsage, want, with(file("bad.csv", text))...)
	}
	do(statusUsage, "--map", "import", "commissions", first, "--account", "house", "--map", "wages=Rebate")
	do(statusUsage, "more than the days", with(first, "--from", "2026-07-01", "--to", "2026-07-01")...)
	if got := stored(); got != "" {
		t.Errorf("refused files left\n%s", got)
	}
}
