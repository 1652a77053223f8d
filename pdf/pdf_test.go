package pdf_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/sfnt"
	"pgregory.net/rapid"

	"rebatedesk/internal/outside"
	"rebatedesk/internal/pdftext"
	"rebatedesk/pdf"
)

var created = time.Date(2026, 10, 2, 9, 30, 0, 123, time.FixedZone("", 7200))

func logoFile(t testing.TB) []byte {
	t.Helper()
	picture := image.NewNRGBA64(image.Rect(0, 0, 900, 300)) // sixteen bits, transparent
	for x := range 900 {
		for y := range 300 {
			if (x/60+y/60)%2 == 0 {
				picture.Set(x, y, color.NRGBA64{0x4fff, 0x62ff, 0xe6ff, uint16(x * 70)})
			}
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, picture); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// long is a document of several pages with everything that a page can have.
func long(t testing.TB) *pdf.Paper {
	t.Helper()
	logo, err := pdf.ParseLogo(logoFile(t))
	if err != nil {
		t.Fatal(err)
	}
	p := pdf.New(pdf.Properties{Title: "Statement 2026-09-0001 (Łódź)", Author: "Zoë & Søn", Created: created}, pdf.Letterhead{
		Name: "Handelshaus für Vermittlungen und Beteiligungen Zoë & Søn GmbH & Co. Kommanditgesellschaft", Address: []string{"Straße 1", "10115 Berlin"}, Logo: logo,
	})
	p.Address("Ivan Петров", "ул. Ленина 1", "Ελλάδα")
	p.Heading("Statement 2026-09-0001")
	p.Paragraph("Non\u00a0breaking and soft\u00adhyphen, cafe\u0301, “quotes” (brackets) \\ € − – — ≤.\nA second line.")
	p.Fields(pdf.Field{Label: "Period", Value: "1 to 30 September 2026, UTC days"}, pdf.Field{Label: "Number", Value: "2026-09-0001"})
	p.Subheading("By day")
	table := pdf.Table{
		Columns: []pdf.Column{{Title: "Day"}, {Title: "Product"}, {Title: "Net trading fee", Right: true}, {Title: "Our share", Right: true}},
		Totals:  [][]string{{"Total", "", "123456789.12345678", "12345678.9012345678"}},
	}
	for i := range 120 {
		table.Rows = append(table.Rows, []string{fmt.Sprintf("2026-%02d-%02d", i/30+1, i%30+1), "FUTURES", fmt.Sprintf("%d.12345678", i*7919), fmt.Sprintf("-%d.000000001", i)})
	}
	p.Table(table)
	p.Table(pdf.Table{
		Columns: []pdf.Column{{Title: "Uid"}, {Title: "Amount", Right: true}},
		Rows:    [][]string{{strings.Repeat("A", 300), strings.Repeat("1234567890", 20)}},
	})
	p.Table(pdf.Table{Columns: []pdf.Column{{Title: "Nothing"}}, Empty: "There were no trades."})
	p.Signatures("Place, date", "For the house")
	p.Note("Characters that fonts lack: 李 😀 שלום \u200b\x07")
	return p
}

func written(t testing.TB, p *pdf.Paper) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := p.Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestDocument(t *testing.T) {
	p := long(t)
	file := written(t, p)
	if path := os.Getenv("DOCUMENT_OUT"); path != "" {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pages := pdftext.Pages(t, file)
	if len(pages) != 4 {
		t.Errorf("%d pages", len(pages))
	}
	for i, page := range pages {
		if !strings.HasSuffix(page, fmt.Sprintf("Statement 2026-09-0001 (Łódź)  %d of %d", i+1, len(pages))) {
			t.Errorf("page %d ends with %q", i+1, page[max(0, len(page)-80):])
		}
		if rows := strings.Count(page, "FUTURES"); rows > 0 && strings.Count(page, "Day  Product  Net trading fee  Our share\n") != 1 {
			t.Errorf("page %d has %d rows and no titles above them:\n%s", i+1, rows, page)
		}
	}
	text := strings.Join(pages, "\n")
	for _, want := range []string{
		"Ivan Петров", "ул. Ленина 1", "Ελλάδα", "Non breaking and softhyphen, café, “quotes” (brackets) \\ € − – — ≤.\nA second line.",
		"Period  1 to 30 September 2026, UTC days", "2026-04-30  FUTURES  942361.12345678  -119.000000001\nTotal  123456789.12345678  12345678.9012345678",
		"There were no trades.", "Place, date  For the house", "[U+674E] [U+1F600] [U+05E9][U+05DC][U+05D5][U+05DD] [U+200B][U+0007]",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	if got, want := strings.Count(text, "A"), 300; got < want {
		t.Errorf("of a long cell only %d letters are left", got)
	}
	if got := string(p.Substituted()); got != "\a\u05d5\u05dc\u05dd\u05e9\u200b\u674e\U0001f600" {
		t.Errorf("substituted %q", got)
	}
	if title, language := pdftext.Title(t, file), pdftext.Language(t, file); title != "Statement 2026-09-0001 (Łódź)" || language != "en" {
		t.Errorf("title %q, language %q", title, language)
	}
	if n := bytes.Count(file, []byte("(D:20261002073000")); n != 2 {
		t.Errorf("the file has its date %d times", n)
	}
	if n := bytes.Count(file, []byte("/FontFile2")); n != 2 {
		t.Errorf("%d fonts are embedded", n)
	}
	if n := len(regexp.MustCompile(`/[A-Z]{6}\+utf8liberationsansB?\n`).FindAll(file, -1)); n != 6 {
		t.Errorf("%d names of fonts say that some characters are embedded", n)
	}
}

// Poppler reads the text as the tests do.
func TestTextIsCopied(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext of poppler-utils is not installed")
	}
	command := exec.Command(program, "-layout", "-", "-")
	command.Stdin = bytes.NewReader(written(t, long(t)))
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Ivan Петров", "942361.12345678", "12345678.9012345678", "4 of 4"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("pdftotext does not find %q", want)
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	t.Parallel()
	want := written(t, long(t))
	for range 3 {
		if !bytes.Equal(written(t, long(t)), want) {
			t.Fatal("two files of one document differ")
		}
	}
	p := long(t)
	if first, second := written(t, p), written(t, p); !bytes.Equal(first, want) || !bytes.Equal(second, want) {
		t.Error("a document that is written twice differs")
	}
	if os.Getenv("DOCUMENT_CHILD") != "" {
		os.Stdout.Write(want)
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestSameInputSameBytes$")
	command.Env = append(os.Environ(), "DOCUMENT_CHILD=1", "TZ=Asia/Tokyo")
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(out, want) {
		t.Error("another process writes other bytes")
	}
}

// Any text can be printed, and none of it gets lost.
func TestEveryCharacter(t *testing.T) {
	t.Parallel()
	p := pdf.New(pdf.Properties{Title: "Characters", Created: created}, pdf.Letterhead{})
	var all strings.Builder
	for r := rune(0x21); r < 0x11000; r++ {
		if r < 0x600 || r%16 > 13 { // all of the first scripts, and some of the others
			all.WriteRune(r)
		}
	}
	all.WriteString("\xff\xf0\x9f\xed\xa0\x80") // not UTF-8
	p.Note(all.String())
	text := strings.Join(pdftext.Pages(t, written(t, p)), "")
	for _, want := range []string{"!\"#$%&'()*+,-./0123", "[U+0590]", "[U+10FFF]", "[U+FFFE]"} {
		if !strings.Contains(strings.ReplaceAll(text, "\n", ""), want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// One table of characters serves both styles.
func TestFontsHaveTheSameCharacters(t *testing.T) {
	t.Parallel()
	regular, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	bold, err := sfnt.Parse(liberationsansbold.TTF)
	if err != nil {
		t.Fatal(err)
	}
	var buffer sfnt.Buffer
	for r := rune(0x20); r < 0x10000; r++ {
		a, _ := regular.GlyphIndex(&buffer, r)
		b, _ := bold.GlyphIndex(&buffer, r)
		if (a == 0) != (b == 0) {
			t.Errorf("%U is in one font only", r)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		make func(*pdf.Paper)
		when time.Time
		want string
	}{
		"cells": {func(p *pdf.Paper) {
			p.Table(pdf.Table{Columns: make([]pdf.Column, 2), Rows: [][]string{{"1", "2"}, {"1"}}})
		}, created, "row 2 of a table has 1 cells for 2 columns"},
		"date": {func(*pdf.Paper) {}, time.Time{}, "needs the time of its creation"},
	} {
		p := pdf.New(pdf.Properties{Title: name, Created: test.when}, pdf.Letterhead{})
		test.make(p)
		var file bytes.Buffer
		if err := p.Write(&file); err == nil || !strings.Contains(err.Error(), test.want) || file.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, file.Len())
		}
	}
	logo := logoFile(t)
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"text":   {[]byte("<svg/>"), "convert it to PNG"},
		"broken": {logo[:len(logo)/2], "save it again"},
		"large":  {make([]byte, 5<<20), "make it smaller"},
	} {
		if _, err := pdf.ParseLogo(test.file); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pdf.ReadLogo("missing.png"); err == nil || !strings.Contains(err.Error(), "missing.png") {
		t.Errorf("a missing file: %v", err)
	}
}

// A document says its title, author and language in both forms, in a version of PDF that has them,
// and an author that is not known is left out.
func TestMetadata(t *testing.T) {
	for author, want := range map[string][]string{
		"Zoë & Søn": {`<rdf:li xml:lang="x-default">Statement &lt;1&gt;</rdf:li>`, "<dc:creator><rdf:Seq><rdf:li>Zoë &amp; Søn</rdf:li>", "<rdf:li>de-CH</rdf:li>", "/Author (", "/Lang (de-CH)", "/Metadata "},
		"":          {`<rdf:li xml:lang="x-default">Statement &lt;1&gt;</rdf:li>`, "/Metadata "},
	} {
		p := pdf.New(pdf.Properties{Title: "Statement <1>", Author: author, Language: "de-CH", Created: created}, pdf.Letterhead{})
		p.Paragraph("Text")
		file := string(written(t, p))
		if !strings.HasPrefix(file, "%PDF-1.4\n") {
			t.Errorf("the file begins with %.10q", file)
		}
		for _, words := range want {
			if !strings.Contains(file, words) {
				t.Errorf("with the author %q the file lacks %s", author, words)
			}
		}
		if author == "" && (strings.Contains(file, "/Author") || strings.Contains(file, "dc:creator")) {
			t.Error("an author that is not known is there")
		}
	}
}

// Programs that read aloud are told the parts of a document: each with its words apart, cells in their
// rows below titles that belong to columns, and nothing of the foot or of titles that are repeated.
func TestTagged(t *testing.T) {
	t.Parallel()
	p := pdf.New(pdf.Properties{Title: "Letter", Created: created}, pdf.Letterhead{Name: "House", Address: []string{"Road 1", "Town"}})
	p.Address("Ann", "Street (2)")
	p.Heading("Letter")
	p.Paragraph(strings.Repeat("several words of a paragraph, ", 8) + "end.\nA line.")
	p.Fields(pdf.Field{Label: "Month", Value: "September\n2026"})
	p.Subheading("Days")
	table := pdf.Table{
		Columns: []pdf.Column{{Title: "Day"}, {Title: "Amount", Right: true}},
		Totals:  [][]string{{"Total", "9.5"}},
	}
	want := `Document
  P "House"
  P "Road 1 Town"
  P "Ann Street (2)"
  H1 "Letter"
  P "` + strings.Repeat("several words of a paragraph, ", 8) + `end. A line."
  L
    LI
      Lbl "Month"
      LBody "September 2026"
  H2 "Days"
  Table
    TR
      TH Scope /Column "Day"
      TH Scope /Column "Amount"
`
	for i := range 50 {
		table.Rows = append(table.Rows, []string{fmt.Sprint("day ", i), strings.Repeat("1", i%3)})
		want += fmt.Sprintf("    TR\n      TD \"day %d\"\n      TD %q\n", i, table.Rows[i][1])
	}
	p.Table(table)
	p.Table(pdf.Table{Columns: []pdf.Column{{Title: "No"}, {Title: "Rows"}}, Empty: "Nothing."})
	p.Signatures("Place", "For the house")
	p.Note("End")
	want += `    TR
      TH Scope /Row "Total"
      TD "9.5"
  Table
    TR
      TH Scope /Column "No"
      TH Scope /Column "Rows"
    TR
      TD ColSpan 2
        P "Nothing."
  P "Place"
  P "For the house"
  P "End"
`
	file := written(t, p)
	if pages := pdftext.Pages(t, file); len(pages) != 2 || !strings.Contains(pages[1], "Day  Amount\n") {
		t.Fatalf("%d pages, without titles on the second", len(pages))
	}
	if got := pdftext.Tagged(t, file); got != want {
		t.Errorf("the parts are\n%s\ninstead of\n%s", got, want)
	}
	figure, cell := "\n  Figure Alt (Logo) ", "      TD \""+strings.Repeat("A", 300)+"\"\n"
	if got := pdftext.Tagged(t, written(t, long(t))); !strings.Contains(got, figure) || !strings.Contains(got, cell) {
		t.Errorf("the logo, or a cell of several lines, is missing in\n%s", got)
	}
}

// Whatever the texts are, all of a document is tagged, and in its order.
func TestTaggedOfAnyText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		p := pdf.New(pdf.Properties{Title: "Title", Created: created}, pdf.Letterhead{})
		var words []string
		word := func() string {
			words = append(words, rapid.StringMatching(`[a-z0-9()\\<>/]{1,60}`).Draw(r, "word"))
			return words[len(words)-1]
		}
		text := func() string {
			var line []string
			for range rapid.IntRange(0, 12).Draw(r, "words") {
				line = append(line, word())
			}
			return strings.Join(line, rapid.SampledFrom([]string{" ", "\n", "\n\n"}).Draw(r, "between"))
		}
		lines := rapid.IntRange(1, 60).Draw(r, "lines") // so that pages end anywhere
		words = slices.Repeat([]string{"line"}, lines)
		p.Paragraph(strings.Join(words, "\n"))
		for range rapid.IntRange(0, 5).Draw(r, "blocks") {
			switch rapid.IntRange(0, 4).Draw(r, "kind") {
			case 0:
				p.Heading(text())
			case 1:
				p.Paragraph(text())
			case 2:
				p.Fields(pdf.Field{Label: text(), Value: text()}, pdf.Field{})
			case 3:
				p.Signatures(word(), word())
			default:
				p.Table(pdf.Table{Columns: []pdf.Column{{Title: word()}, {}}, Rows: [][]string{{text(), text()}, {"", text()}}})
			}
		}
		var read []string
		for line := range strings.Lines(pdftext.Tagged(t, written(t, p))) {
			if _, quoted, ok := strings.Cut(line, ` "`); ok {
				said, err := strconv.Unquote(`"` + strings.TrimSpace(quoted))
				if err != nil {
					r.Fatal(err)
				}
				read = append(read, strings.Fields(said)...)
			}
		}
		if !slices.Equal(read, words) {
			r.Fatalf("read are %q of %q", read, words)
		}
	})
}

// Programs of others find no fault, and read the same parts in the same order.
func TestOutsideReadsTags(t *testing.T) {
	t.Parallel()
	short := pdf.New(pdf.Properties{Title: "Short", Created: created}, pdf.Letterhead{})
	short.Heading("Statement")
	short.Fields(pdf.Field{Label: "Period", Value: "2026"})
	short.Table(pdf.Table{Columns: make([]pdf.Column, 3), Rows: [][]string{{"Day", "", "9.5"}}, Totals: [][]string{{"Total", "", "9.5"}}})
	folder := t.TempDir()
	name, shortName := filepath.Join(folder, "long.pdf"), filepath.Join(folder, "short.pdf") // reading the tags of the long one takes Poppler ten seconds
	for name, p := range map[string]*pdf.Paper{name: long(t), shortName: short} {
		if err := os.WriteFile(name, written(t, p), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		command []string
		want    string // a regular expression
	}{
		{[]string{"qpdf", "--check", name}, `No syntax or stream encoding errors found`},
		{[]string{"pdfinfo", name}, `Tagged: +yes`},
		{[]string{"pdfinfo", "-struct-text", shortName}, `(?s)H1 \(block\)\n +"Statement".*Lbl \(block\)\n +"Period"\n.*TD\s+"Day"\s+TD\s+TD\s+"9.5"\s+TR\s+TH:\s+/Scope /Row\s+"Total"\s+TD\s+TD\s+"9.5"`},
		{[]string{"pdffonts", name}, `(?s)\n[A-Z]{6}\+utf8liberationsans .*\n[A-Z]{6}\+utf8liberationsansB `},
		{[]string{"mutool", "draw", "-F", "text", name}, `(?s)Statement 2026-09-0001.*2026-04-30.*12345678\.9012345678`},
	} {
		t.Run(strings.Join(test.command[:len(test.command)-1], " "), func(t *testing.T) {
			out, err := exec.Command(outside.Program(t, test.command[0]), test.command[1:]...).CombinedOutput()
			if err != nil || !regexp.MustCompile(test.want).Match(out) || bytes.Contains(out, []byte("rror:")) {
				t.Errorf("%v, without %s:\n%s", err, test.want, out)
			}
		})
	}
}
