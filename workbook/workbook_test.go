package workbook

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// written returns a workbook of one sheet with one column of texts.
func written(t rapid.TB, texts ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	err := Write(&file, Properties{Creator: "Rebatedesk", Title: "texts", Written: time.Date(2026, 11, 5, 10, 0, 0, 0, time.UTC)}, func(w *Writer) error {
		err := w.Begin(Sheet{Name: "texts"})
		for _, text := range texts {
			err = errors.Join(err, w.Row([]Put{{Text: text, Style: Style{Format: "@"}}, {Number: "1"}}))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// read returns the cells of the first sheet by the numbers of their rows.
func read(t rapid.TB, file []byte) map[int][]Cell {
	t.Helper()
	rows := map[int][]Cell{}
	if err := Read(context.Background(), file, func(number int, cells []Cell) error {
		rows[number] = slices.Clone(cells)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return rows
}

func drawText(t *rapid.T) string {
	pieces := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"_", "x", "_x0041", "_x0041_", "x0042_", "_xD83D_", "_xDE00_", "_xDC00_", "_x005F_", "005F_", "_x000d_", "\r", "\n", "\r\n", "\t", " ", "&", "<", "]]>", "\x00", "\x1f", "\uffff", "\ufffe", "😀", "_X0041_", "_xZZZZ_"}))
	return strings.ToValidUTF8(strings.Join(rapid.SliceOfN(pieces, 1, 8).Draw(t, "pieces"), ""), "\uFFFD")
}

// Every text reads back as it was, by our reader and by another one.
func TestTextsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(drawText), 1, 5).Draw(t, "texts")
		file := written(t, texts...)
		rows := read(t, file)
		book, err := excelize.OpenReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		defer book.Close()
		for i, text := range texts {
			want := Cell{StringCell, text}
			if text == "" {
				want = Cell{}
			}
			if rows[i+1][0] != want {
				t.Fatalf("%q is read as %v", text, rows[i+1][0])
			}
			if theirs, err := book.GetCellValue("texts", fmt.Sprint("A", i+1)); err != nil || theirs != text {
				t.Fatalf("%q is read by excelize as %q, %v", text, theirs, err)
			}
		}
	})
}

// A part of our workbooks is well-formed XML, with the prefixes that strict readers want, without an
// empty element, with the time of writing, and in an order that programs know.
func TestParts(t *testing.T) {
	var file bytes.Buffer
	at := time.Date(2026, 11, 5, 10, 20, 30, 0, time.UTC)
	err := Write(&file, Properties{Creator: "Rebatedesk", Title: "a & b", Written: at}, func(w *Writer) error {
		yes := true
		return errors.Join(w.Begin(Sheet{Name: "it's", Widths: []int{10, 20, 300}, Frozen: true}),
			w.Row([]Put{{Text: "a", Style: Style{Header: true}}, {Text: "b"}, {Text: "c"}}),
			w.Row([]Put{{}, {Number: "0.50", Style: Style{Format: "0.00"}}, {True: &yes}}),
			w.Begin(Sheet{Name: "Totals"}), w.Row([]Put{{Text: "x"}}))
	})
	if err != nil {
		t.Fatal(err)
	}
	packed, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, part := range packed.File {
		if !part.Modified.Equal(at) {
			t.Errorf("%s is of %v", part.Name, part.Modified)
		}
		in, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		parts[part.Name] = string(text)
		decoder := xml.NewDecoder(bytes.NewReader(text))
		for {
			if _, err := decoder.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", part.Name, err)
			}
		}
	}
	if packed.File[0].Name != "[Content_Types].xml" {
		t.Errorf("the first part is %s", packed.File[0].Name)
	}
	for part, wants := range map[string][]string{
		"docProps/core.xml": {"<cp:coreProperties ", "<dc:title>a &amp; b</dc:title>", "<dc:creator>Rebatedesk</dc:creator>", `<dcterms:created xsi:type="dcterms:W3CDTF">2026-11-05T10:20:30Z<`},
		"xl/worksheets/sheet1.xml": {`<cols><col min="1" max="1" width="10" customWidth="1"/><col min="2" max="2" width="20" customWidth="1"/><col min="3" max="3" width="255" customWidth="1"/></cols>`,
			`<autoFilter ref="A1:C2"/>`, `state="frozen"`, `<c r="C2" t="b"><v>1</v></c>`},
		"xl/workbook.xml": {`'it''s'!$A$1:$C$2`, `name="Totals"`},
	} {
		for _, want := range wants {
			if !strings.Contains(parts[part], want) {
				t.Errorf("%s lacks %s:\n%s", part, want, parts[part])
			}
		}
	}
	if strings.Contains(parts["docProps/core.xml"], "lastModifiedBy") || strings.Contains(parts["docProps/core.xml"], "></dc") {
		t.Errorf("docProps/core.xml has what strict readers refuse:\n%s", parts["docProps/core.xml"])
	}
	book, err := excelize.OpenReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if value, err := book.GetCellValue("it's", "B2"); err != nil || value != "0.50" {
		t.Errorf("B2 shows %q, %v", value, err)
	}
	if panes, err := book.GetPanes("it's"); err != nil || !panes.Freeze {
		t.Errorf("the header is not frozen: %+v, %v", panes, err)
	}
}

