package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/store/storetest"
)

// member is a member of a pack.
type member struct{ path, text string }

// repacked unpacks a pack, lets change alter its members, and packs them again.
func repacked(t testing.TB, pack string, change func([]member) []member) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(pack), int64(len(pack)))
	storetest.Done(t, err)
	var list []member
	for _, f := range z.File {
		r, err := f.Open()
		storetest.Done(t, err)
		text, err := io.ReadAll(r)
		storetest.Done(t, err)
		list = append(list, member{f.Name, string(text)})
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, m := range change(list) {
		to, err := w.Create(m.path)
		storetest.Done(t, err)
		_, err = io.WriteString(to, m.text)
		storetest.Done(t, err)
	}
	storetest.Done(t, w.Close())
	return out.String()
}

var keyLine = regexp.MustCompile(`(?m)^key: (\S+)$`)

// A month with gaps is closed only if that is demanded. Its pack is the same each time, and is
// checked without database and settings; whatever is wrong with a pack has its own message.
func TestMonthCommands(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	d.now = clockFrom(time.Date(2026, time.December, 9, 12, 0, 0, 0, time.UTC))
	dir := t.TempDir()
	refused := func(want int, says string, args ...string) {
		t.Helper()
		if status, stdout, stderr := d.run(t.Context(), nil, append([]string{"month"}, args...)...); status != want || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("month %v: status %d, %s%s; want %d and %q", args, status, stdout, stderr, want, says)
		}
	}
	pack := filepath.Join(dir, "november.zip")
	refused(statusUsage, `"2026-13" is not a month such as 2026-10`, "close", "2026-13")
	refused(statusUsage, "--incomplete: say why with --reason", "close", "2026-11", "--incomplete")
	refused(statusUsage, "--output: name a file", "pack", "2026-11")
	d.run(t.Context(), nil, "terms", "remove", "1") // makes the key of the audit log, which is told once
	refused(statusIncomplete, "November 2026 was not closed:", "close", "2026-11")
	refused(statusIncomplete, "To close it all the same: webapp month close 2026-11 --incomplete --reason TEXT", "close", "2026-11")
	refused(statusUsage, "December 2026 is not over", "close", "2026-12", "--incomplete", "--reason", "x")
	refused(statusFailed, "November 2026 is not closed", "pack", "2026-11", "-o", pack)
	if _, err := os.Stat(pack); err == nil {
		t.Error("a file was left behind")
	}
	if out := d.done(nil, "month", "close", "2026-11", "--incomplete", "--reason", "the desk moved"); !strings.Contains(out, "state: incomplete\n") || !strings.Contains(out, "reason: the desk moved\n") {
		t.Errorf("closed: %s", out)
	}
	refused(statusFailed, "November 2026 is closed already", "close", "2026-11", "--incomplete", "--reason", "again")

	key := keyLine.FindStringSubmatch(d.done(nil, "month", "pack", "2026-11", "-o", pack))
	content := contents(t, pack)
	if d.done(nil, "month", "pack", "2026-11", "-o", "-") != content || key == nil {
		t.Fatalf("made again, the pack differs, or its key %q is not told", key)
	}
	apart := &harness{TB: t, db: filepath.Join(dir, "none.db"), now: d.now, env: []string{"REBATEDESK_DB=/dev/null/none", "REBATEDESK_TIMEZONE=Mars"}}
	sound := apart.done(nil, "month", "check", pack, "--key", key[1])
	if !strings.HasPrefix(sound, "sound: every byte is as it was signed\npack: month 2026-11\n") {
		t.Errorf("checked: %s", sound)
	}
	if status, stdout, stderr := apart.run(t.Context(), nil, "month", "check", pack); status != statusDone || stdout != sound || !strings.Contains(stderr, "compare the key") {
		t.Errorf("without a key: status %d, %s%s", status, stdout, stderr)
	}

	edit := func(path, before, after string) func([]member) []member {
		return func(list []member) []member {
			for i := range list {
				if list[i].path == path {
					list[i].text = strings.Replace(list[i].text, before, after, 1)
				}
			}
			return list
		}
	}
	flipped := []byte(content)
	flipped[len(flipped)/3] ^= 0x10
	other := map[bool]string{true: "1", false: "0"}[key[1][0] == '0'] + key[1][1:]
	for what, c := range map[string]struct {
		pack string
		want string
		args []string
	}{
		"a changed byte":     {string(flipped), "fault: ", nil},
		"the wrong key":      {content, "fault: other key: the pack was signed with another key than the demanded one", []string{"--key", other}},
		"a missing member":   {repacked(t, content, func(list []member) []member { return list[1:] }), "fault: member missing: README.txt is missing: manifest.json lists it with ", nil},
		"an extra member":    {repacked(t, content, func(list []member) []member { return append([]member{{"more.csv", "a\n"}}, list...) }), "fault: member extra: more.csv was added: manifest.json does not list it", nil},
		"a changed member":   {repacked(t, content, edit("records.csv", "USDT", "USDC")), "fault: member changed: records.csv was changed: its SHA-256 is ", nil},
		"a changed manifest": {repacked(t, content, edit("manifest.json", "2026-11", "2026-10")), "fault: signature wrong: the signature is wrong: manifest.json or manifest.sig was changed", nil},
		"a broken manifest":  {repacked(t, content, edit("manifest.json", "{", "")), "fault: manifest changed: manifest.json was changed: ", nil},
		"no manifest":        {repacked(t, content, func(list []member) []member { return append(list[:len(list)-2], list[len(list)-1]) }), "fault: member missing: manifest.json is missing", nil},
		"no signature":       {repacked(t, content, func(list []member) []member { return list[:len(list)-1] }), "fault: member missing: manifest.sig is missing", nil},
		"a way out":          {repacked(t, content, func(list []member) []member { return append(list, member{"../../x", "b"}) }), `fault: unsafe name: the name "../../x" is none that a pack uses: unpack this file nowhere`, nil},
		"packed anew":        {repacked(t, content, func(list []member) []member { return list }), "fault: file changed: the ZIP file was packed anew, or something is hidden in it: byte ", nil},
		"another file":       {"%PDF-1.7", "fault: not a ZIP file: ", nil},
		"an empty file":      {"", "fault: not a ZIP file: ", nil},
	} {
		file := filepath.Join(dir, strings.ReplaceAll(what, " ", "-")+".zip")
		storetest.Done(t, os.WriteFile(file, []byte(c.pack), 0o600))
		status, stdout, stderr := apart.run(t.Context(), nil, append([]string{"month", "check", file}, c.args...)...)
		if status != statusFailed || !strings.Contains(stdout, c.want) || !strings.Contains(stderr, "is not as it was signed: ") {
			t.Errorf("%s: status %d, %s%s; want %q", what, status, stdout, stderr, c.want)
		}
	}
	for _, c := range []struct{ file, key, says string }{
		{filepath.Join(dir, "none.zip"), key[1], "there is no file "},
		{dir, key[1], " is not a file"},
		{pack, "abc", `--key="abc": `},
	} {
		if status, stdout, stderr := apart.run(t.Context(), nil, "month", "check", c.file, "--key", c.key); status != statusUsage || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: status %d, %s%s", c.file, status, stdout, stderr)
		}
	}
	refused(statusUsage, "--reason", "reopen", "2026-11", "--reason", " ")
	if out := d.done(nil, "month", "reopen", "2026-11", "--reason", "a correction"); out != "month: 2026-11\nstate: reopened\n" {
		t.Errorf("reopened: %s", out)
	}
	refused(statusFailed, "November 2026 is not closed", "pack", "2026-11", "-o", "-")
}
