package workbook

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// Limits of a workbook that is read. They hold whatever the file says of itself.
const (
	MaxColumns   = 64          // with a value; further cells may only have a format
	MaxCell      = 32 << 10    // bytes of a text
	maxFormat    = 255         // characters of a number format, as in spreadsheets
	maxStyles    = 65_536      // of cells, and number formats of our own
	maxParts     = 10_000      // files within the file
	maxPiece     = 8 * MaxCell // bytes of one piece of XML: every character of a text may be written as an entity
	maxSmallPart = 8 << 20     // unpacked bytes of a part that is neither the sheet nor the texts
	maxTexts     = 64 << 20    // unpacked bytes of the texts that cells share, which are held in memory
	// maxSheet is how many unpacked bytes of a sheet are read. They are not held in memory: the
	// limit is one of time, about five seconds. 500,000 rows of eight columns fit.
	maxSheet = 256 << 20
	// maxHanded is how many bytes of texts cells may have together: many may share a long one.
	maxHanded = 256 << 20
	maxRow    = 1_048_576 // the last row of a sheet
)

// Unreadable is why a workbook, or a place in it, cannot be read.
type Unreadable struct {
	Row, Column int // from 1; 0 = the workbook as a whole
	Text        string
}

func (u *Unreadable) Error() string { return u.Text }

func unreadable(format string, values ...any) error {
	return &Unreadable{Text: fmt.Sprintf(format, values...)}
}

// Is reports whether a file begins as a workbook does.
func Is(file []byte) bool { return bytes.HasPrefix(file, []byte("PK\x03\x04")) }

// Read calls row for each row of the first sheet that has a value, with the number of the row in
// the sheet, from 1. The cells, which row must not keep, reach to the last one with a value.
//
// The error is an [*Unreadable], that of row, or that of ctx, which ends the reading.
func Read(ctx context.Context, file []byte, row func(number int, cells []Cell) error) error {
	book, err := open(ctx, file)
	if err != nil {
		return err
	}
	s := sheetReader{book: book, row: row}
	return s.read()
}

// book is a workbook whose sheet can be read.
type book struct {
	ctx      context.Context
	parts    map[string]*zip.File // by their names in lower case
	sheet    string
	from1904 bool
	texts    texts
	dates    []bool // whether a style of cells shows dates
}

func open(ctx context.Context, file []byte) (*book, error) {
	if bytes.Count(file, []byte("PK\x01\x02")) > maxParts {
		return nil, unreadable("the workbook has more than %d parts", maxParts)
	}
	packed, err := zip.NewReader(endingReader{ctx, bytes.NewReader(file)}, int64(len(file)))
	if err != nil {
		return nil, unreadable("the file is damaged (%v)", err)
	}
	b := &book{ctx: ctx, parts: map[string]*zip.File{}}
	for _, part := range packed.File {
		name := strings.ToLower(strings.TrimPrefix(part.Name, "/"))
		if b.parts[name] == nil {
			b.parts[name] = part
		}
	}
	main, err := b.related("", "officedocument")
	if err != nil {
		return nil, err
	}
	if main == "" {
		return nil, unreadable("the file has no workbook in it")
	}
	if b.sheet, err = b.firstSheet(main); err != nil {
		return nil, err
	}
	if err := b.readTexts(main); err != nil {
		return nil, err
	}
	return b, b.readStyles(main)
}

// endingReader ends with its context, also where nothing comes of what is unpacked.
type endingReader struct {
	ctx  context.Context
	file *bytes.Reader
}

func (r endingReader) ReadAt(p []byte, at int64) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.ReadAt(p, at)
}

// relation says which part has a role for another one.
type relation struct{ id, role, target string }

// relations returns what a part is related to. The part "" is the package.
func (b *book) relations(of string) (list []relation, err error) {
	dir, name := path.Split(of)
	at := dir + "_rels/" + name + ".rels"
	if b.parts[at] == nil {
		return nil, nil
	}
	err = b.walk(at, maxSmallPart, func(s *scanner, kind piece) error {
		if kind != beginTag || string(s.name) != "Relationship" {
			return nil
		}
		target := s.attribute("Target")
		if strings.HasPrefix(target, "/") {
			target = path.Clean(target)[1:]
		} else {
			target = path.Join(dir, target)
		}
		list = append(list, relation{s.attribute("Id"), strings.ToLower(path.Base(s.attribute("Type"))), strings.ToLower(target)})
		if len(list) > maxParts {
			return unreadable("the workbook has more than %d parts", maxParts)
		}
		return nil
	})
	return list, err
}

// related returns the part that has a role for another one, "" without one.
func (b *book) related(of, role string) (string, error) {
	list, err := b.relations(of)
	if i := slices.IndexFunc(list, func(r relation) bool { return r.role == role }); i >= 0 {
		return list[i].target, err
	}
	return "", err
}

