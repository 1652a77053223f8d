package export

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"rebatedesk/affiliate"
)

// Rows that exceed a sheet continue on further sheets, each with its header.
func TestSheetsContinue(t *testing.T) {
	headings := []heading{{name: "n", kind: integerCell, role: summed}}
	for rows, want := range map[int][]string{
		0: {"codes", "Totals"}, 3: {"codes", "Totals"}, 4: {"codes", "codes (2)", "Totals"}, 7: {"codes", "codes (2)", "codes (3)", "Totals"},
	} {
		var text bytes.Buffer
		out := bufio.NewWriter(&text)
		e, err := newXLSXEncoder(out, headings, Metadata{Kind: "codes"})
		if err != nil {
			t.Fatal(err)
		}
		e.perSheet = 4
		for i := range rows {
			if err := e.row([]cell{{n: int64(i), known: true}}); err != nil {
				t.Fatal(err)
			}
		}
		for _, err := range []error{e.end(RowTally{}), out.Flush(), e.close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		file, err := excelize.OpenReader(&text)
		if err != nil {
			t.Fatal(err)
		}
		if sheets := file.GetSheetList(); !slices.Equal(sheets, want) {
			t.Errorf("%d rows: %v, want %v", rows, sheets, want)
		}
		for i := range rows {
			sheet, at := want[i/3], fmt.Sprint("A", i%3+2)
			head, err := file.GetCellValue(sheet, "A1")
			if err != nil || head != "n" {
				t.Errorf("%s begins with %q, %v", sheet, head, err)
			}
			if value, err := file.GetCellValue(sheet, at); err != nil || value != fmt.Sprint(i) {
				t.Errorf("%s of %s is %q, %v; want %d", at, sheet, value, err, i)
			}
		}
	}
}

// The same rows give the same bytes.
func TestWorkbookStaysTheSame(t *testing.T) {
	write := func() []byte {
		var text bytes.Buffer
		out := bufio.NewWriter(&text)
		e, err := newXLSXEncoder(out, []heading{{name: "n", kind: integerCell, role: summed}, {name: "name", kind: textCell, role: plain}, {name: "amount", kind: decimalCell, role: summed}, {name: "time_utc", kind: timeCell, role: plain}},
			Metadata{Kind: "records", From: "2026-10-01", To: "2026-10-31", Timezone: "UTC", Complete: true, Written: "2026-11-05T10:00:00Z"})
		if err != nil {
			t.Fatal(err)
		}
		e.perSheet = 50
		for i := range int64(200) {
			if err := e.row([]cell{{n: i, known: true}, {text: "BTCUSDT"}, {text: fmt.Sprintf("0.%04d", i)}, {n: 1_793_000_000_000 + i, known: true}}); err != nil {
				t.Fatal(err)
			}
		}
		for _, err := range []error{e.end(RowTally{Rows: 200}), out.Flush(), e.close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		return text.Bytes()
	}
	first := write()
	for range 5 {
		if !bytes.Equal(first, write()) {
			t.Fatal("written again, the bytes differ")
		}
	}
	// What is in the parts does not depend on the compressor. If this sum changes, evidence packs
	// that are made again differ from those that were sent: say so in CHANGELOG.md.
	packed, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, part := range packed.File {
		content, err := fs.ReadFile(packed, part.Name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", part.Name, len(content), content)
	}
	const golden = "4d294ca54a44f3fb7e5e0dc87daeec8cdb83d8ec33a77a56f62044bc11491626"
	if got := fmt.Sprintf("%x", sum.Sum(nil)); got != golden {
		t.Errorf("the SHA-256 is %s, want %s", got, golden)
	}
}

// A date that a sheet cannot represent is written as text.
func TestSheetDates(t *testing.T) {
	x := newXLSXCells(nil)
	for day, known := range map[string]bool{"1900-02-28": false, "1900-03-01": true, "1969-12-31": true, "2026-09-15": true, "9999-12-31": true} {
		d, err := affiliate.ParseDay(day)
		if err != nil {
			t.Fatal(err)
		}
		for kind, c := range map[cellKind]cell{dayCell: {n: int64(d), known: true}, timeCell: {n: int64(d.Start(time.UTC).UnixMilli()) + millisADay - 1, known: true}} {
			got := x.cell(c, kind)
			if number := got.Number != ""; number != known {
				t.Errorf("%s as a %s is %+v", day, kind, got)
			}
			if got.Text != "" && got.Text[:10] != day {
				t.Errorf("%s as a %s is %q", day, kind, got.Text)
			}
		}
	}
}

// A time in a sheet is a float of days, in which every millisecond is found again.
func TestSheetTimesAreExact(t *testing.T) {
	x := newXLSXCells(nil)
	random := rand.New(rand.NewPCG(3, 5))
	first, last := affiliate.NewDay(1900, 3, 1).Start(time.UTC).UnixMilli(), affiliate.NewDay(9999, 12, 31).Start(time.UTC).UnixMilli()
	for range 200_000 {
		at := first + random.Int64N(last-first)
		serial, err := strconv.ParseFloat(x.cell(cell{n: at, known: true}, timeCell).Number, 64)
		if got := math.Round((serial - sheetEpoch) * millisADay); err != nil || int64(got) != at {
			t.Fatalf("%d is %v in the sheet, which is read as %.0f", at, serial, got)
		}
	}
}

// The fast function for times gives the same text as the general one.
func TestClock(t *testing.T) {
	var c clock
	for _, at := range []affiliate.Millis{1, -1, 1_789_434_000_000, 1_789_434_000_001, 1_789_430_400_000 - 1, 1_789_430_400_000, -2_208_988_800_000, -2_208_988_800_001,
		951_782_399_999, 951_782_400_000, 253_402_300_799_999, 86_399_999, 86_400_000, -86_400_000} {
		for range 2 {
			if got := string(c.append(nil, at)); got != at.String() {
				t.Errorf("%d is %s, want %s", at, got, at)
			}
		}
	}
}
