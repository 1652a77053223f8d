package workbook

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A workbook writes a character as _xHHHH_, the number of a UTF-16 unit, where XML has no form for
// it. So a text that looks like such an escape must be escaped itself.
const escapeLength = len("_x0000_")

// escapeAt returns the number in the escape with which a text begins.
func escapeAt(text string) (unit uint16, ok bool) {
	if len(text) < escapeLength || text[0] != '_' || text[1] != 'x' || text[escapeLength-1] != '_' {
		return 0, false
	}
	n, err := strconv.ParseUint(text[2:escapeLength-1], 16, 16)
	return uint16(n), err == nil
}

// appendText appends a text in the form of a workbook's XML. Every underscore that begins what looks
// like an escape is escaped, also where two of these overlap, and where the underscore at its end is
// the beginning of an escape of ours.
func appendText(b []byte, text string) []byte {
	for i, r := range text {
		switch {
		case r == '_':
			if _, ok := escapeAt(text[i:min(len(text), i+escapeLength-1)] + "_"); ok {
				b = append(b, "_x005F"...)
			}
			b = append(b, '_')
		case r == '&':
			b = append(b, "&amp;"...)
		case r == '<':
			b = append(b, "&lt;"...)
		case r == '>':
			b = append(b, "&gt;"...)
		case r < ' ' && r != '\t' && r != '\n', r == 0xfffe, r == 0xffff:
			b = append(b, "_x"...)
			for shift := 12; shift >= 0; shift -= 4 {
				b = append(b, "0123456789ABCDEF"[r>>shift&15])
			}
			b = append(b, '_')
		default:
			b = utf8.AppendRune(b, r) // what is not UTF-8 becomes U+FFFD
		}
	}
	return b
}

// unescaped reads a text of a workbook. Two escapes of surrogates are one character; one alone is
// none, and stays as it is written.
func unescaped(text string) string {
	if !strings.Contains(text, "_x") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		unit, ok := escapeAt(text[i:])
		switch {
		case ok && !utf16.IsSurrogate(rune(unit)):
			b.WriteRune(rune(unit))
			i += escapeLength
			continue
		case ok:
			low, second := escapeAt(text[i+escapeLength:])
			if r := utf16.DecodeRune(rune(unit), rune(low)); second && r != utf8.RuneError {
				b.WriteRune(r)
				i += 2 * escapeLength
				continue
			}
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}
