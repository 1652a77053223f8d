package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-pdf/fpdf"
)

// Lengths are in millimetres, sizes of type in points.
const (
	pageHeight   = 297.0
	marginLeft   = 20.0
	marginTop    = 18.0
	marginBottom = 22.0
	bodyWidth    = 210 - 2*marginLeft
	bodyEnd      = pageHeight - marginBottom

	headingSize    = 17.0
	subheadingSize = 11.5
	bodySize       = 9.5
	noteSize       = 8.0
	footSize       = 8.0

	lineHeight = 0.46 // of a line, per point of its type
	logoHeight = 18.0
	logoWidth  = 60.0
	gap        = 2.4 // between blocks
)

const (
	family  = "LiberationSans"
	regular = ""
	bold    = "B"
)

// shade is a grey or a colour, as red, green and blue.
type shade [3]int

var (
	ink    = shade{0x1b, 0x1f, 0x27}
	grey   = shade{0x5b, 0x63, 0x70}
	ruling = shade{0xd5, 0xd9, 0xdf}
	strong = shade{0x1b, 0x1f, 0x27}
)

// writing is a pass that sets the blocks of a document on pages.
type writing struct {
	pdf    *fpdf.Fpdf
	root   element
	marked [][]*element // of each page, the elements of its marks
}

func newWriting(properties Properties, pages int) *writing {
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(properties.Created)
	pdf.SetModificationDate(properties.Created)
	pdf.SetProducer("Rebatedesk", true)
	pdf.SetTitle(properties.Title, true)
	if properties.Author != "" {
		pdf.SetAuthor(properties.Author, true)
	}
	pdf.SetXmpMetadata(metadata(properties))
	pdf.SetLang(properties.Language)
	pdf.SetMargins(marginLeft, marginTop, marginLeft)
	pdf.SetAutoPageBreak(false, marginBottom)
	pdf.SetCellMargin(0)
	// The library writes into the fonts that it is given.
	pdf.AddUTF8FontFromBytes(family, regular, slices.Clone(liberationsansregular.TTF))
	pdf.AddUTF8FontFromBytes(family, bold, slices.Clone(liberationsansbold.TTF))
	w := &writing{pdf: pdf, root: element{kind: "Document"}}
	pdf.SetFooterFunc(func() { w.foot(properties.Title, pages) })
	pdf.AddPage()
	// Opaque, as without it: the library calls a file PDF 1.4, of which language and metadata are,
	// only for an effect of that version.
	pdf.SetAlpha(1, "Normal")
	return w
}

// foot sets the title and the number of the page. A long title is shortened there.
func (w *writing) foot(title string, pages int) {
	w.set(regular, footSize, grey)
	number := ""
	if pages > 0 {
		number = fmt.Sprintf("%d of %d", w.pdf.PageNo(), pages)
	}
	room := bodyWidth - 25.0
	title = strings.ReplaceAll(title, "\n", " ")
	if w.pdf.GetStringWidth(title) > room {
		title = strings.TrimRight(w.lines(title, room-w.pdf.GetStringWidth("…"))[0], " ") + "…"
	}
	y := pageHeight - 12
	w.rule(y-5, ruling)
	w.put(nil, marginLeft, y, title, false, 0)
	w.put(nil, marginLeft, y, number, true, bodyWidth)
}

func (w *writing) letterhead(head Letterhead) {
	w.pdf.SetY(marginTop)
	textWidth := bodyWidth
	logoEnd := marginTop
	if len(head.Logo.png) > 0 {
		width, height := head.Logo.fit(logoWidth, logoHeight)
		w.pdf.RegisterImageOptionsReader("logo", fpdf.ImageOptions{ImageType: "PNG"}, bytes.NewReader(head.Logo.png))
		left, point := marginLeft+bodyWidth-width, w.pdf.GetConversionRatio()
		box := fmt.Sprintf("/Alt (Logo) /A <</O /Layout /Placement /Block /BBox [%.2f %.2f %.2f %.2f]>>",
			left*point, (pageHeight-marginTop-height)*point, (left+width)*point, (pageHeight-marginTop)*point)
		w.mark(w.root.tag("Figure", box), func() {
			w.pdf.ImageOptions("logo", left, marginTop, width, height, false, fpdf.ImageOptions{ImageType: "PNG"}, 0, "")
		})
		textWidth -= width + 8
		logoEnd += height
	}
	if head.Name != "" {
		w.set(bold, 13, ink)
		w.flow(w.root.tag("P", ""), w.lines(head.Name, textWidth), 13)
		w.pdf.SetY(w.pdf.GetY() + 1)
	}
	w.set(regular, noteSize+0.5, grey)
	if len(head.Address) > 0 {
		w.flow(w.root.tag("P", ""), w.lines(strings.Join(head.Address, "\n"), textWidth), noteSize+0.5)
	}
	if y := max(w.pdf.GetY(), logoEnd); y > marginTop {
		w.rule(y+3, ruling)
		w.pdf.SetY(y + 9)
	}
}

func (w *writing) address(lines []string) {
	if len(lines) == 0 {
		return
	}
	w.set(regular, bodySize+0.5, ink)
	w.flow(w.root.tag("P", ""), w.lines(strings.Join(lines, "\n"), bodyWidth*0.6), bodySize+0.5)
	w.space(8)
}

