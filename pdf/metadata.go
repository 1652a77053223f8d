package pdf

import (
	"encoding/xml"
	"strings"
	"time"
)

// metadata returns the properties as XMP, which archives and readers look for besides the older
// list of properties.
func metadata(p Properties) []byte {
	text := func(words string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(words)) // a Builder takes everything
		return b.String()
	}
	at := p.Created.Format(time.RFC3339)
	var b strings.Builder
	b.WriteString("<?xpacket begin=\"\ufeff\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:pdf="http://ns.adobe.com/pdf/1.3/">` +
		`<dc:format>application/pdf</dc:format>` +
		`<dc:title><rdf:Alt><rdf:li xml:lang="x-default">` + text(p.Title) + `</rdf:li></rdf:Alt></dc:title>`)
	if p.Author != "" {
		b.WriteString(`<dc:creator><rdf:Seq><rdf:li>` + text(p.Author) + `</rdf:li></rdf:Seq></dc:creator>`)
	}
	b.WriteString(`<dc:language><rdf:Bag><rdf:li>` + text(p.Language) + `</rdf:li></rdf:Bag></dc:language>` +
		`<xmp:CreateDate>` + at + `</xmp:CreateDate><xmp:ModifyDate>` + at + `</xmp:ModifyDate>` +
		`<pdf:Producer>Rebatedesk</pdf:Producer></rdf:Description></rdf:RDF></x:xmpmeta>` + "\n" + `<?xpacket end="r"?>`)
	return []byte(b.String())
}