// firstSheet returns the part of the first sheet that has cells.
func (b *book) firstSheet(main string) (sheet string, err error) {
	list, err := b.relations(main)
	if err != nil {
		return "", err
	}
	sheets := map[string]string{} // their parts by the ids of their relations
	for _, r := range slices.Backward(list) {
		if r.role == "worksheet" {
			sheets[r.id] = r.target
		}
	}
	err = b.walk(main, maxSmallPart, func(s *scanner, kind piece) error {
		switch {
		case kind != beginTag:
		case string(s.name) == "workbookPr":
			b.from1904 = isTrue(s.attribute("date1904"))
		case string(s.name) == "sheet" && sheet == "":
			sheet = sheets[s.valueOf(true, "id")]
		}
		return nil
	})
	if err == nil && sheet == "" {
		err = unreadable("the workbook has no sheet")
	}
	return sheet, err
}

func isTrue(text string) bool { return text == "1" || text == "true" }

// texts are the texts that cells share, one behind the other.
type texts struct {
	all  []byte
	ends []uint32
}

func (t *texts) at(i int) (string, bool) {
	if i < 0 || i >= len(t.ends) {
		return "", false
	}
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return string(t.all[from:t.ends[i]]), true
}

// readTexts reads the shared texts. One that is too long is cut where that shows, since it may be
// of another sheet.
func (b *book) readTexts(main string) error {
	at, err := b.related(main, "sharedstrings")
	if err != nil || b.parts[at] == nil {
		return err
	}
	var within, reading bool // a text; what belongs to it
	begun := 0
	return b.walk(at, maxTexts, func(s *scanner, kind piece) error {
		switch name := string(s.name); kind {
		case beginTag:
			switch name {
			case "si":
				within, begun = true, len(b.texts.all)
			case "t":
				reading = within
			case "rPh":
				within = false // how it is spoken
			}
		case chars:
			if room := MaxCell + 1 - (len(b.texts.all) - begun); reading && room > 0 {
				b.texts.all = append(b.texts.all, s.text[:min(room, len(s.text))]...)
			}
		case endTag:
			switch name {
			case "si":
				within = false
				b.texts.ends = append(b.texts.ends, uint32(len(b.texts.all)))
			case "t":
				reading = false
			case "rPh":
				within = true
			}
		}
		return nil
	})
}

// readStyles finds which styles of cells show dates.
func (b *book) readStyles(main string) error {
	at, err := b.related(main, "styles")
	if err != nil || b.parts[at] == nil {
		return err
	}
	own := map[int]bool{} // number formats of this workbook, and whether they show dates
	within := false       // the list of the styles of cells
	return b.walk(at, maxSmallPart, func(s *scanner, kind piece) error {
		if kind != beginTag {
			within = within && !(kind == endTag && string(s.name) == "cellXfs")
			return nil
		}
		id := s.numberOf("numFmtId") // one that is none is the general format
		switch string(s.name) {
		case "numFmt":
			code := s.attribute("formatCode")
			if len(code) > 4*maxFormat || len([]rune(code)) > maxFormat {
				return unreadable("a number format has more than %d characters", maxFormat)
			}
			own[id] = showsDate(code)
		case "cellXfs":
			within = true
		case "xf":
			if within {
				date, ours := own[id]
				b.dates = append(b.dates, date || !ours && builtInDate(id))
			}
		}
		if len(own) > maxStyles || len(b.dates) > maxStyles {
			return unreadable("the workbook has more than %d styles", maxStyles)
		}
		return nil
	})
}

// walk reads a part to its end, so that its checksum is compared, and calls each with every piece
// of its XML.
func (b *book) walk(name string, most int64, each func(*scanner, piece) error) error {
	file := b.parts[name]
	if file == nil {
		return unreadable("the part %q is missing", name)
	}
	in, err := file.Open()
	if err != nil {
		return unreadable("the part %q cannot be unpacked (%v)", name, err)
	}
	defer in.Close()
	s := newScanner(b.ctx, in, most)
	for {
		kind, err := s.next()
		if err == nil {
			if err := each(s, kind); err != nil {
				return err
			}
			continue
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case b.ctx.Err() != nil:
			return b.ctx.Err()
		case errors.Is(err, errLargePart):
			return unreadable("the part %q unpacks to more than %d MiB", name, most>>20)
		case errors.Is(err, errLargeText):
			return unreadable("a text has more than %d KiB", MaxCell>>10)
		case errors.Is(err, errLanguage):
			return unreadable("the part %q defines its own language", name)
		}
		return unreadable("the part %q is damaged (%v)", name, err)
	}
}
