package mailer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// LineLength is the recommended maximum length of a header line (RFC 5322, 2.1.1, and
// RFC 2047, 2, which allows slightly less for a line with an encoded word).
const LineLength = 76

// folded returns the value of a header in its written form; the name and one space
// precede it. The value begins on the line of the name, because some programs read an
// empty first line as an empty subject, and the library writes one if the first word is
// long.
func folded(name, value string) string {
	words, first := strings.Split(value, " "), LineLength-len(name)-len(": ")
	for _, word := range words {
		if word == "" || len(word) > first || strings.Contains(word, "=?") || strings.ContainsFunc(word, unprinted) {
			return encodedLines(value, first)
		}
	}
	var b strings.Builder
	left := first
	for i, word := range words {
		switch {
		case i == 0:
		case len(word)+1 > left:
			b.WriteString("\r\n ")
			left = LineLength - 1
		default:
			b.WriteByte(' ')
			left--
		}
		b.WriteString(word)
		left -= len(word)
	}
	return b.String()
}

// unprinted matches the characters that a header cannot hold unencoded.
func unprinted(r rune) bool { return r <= ' ' || r >= 0x7f }

// encodedLines returns a text as encoded words (RFC 2047), one per line. No character
// is split.
func encodedLines(text string, first int) string {
	const begin, end = "=?utf-8?q?", "?="
	var b strings.Builder
	b.WriteString(begin)
	left := first - len(begin) - len(end)
	for text = strings.ToValidUTF8(text, "\uFFFD"); text != ""; {
		_, size := utf8.DecodeRuneInString(text)
		one := encodedRune(text[:size])
		if len(one) > left {
			b.WriteString(end + "\r\n " + begin)
			left = LineLength - 1 - len(begin) - len(end)
		}
		b.WriteString(one)
		left -= len(one)
		text = text[size:]
	}
	return b.String() + end
}

// encodedRune returns a character of an encoded word.
func encodedRune(text string) string {
	switch c := text[0]; {
	case c == ' ':
		return "_"
	case c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', strings.IndexByte("!*+-/", c) >= 0:
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, "=%02X", text[i])
	}
	return b.String()
}
