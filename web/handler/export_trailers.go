package handler

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"

	"github.com/valyala/fasthttp"

	"rebatedesk/reports/export"
)

// What a file turned out to hold follows it in the trailers of the response,
// for whoever checks what was received. A client of HTTP/1.0 and some proxies
// drop them; the workbook and the JSON carry the same within.
const (
	RowsTrailer = "X-Export-Rows"
	sumsTrailer = "X-Export-Sums" // JSON: an object per coin with the sums by column
)

// maxTrailer keeps clear of what clients accept as a header.
const maxTrailer = 4096

func announceTrailers(header *fasthttp.ResponseHeader) error {
	for _, name := range []string{RowsTrailer, sumsTrailer} {
		if err := header.AddTrailer(name); err != nil {
			return fmt.Errorf("announcing %s: %w", name, err)
		}
	}
	return nil
}

// setTrailers fills in what was announced. Sums of so many coins that they are
// too long are left empty.
func setTrailers(header *fasthttp.ResponseHeader, summary export.RowTally) {
	header.Set(RowsTrailer, strconv.FormatInt(summary.Rows, 10))
	sums, err := json.Marshal(summary.Sums)
	if text := inASCII(sums); err == nil && len(text) <= maxTrailer {
		header.Set(sumsTrailer, text)
	}
}

// inASCII is the same JSON without anything that a header cannot hold.
func inASCII(text []byte) string {
	var b []byte
	for _, r := range string(text) {
		if r < 0x7f {
			b = append(b, byte(r))
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return string(b)
}
