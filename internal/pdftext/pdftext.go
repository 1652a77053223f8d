// Package pdftext reads the text of PDF files that package document made, as a reader
// copies it, for tests.
package pdftext

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"encoding/binary"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"
)

var (
	streams  = regexp.MustCompile(`(?s)<<([^>]*/Length \d+[^>]*)>>\nstream\n(.*?)\nendstream`)
	shown    = regexp.MustCompile(`(?s)BT ([0-9.]+) ([0-9.]+) Td \(((?:[^()\\]|\\.)*)\) Tj ET`)
	identity = "beginbfrange\n<0000> <FFFF> <0000>\nendbfrange"
)

// Pages is the text of each page, with a line for each height: from top to bottom, and
// in a line from left to right.
func Pages(t testing.TB, file []byte) []string {
	t.Helper()
	if !bytes.HasPrefix(file, []byte("%PDF-")) || !bytes.Contains(file, []byte("%%EOF")) {
		t.Fatalf("this is no PDF file: %.40q", file)
	}
	var pages []string
	maps := 0
	for _, match := range streams.FindAllSubmatch(file, -1) {
		content := unpacked(t, match)
		if bytes.Contains(content, []byte(identity)) {
			maps++ // characters are their own numbers
		}
		if bytes.Contains(content, []byte(" Tj ET")) {
			pages = append(pages, page(t, content))
		}
	}
	if maps == 0 {
		t.Fatal("no font maps its glyphs to characters")
	}
	return pages
}

func unpacked(t testing.TB, stream [][]byte) []byte {
	if !bytes.Contains(stream[1], []byte("/FlateDecode")) {
		return stream[2]
	}
	reader, err := zlib.NewReader(bytes.NewReader(stream[2]))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Title and language, as the file states them.
func Title(t testing.TB, file []byte) string    { return entry(t, file, "Title") }
func Language(t testing.TB, file []byte) string { return entry(t, file, "Lang") }

func entry(t testing.TB, file []byte, key string) string {
	t.Helper()
	match := regexp.MustCompile(`(?s)/` + key + ` \(((?:[^()\\]|\\.)*)\)`).FindSubmatch(file)
	if match == nil {
		t.Fatalf("the file has no %s", key)
	}
	text := unescape(match[1])
	if utf16be, ok := bytes.CutPrefix(text, []byte{0xFE, 0xFF}); ok {
		return decode(utf16be)
	}
	return string(text)
}

func page(t testing.TB, content []byte) string {
	type piece struct {
		x, y int // in hundredths of a point
		text string
	}
	var pieces []piece
	number := func(text []byte) int {
		n, err := strconv.Atoi(strings.Replace(string(text), ".", "", 1))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, match := range shown.FindAllSubmatch(content, -1) {
		pieces = append(pieces, piece{number(match[1]), number(match[2]), decode(unescape(match[3]))})
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Or(cmp.Compare(b.y, a.y), cmp.Compare(a.x, b.x)) })
	var out strings.Builder
	for i, p := range pieces {
		switch {
		case i == 0:
		case p.y == pieces[i-1].y:
			out.WriteString("  ")
		default:
			out.WriteByte('\n')
		}
		out.WriteString(strings.TrimRight(p.text, " "))
	}
	return out.String()
}

func unescape(text []byte) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
			if text[i] == 'r' {
				out = append(out, '\r')
				continue
			}
		}
		out = append(out, text[i])
	}
	return out
}

func decode(text []byte) string {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(text[2*i:])
	}
	return string(utf16.Decode(units))
}