// part is one file of a workbook that a test packs.
type packedPart struct{ name, text string }

const (
	rels = `<Relationships><Relationship Id="r1" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`
	main = `<workbook xmlns:r="x"><sheets><sheet name="a" r:id="r1"/></sheets></workbook>`
	more = `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/sharedStrings" Target="/xl/sharedStrings.xml"/><Relationship Id="r3" Type="x/styles" Target="styles.xml"/></Relationships>`
)

func pack(t testing.TB, sheet string, further ...packedPart) []byte {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	for _, part := range append([]packedPart{{"_rels/.rels", rels}, {"xl/workbook.xml", main}, {"xl/_rels/workbook.xml.rels", more}, {"xl/worksheets/sheet1.xml", sheet}}, further...) {
		out, err := w.Create(part.name)
		if err == nil {
			_, err = io.WriteString(out, part.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Cells have the kind that the file gives them.
func TestCells(t *testing.T) {
	styles := packedPart{"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="[Red]0.00&quot; days&quot;\d"/><numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts>` +
		`<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="14"/><xf numFmtId="166"/></cellXfs></styleSheet>`}
	shared := packedPart{"xl/sharedStrings.xml", `<sst><si><t>plain</t></si><si><r><t>two </t></r><r><t xml:space="preserve">runs</t></r><rPh><t>spoken</t></rPh></si><si><t>_x005F_x0041_ &lt;</t></si><si><t/></si></sst>`}
	for cell, want := range map[string]Cell{
		`<c r="A1" t="s"><v>0</v></c>`:                              {StringCell, "plain"},
		`<c r="A1" t="s"><v>1</v></c>`:                              {StringCell, "two runs"},
		`<c r="A1" t="s"><v>2</v></c>`:                              {StringCell, "_x0041_ <"},
		`<c r="A1" t="inlineStr"><is><t>in</t><t>line</t></is></c>`: {StringCell, "inline"},
		`<c t="str"><f>A2&amp;"x"</f><v>x</v></c>`:                  {StringCell, "x"},
		`<c r="A1"><v>4.667776811E9</v></c>`:                        {DecimalCell, "4667776811"},
		`<c r="A1"><v>46082</v></c>`:                                {DecimalCell, "46082"},
		`<c r="A1" s="2"><v>46082</v></c>`:                          {DecimalCell, "46082"},
		`<c r="A1" s="1"><v>46082</v></c>`:                          {DateCell, "2026-03-01"},
		`<c r="A1" s="3"><v>46082.25</v></c>`:                       {DateCell, "2026-03-01T06:00:00"},
		`<c r="A1" s="4"><v>1.5</v></c>`:                            {DateCell, "1900-01-01T12:00:00"},
		`<c r="A1" t="d"><v>2026-03-01</v></c>`:                     {DateCell, "2026-03-01"},
		`<c r="A1" t="b"><v>1</v></c>`:                              {BooleanCell, "TRUE"},
		`<c r="A1" t="e"><v>#N/A</v></c>`:                           {ErrorCell, "#N/A"},
		`<c r="A1"><f>6*2</f></c>`:                                  {Kind: UncalculatedCell},
		`<c r="A1" t="n"><f>6*2</f><v>12</v></c>`:                   {DecimalCell, "12"},
		`<c r="A1"><v>-0.0</v></c>`:                                 {DecimalCell, "0"},
		`<c r="A1"><v>1E300</v></c>`:                                {RoundedCell, "1E300"},
		`<c r="A1"><v>NaN</v></c>`:                                  {RoundedCell, "NaN"},
		`<c r="A1"><v>0x10</v></c>`:                                 {RoundedCell, "0x10"},
	} {
		rows := read(t, pack(t, `<worksheet><cols/><sheetData><row>`+cell+`</row></sheetData><mergeCells/></worksheet>`, styles, shared))
		if len(rows[1]) != 1 || rows[1][0] != want {
			t.Errorf("%s is %v, want %v", cell, rows[1], want)
		}
	}
}

// A number is the one decimal of at most 15 digits that has its binary form, or is refused.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`[1-9][0-9]{0,14}`).Draw(t, "digits")
		point := rapid.IntRange(0, len(digits)).Draw(t, "point")
		want := strings.TrimRight(digits[:point]+"."+digits[point:], "0")
		if want = strings.TrimSuffix(want, "."); want[0] == '.' {
			want = "0" + want
		}
		if want = strings.TrimSuffix(want, "."); point < len(digits) && strings.Trim(digits[point:], "0") == "" {
			want = digits[:point]
		}
		if want == "" {
			want = "0"
		}
		short := numberCell(digits[:point] + "." + digits[point:])
		if short.Kind != DecimalCell || short.Text != want {
			t.Fatalf("%s with the point at %d is %v, want %s", digits, point, short, want)
		}
	})
	for raw, want := range map[string]Cell{"1.1000000000000001": {DecimalCell, "1.1"}, "0.30000000000000004": {RoundedCell, "0.30000000000000004"}, "999999999999999": {DecimalCell, "999999999999999"},
		"1000000000000000": {RoundedCell, "1000000000000000"}, "1E-7": {DecimalCell, "0.0000001"}, "-12.50": {DecimalCell, "-12.5"}} {
		if got := numberCell(raw); got != want {
			t.Errorf("%s is %v, want %v", raw, got, want)
		}
	}
}

// What a file says of itself does not decide how much memory and time it takes.
func TestHostile(t *testing.T) {
	sheet := func(rows string) string { return `<worksheet><sheetData>` + rows + `</sheetData></worksheet>` }
	long := strings.Repeat("x", 16<<20)
	for name, one := range map[string]struct {
		file  []byte
		fault string
	}{
		"a cell of the last column":     {pack(t, sheet(strings.Repeat(`<row><c r="XFD1"><v>1</v></c></row>`, 300))), "more than 64 columns"},
		"an address beyond the last":    {pack(t, sheet(`<row><c r="ZZZZZZ1"><v>1</v></c></row>`)), "more than 64 columns"},
		"cells in disorder":             {pack(t, sheet(`<row><c r="B1"><v>1</v></c><c r="A1"><v>1</v></c></row>`)), "the next cell has the address"},
		"rows in disorder":              {pack(t, sheet(`<row r="2"/><row r="2"/>`)), "the row after row 2"},
		"a long text":                   {pack(t, sheet(`<row><c t="inlineStr"><is><t>`+long+`</t></is></c></row>`)), "more than 32 KiB"},
		"a long text of pieces":         {pack(t, sheet(`<row><c t="inlineStr"><is>`+strings.Repeat("<t>"+long[:1000]+"</t>", 40)+`</is></c></row>`)), "more than 32 KiB"},
		"a long shared text":            {pack(t, sheet(`<row><c t="s"><v>0</v></c></row>`), packedPart{"xl/sharedStrings.xml", "<sst><si>" + strings.Repeat("<t>"+long[:1000]+"</t>", 40) + "</si></sst>"}), "more than 32 KiB"},
		"a long attribute":              {pack(t, sheet(`<row><c r="`+long[:1<<20]+`"/></row>`)), "more than 32 KiB"},
		"a long comment":                {pack(t, sheet(`<!--`+strings.Repeat("<", 1<<20)+`-->`)), "more than 32 KiB"},
		"a long number format":          {pack(t, sheet(""), packedPart{"xl/styles.xml", `<styleSheet><numFmt numFmtId="164" formatCode="` + long[:300] + `"/></styleSheet>`}), "more than 255 characters"},
		"a number format of 180 KB":     {pack(t, sheet(""), packedPart{"xl/styles.xml", `<styleSheet><numFmt numFmtId="164" formatCode="` + long[:180<<10] + `"/></styleSheet>`}), "more than 255 characters"},
		"many styles":                   {pack(t, sheet(""), packedPart{"xl/styles.xml", `<styleSheet><cellXfs>` + strings.Repeat("<xf/>", maxStyles+1) + `</cellXfs></styleSheet>`}), "styles"},
		"a language of its own":         {pack(t, `<!DOCTYPE x [<!ENTITY a "b">]>`+sheet("")), "its own language"},
		"an entity that is unknown":     {pack(t, sheet(`<row><c t="str"><v>&a;</v></c></row>`)), "is damaged"},
		"a sheet that unpacks for ever": {pack(t, sheet(strings.Repeat(`<row><c/></row>`, 1<<25))), "unpacks to more than"},
		"a sheet that is cut":           {pack(t, `<worksheet><sheetData><row><c r="A1"><v>1</v></c></row>`), "unexpected EOF"},
		"no sheet":                      {pack(t, "", packedPart{}), "ends in the middle"},
		"a text that is not there":      {pack(t, sheet(`<row><c t="s"><v>7</v></c></row>`)), "is missing"},
		"a type of its own":             {pack(t, sheet(`<row><c t="zz"><v>7</v></c></row>`)), "type of its own"},
		"no workbook":                   {[]byte("PK\x03\x04broken"), "damaged"},
		"many parts":                    {append([]byte("PK\x03\x04"), bytes.Repeat([]byte("PK\x01\x02"), maxParts+1)...), "parts"},
	} {
		if testing.Short() && name == "a sheet that unpacks for ever" {
			continue
		}
		begun := time.Now()
		err := Read(t.Context(), one.file, func(int, []Cell) error { return nil })
		if broken, ok := errors.AsType[*Unreadable](err); !ok || !strings.Contains(broken.Text, one.fault) {
			t.Errorf("%s: %v, want %q", name, err, one.fault)
		}
		t.Logf("%s: %v, %d bytes", name, time.Since(begun).Round(time.Millisecond), len(one.file))
	}
	if err := Read(t.Context(), pack(t, sheet(`<row><c r="A1"><v>1</v></c><c r="XFD1" s="1"/></row>`)), func(int, []Cell) error { return nil }); err != nil {
		t.Errorf("a cell without a value in the last column: %v", err)
	}
}

// Reading ends with its context.
func TestReadEnds(t *testing.T) {
	file := pack(t, `<worksheet><sheetData>`+strings.Repeat(`<row><c r="A1"><v>1</v></c></row>`, 1<<20)+`</sheetData></worksheet>`)
	ctx, cancel := context.WithCancel(t.Context())
	rows := 0
	err := Read(ctx, file, func(int, []Cell) error {
		if rows++; rows == 1000 {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) || rows > 10_000 {
		t.Errorf("%v after %d rows", err, rows)
	}
}

func FuzzSheet(f *testing.F) {
	f.Add([]byte(`<worksheet><sheetData><row r="3"><c r="B3" s='1'><v>1</v></c><c t="str"><v>a&amp;&#x41;</v></c></row></sheetData></worksheet>`))
	f.Add([]byte("\ufeff<?xml version=\"1.0\"?><x:sheetData xmlns:x=\"y\"><!-- < --><x:row><x:c t=\"inlineStr\"><x:is><x:t><![CDATA[<]]>\r\n</x:t></x:is></x:c></x:row></x:sheetData>"))
	f.Fuzz(func(t *testing.T, sheet []byte) {
		last := 0
		s := sheetReader{book: &book{ctx: context.Background()}, row: func(number int, cells []Cell) error {
			if number <= last || len(cells) > MaxColumns || len(cells) == 0 {
				t.Fatalf("row %d of %d cells after row %d", number, len(cells), last)
			}
			for _, cell := range cells {
				if len(cell.Text) > MaxCell || !utf8.ValidString(cell.Text) {
					t.Fatalf("a cell of %d bytes", len(cell.Text))
				}
			}
			last = number
			return nil
		}}
		x := newScanner(context.Background(), bytes.NewReader(bytes.Clone(sheet)), maxSheet)
		for pieces := 0; ; pieces++ {
			kind, err := x.next()
			if err == nil {
				err = s.piece(x, kind)
			}
			if err != nil {
				return
			}
			if pieces > 2*len(sheet)+2 {
				t.Fatal("it does not end")
			}
		}
	})
}
