package people

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"rebatedesk/affiliate"
)

// Limits of a people file.
const (
	MaxPeopleFile = 64 << 20 // bytes; an upload is shorter
	MaxPeopleRows = 500_000
	maxUnpacked   = 128 << 20 // bytes of a workbook
)

const uidColumn = "uid"

// removes is the cell that removes what is stored.
const removes = "-"

// PeopleColumns lists the columns of a people file in the order in which it is written.
func PeopleColumns() []string {
	columns := []string{uidColumn}
	for _, f := range PersonFields() {
		columns = append(columns, string(f))
	}
	return columns
}

// ParseFile reads a people file: CSV in UTF-8, with commas or semicolons, or the first sheet of
// an XLSX workbook, with a header. Lines that say the same are one.
//
// What is wrong with the file is [FileFaults].
func ParseFile(text []byte) (PeopleFile, error) {
	p := &parser{columns: map[string]int{}, first: map[affiliate.UID]int{}}
	p.read(text)
	if err := p.faults.err(); err != nil {
		return PeopleFile{}, err
	}
	return p.file, nil
}

type parser struct {
	file    PeopleFile
	faults  FileFaults
	header  []string
	columns map[string]int        // number of each column, from 1
	first   map[affiliate.UID]int // the entry of each UID
	guarded bool                  // formulas have a guard, as in CSV

	line   int
	fields []string
}

func (p *parser) note(column int, name, format string, values ...any) {
	p.faults = append(p.faults, CellFault{Line: p.line, Column: column, Name: name, Text: fmt.Sprintf(format, values...)})
}

// wrong notes a fault in a column of the row that is read.
func (p *parser) wrong(name, format string, values ...any) {
	p.note(p.columns[name], name, format, values...)
}

func (p *parser) read(text []byte) {
	switch {
	case len(text) > MaxPeopleFile:
		p.note(0, "", "the file is larger than %d MiB: divide it, or check that it is a people file", MaxPeopleFile>>20)
	case bytes.HasPrefix(text, []byte("PK\x03\x04")):
		p.readWorkbook(text)
	case bytes.HasPrefix(text, []byte("\xd0\xcf\x11\xe0")):
		p.note(0, "", "the file is a workbook of the old kind, or has a password: save it as .xlsx without a password, or as CSV UTF-8")
	case bytes.HasPrefix(text, []byte("\xff\xfe")), bytes.HasPrefix(text, []byte("\xfe\xff")), bytes.IndexByte(text, 0) >= 0:
		p.note(0, "", "the file is UTF-16 (“Unicode text”): save it as “CSV UTF-8”, or as .xlsx")
	case !utf8.Valid(text):
		p.notUTF8(text)
	default:
		p.guarded = true
		p.readCSV(bytes.TrimPrefix(text, []byte("\ufeff")))
	}
	if p.header == nil && len(p.faults) == 0 {
		p.line = 1
		p.note(0, "", "the file is empty: its first line names the columns, such as %s", strings.Join(PeopleColumns(), ","))
	}
}

func (p *parser) notUTF8(text []byte) {
	valid := 0
	for rest := text; ; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size <= 1 {
			break
		}
		valid, rest = valid+size, rest[size:]
	}
	before := text[:valid]
	p.line = 1 + bytes.Count(before, []byte("\n"))
	p.note(0, "", "character %d is not UTF-8: save the file as “CSV UTF-8”", 1+utf8.RuneCount(before[1+bytes.LastIndexByte(before, '\n'):]))
}

func (p *parser) readCSV(text []byte) {
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comma, reader.FieldsPerRecord, reader.ReuseRecord = separator(text), -1, true
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if broken := (*csv.ParseError)(nil); errors.As(err, &broken) {
			p.line = broken.Line
			p.note(0, "", "the quotes are not balanced near character %d: put a text with quotes into quotes and double those inside (%v)", broken.Column, broken.Err)
			return // what follows is read wrongly
		}
		if err != nil {
			p.note(0, "", "%v", err)
			return
		}
		p.line, _ = reader.FieldPos(0)
		if !p.row(fields) {
			return
		}
	}
}

// separator is the one that the header uses.
func separator(text []byte) rune {
	header, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case bytes.ContainsRune(header, ';') && !bytes.ContainsRune(header, ','):
		return ';'
	case bytes.ContainsRune(header, '\t') && !bytes.ContainsRune(header, ','):
		return '\t'
	}
	return ','
}

