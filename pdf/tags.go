package pdf

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// element is a part of what a document says, as programs that read it aloud know it: a heading, a
// table, a cell. What is set on pages belongs to one of them or is decoration.
type element struct {
	kind, more string // of PDF, such as H1, and what its dictionary has besides the usual
	parts      []*element
	marks      []mark // in the order of reading
	number     int    // of its object in the file
}

// mark is a piece of a page, both counted from 0.
type mark struct{ page, number int }

const (
	columnTitle = "/A <</O /Table /Scope /Column>>"
	rowTitle    = "/A <</O /Table /Scope /Row>>"
)

// tag begins an element below another.
func (e *element) tag(kind, more string) *element {
	part := &element{kind: kind, more: more}
	e.parts = append(e.parts, part)
	return part
}

// mark sets a piece of an element. Without one it is decoration, such as the foot of a page.
func (w *writing) mark(in *element, set func()) {
	if in == nil {
		w.pdf.RawWriteStr("/Artifact BMC")
	} else {
		w.reach(w.pdf.PageNo())
		m := mark{w.pdf.PageNo() - 1, len(w.marked[w.pdf.PageNo()-1])}
		in.marks = append(in.marks, m)
		w.marked[m.page] = append(w.marked[m.page], in)
		w.pdf.RawWriteStr(fmt.Sprintf("/%s <</MCID %d>> BDC", in.kind, m.number))
	}
	set()
	w.pdf.RawWriteStr("EMC")
}

// reach makes room for the marks of so many pages.
func (w *writing) reach(pages int) {
	w.marked = append(w.marked, make([][]*element, pages-len(w.marked))...)
}

// tagged adds the elements to a file of the library, which knows none, and names its fonts as those of
// which a file has some characters only.
func (w *writing) tagged(file []byte) ([]byte, error) {
	f, err := readObjects(file)
	if err != nil {
		return nil, err
	}
	var pages []int
	for number := range f.list {
		if f.extend(number, "<</Type /Page\n", fmt.Sprintf("/StructParents %d\n", len(pages))) {
			pages = append(pages, number)
		}
	}
	tree := len(f.list)
	catalog := fmt.Sprintf("/MarkInfo <</Marked true>>\n/StructTreeRoot %d 0 R\n/ViewerPreferences <</DisplayDocTitle true>>\n", tree)
	if len(pages) != w.pdf.PageCount() || !f.extend(f.root, "<<\n/Type /Catalog\n", catalog) {
		return nil, fmt.Errorf("%d of %d pages are found, or no catalog", len(pages), w.pdf.PageCount())
	}
	if err := f.nameFonts(); err != nil {
		return nil, err
	}
	f.list = append(f.list, nil) // the root of the elements, which lists those of each page
	f.add(&w.root, tree, pages)
	var parents strings.Builder
	w.reach(len(pages))
	for page, elements := range w.marked {
		fmt.Fprintf(&parents, "\n%d [ ", page)
		for _, e := range elements {
			fmt.Fprintf(&parents, "%d 0 R ", e.number)
		}
		parents.WriteString("]")
	}
	f.list[tree] = fmt.Appendf(nil, "<</Type /StructTreeRoot /K [%d 0 R] /ParentTreeNextKey %d /ParentTree <</Nums [%s]>>>>\nendobj\n",
		w.root.number, len(pages), &parents)
	return f.bytes(), nil
}

// objects are those of a PDF file, by their numbers and without them; the first is none.
type objects struct {
	head       []byte // of the file, before them
	list       [][]byte
	root, info int // the catalog and the list of properties
}

