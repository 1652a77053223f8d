package phrase

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

// Sentence begins a text with a capital and ends it with a full stop.
func Sentence(text string) string { return Capital(strings.TrimSuffix(text, ".")) + "." }

// Capital begins a text with a capital letter.
func Capital(text string) string { return begun(text, unicode.ToUpper) }

// Lowered begins a text with a small letter, so that it can follow a colon.
func Lowered(text string) string { return begun(text, unicode.ToLower) }

func begun(text string, with func(rune) rune) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(with(first)) + text[size:]
}

// Listed joins names for a sentence: "a", "a and b", "a, b and c".
func Listed(names []string) string {
	last := len(names) - 1
	if last <= 0 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// mostForeign limits the characters of a foreign error.
const mostForeign = 200

// Foreign prints foreign words, such as an error of the exchange, as one short line.
func Foreign(text string) string { return Shortened(affiliate.OneLine(text), mostForeign) }

// Told is a stored failure of the collection in the words of those who read figures; [Exactly]
// has the rest of it.
func Told(failure string) string {
	words, _, _ := strings.Cut(failure, "\n")
	return Foreign(words)
}

// Because is [Told] as it follows a colon or stands in brackets, without a full stop.
func Because(failure string) string {
	words := strings.TrimSuffix(Told(failure), ".")
	if Exactly(failure) == "" { // foreign words stay as they are
		return words
	}
	return Lowered(words)
}

// Exactly is what happened in a stored failure of the collection, with the endpoint and the words of
// the exchange. It is empty if [Told] says all.
func Exactly(failure string) string {
	_, exact, _ := strings.Cut(failure, "\n")
	return affiliate.OneLine(exact)
}

// Shortened cuts a text to the given number of characters.
func Shortened(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}

// Size prints a number of bytes: "1.2 MB".
func Size(bytes int64) string {
	if bytes < 1000 {
		return Things(bytes, "byte")
	}
	unit, name := int64(1), ""
	for _, name = range []string{"kB", "MB", "GB", "TB"} {
		if unit *= 1000; bytes/1000 < unit {
			break
		}
	}
	tenths := (bytes + unit/20) / (unit / 10)
	return fmt.Sprintf("%d.%d", tenths/10, tenths%10) + Space + name
}
