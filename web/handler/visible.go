package handler

import (
	"fmt"
	"strings"
	"unicode"

	"rebatedesk/affiliate"
)

// visiblePage returns a page in which no invisible character of a name appears raw:
// such a character could reverse the text next to it, or make one name look like
// another. Text for people shows the character's number, [U+202E]. A value that a form
// sends back has it as a character reference, which leaves the text unchanged.
//
// It is done here, once for each page, and not where a text is printed: templates print texts in
// thousands of places, and a single one that forgot it would let a name pass for another. A page of
// 200 kB costs a third of a millisecond.
//
// The page comes from templates, which escape < in texts and quotes in attributes; so
// these two alone mark where a tag and where a value begins.
func visiblePage(page []byte) []byte {
	if !affiliate.HasInvisibleInLines(page) {
		return page
	}
	var b strings.Builder
	b.Grow(len(page) + len(page)/8)
	sentBack := false // the text is a value that the reader may edit
	for rest := string(page); rest != ""; {
		text, tag, _ := strings.Cut(rest, "<")
		b.WriteString(visibleIn(text, sentBack))
		if len(text) == len(rest) {
			break
		}
		b.WriteByte('<')
		sentBack = strings.HasPrefix(tag, "textarea")
		rest = visibleTag(&b, tag)
	}
	return []byte(b.String())
}

// visibleTag writes a tag up to its end and returns the rest of the page.
func visibleTag(b *strings.Builder, tag string) (rest string) {
	for {
		i := strings.IndexAny(tag, `"'>`)
		if i < 0 {
			b.WriteString(tag)
			return ""
		}
		before, mark := tag[:i], tag[i:i+1]
		b.WriteString(before + mark)
		if tag = tag[i+1:]; mark == ">" {
			return tag
		}
		value, after, _ := strings.Cut(tag, mark)
		b.WriteString(visibleIn(value, strings.HasSuffix(before, " value=")) + mark)
		tag = after
	}
}

func visibleIn(text string, sentBack bool) string {
	if sentBack {
		return affiliate.ReplaceInLines(text, reference)
	}
	return affiliate.VisibleLines(text)
}

// reference returns a character as a numeric HTML reference. Control characters have
// none (HTML, 13.2.5.84): &#x80; is a euro sign.
func reference(r rune) string {
	if unicode.IsControl(r) {
		return string(r)
	}
	return fmt.Sprintf("&#x%X;", r)
}
