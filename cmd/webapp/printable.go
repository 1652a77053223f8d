package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// printable returns a text that is safe for a terminal. Invalid and invisible characters,
// and those that change the direction of text, become escapes, because texts of the
// database and of the exchange can contain anything. Tabs, which separate columns, stay.
func printable(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		part := text[:size]
		if text = text[size:]; r == '\t' || strconv.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			b.WriteString(part)
			continue
		}
		quoted := strconv.Quote(part)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
