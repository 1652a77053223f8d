package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange/weex/simulator"
)

func TestPrintable(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "main": "main", "币安人生 USD₮": "币安人生 USD₮", "a\tb": "a\tb", "\xc8x": `\xc8x`, "a\x1b[2Jb": `a\x1b[2Jb`,
		"desk\u202egnp": `desk\u202egnp`, "a\u200bb": `a\u200bb`, "\ufffd": "\ufffd", "a\u00a0b": `a\u00a0b`, `a"b\c`: `a"b\c`,
	} {
		if got := printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\xff\u202e\x00")
	f.Fuzz(func(t *testing.T, text string) {
		got := printable(text)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
			t.Errorf("%q is printed as %q", text, got)
		}
	})
}

// Tables and errors contain names from the database and texts from the exchange.
func TestNothingRawIsPrinted(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	p := &program{stdout: &out, stderr: &errs}
	if err := printTable(p, "NAME\tZONE", []string{"a\u202eb\tU\x1bTC"}, func(s string) string { return s }); err != nil {
		t.Fatal(err)
	}
	p.finish(errors.Join(errors.New("roll-ups: coin \xc8\u202e"), context.Canceled))
	for _, text := range []string{out.String(), errs.String()} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("%q is printed", text)
		}
	}
	if !strings.Contains(errs.String(), `coin \xc8\u202e`) || !strings.Contains(out.String(), `a\u202eb  U\x1bTC`) {
		t.Errorf("%q, %q", out.String(), errs.String())
	}
}

// The exchange and databases of older versions can contain invisible names: every listing
// and every mail makes them visible, new names are rejected, and exports are exact.
func TestInvisibleNamesArePrinted(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Records, o.Invitees = 5, 2 })
	const code = "\u202e\u2066gpj.\u200bvip\ufeff"
	at := affiliate.MillisOf(d.now().Add(-4 * 24 * time.Hour))
	d.sim.InsertInvitee(affiliate.Invitee{UID: "4667776811", InviteCode: code, RegisterTime: at})
	d.sim.Insert(affiliate.Commission{DealTime: at, UID: "4667776811", Product: affiliate.Spot, Coin: code, Symbol: code, Source: affiliate.Direct,
		TakerAmount: "10", MakerAmount: "0", Fee: "1", Rate: "0.1", Commission: "0.1"})
	d.done(nil, "collect")
	d.env = append(d.env, "REBATEDESK_SMTP_URL=smtp://127.0.0.1:1?tls=none", "REBATEDESK_MAIL_FROM=desk@example.com")
	for _, name := range []string{"desk\u202egnp", "desk\u200b"} {
		status, _, stderr := d.run(t.Context(), nil, "summary", "schedule", "add", "--schedule", name, "--period", "daily", "--to", "a@example.com")
		if status == statusDone || !strings.Contains(stderr, "has an invisible character, U+20") || !strings.Contains(stderr, "after “desk”: type that part again") {
			t.Errorf("%q: status %d, %s", name, status, stderr)
		}
	}
	// Other characters of the same length replace them until the database is closed.
	if status, _, stderr := d.run(t.Context(), nil, "summary", "schedule", "add", "--schedule", "desk€", "--period", "daily", "--code", code, "--to", "a@example.com"); status != statusDone {
		t.Fatal(stderr)
	}
	d.done(nil, "summary", "alert", "add", "--alert", "desk€", "--watch", "collection", "--to", "a@example.com")
	old := contents(t, d.db)
	if err := os.WriteFile(d.db, []byte(strings.ReplaceAll(old, "€", "\u202e")), 0o600); err != nil || !strings.Contains(old, "desk€") {
		t.Fatal("no name is in the database", err)
	}
	for _, c := range []struct{ command, want string }{
		{"summary schedule list", `desk\u202e`}, {"summary alert list", `desk\u202e`}, {"verify", ""}, {"doctor", ""}, {"account list", ""},
		{"user list", ""}, {"token list", ""}, {"backup " + filepath.Join(t.TempDir(), "b.db"), `\u202e\u2066gpj.\u200bvip\ufeff`}, {"export daily --coin nowhere\u202e", ""},
		{"summary schedule pause --schedule nowhere\u202e", ""},
	} {
		_, stdout, stderr := d.run(t.Context(), nil, strings.Fields(c.command)...)
		if strings.ContainsFunc(stdout+stderr, affiliate.InvisibleInLines) || !strings.Contains(stdout, c.want) {
			t.Errorf("%s prints %q and %q", c.command, stdout, stderr)
		}
	}
	_, header := messageOf(t, []byte(d.done(nil, "summary", "preview", "--schedule", "desk\u202e", "--date", d.dayAgo(4))))
	if header.Get("Subject") == "" {
		t.Error("no summary of an older name")
	}
	d.done(nil, "summary", "schedule", "remove", "--schedule", "desk\u202e")
	_, exported, _ := d.run(t.Context(), nil, "export", "commissions", "--code", code) // it warns, because a part is not collected
	if rows := d.cells(exported); len(rows) != 1 || rows[0]["coin"] != code || rows[0]["symbol"] != code {
		t.Errorf("exported are %q", rows)
	}
}

// Foreign names and answers in a log line hide and move nothing, and JSON keeps their
// content.
func TestLogLinesAreHarmless(t *testing.T) {
	t.Parallel()
	const text = "desk\u202egnp \u200b\ufeff\U000e0041 \x1b[2J\nlevel=INFO 币安人生"
	answering := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"code": "40099", "msg": text})
	}))
	defer answering.Close()
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		config.Log{Format: format}.Logger(&out).With(text, text).WithGroup(text).Error(text, "name", text, "error", errors.New(text), "stringer", affiliate.Coin(text), "list", []string{text})
		d := newHarness(t, func(o *simulator.Options) { o.Records, o.Invitees = 1, 1 })
		d.env = append(d.env, "REBATEDESK_BASE_URL="+answering.URL, "REBATEDESK_LOG_FORMAT="+format, "REBATEDESK_LOG_LEVEL=debug")
		_, _, stderr := d.run(t.Context(), nil, "collect")
		if !strings.Contains(stderr, "gnp") {
			t.Errorf("%s: the answer is not in the log: %q", format, stderr)
		}
		for _, said := range []string{out.String(), stderr} {
			if !utf8.ValidString(said) || strings.ContainsFunc(said, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) || strings.Contains(said, "\nlevel=INFO 币") {
				t.Errorf("%s: %q is logged", format, said)
			}
		}
		if !strings.Contains(out.String(), "币安人生") || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: %q is logged", format, out.String())
		}
		if format != "json" {
			continue
		}
		var line map[string]any
		if err := json.Unmarshal(out.Bytes(), &line); err != nil || line["msg"] != text {
			t.Errorf("%v: %q", err, line)
		}
	}
}
