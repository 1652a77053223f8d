package main

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// printable is a text as a terminal may get it: what is no character, and what
// would not be seen or would move others, such as marks of writing direction,
// stands there as its escape. Texts of the database and of the exchange can hold
// anything. A tab, which separates columns, stays.
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