// readWorkbook reads the first sheet. The limits of unpacking stop a small file that grows to
// gigabytes.
func (p *parser) readWorkbook(text []byte) {
	book, err := excelize.OpenReader(bytes.NewReader(text), excelize.Options{RawCellValue: true, UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked})
	if err != nil {
		p.note(0, "", "the workbook cannot be read, or unpacks to more than %d MiB: save it again as .xlsx, or as CSV UTF-8 (%v)", maxUnpacked>>20, err)
		return
	}
	defer book.Close() // it was only read
	sheets := book.GetSheetList()
	if len(sheets) == 0 {
		p.note(0, "", "the workbook has no sheet")
		return
	}
	rows, err := book.Rows(sheets[0])
	if err != nil {
		p.note(0, "", "the sheet %q cannot be read: %v", clipped(sheets[0]), err)
		return
	}
	defer rows.Close()
	shown, err := book.Rows(sheets[0]) // the same cells as a spreadsheet shows them
	if err != nil {
		p.note(0, "", "the sheet %q cannot be read: %v", clipped(sheets[0]), err)
		return
	}
	defer shown.Close()
	for n := 1; rows.Next() && shown.Next(); n++ {
		p.line = n
		fields, err := rows.Columns()
		if err != nil {
			p.note(0, "", "the row cannot be read: %v", err)
			return
		}
		forms, err := shown.Columns(excelize.Options{})
		if err != nil {
			p.note(0, "", "the row cannot be read: %v", err)
			return
		}
		if p.damaged(book, sheets[0], fields, forms) {
			continue
		}
		if p.header != nil && len(fields) < len(p.header) {
			fields = append(fields, make([]string, len(p.header)-len(fields))...) // empty cells at the end are not stored
		}
		if !p.row(fields) {
			return
		}
	}
	if err := rows.Error(); err != nil {
		p.note(0, "", "the sheet cannot be read to its end: %v", err)
	}
}

// dateForm finds what a spreadsheet shows for the number of a day or a time.
var dateForm = regexp.MustCompile(`^([0-9]{1,4}|[A-Za-z]{3,9})[-/:]([0-9]{1,4}|[A-Za-z]{3,9})\b`)

// exactDigits is how many digits of a number a spreadsheet keeps.
const exactDigits = 15

// damaged notes the cells of a row that a spreadsheet has made into something else: days, and
// UIDs as numbers of too many digits.
func (p *parser) damaged(book *excelize.File, sheet string, fields, forms []string) bool {
	before := len(p.faults)
	for i, text := range fields {
		if i >= len(p.header) {
			break
		}
		if i < len(forms) && forms[i] != text && number.MatchString(text) && dateForm.MatchString(forms[i]) {
			p.note(i+1, p.header[i], "%q is a date: format the column as text and enter it again", clipped(forms[i]))
		} else if p.header[i] == uidColumn && len(text) > exactDigits && isNumber(book, sheet, i+1, p.line) {
			p.wrong(uidColumn, "%q is a number of more than %d digits, of which a spreadsheet keeps no more: format the column as text and enter it again", clipped(text), exactDigits)
		}
	}
	return len(p.faults) > before
}

// isNumber reports whether a cell has a number. An unknown kind is none.
func isNumber(book *excelize.File, sheet string, column, row int) bool {
	at, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return false
	}
	kind, err := book.GetCellType(sheet, at)
	return err == nil && (kind == excelize.CellTypeNumber || kind == excelize.CellTypeUnset)
}

// row reads a row, the header first; it returns false if reading on makes no sense.
func (p *parser) row(fields []string) bool {
	if !slices.ContainsFunc(fields, func(field string) bool { return strings.TrimSpace(field) != "" }) {
		return true // a spreadsheet leaves lines of separators
	}
	if p.header == nil {
		p.readHeader(fields)
		return len(p.faults) == 0
	}
	if len(p.file.Entries)+p.file.Repeats >= MaxPeopleRows {
		p.note(0, "", "the file has more than %d lines: divide it", MaxPeopleRows)
		return false
	}
	p.fields = fields
	p.readEntry()
	return true
}

