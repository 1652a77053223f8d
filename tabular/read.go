package tabular

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rebatedesk/workbook"
)

// Kind is a kind of file, by its columns.
type Kind struct {
	Noun    string   // such as “people file”
	Columns []string // all that it may have, in lower case; the order of a file is free
	Needed  int      // how many of them, from the first on, it must have
	Dates   []string // columns in which a workbook may have dates

	// Headers are the names in the file, in lower case, of columns that it calls otherwise.
	Headers map[string]string // by the column
	Others  bool              // further columns are left out; otherwise they are a fault
	Left    func(name string) // called for each column that is left out; may be nil

	MaxBytes int
	MaxRows  int
}

// Row is a row below the header. It is valid until the next one.
type Row struct {
	Line int // of the file, from 1; the number of the row in a workbook

	t     *table
	cells []string
}

// Cell returns a cell as it stands there, without blanks around it; "" where the file lacks the
// column.
func (r *Row) Cell(column string) string {
	if i := r.Number(column); i > 0 {
		return strings.TrimSpace(r.cells[i-1])
	}
	return ""
}

// Text is Cell without the guard that exports set before what a spreadsheet would run.
func (r *Row) Text(column string) string {
	text := r.Cell(column)
	if r.t.guarded {
		text = unguarded(text)
	}
	return text
}

// Number returns the number of a column in the file, from 1; 0 where the file lacks it.
func (r *Row) Number(column string) int { return r.t.number[column] }

// Wrong notes a fault in a column of the row.
func (r *Row) Wrong(column, format string, values ...any) {
	r.t.note(Mistake{r.Line, r.Number(column), column, fmt.Sprintf(format, values...)})
}

// Faulty reports whether a fault of the row was noted.
func (r *Row) Faulty() bool { return len(r.t.faults) > r.t.before }

// Read reads a file of a kind, and calls row for each row below its header. Rows without a value
// are left out.
//
// What is wrong with the file is [Mistakes], with those that row noted. Any other error is that of
// ctx.
func Read(ctx context.Context, file []byte, kind Kind, row func(*Row)) error {
	t := &table{ctx: ctx, kind: kind, each: row, number: map[string]int{}}
	err := t.read(file)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if err != nil {
		return err
	}
	if len(t.faults) == 0 {
		t.checkRows()
	}
	return t.faults.Err()
}

// table reads one file.
type table struct {
	ctx     context.Context
	kind    Kind
	each    func(*Row)
	faults  Mistakes
	before  int            // faults before the row that is read
	number  map[string]int // of each column, from 1
	header  []string
	rows    int
	blank   int  // rows without a value
	guarded bool // formulas have a guard, as in text
	row     Row
}

// errEnough ends the reading where going on makes no sense.
var errEnough = errors.New("the rest of the file is not read")

func (t *table) note(f Mistake) { t.faults = append(t.faults, f) }

// whole notes a fault of the file, and ends the reading.
func (t *table) whole(format string, values ...any) error {
	t.note(Mistake{Text: fmt.Sprintf(format, values...)})
	return errEnough
}

func (t *table) read(file []byte) error {
	switch {
	case len(file) > t.kind.MaxBytes:
		return t.whole("the file is larger than %d MiB: divide it, or check that it is a %s", t.kind.MaxBytes>>20, t.kind.Noun)
	case workbook.Is(file):
		return t.readWorkbook(file)
	case strings.HasPrefix(string(file[:min(len(file), 4)]), "\xd0\xcf\x11\xe0"):
		return t.whole("the file is a workbook of the old kind, or has a password: save it as .xlsx without a password, or as CSV UTF-8")
	}
	t.guarded = true
	return t.readText(file)
}

// someColumns names the first columns of the kind.
func (t *table) someColumns() string {
	return strings.Join(t.kind.Columns[:min(len(t.kind.Columns), 8)], ",")
}

func (t *table) checkRows() {
	switch {
	case t.header == nil:
		t.note(Mistake{Line: 1, Text: "the file is empty: its first line names the columns, such as " + t.someColumns()})
	case t.rows == 0:
		t.note(Mistake{Text: "the file has a header and no row below it: check that it is the right file, and that it was saved with its rows"})
	}
}

// take takes a row, the header first.
func (t *table) take(line int, cells []string) error {
	if line%1000 == 0 && t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" }) {
		if t.blank++; t.blank > t.kind.MaxRows {
			return t.whole("the file has more than %d lines without a value: remove them", t.kind.MaxRows)
		}
		return nil // a spreadsheet leaves lines of separators
	}
	if t.header == nil {
		return t.takeHeader(line, cells)
	}
	if err := t.count(line); err != nil {
		return err
	}
	t.before = len(t.faults)
	if len(cells) != len(t.header) {
		t.note(Mistake{Line: line, Text: fmt.Sprintf("%s, but the header names %s: put a text with a separator into quotes",
			counted(len(cells), "cell"), counted(len(t.header), "column"))})
		return nil
	}
	t.row = Row{Line: line, t: t, cells: cells}
	t.each(&t.row)
	return nil
}

