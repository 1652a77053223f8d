package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

// Closeness says how well a text fits what is sought; a larger one fits better.
type Closeness int

// The degrees of closeness.
const (
	NoMatch   Closeness = iota
	Mistyped            // a word fits but for a letter or two
	Inside              // the text contains it
	WordBegin           // words of the text begin with all sought words
	Begin               // the text begins with it
	Same                // the text is it, but for letter case and accents
)

// Likeness compares a text with what is sought, ignoring letter case and accents. Digits must fit
// exactly: a mistyped UID would name another person.
func Likeness(sought, text string) Closeness {
	return matchPlain(plain(sought), plain(text))
}

// LikenessOfPair compares a pair with what is sought, as its symbol and as people write it.
func LikenessOfPair(sought, symbol string) Closeness {
	return max(Likeness(sought, symbol), Likeness(sought, affiliate.PairName(symbol)))
}

func matchPlain(sought, text string) Closeness {
	switch {
	case sought == "" || text == "":
		return NoMatch
	case sought == text:
		return Same
	case strings.HasPrefix(text, sought):
		return Begin
	}
	words, parts := wordsOf(text), wordsOf(sought)
	switch {
	case len(parts) > 0 && each(parts, func(part string) bool {
		return some(words, func(word string) bool { return strings.HasPrefix(word, part) })
	}):
		return WordBegin
	case strings.Contains(text, sought):
		return Inside
	case len(parts) > 0 && each(parts, func(part string) bool {
		return some(words, func(word string) bool { return mistyped(part, word) })
	}):
		return Mistyped
	}
	return NoMatch
}

func each(list []string, fits func(string) bool) bool {
	return !some(list, func(s string) bool { return !fits(s) })
}

func some(list []string, fits func(string) bool) bool {
	for _, s := range list {
		if fits(s) {
			return true
		}
	}
	return false
}

// wordsOf returns the runs of letters and digits of a text.
func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// accents maps the letters of European languages to what people type for them.
var accents = strings.NewReplacer("ä", "a", "á", "a", "à", "a", "â", "a", "ã", "a", "å", "a", "ā", "a", "ă", "a", "ą", "a", "æ", "ae",
	"ç", "c", "ć", "c", "č", "c", "ď", "d", "đ", "d", "é", "e", "è", "e", "ê", "e", "ë", "e", "ē", "e", "ė", "e", "ę", "e", "ě", "e",
	"ğ", "g", "í", "i", "ì", "i", "î", "i", "ï", "i", "ī", "i", "į", "i", "ı", "i", "ł", "l", "ľ", "l", "ñ", "n", "ń", "n", "ň", "n",
	"ó", "o", "ò", "o", "ô", "o", "ö", "o", "õ", "o", "ø", "o", "ő", "o", "œ", "oe", "ř", "r", "ś", "s", "š", "s", "ş", "s", "ș", "s", "ß", "ss",
	"ť", "t", "ț", "t", "ú", "u", "ù", "u", "û", "u", "ü", "u", "ū", "u", "ů", "u", "ű", "u", "ų", "u", "ý", "y", "ÿ", "y", "ź", "z", "ż", "z", "ž", "z")

// plain returns a text in small letters without accents and outer spaces.
func plain(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	for i := 0; i < len(text); i++ {
		if text[i] >= utf8.RuneSelf {
			return accents.Replace(text)
		}
	}
	return text
}

// mistyped reports whether a part equals the beginning of a word but for one letter that is
// wrong, missing, too many or exchanged with its neighbour; but for two if it has eight letters
// or more. Parts of less than four letters and with digits must be right.
func mistyped(part, word string) bool {
	if strings.HasPrefix(word, part) {
		return true
	}
	letters, of := []rune(part), []rune(word)
	allowed := 1
	switch {
	case len(letters) < 4, strings.ContainsFunc(part, unicode.IsDigit):
		return false
	case len(letters) >= 8:
		allowed = 2
	}
	if len(of) < len(letters)-allowed {
		return false
	}
	return distanceToPrefix(letters, of[:min(len(of), len(letters)+allowed)]) <= allowed
}

// distanceToPrefix returns the least number of changes, each of a letter or of two neighbours,
// that turns a into a prefix of b.
func distanceToPrefix(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j-1]+change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	least := len(a)
	for _, d := range last {
		least = min(least, d)
	}
	return least
}