// readObjects takes a file of the library apart by the table at its end.
func readObjects(file []byte) (*objects, error) {
	f := &objects{}
	var size, table int
	end := max(0, bytes.LastIndex(file, []byte("trailer\n")))
	if _, err := fmt.Sscanf(string(file[end:]), "trailer\n<<\n/Size %d\n/Root %d 0 R\n/Info %d 0 R\n>>\nstartxref\n%d\n", &size, &f.root, &f.info, &table); err != nil {
		return nil, fmt.Errorf("its trailer: %w", err)
	}
	if table > end {
		return nil, errors.New("its table of objects is behind its end")
	}
	offsets := make([]int, size)
	for number, line := range bytes.Split(file[table:end], []byte("\n"))[2:] { // below "xref" and the number of lines
		if number > 0 && number < size {
			if _, err := fmt.Sscanf(string(line), "%d 00000 n", &offsets[number]); err != nil {
				return nil, fmt.Errorf("its object %d: %w", number, err)
			}
		}
	}
	places := append(slices.Sorted(slices.Values(offsets)), table)
	f.head, f.list = file[:places[1]], make([][]byte, size)
	for number := 1; number < size; number++ {
		next, _ := slices.BinarySearch(places, offsets[number]+1)
		begin := fmt.Appendf(nil, "%d 0 obj\n", number)
		object, ok := bytes.CutPrefix(file[offsets[number]:places[next]], begin)
		if !ok || !bytes.HasSuffix(object, []byte("endobj\n")) {
			return nil, fmt.Errorf("its object %d is not where its table says", number)
		}
		f.list[number] = object
	}
	return f, nil
}

// extend puts more entries behind the first of an object that begins so.
func (f *objects) extend(number int, begin, more string) bool {
	rest, ok := bytes.CutPrefix(f.list[number], []byte(begin))
	if ok {
		f.list[number] = slices.Concat([]byte(begin), []byte(more), rest)
	}
	return ok
}

// nameFonts puts six letters, made from the file of a font, before its name wherever that stands.
func (f *objects) nameFonts() error {
	for _, object := range f.list {
		var name string
		var file int
		if !bytes.HasPrefix(object, []byte("<</Type /FontDescriptor ")) {
			continue
		}
		if _, err := fmt.Sscanf(string(object), "<</Type /FontDescriptor /FontName /%s", &name); err != nil {
			return fmt.Errorf("the name of a font: %w", err)
		}
		_, at, _ := bytes.Cut(object, []byte("/FontFile2 "))
		if _, err := fmt.Sscanf(string(at), "%d 0 R", &file); err != nil || file >= len(f.list) {
			return fmt.Errorf("the font %s has no file", name)
		}
		prefix := sha256.Sum256(f.list[file])
		for i := range 6 {
			prefix[i] = 'A' + prefix[i]%26
		}
		for number, other := range f.list {
			if bytes.HasPrefix(other, []byte("<</Type /Font")) { // also descriptors
				f.list[number] = bytes.ReplaceAll(other, []byte("/"+name+"\n"), fmt.Appendf(nil, "/%s+%s\n", prefix[:6], name))
			}
		}
	}
	return nil
}

// add adds an element below another object, and all below it.
func (f *objects) add(e *element, under int, pages []int) {
	e.number = len(f.list)
	f.list = append(f.list, nil)
	var kids strings.Builder
	for _, part := range e.parts {
		f.add(part, e.number, pages)
		fmt.Fprintf(&kids, "%d 0 R ", part.number)
	}
	more := e.more
	for i, m := range e.marks {
		if i == 0 {
			more += fmt.Sprintf(" /Pg %d 0 R", pages[m.page])
		}
		if m.page == e.marks[0].page {
			fmt.Fprintf(&kids, "%d ", m.number)
		} else {
			fmt.Fprintf(&kids, "<</Type /MCR /Pg %d 0 R /MCID %d>> ", pages[m.page], m.number)
		}
	}
	f.list[e.number] = fmt.Appendf(nil, "<</Type /StructElem /S /%s /P %d 0 R %s /K [%s]>>\nendobj\n", e.kind, under, more, strings.TrimSpace(kids.String()))
}

// bytes returns the file.
func (f *objects) bytes() []byte {
	file := bytes.NewBuffer(slices.Clone(f.head))
	table := fmt.Appendf(nil, "xref\n0 %d\n0000000000 65535 f \n", len(f.list))
	for number, object := range f.list[1:] {
		table = fmt.Appendf(table, "%010d 00000 n \n", file.Len())
		fmt.Fprintf(file, "%d 0 obj\n%s", number+1, object)
	}
	fmt.Fprintf(file, "%strailer\n<</Size %d /Root %d 0 R /Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", table, len(f.list), f.root, f.info, file.Len())
	return file.Bytes()
}