// heading keeps a title with the lines that follow it.
func (w *writing) heading(kind, text string, size float64) {
	w.set(bold, size, ink)
	lines := w.lines(text, bodyWidth)
	if size < headingSize {
		w.space(2.5)
	}
	w.room(float64(len(lines))*size*lineHeight + 18)
	w.set(bold, size, ink)
	w.flow(w.root.tag(kind, ""), lines, size)
	w.space(gap)
}

func (w *writing) paragraph(under *element, text, style string, size float64, colour shade) {
	w.set(style, size, colour)
	w.flow(under.tag("P", ""), w.lines(text, bodyWidth), size)
	w.space(gap)
}

func (w *writing) fields(fields []Field) {
	labelWidth := 0.0
	w.set(regular, bodySize, grey)
	for _, f := range fields {
		labelWidth = max(labelWidth, w.pdf.GetStringWidth(f.Label))
	}
	labelWidth = min(labelWidth+6, bodyWidth*0.4)
	list := w.root.tag("L", "")
	for _, f := range fields {
		item := list.tag("LI", "")
		label, value := item.tag("Lbl", ""), item.tag("LBody", "")
		w.set(regular, bodySize, ink)
		values := w.lines(f.Value, bodyWidth-labelWidth)
		w.set(regular, bodySize, grey)
		labels := w.lines(f.Label, labelWidth-4)
		for i := range max(len(values), len(labels)) {
			w.room(bodySize * lineHeight)
			baseline := w.pdf.GetY() + bodySize*lineHeight*0.76
			if i < len(labels) {
				w.set(regular, bodySize, grey)
				w.put(label, marginLeft, baseline, labels[i], false, 0)
			}
			if i < len(values) {
				w.set(regular, bodySize, ink)
				w.put(value, marginLeft+labelWidth, baseline, values[i], false, 0)
			}
			w.pdf.SetY(w.pdf.GetY() + bodySize*lineHeight)
		}
		w.pdf.SetY(w.pdf.GetY() + 0.5)
	}
	w.space(gap)
}

func (w *writing) signatures(labels []string) {
	const columns, between = 3, 8.0
	width := (bodyWidth - between*(min(float64(len(labels)), columns)-1)) / min(float64(max(1, len(labels))), columns)
	for len(labels) > 0 {
		row := labels[:min(columns, len(labels))]
		labels = labels[len(row):]
		w.set(regular, noteSize, grey)
		height := 0.0
		var wrapped [][]string
		for _, label := range row {
			lines := w.lines(label, width)
			wrapped = append(wrapped, lines)
			height = max(height, float64(len(lines))*noteSize*lineHeight)
		}
		w.room(16 + height + gap)
		w.set(regular, noteSize, grey)
		top := w.pdf.GetY() + 16
		for i, lines := range wrapped {
			x := marginLeft + float64(i)*(width+between)
			w.line(x, top, width, 0.2, strong)
			label := w.root.tag("P", "")
			for j, line := range lines {
				w.put(label, x, top+1+noteSize*lineHeight*(float64(j)+0.8), line, false, 0)
			}
		}
		w.pdf.SetY(top + 1 + height)
		w.space(2.5 * gap)
	}
}

// flow sets lines below each other, on further pages if need be.
func (w *writing) flow(in *element, lines []string, size float64) {
	height := size * lineHeight
	for _, line := range lines {
		w.room(height)
		w.put(in, marginLeft, w.pdf.GetY()+height*0.76, line, false, 0)
		w.pdf.SetY(w.pdf.GetY() + height)
	}
}

// room begins a new page unless the height fits on this one. The type is kept.
func (w *writing) room(height float64) bool {
	if w.pdf.GetY()+height <= bodyEnd || w.pdf.GetY() <= marginTop {
		return false
	}
	w.pdf.AddPage()
	w.pdf.SetY(marginTop)
	return true
}

// space leaves room between blocks, and none at the top of a page.
func (w *writing) space(height float64) {
	if y := w.pdf.GetY(); y > marginTop {
		w.pdf.SetY(min(y+height, bodyEnd))
	}
}

// put sets a line of an element with its baseline at y. One that is set to the right ends at x + width.
func (w *writing) put(in *element, x, y float64, text string, right bool, width float64) {
	if text == "" {
		return
	}
	if right {
		x += width - w.pdf.GetStringWidth(strings.TrimRight(text, " "))
	}
	w.mark(in, func() { w.pdf.Text(x, y, text) })
}

func (w *writing) set(style string, size float64, colour shade) {
	w.pdf.SetFont(family, style, size)
	w.pdf.SetTextColor(colour[0], colour[1], colour[2])
}

func (w *writing) rule(y float64, colour shade) { w.line(marginLeft, y, bodyWidth, 0.25, colour) }

func (w *writing) line(x, y, width, thickness float64, colour shade) {
	w.pdf.SetDrawColor(colour[0], colour[1], colour[2])
	w.pdf.SetLineWidth(thickness)
	w.mark(nil, func() { w.pdf.Line(x, y, x+width, y) })
}
