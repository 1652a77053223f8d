package access

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
)

//go:embed common.txt
var commonText string

// commonWords are the words that people use first in passwords, in lower case.
var commonWords = func() map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(commonText) {
		words[word] = true
	}
	return words
}()

// walks are rows of keys and character sequences that people follow.
var walks = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890123456789", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./",
	"qwertzuiopü", "yxcvbnm", "azertyuiop", "!@#$%^&*()_+", "1q2w3e4r5t6y7u8i9o0p",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm", "qazwsxedcrfvtgbyhnujm", "zaq12wsxcde34rfv", "!qaz@wsx#edc$rfv",
}

// maxPieces is the number of pieces up to which a password counts as common: "Password" +
// "2026" + "!" is tried within the first million guesses.
const maxPieces = 3

// common reports whether a password consists of a few pieces that are guessed first: common
// words, also with digits for letters, numbers of up to four digits, walks over the
// keyboard, one character repeated. A repetition of the previous piece does not count.
func common(password string) bool {
	text := []rune(plain(password))
	best := make([]int, len(text)+1) // fewest pieces that make up the text so far
	last := make([]string, len(text)+1)
	for end := 1; end <= len(text); end++ {
		best[end] = len(text) + 1
		for start := range end {
			piece := string(text[start:end])
			pieces := best[start]
			if pieces > maxPieces || !guessable(piece) {
				continue
			}
			if piece != last[start] {
				pieces++
			}
			if pieces < best[end] {
				best[end], last[end] = pieces, piece
			}
		}
	}
	return best[len(text)] <= maxPieces
}

func guessable(piece string) bool {
	if runes := []rune(piece); len(slices.Compact(slices.Clone(runes))) == 1 {
		return len(runes) > 2 || !unicode.IsLetter(runes[0]) // a character, or one key held down
	}
	return commonWords[piece] || commonWords[unleet.Replace(piece)] ||
		len(piece) <= 4 && strings.Trim(piece, "0123456789") == "" || walked(piece)
}

// unleet reverts the characters that people write for letters.
var unleet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

func walked(piece string) bool {
	if len(piece) < 3 {
		return false
	}
	back := []rune(piece)
	slices.Reverse(back)
	return slices.ContainsFunc(walks, func(walk string) bool {
		return strings.Contains(walk, piece) || strings.Contains(walk, string(back))
	})
}
