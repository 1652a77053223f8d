package mailer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// LineLength is how long a line of a header should be at most (RFC 5322, 2.1.1,
// and RFC 2047, 2, which asks for a little less where a word is encoded).
const LineLength = 76

// folded is the value of a header as it is written, its name and one space before
// it. It begins on the line of its name: a first line without anything is taken
// for an empty subject by some programs, and the library begins so wherever the
// first word is long.
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

// unprinted are the characters that a header cannot hold as they are.
func unprinted(r rune) bool { return r <= ' ' || r >= 0x7f }

// encodedLines is a text as encoded words (RFC 2047), one on each line. No
// character is cut in two.
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

// encodedRune is a character of an encoded word.
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
