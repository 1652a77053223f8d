package pdf

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/text/unicode/bidi"
	"golang.org/x/text/unicode/norm"
)

// glyphs is the regular font; the bold one has the same characters, which a test checks.
var glyphs = sync.OnceValues(func() (*sfnt.Font, error) { return sfnt.Parse(liberationsansregular.TTF) })

// text brings a text into the form that is printed.
func (p *Paper) text(text string) string {
	var out strings.Builder
	for _, r := range norm.NFC.String(strings.ToValidUTF8(text, "\uFFFD")) {
		switch {
		case r == '\n':
			out.WriteRune(r)
		case r == '\r', r == '\u00AD': // the end of a line in Windows, and a place to hyphenate
		case unicode.IsSpace(r):
			out.WriteByte(' ')
		case p.printable(r):
			out.WriteRune(r)
		default:
			p.missing[r] = true
			fmt.Fprintf(&out, "[U+%04X]", r)
		}
	}
	return out.String()
}

func (p *Paper) texts(texts []string) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = p.text(text)
	}
	return out
}

// printable reports whether the fonts can show the character where it stands.
func (p *Paper) printable(r rune) bool {
	if r > 0xFFFF || !unicode.IsGraphic(r) {
		return false
	}
	switch properties, _ := bidi.LookupRune(r); properties.Class() {
	case bidi.R, bidi.AL, bidi.AN:
		return false
	}
	font, err := glyphs()
	if err != nil {
		p.err = fmt.Errorf("reading the font of documents: %w", err)
		return false
	}
	var buffer sfnt.Buffer
	glyph, err := font.GlyphIndex(&buffer, r)
	return err == nil && glyph != 0
}

// lines breaks a text into lines of at most a width: at blanks, in words that are
// too long after a separator, and where there is none after any character. Lines whose last
// word is complete end with a blank, except the last, so that what is read aloud has its words apart.
func (w *writing) lines(text string, width float64) []string {
	var lines []string
	for part := range strings.SplitSeq(text, "\n") {
		line := ""
		for word := range strings.FieldsSeq(part) {
			joined := strings.TrimPrefix(line+" "+word, " ")
			if w.pdf.GetStringWidth(joined) <= width {
				line = joined
				continue
			}
			if line != "" {
				lines = append(lines, line+" ")
			}
			for w.pdf.GetStringWidth(word) > width {
				head := w.head(word, width)
				lines = append(lines, head)
				word = word[len(head):]
			}
			line = word
		}
		lines = append(lines, line+" ")
	}
	lines[len(lines)-1] = strings.TrimSuffix(lines[len(lines)-1], " ")
	return lines
}

// head is the longest beginning of a word that fits, at least a character. It ends after a
// separator if one is in its second half.
func (w *writing) head(word string, width float64) string {
	end, separated := 0, 0
	for i, r := range word {
		next := i + len(string(r))
		if end > 0 && w.pdf.GetStringWidth(word[:next]) > width {
			break
		}
		end = next
		if strings.ContainsRune(",.-_@/:;", r) {
			separated = next
		}
	}
	if separated > end/2 {
		return word[:separated]
	}
	return word[:end]
}