func (p *parser) readHeader(fields []string) {
	p.header = slices.Clone(fields)
	for i, field := range fields {
		name := strings.ToLower(strings.TrimSpace(field))
		p.header[i] = name
		switch first, again := p.columns[name]; {
		case name == "":
			p.note(i+1, "", "the column has no name")
		case !slices.Contains(PeopleColumns(), name):
			p.note(i+1, clipped(name), "unknown column; a people file has %s", strings.Join(PeopleColumns(), ", "))
		case again:
			p.note(i+1, name, "the column stands twice, first as column %d: remove one", first)
		default:
			p.columns[name] = i + 1
		}
	}
	if _, ok := p.columns[uidColumn]; !ok {
		p.note(0, "", "the column uid is missing: the first line names the columns, such as %s", strings.Join(PeopleColumns(), ","))
	}
}

// cell returns a cell of the row without blanks around it, "" where the file lacks the column.
func (p *parser) cell(name string) string {
	if i := p.columns[name]; i > 0 {
		return strings.TrimSpace(p.fields[i-1])
	}
	return ""
}

func (p *parser) readEntry() {
	if len(p.fields) != len(p.header) {
		p.note(0, "", "%d cells, but the header names %d columns: put a text with a separator into quotes", len(p.fields), len(p.header))
		return
	}
	before := len(p.faults)
	e := PersonEntry{UID: p.uid(), Line: p.line}
	for _, f := range PersonFields() {
		text := p.cell(string(f))
		switch text {
		case "":
		case removes:
			e.Values = append(e.Values, GivenValue{Field: f})
		default:
			if p.guarded {
				text = unguarded(text)
			}
			value, err := CheckValue(f, text)
			if err != nil {
				p.wrong(string(f), "%v", err)
				continue
			}
			e.Values = append(e.Values, GivenValue{f, value})
		}
	}
	p.checkCosts(e)
	if len(p.faults) == before {
		p.add(e)
	}
}

// number finds what a spreadsheet makes of a text that it takes for a number.
var number = regexp.MustCompile(`^[0-9]+([.,][0-9]*)?([eE][+-]?[0-9]+)?$`)

func (p *parser) uid() affiliate.UID {
	text := p.cell(uidColumn)
	if p.guarded {
		text = unguarded(text)
	}
	switch {
	case text == "":
		p.wrong(uidColumn, "the UID is missing")
	case strings.ContainsAny(text, ".,eE") && number.MatchString(text):
		p.wrong(uidColumn, "%q is a UID that a spreadsheet took for a number, so that digits are lost: format the column as text and enter it again", clipped(text))
	case !affiliate.IsUID(text):
		p.wrong(uidColumn, "%q is not a UID, such as 4667776811", clipped(text))
	}
	return affiliate.UID(text)
}

// checkCosts refuses a cost without a coin, and a coin without a cost.
func (p *parser) checkCosts(e PersonEntry) {
	cost, costs := e.Value(FieldCost)
	coin, coins := e.Value(FieldCostCoin)
	switch {
	case cost != "" && coin == "":
		p.wrong(string(FieldCost), "the cost %s has no coin: name it in %s, such as USDT", cost, FieldCostCoin)
	case coin != "" && cost == "" && p.cell(string(FieldCost)) == removes:
		p.wrong(string(FieldCostCoin), "the coin %s stands beside a cost that is removed: leave it empty", coin)
	case coin != "" && !costs && p.cell(string(FieldCost)) == "":
		p.wrong(string(FieldCostCoin), "the coin %s stands without a cost: give both", coin)
	case coins && coin == "" && !costs:
		p.wrong(string(FieldCostCoin), "the coin is removed and the cost is not: remove the cost")
	}
}

// add adds an entry, unless an earlier line says the same or contradicts it.
func (p *parser) add(e PersonEntry) {
	i, again := p.first[e.UID]
	switch {
	case !again:
		p.first[e.UID] = len(p.file.Entries)
		p.file.Entries = append(p.file.Entries, e)
	case slices.Equal(p.file.Entries[i].Values, e.Values):
		p.file.Repeats++
	default:
		p.wrong(uidColumn, "the UID %s stands in line %d too, with other values: keep one of the lines %[2]d and %d", e.UID, p.file.Entries[i].Line, e.Line)
	}
}
