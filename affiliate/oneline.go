package affiliate

import (
	"strings"
	"unicode"
)

// OneLine returns foreign text as one line: it removes the characters that would break the
// line.
func OneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
}
