package handler

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	templruntime "github.com/a-h/templ/runtime"
	"github.com/gofiber/fiber/v2"
	"github.com/klauspost/compress/flate"

	"rebatedesk/reports"
)

// segment is a part of a page that readers share. It is compressed once, by itself, so
// that nothing of a reader is ever compressed together with it.
type segment struct {
	deflated []byte // blocks as in RFC 1951, which end with a byte and refer to nothing before them
	length   int    // of the text, in bytes
	sum      uint32 // CRC-32 of the text
	shift    uint32 // multiplies the CRC-32 of the text before, see [segment.after]
}

func newSegment(text []byte) (*segment, error) {
	var deflated bytes.Buffer
	if err := deflate(&deflated, text, thoroughly); err != nil {
		return nil, err
	}
	return &segment{deflated: slices.Clip(deflated.Bytes()), length: len(text),
		sum: crc32.ChecksumIEEE(text), shift: shiftBy(len(text))}, nil
}

// text returns the text of the segment.
func (s *segment) text() ([]byte, error) {
	text := make([]byte, s.length)
	if _, err := io.ReadFull(flate.NewReader(bytes.NewReader(s.deflated)), text); err != nil {
		return nil, fmt.Errorf("shared part of a page: %w", err)
	}
	return text, nil
}

// after returns the CRC-32 of a text with the CRC-32 before, followed by the segment.
func (s *segment) after(before uint32) uint32 { return product(before, s.shift) ^ s.sum }

// keeper returns the function that writes a part of a page that was drawn before from the same
// values for a caller who sees the same, or draws it and keeps it.
func (s *Base) keeper(c *fiber.Ctx) func(context.Context, io.Writer, string, any, func(context.Context, io.Writer) error) error {
	service := s.Reports(c)
	return func(ctx context.Context, w io.Writer, part string, of any, draw func(context.Context, io.Writer) error) error {
		return keep(ctx, service, w, part, of, draw)
	}
}

func keep(ctx context.Context, service *reports.Service, w io.Writer, part string, of any, draw func(context.Context, io.Writer) error) error {
	drawn, err := reports.Drawn(ctx, service, part, of, func(ctx context.Context) (*segment, error) {
		var text bytes.Buffer
		if err := draw(ctx, &text); err != nil {
			return nil, err
		}
		return newSegment(visiblePage(text.Bytes()))
	})
	if err != nil {
		return err
	}
	// Templates write to the page through a buffer of templ.
	if buffer, ok := w.(*templruntime.Buffer); ok {
		if page, ok := buffer.Underlying.(*segmentedPage); ok {
			if err := buffer.Flush(); err != nil {
				return err
			}
			page.share(drawn)
			return nil
		}
	}
	text, err := drawn.text()
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// segmentedPage is a page while it is drawn: what is written to it belongs to its reader,
// and shared segments are between.
type segmentedPage struct {
	own    bytes.Buffer
	shared []sharedSegment
}

// sharedSegment is a segment and its place in a page.
type sharedSegment struct {
	*segment
	at int // bytes of the reader's own text before it
}

// Write adds text of the reader.
func (p *segmentedPage) Write(text []byte) (int, error) { return p.own.Write(text) }

func (p *segmentedPage) share(s *segment) {
	p.shared = append(p.shared, sharedSegment{s, p.own.Len()})
}

// each calls own for each text of the reader and shared for each segment, in the order of
// the page. A segment begins and ends outside of tags and of values that the reader may
// edit, so each text is marked by itself.
func (p *segmentedPage) each(own func(text []byte) error, shared func(*segment) error) error {
	from := 0
	tell := func(to int) error {
		text := p.own.Bytes()[from:to]
		from = to
		if len(text) == 0 {
			return nil
		}
		return own(visiblePage(text))
	}
	for _, s := range p.shared {
		if err := tell(s.at); err != nil {
			return err
		}
		if err := shared(s.segment); err != nil {
			return err
		}
	}
	return tell(p.own.Len())
}

// text returns the page as it is.
func (p *segmentedPage) text() ([]byte, error) {
	var page bytes.Buffer
	err := p.each(func(text []byte) error { _, err := page.Write(text); return err }, func(s *segment) error {
		text, err := s.text()
		page.Write(text)
		return err
	})
	return page.Bytes(), err
}

// gzipHead begins a gzip stream (RFC 1952): no name, no time, compressed fast, of an
// unknown system. gzipEnd is an empty last block.
var (
	gzipHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255}
	gzipEnd  = []byte{3, 0}
)

// gzip returns the page compressed. Only the reader's own text is compressed now.
func (p *segmentedPage) gzip() ([]byte, error) {
	var page bytes.Buffer
	page.Write(gzipHead)
	var sum, length uint32
	err := p.each(func(text []byte) error {
		sum, length = crc32.Update(sum, crc32.IEEETable, text), length+uint32(len(text))
		return deflate(&page, text, fast)
	}, func(s *segment) error {
		sum, length = s.after(sum), length+uint32(s.length)
		page.Write(s.deflated)
		return nil
	})
	page.Write(gzipEnd)
	page.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, sum), length))
	return page.Bytes(), err
}

// Compressors of the text of one reader, which is sent once, and of shared parts.
var (
	fast       = compressors(flate.BestSpeed)
	thoroughly = compressors(flate.DefaultCompression)
)

func compressors(level int) *sync.Pool {
	return &sync.Pool{New: func() any {
		w, err := flate.NewWriter(nil, level)
		if err != nil {
			panic(err) // the level is none
		}
		return w
	}}
}

// deflate appends the text as blocks that end with a byte and refer to nothing before
// them.
func deflate(to *bytes.Buffer, text []byte, with *sync.Pool) error {
	w := with.Get().(*flate.Writer)
	defer with.Put(w)
	w.Reset(to)
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Flush()
}

// The CRC-32 of a text is a polynomial over two elements modulo that of the checksum. Its
// highest bit is the coefficient of x⁰. Appending n bytes multiplies it by x⁸ⁿ.

// shiftBy returns x⁸ⁿ.
func shiftBy(n int) uint32 {
	shift, power := uint32(1)<<31, uint32(1)<<23 // x⁰, x⁸
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			shift = product(shift, power)
		}
		power = product(power, power)
	}
	return shift
}

// product multiplies two polynomials.
func product(a, b uint32) (p uint32) {
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			p ^= b
		}
		b = b>>1 ^ crc32.IEEE&-(b&1)
	}
	return p
}
