package affiliate

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Invisible reports whether a character has no visible form: control characters, marks that
// change the text direction around them, and spaces without width. Names that differ only
// in such characters look the same, and a direction mark turns “exe.jpg” into “gpj.exe”.
// The two joiners count as visible: some scripts, and pictures of several people, are
// written with them.
func Invisible(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	switch {
	case r >= ' ' && r < 0x7f, r == zeroWidthNonJoiner, r == zeroWidthJoiner:
		return false
	case unicode.Is(unicode.Cf, r):
		return !unicode.Is(unicode.Prepended_Concatenation_Mark, r)
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

// Visible returns foreign text in a form that is safe to show: each invisible character is
// replaced by its number, such as [U+202E].
func Visible(text string) string { return replaced(text, Invisible, Escaped) }

// InvisibleInLines is Invisible for a text of several lines, in which line breaks and tabs
// count as visible.
func InvisibleInLines(r rune) bool { return r != '\n' && r != '\r' && r != '\t' && Invisible(r) }

// HasInvisibleInLines reports whether InvisibleInLines holds for any character of a text.
// It is called for whole pages, so ASCII, which is most of their text, is checked by bytes.
func HasInvisibleInLines(text []byte) bool {
	for i := 0; i < len(text); {
		if b := text[i]; b >= ' ' && b < 0x7f || b == '\n' || b == '\t' || b == '\r' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if InvisibleInLines(r) {
			return true
		}
		i += size
	}
	return false
}

// VisibleLines is Visible for a text of several lines.
func VisibleLines(text string) string { return ReplaceInLines(text, Escaped) }

// ReplaceInLines replaces each invisible character of a text of several lines.
func ReplaceInLines(text string, by func(rune) string) string {
	return replaced(text, InvisibleInLines, by)
}

func replaced(text string, invisible func(rune) bool, by func(rune) string) string {
	if !strings.ContainsFunc(text, invisible) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if invisible(r) {
			b.WriteString(by(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Escaped returns the number of a character in readable form.
func Escaped(r rune) string { return fmt.Sprintf("[U+%04X]", r) }
