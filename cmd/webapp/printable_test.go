package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
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

// Tables and errors hold names of the database and words of the exchange.
func TestNothingRawIsPrinted(t *testing.T) {
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

// A listing shows a name with marks of writing direction as what it is.
func TestScheduleListIsPrintable(t *testing.T) {
	d, _ := mailing(t)
	d.run(t.Context(), nil, "summary", "schedule", "add", "--schedule", "desk\u202egnp", "--period", "daily", "--to", "a@example.com")
	if list := d.done(nil, "summary", "schedule", "list"); !strings.Contains(list, `desk\u202egnp`) || strings.Contains(list, "\u202e") {
		t.Errorf("%q", list)
	}
}
