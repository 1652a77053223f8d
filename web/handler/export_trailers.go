package handler

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf16"

	"github.com/valyala/fasthttp"

	"rebatedesk/reports/export"
)

// The trailers of the response state the content of the file, so that a client can
// check what it received. HTTP/1.0 clients and some proxies drop them; the workbook and
// the JSON contain the same data.
const (
	RowsTrailer = "X-Export-Rows"
	sumsTrailer = "X-Export-Sums" // JSON: an object per coin with the sums by column
)

// maxTrailer is well below the header size that clients accept.
const maxTrailer = 4096

func announceTrailers(header *fasthttp.ResponseHeader) error {
	for _, name := range []string{RowsTrailer, sumsTrailer} {
		if err := header.AddTrailer(name); err != nil {
			return fmt.Errorf("announcing %s: %w", name, err)
		}
	}
	return nil
}

// setTrailers fills in the announced trailers. Sums of too many coins to fit are left
// empty.
func setTrailers(header *fasthttp.ResponseHeader, summary export.RowTally) {
	header.Set(RowsTrailer, strconv.FormatInt(summary.Rows, 10))
	sums, err := json.Marshal(summary.Sums)
	if text := inASCII(sums); err == nil && len(text) <= maxTrailer {
		header.Set(sumsTrailer, text)
	}
}

// inASCII returns the same JSON without characters that a header cannot hold.
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
