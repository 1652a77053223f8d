package workbook

import (
	"fmt"
	"strings"
	"time"
)

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainSpace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	roleSpace = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	packSpace = "http://schemas.openxmlformats.org/package/2006/"
)

const packageRelations = xmlHead + `<Relationships xmlns="` + packSpace + `relationships">` +
	`<Relationship Id="rId1" Type="` + roleSpace + `/officeDocument" Target="xl/workbook.xml"/>` +
	`<Relationship Id="rId2" Type="` + packSpace + `relationships/metadata/core-properties" Target="docProps/core.xml"/>` +
	`<Relationship Id="rId3" Type="` + roleSpace + `/extended-properties" Target="docProps/app.xml"/></Relationships>`

func (w *Writer) contentTypes() string {
	const kind = "application/vnd.openxmlformats-"
	var b strings.Builder
	b.WriteString(xmlHead + `<Types xmlns="` + packSpace + `content-types">` +
		`<Default Extension="rels" ContentType="` + kind + `package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/docProps/app.xml" ContentType="` + kind + `officedocument.extended-properties+xml"/>` +
		`<Override PartName="/docProps/core.xml" ContentType="` + kind + `package.core-properties+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + kind + `officedocument.spreadsheetml.styles+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + kind + `officedocument.spreadsheetml.sheet.main+xml"/>`)
	for i := range w.sheets {
		fmt.Fprintf(&b, `<Override PartName="/xl/worksheets/sheet%d.xml" ContentType="%sofficedocument.spreadsheetml.worksheet+xml"/>`, i+1, kind)
	}
	b.WriteString("</Types>")
	return b.String()
}

// core has the prefixes that every program writes: some readers know these elements by no other
// name, and refuse empty ones.
func (w *Writer) core() string {
	written := ""
	if !w.props.Written.IsZero() {
		at := w.props.Written.UTC().Format(time.RFC3339)
		written = `<dcterms:created xsi:type="dcterms:W3CDTF">` + at + `</dcterms:created><dcterms:modified xsi:type="dcterms:W3CDTF">` + at + `</dcterms:modified>`
	}
	return xmlHead + `<cp:coreProperties xmlns:cp="` + packSpace + `metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:dcterms="http://purl.org/dc/terms/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<dc:title>` + xmlText(w.props.Title) + `</dc:title><dc:creator>` + xmlText(w.props.Creator) + `</dc:creator>` + written + `</cp:coreProperties>`
}

func (w *Writer) workbook() string {
	var sheets, filters strings.Builder
	for i, name := range w.sheets {
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="rId%[2]d"/>`, xmlText(name), i+1)
		if area := w.filter[i]; strings.Contains(area, ":") {
			from, to, _ := strings.Cut(area, ":")
			fmt.Fprintf(&filters, `<definedName name="_xlnm._FilterDatabase" localSheetId="%d" hidden="1">'%s'!%s:%s</definedName>`,
				i, strings.ReplaceAll(xmlText(name), "'", "''"), absolute(from), absolute(to))
		}
	}
	if filters.Len() > 0 {
		sheets.WriteString("</sheets><definedNames>" + filters.String() + "</definedNames>")
	} else {
		sheets.WriteString("</sheets>")
	}
	return xmlHead + `<workbook xmlns="` + mainSpace + `" xmlns:r="` + roleSpace + `"><bookViews><workbookView/></bookViews><sheets>` + sheets.String() + `</workbook>`
}

// absolute returns an address such as A1 as $A$1.
func absolute(at string) string {
	letters := strings.TrimRight(at, "0123456789")
	return "$" + letters + "$" + at[len(letters):]
}

func (w *Writer) relations() string {
	var b strings.Builder
	b.WriteString(xmlHead + `<Relationships xmlns="` + packSpace + `relationships">`)
	for i := range w.sheets {
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%[1]d.xml"/>`, i+1, roleSpace)
	}
	fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/></Relationships>`, len(w.sheets)+1, roleSpace)
	return b.String()
}

// firstOwnFormat is the first number that a number format of a workbook's own may have.
const firstOwnFormat = 164

func (w *Writer) styleSheet() string {
	var formats, cells strings.Builder
	count := 0
	for _, s := range w.styles {
		id, font, fill, own := 0, either(s.Header), 2*either(s.Header), ""
		if s.Format != "" {
			id = firstOwnFormat + count
			count++
			fmt.Fprintf(&formats, `<numFmt numFmtId="%d" formatCode="%s"/>`, id, xmlText(s.Format))
			own = ` applyNumberFormat="1"`
		}
		if s.Header {
			own += ` applyFont="1" applyFill="1"`
		}
		fmt.Fprintf(&cells, `<xf numFmtId="%d" fontId="%d" fillId="%d" borderId="0" xfId="0"%s/>`, id, font, fill, own)
	}
	list := ""
	if count > 0 {
		list = fmt.Sprintf(`<numFmts count="%d">%s</numFmts>`, count, formats.String())
	}
	const font = `<sz val="11"/><name val="Calibri"/><family val="2"/></font>`
	return xmlHead + `<styleSheet xmlns="` + mainSpace + `">` + list +
		`<fonts count="2"><font>` + font + `<font><b/>` + font + `</fonts>` +
		`<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
		`<fill><patternFill patternType="solid"><fgColor rgb="FFE8ECF1"/><bgColor indexed="64"/></patternFill></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		fmt.Sprintf(`<cellXfs count="%d">%s</cellXfs>`, len(w.styles), cells.String()) +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`
}
