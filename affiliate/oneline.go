package affiliate

import (
	"strings"
	"unicode"
)

// OneLine is a text of somebody else's as one line: what would break it is taken out.
func OneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
}
