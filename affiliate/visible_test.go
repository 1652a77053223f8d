package affiliate_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"plain – Büro 币安人生 אבג ₮ 👩‍👩‍👧": "plain – Büro 币安人生 אבג ₮ 👩‍👩‍👧",
		"می\u200cخواهم":                   "می\u200cخواهم", // written with a joiner
		"exe.\u202egpj":                   "exe.[U+202E]gpj",
		"a\u2066b\u2069":                  "a[U+2066]b[U+2069]",
		"vip\u200b":                       "vip[U+200B]",
		"vip\u00ad\ufeff\u2060\u3164\n":   "vip[U+00AD][U+FEFF][U+2060][U+3164][U+000A]",
		"\u061c\u200e\u200f\u034f":        "[U+061C][U+200E][U+200F][U+034F]",
		"bytes \xff of nothing":           "bytes \uFFFD of nothing",
		"line\u2028line\x1b[31m\x7f\x9bm": "line[U+2028]line[U+001B][31m[U+007F]\uFFFDm",
	} {
		if got := affiliate.Visible(text); got != want {
			t.Errorf("%q is shown as %q, not %q", text, got, want)
		}
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if unicode.Is(unicode.Bidi_Control, r) && !affiliate.Invisible(r) {
			t.Errorf("%U turns the direction", r)
		}
		if strings.ContainsFunc(affiliate.Visible(string(r)), affiliate.Invisible) {
			t.Errorf("%U is not shown", r)
		}
		if got := affiliate.VisibleLines(string(r)); (got == string(r)) != strings.ContainsRune("\n\r\t", r) && got != affiliate.Visible(string(r)) {
			t.Errorf("%U is shown as %q between lines", r, got)
		}
	}
}
