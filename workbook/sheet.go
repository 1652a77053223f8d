package workbook

import (
	"fmt"
	"strconv"
	"strings"
)

// sheetReader reads the rows of a sheet.
type sheetReader struct {
	*book
	row func(number int, cells []Cell) error

	number int    // of the row that is read
	column int    // of the cell that is read, from 1
	cells  []Cell // of the row
	last   int    // the last column with a value
	handed int    // bytes of the texts of all cells so far

	kind    string // of the cell, as the file names it
	style   int
	formula bool
	valued  bool // the cell has a value, if an empty one
	value   []byte

	inside bool // the list of rows
	inRow  bool
	inCell bool
	ended  bool
	reads  bool // characters belong to the value
	spoken bool // they are how a text is spoken
}

func (s *sheetReader) read() error {
	if err := s.walk(s.sheet, maxSheet, s.piece); err != nil {
		return err
	}
	if !s.ended {
		return unreadable("the sheet ends in the middle")
	}
	return nil
}

func (s *sheetReader) piece(x *scanner, kind piece) error {
	switch kind {
	case beginTag:
		if string(x.name) == "sheetData" {
			s.inside = true
		}
		if s.inside {
			return s.begin(x)
		}
	case chars:
		if s.reads && !s.spoken {
			if len(s.value)+len(x.text) > MaxCell {
				return s.wrong("the cell has more than %d KiB", MaxCell>>10)
			}
			s.value = append(s.value, x.text...)
		}
	case endTag:
		if s.inside {
			return s.end(string(x.name))
		}
	}
	return nil
}

// wrong is a fault of the cell that is read.
func (s *sheetReader) wrong(format string, values ...any) error {
	return &Unreadable{Row: s.number, Column: s.column, Text: fmt.Sprintf(format, values...)}
}

func (s *sheetReader) begin(x *scanner) error {
	switch name := string(x.name); {
	case name == "row" && !s.inRow:
		s.inRow = true
		return s.beginRow(x)
	case name == "c" && s.inRow && !s.inCell:
		s.inCell = true
		return s.beginCell(x)
	case name == "row" || name == "c":
		return unreadable("the cells are not in rows")
	case !s.inCell:
	case name == "f":
		s.formula = true
	case name == "v" || name == "t":
		s.reads, s.valued = true, true
	case name == "rPh":
		s.spoken = true
	}
	return nil
}

func (s *sheetReader) beginRow(x *scanner) error {
	number := s.number + 1
	if text := x.attribute("r"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < number || n > maxRow {
			return unreadable("the row after row %d has the number %.20q", s.number, text)
		}
		number = n
	}
	s.number, s.column, s.last, s.cells = number, 0, 0, s.cells[:0]
	return nil
}

func (s *sheetReader) beginCell(x *scanner) error {
	column := s.column + 1
	if at := x.attribute("r"); at != "" {
		n := columnOf(at)
		if n < column {
			return s.wrong("the next cell has the address %.20q", at)
		}
		column = n
	}
	s.column, s.kind, s.style = column, x.attribute("t"), x.numberOf("s") // a style that is none is the general one
	s.formula, s.valued, s.reads, s.spoken, s.value = false, false, false, false, s.value[:0]
	return nil
}

// columnOf returns the number of the column of an address such as AB12, 0 for one that is none.
func columnOf(at string) (n int) {
	for i := 0; i < len(at) && i < 3; i++ {
		letter := at[i] | 0x20
		if letter < 'a' || letter > 'z' {
			break
		}
		n = 26*n + int(letter-'a') + 1
	}
	return n
}

func (s *sheetReader) end(name string) error {
	switch name {
	case "v", "t":
		s.reads = false
	case "rPh":
		s.spoken = false
	case "c":
		s.inCell = false
		return s.endCell()
	case "row":
		s.inRow = false
		if s.last > 0 {
			return s.row(s.number, s.cells[:s.last])
		}
	case "sheetData":
		s.inside, s.ended = false, true
	}
	return nil
}

func (s *sheetReader) endCell() error {
	cell, err := s.cell()
	if err != nil || cell.Kind == EmptyCell {
		return err
	}
	if s.column > MaxColumns {
		return s.wrong("the sheet has more than %d columns", MaxColumns)
	}
	if s.handed += len(cell.Text); s.handed > maxHanded {
		return s.wrong("the cells up to this one have more than %d MiB of text", maxHanded>>20)
	}
	for len(s.cells) < s.column {
		s.cells = append(s.cells, Cell{})
	}
	s.cells[s.column-1], s.last = cell, s.column
	return nil
}

// cell makes the cell that was read, by the type that the file gives it.
func (s *sheetReader) cell() (Cell, error) {
	value := string(s.value)
	switch {
	case s.formula && !s.valued:
		return Cell{Kind: UncalculatedCell}, nil
	case value == "":
		return Cell{}, nil
	}
	switch s.kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		text, ok := s.texts.at(i)
		if err != nil || !ok {
			return Cell{}, s.wrong("the text number %.20q of the cell is missing", value)
		}
		if len(text) > MaxCell {
			return Cell{}, s.wrong("the cell has more than %d KiB", MaxCell>>10)
		}
		return textCell(text), nil
	case "inlineStr", "str":
		return textCell(value), nil
	case "b":
		return Cell{BooleanCell, strings.ToUpper(strconv.FormatBool(isTrue(value)))}, nil
	case "e":
		return Cell{ErrorCell, value}, nil
	case "d":
		return isoCell(value), nil
	case "", "n":
		if s.style >= 0 && s.style < len(s.dates) && s.dates[s.style] {
			return dateCell(strings.TrimSpace(value), s.from1904), nil
		}
		return numberCell(strings.TrimSpace(value)), nil
	}
	return Cell{}, s.wrong("the cell has a type of its own, %.20q", s.kind)
}

func textCell(text string) Cell {
	if text = unescaped(text); text == "" {
		return Cell{}
	}
	return Cell{StringCell, text}
}