// count counts a row below the header.
func (t *table) count(line int) error {
	switch {
	case len(t.faults) >= maxFaults:
		t.note(Mistake{Line: line, Text: "this line and those below it were not read: mend the faults above first"})
		return errEnough
	case t.rows == t.kind.MaxRows:
		return t.whole("the file has more than %d lines: divide it", t.kind.MaxRows)
	}
	t.rows++
	return nil
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (t *table) takeHeader(line int, cells []string) error {
	if len(cells) > workbook.MaxColumns {
		return t.whole("the first line names %d columns, and a file has at most %d; a %s has %s", len(cells), workbook.MaxColumns, t.kind.Noun, strings.Join(t.kind.Columns, ", "))
	}
	t.header = make([]string, len(cells))
	for i, cell := range cells {
		name := t.columnOf(strings.ToLower(strings.TrimSpace(cell)))
		t.header[i] = name
		switch first, again := t.number[name]; {
		case t.kind.Others && !slices.Contains(t.kind.Columns, name):
			if name != "" && t.kind.Left != nil {
				t.kind.Left(Clipped(cell))
			}
		case name == "":
			t.note(Mistake{Line: line, Column: i + 1, Text: "the column has no name"})
		case !slices.Contains(t.kind.Columns, name):
			t.note(Mistake{line, i + 1, Clipped(name), fmt.Sprintf("unknown column; a %s has %s", t.kind.Noun, strings.Join(t.kind.Columns, ", "))})
		case again:
			t.note(Mistake{line, i + 1, name, fmt.Sprintf("the column stands twice, first as column %d: remove one", first)})
		default:
			t.number[name] = i + 1
		}
	}
	for _, name := range t.kind.Columns[:t.kind.Needed] {
		if t.number[name] == 0 && t.kind.Headers[name] == "" {
			t.note(Mistake{Line: line, Text: fmt.Sprintf("the column %s is missing: the first line names the columns, such as %s", name, t.someColumns())})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.kind.Headers)) {
		if t.number[name] == 0 {
			t.note(Mistake{Line: line, Text: fmt.Sprintf("the column %q, of which %s is to be read, is missing: the file has %s", Clipped(t.kind.Headers[name]), name, Clipped(strings.Join(cells, ", ")))})
		}
	}
	if len(t.faults) > 0 {
		return errEnough
	}
	return nil
}

// columnOf returns the column that a name in the file stands for. A column that is called otherwise does
// not go by its own name.
func (t *table) columnOf(name string) string {
	for column, header := range t.kind.Headers {
		if header == name {
			return column
		}
	}
	if t.kind.Headers[name] != "" {
		return ""
	}
	return name
}

// readWorkbook reads the first sheet of a workbook.
func (t *table) readWorkbook(file []byte) error {
	var texts []string
	err := workbook.Read(t.ctx, file, func(number int, cells []workbook.Cell) error {
		texts = texts[:0]
		before := len(t.faults)
		for i, cell := range cells {
			text, problem := t.cellText(i, cell)
			if problem != "" {
				t.note(Mistake{number, i + 1, t.nameOf(i), problem})
			}
			texts = append(texts, text)
		}
		switch {
		case len(t.faults) == before:
		case t.header == nil:
			return errEnough // what stands below a header that cannot be read means nothing
		default:
			return t.count(number) // one that is not understood is a row
		}
		for len(texts) < len(t.header) {
			texts = append(texts, "") // empty cells at the end are not stored
		}
		return t.take(number, texts)
	})
	if broken, ok := errors.AsType[*workbook.Unreadable](err); ok {
		t.note(Mistake{broken.Row, broken.Column, t.nameOf(broken.Column - 1), "the workbook cannot be read: " + broken.Text + "; save it again as .xlsx, or as CSV UTF-8"})
		return errEnough
	}
	return err
}

func (t *table) nameOf(i int) string {
	if i < 0 || i >= len(t.header) {
		return ""
	}
	return t.header[i]
}

// cellText returns a cell of a workbook as text, or what is wrong with it.
func (t *table) cellText(i int, cell workbook.Cell) (text, problem string) {
	shown := Clipped(cell.Text)
	switch cell.Kind {
	case workbook.RoundedCell:
		return "", fmt.Sprintf("%q is a number of more than %d digits, of which a spreadsheet keeps no more: round it, or format the column as text and enter it again", shown, workbook.ExactDigits)
	case workbook.DateCell:
		if !slices.Contains(t.kind.Dates, t.nameOf(i)) {
			return "", fmt.Sprintf("%q is a date: format the column as text and enter it again", shown)
		}
	case workbook.BooleanCell:
		return "", fmt.Sprintf("%s is a truth value and no text: format the column as text and enter it again", shown)
	case workbook.ErrorCell:
		return "", fmt.Sprintf("the formula has the error %s: mend it, or enter the value", shown)
	case workbook.UncalculatedCell:
		return "", "the formula has no result: open the file in a spreadsheet and save it, or enter the value"
	}
	return cell.Text, ""
}
