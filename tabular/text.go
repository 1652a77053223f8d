package tabular

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// mostSeparators is how many separators a line may have, those within texts included.
const mostSeparators = 5_000

// readText reads text with separators.
func (t *table) readText(file []byte) error {
	text, err := t.decoded(file)
	if err != nil {
		return err
	}
	text, separator := cutSeparator(oneLineEnd(text))
	if separator == 0 {
		separator = separatorOf(text)
	}
	number := 0
	for line := range bytes.Lines(text) { // before cells are made of them
		if number++; bytes.Count(line, []byte(string(separator))) > mostSeparators {
			return t.whole("line %d has more than %d cells: check that the file is a %s", number, mostSeparators, t.kind.Noun)
		}
	}
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comma, reader.FieldsPerRecord, reader.ReuseRecord = separator, -1, true
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if broken, ok := errors.AsType[*csv.ParseError](err); ok {
			t.note(Mistake{Line: broken.Line, Text: fmt.Sprintf("the quotes are not balanced near character %d: put a text with quotes into quotes and double those inside (%v)", broken.Column, broken.Err)})
			return errEnough // what follows is read wrongly
		}
		if err != nil {
			return t.whole("%v", err)
		}
		line, _ := reader.FieldPos(0)
		if err := t.take(line, cells); err != nil {
			return err
		}
	}
}

// decoded returns a text in UTF-8, without the marks at its beginning.
func (t *table) decoded(file []byte) ([]byte, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xfe")), looksWide(file, 0):
		order = binary.LittleEndian
	case bytes.HasPrefix(file, []byte("\xfe\xff")), looksWide(file, 1):
		order = binary.BigEndian
	}
	if order != nil {
		text, ok := fromUTF16(file, order)
		if !ok {
			return nil, t.whole("the file is UTF-16 (“Unicode text”) and damaged: save it as “CSV UTF-8”, or as .xlsx")
		}
		file = text
	}
	for bytes.HasPrefix(file, []byte("\ufeff")) {
		file = file[len("\ufeff"):]
	}
	if !utf8.Valid(file) {
		line, character := whereInvalid(file)
		t.note(Mistake{Line: line, Text: fmt.Sprintf("character %d is not UTF-8: save the file as “CSV UTF-8”", character)})
		return nil, errEnough
	}
	if at := bytes.IndexByte(file, 0); at >= 0 {
		t.note(Mistake{Line: 1 + bytes.Count(file[:at], []byte("\n")), Text: "the line has the character U+0000, which no text has: the file is damaged, or no text; save it again as “CSV UTF-8”"})
		return nil, errEnough
	}
	return file, nil
}

// looksWide reports whether a file begins with two ASCII characters in UTF-16, the first of them at
// an index.
func looksWide(file []byte, at int) bool {
	return len(file) >= 4 && file[at] != 0 && file[at+2] != 0 && file[1-at] == 0 && file[3-at] == 0
}

func fromUTF16(file []byte, order binary.ByteOrder) ([]byte, bool) {
	if len(file)%2 != 0 {
		return nil, false
	}
	text := make([]byte, 0, len(file))
	for i := 0; i < len(file); i += 2 {
		r := rune(order.Uint16(file[i:]))
		if utf16.IsSurrogate(r) {
			if i += 2; i == len(file) {
				return nil, false
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(file[i:]))); r == utf8.RuneError {
				return nil, false
			}
		}
		text = utf8.AppendRune(text, r)
	}
	return text, true
}

// whereInvalid returns the place of the first byte that is not UTF-8.
func whereInvalid(text []byte) (line, character int) {
	valid := 0
	for {
		r, size := utf8.DecodeRune(text[valid:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		valid += size
	}
	before := text[:valid]
	return 1 + bytes.Count(before, []byte("\n")), 1 + utf8.RuneCount(before[1+bytes.LastIndexByte(before, '\n'):])
}

// oneLineEnd makes every end of a line a line feed. Within quotes a carriage return alone is one
// too, since it breaks the line of a cell.
func oneLineEnd(text []byte) []byte {
	if bytes.IndexByte(text, '\r') < 0 {
		return text
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
}

// cutSeparator takes the separator from a first line such as sep=;, by which some programs say it.
// The line stays, empty, so that the numbers of lines do not change.
func cutSeparator(text []byte) ([]byte, rune) {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	said := strings.Trim(string(first), `"`)
	if len(said) != len("sep=;") || !strings.EqualFold(said[:4], "sep=") || strings.ContainsAny(said[4:], "\"\r\n") || said[4] >= utf8.RuneSelf {
		return text, 0
	}
	return text[len(first):], rune(said[4])
}

// separatorOf returns the separator of a header. Names of columns have none.
func separatorOf(text []byte) rune {
	header, _, _ := bytes.Cut(bytes.TrimLeft(text, "\n"), []byte("\n"))
	for _, separator := range ",;\t" {
		if bytes.ContainsRune(header, separator) {
			return separator
		}
	}
	return ','
}
