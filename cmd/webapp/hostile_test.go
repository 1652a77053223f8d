package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/internal/soak"
)

// Limits of what a small file may cost the program.
const (
	mostOfMemory = 400 << 20
	mostOfTime   = 10 * time.Second
)

// A workbook that asks for much memory or time is refused by both imports before it gets either,
// as measured from outside. In the short version each workbook is given to one of them, in turn.
func TestSoakHostileImports(t *testing.T) {
	dir := t.TempDir()
	imports := [][]string{{"import", "people"}, {"terms", "import"}}
	for i, book := range []struct {
		fault string
		file  func() []byte
	}{
		{"more than 64 columns", func() []byte {
			return sheetOf(t, strings.Repeat(`<row><c r="A1"><v>4667776811123456</v></c><c r="XFD1"><v>1</v></c></row>`, 300), "")
		}},
		{"more than 255 characters", func() []byte {
			return sheetOf(t, strings.Repeat(`<row><c r="A1" s="1"><v>1</v></c></row>`, 60), `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="`+strings.Repeat("0;", 90_000)+`"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs></styleSheet>`)
		}},
		{"more than 32 KiB", func() []byte {
			return sheetOf(t, `<row><c t="inlineStr"><is><t>`+strings.Repeat("x", 100<<20)+`</t></is></c></row>`, "")
		}},
		{"unpacks to more than", func() []byte { return sheetOf(t, strings.Repeat(`<row><c r="XFD1"/></row>`, 1<<24), "") }},
		{"has 64 faults", func() []byte {
			return sheetOf(t, strings.Repeat(`<row>`+strings.Repeat(`<c><f/></c>`, 64)+`</row>`, 350_000), "")
		}},
		{"MiB of text", func() []byte {
			return sheetOf(t, strings.Repeat(`<row>`+strings.Repeat(`<c t="s"><v>0</v></c>`, 60)+`</row>`, 100_000), "", strings.Repeat(" ", 32<<10))
		}},
		{"and 9901 more", func() []byte {
			return sheetOf(t, `<row><c t="str"><v>uid</v></c></row>`+strings.Repeat(`<row><c t="b"><v>1</v></c></row>`, 700_000), "")
		}},
		{"has more than 5000 cells", func() []byte { return []byte("uid" + strings.Repeat(",a", 1<<21-1) + "\n") }},
	} {
		fault, file := book.fault, book.file()
		few := imports[i%2 : i%2+1] // both read workbooks in the same way
		if soak.Long() {
			few = imports
		}
		path := filepath.Join(dir, "book.xlsx")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range few {
			command := process(t, nil, append(args, path, "--db", filepath.Join(dir, "none.db"))...)
			var said bytes.Buffer
			command.Stderr = &said
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			peak := peakMemory(command.Process.Pid)
			_ = command.Wait()                                                          // the status says it
			took := command.ProcessState.UserTime() + command.ProcessState.SystemTime() // others may use the cores, too
			if fault == "and 9901 more" && args[0] == "terms" {
				fault = "is missing" // its columns
			}
			if status := command.ProcessState.ExitCode(); status != 2 || !strings.Contains(said.String(), fault) {
				t.Errorf("%v: status %d, %.300s, want %q", args, status, said.String(), fault)
			}
			if held := <-peak; held > mostOfMemory || took > mostOfTime {
				t.Errorf("%v: %q took %d MiB and %v, of a file of %d bytes", args, fault, held>>20, took, len(file))
			}
		}
	}
}

// sheetOf returns a workbook with the given rows and styles, and texts that cells share.
func sheetOf(t *testing.T, rows, styles string, shared ...string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := zip.NewWriter(&file)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestSpeed) })
	for _, part := range [][2]string{
		{"_rels/.rels", `<Relationships><Relationship Id="r1" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns:r="x"><sheets><sheet name="a" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/styles" Target="styles.xml"/><Relationship Id="r3" Type="x/sharedStrings" Target="texts.xml"/></Relationships>`},
		{"xl/texts.xml", `<sst><si><t>` + strings.Join(shared, `</t></si><si><t>`) + `</t></si></sst>`},
		{"xl/worksheets/sheet1.xml", `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`},
		{"xl/styles.xml", styles},
	} {
		out, err := w.Create(part[0])
		if err == nil {
			_, err = io.WriteString(out, part[1])
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
