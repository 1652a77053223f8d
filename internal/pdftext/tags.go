package pdftext

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	object  = regexp.MustCompile(`(?s)\n(\d+) 0 obj\n(.*?)\nendobj`)
	setting = regexp.MustCompile(`(?s)/(\w+) <</MCID (\d+)>> BDC|/Artifact BMC|(EMC)|BT [0-9.]+ [0-9.]+ Td \(((?:[^()\\]|\\.)*)\) Tj ET|( S|/I\w+ Do)\n`)
	kids    = regexp.MustCompile(`<</Type /MCR /Pg (\d+) 0 R /MCID (\d+)>>|(\d+) 0 R|(\d+)`)
)

// piece is what a page sets for an element.
type piece struct{ kind, text string }

// Tagged is what a program that reads aloud is told: a line for each element, below the one that it
// belongs to, with its text in quotes. The test fails if anything on a page belongs to no element and
// is no decoration, if a mark has other than one element, or if the two lists of them differ.
func Tagged(t testing.TB, file []byte) string {
	t.Helper()
	objects := map[string]string{}
	for _, match := range object.FindAllSubmatch(file, -1) {
		objects[string(match[1])] = string(match[2])
	}
	find := func(in, pattern string) []string {
		match := regexp.MustCompile(pattern).FindStringSubmatch(in)
		if match == nil {
			t.Fatalf("%.80q lacks %s", in, pattern)
		}
		return match[1:]
	}
	catalog := objects[find(string(file), `/Root (\d+) 0 R`)[0]]
	find(catalog, `(/MarkInfo <</Marked true>>)`)
	tree := objects[find(catalog, `/StructTreeRoot (\d+) 0 R`)[0]]
	pieces, owners := map[string]piece{}, map[string]string{} // by page and mark
	for number, page := range objects {
		if !strings.HasPrefix(page, "<</Type /Page\n") {
			continue
		}
		stream := streams.FindSubmatch([]byte(objects[find(page, `/Contents (\d+) 0 R`)[0]]))
		for mark, one := range marks(t, unpacked(t, stream)) {
			pieces[number+" "+mark] = one
		}
		listed := find(tree, `[\n\[]`+find(page, `/StructParents (\d+)`)[0]+` \[ ([^]]*)\]`)[0]
		for i, owner := range kids.FindAllStringSubmatch(listed, -1) {
			owners[fmt.Sprintf("%s %d", number, i)] = owner[3]
		}
	}
	if len(owners) != len(pieces) {
		t.Errorf("pages have %d marks, the tree lists %d", len(pieces), len(owners))
	}
	var out strings.Builder
	var read func(number, under string, depth int)
	read = func(number, under string, depth int) {
		entries := find(objects[number], `^<</Type /StructElem /S /(\w+) /P (\d+) 0 R (?:(.*) )?/K \[(.*)\]>>$`)
		if entries[1] != under {
			t.Errorf("element %s names %s above it instead of %s", number, entries[1], under)
		}
		page := ""
		if _, after, ok := strings.Cut(entries[2], "/Pg "); ok {
			page, _, _ = strings.Cut(after, " ")
		}
		var text strings.Builder
		var below []string
		for _, kid := range kids.FindAllStringSubmatch(entries[3], -1) {
			if kid[3] != "" {
				below = append(below, kid[3])
				continue
			}
			at := page + " " + kid[4]
			if kid[1] != "" {
				at = kid[1] + " " + kid[2]
			}
			one, ok := pieces[at]
			if !ok || one.kind != entries[0] || owners[at] != number {
				t.Errorf("mark %s is of %q and listed for element %s, and read by %s %s", at, one.kind, owners[at], entries[0], number)
			}
			delete(pieces, at)
			text.WriteString(one.text)
		}
		fmt.Fprintf(&out, "%s%s", strings.Repeat("  ", depth), entries[0])
		for _, known := range []string{"/Scope /Column", "/Scope /Row", "/ColSpan ", "/Alt "} {
			if _, after, ok := strings.Cut(entries[2], known); ok {
				value, _, _ := strings.Cut(after, ">>")
				out.WriteString(" " + known[1:] + value)
			}
		}
		if len(below) == 0 {
			out.WriteString(" " + strconv.Quote(text.String()))
		}
		out.WriteByte('\n')
		for _, part := range below {
			read(part, number, depth+1)
		}
	}
	root := find(catalog, `/StructTreeRoot (\d+) 0 R`)[0]
	read(find(tree, `/K \[(\d+) 0 R\]`)[0], root, 0)
	for at, left := range pieces {
		t.Errorf("mark %s, %s %q, has no element", at, left.kind, left.text)
	}
	return out.String()
}

// marks are the pieces of a page by their numbers.
func marks(t testing.TB, content []byte) map[string]piece {
	t.Helper()
	found := map[string]piece{}
	open, at := false, "" // at is empty in decoration
	for _, match := range setting.FindAllSubmatch(content, -1) {
		words := string(match[0])
		begins := strings.HasSuffix(words, "BDC") || strings.HasSuffix(words, "BMC")
		if begins == open {
			t.Fatalf("%q is in the wrong place", words)
		}
		switch {
		case begins:
			open, at = true, string(match[2])
			if _, twice := found[at]; twice {
				t.Fatalf("mark %s is there twice", at)
			}
			if at != "" {
				found[at] = piece{kind: string(match[1])}
			}
		case len(match[3]) > 0:
			open = false
		case at != "":
			found[at] = piece{found[at].kind, found[at].text + decode(unescape(match[4]))}
		}
	}
	if open {
		t.Fatal("the last mark has no end")
	}
	return found
}
