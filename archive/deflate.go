package archive

import (
	"encoding/binary"
	"io"
	"math/bits"
)

const (
	window    = 1 << 15 // how far back a match may lie
	blockSize = 2 * window
	hashBits  = 15
	shortest  = 4   // bytes of a match
	longest   = 258 // the same, a limit of the format
	depth     = 16  // candidates that are compared
	goodMatch = 64  // bytes after which no longer match is sought
)

// Deflater compresses what is written to it, as raw deflate (RFC 1951). The same content
// gives the same bytes, in however many pieces it is written.
type Deflater struct {
	bits   bitWriter
	buf    []byte // up to a window of the past, and then what is not packed yet
	next   int    // index in buf of what is not packed yet
	head   [1 << hashBits]int32
	prev   [window]int32 // by position: the one before it with the same hash
	tokens []token       // of the block
	err    error
}

// token is a literal byte, or a match with its length and distance.
type token uint32

const matchToken token = 1 << 31

func matchOf(length, distance int) token {
	return matchToken | token(length)<<16 | token(distance-1)
}

func (t token) match() (length, distance int, is bool) {
	return int(t>>16) & 0x1ff, int(t&0xffff) + 1, t&matchToken != 0
}

// NewDeflater returns a compressor that writes to w.
func NewDeflater(w io.Writer) *Deflater {
	return &Deflater{bits: bitWriter{w: w}, buf: make([]byte, 0, window+blockSize)}
}

// Write compresses p.
func (d *Deflater) Write(p []byte) (int, error) {
	written := 0
	for len(p) > 0 && d.err == nil {
		n := min(len(p), blockSize-(len(d.buf)-d.next))
		d.buf = append(d.buf, p[:n]...)
		p, written = p[n:], written+n
		if len(d.buf)-d.next == blockSize {
			d.block(false)
			d.slide()
		}
	}
	return written, d.err
}

// Close writes what is left, and ends the stream. It does not close the writer below.
func (d *Deflater) Close() error {
	if d.err == nil {
		d.block(true)
		d.bits.align()
		d.err = d.bits.flush()
	}
	return d.err
}

// slide forgets all but a window of the past. The distance is a multiple of the window, so
// positions keep their places in prev.
func (d *Deflater) slide() {
	shift := len(d.buf) - window
	copy(d.buf, d.buf[shift:])
	d.buf, d.next = d.buf[:window], window
	for _, table := range [][]int32{d.head[:], d.prev[:]} {
		for i, at := range table {
			table[i] = max(0, at-int32(shift))
		}
	}
}

// block packs what is not packed yet as one block.
func (d *Deflater) block(last bool) {
	d.tokens = d.tokens[:0]
	for at := d.next; at < len(d.buf); {
		length, distance := d.find(at)
		if length < shortest {
			d.tokens = append(d.tokens, token(d.buf[at]))
			length = 1
		} else {
			d.tokens = append(d.tokens, matchOf(length, distance))
		}
		for range length {
			d.note(at)
			at++
		}
	}
	d.next = len(d.buf)
	d.bits.block(d.tokens, last)
	if d.err == nil {
		d.err = d.bits.flush()
	}
}

func hashOf(b []byte) uint32 {
	return binary.LittleEndian.Uint32(b) * 0x9e3779b1 >> (32 - hashBits)
}

// note remembers a position, as itself plus one: 0 is none.
func (d *Deflater) note(at int) {
	if at+shortest > len(d.buf) {
		return
	}
	h := hashOf(d.buf[at:])
	d.prev[at%window] = d.head[h]
	d.head[h] = int32(at + 1)
}

// find returns the longest match among the newest candidates.
func (d *Deflater) find(at int) (length, distance int) {
	if at+shortest > len(d.buf) {
		return 0, 0
	}
	rest := d.buf[at:min(at+longest, len(d.buf))]
	candidate := int(d.head[hashOf(rest)]) - 1
	for range depth {
		if candidate < 0 || at-candidate >= window {
			break
		}
		if n := common(d.buf[candidate:], rest); n > length {
			length, distance = n, at-candidate
			if n >= goodMatch || n == len(rest) {
				break
			}
		}
		before := int(d.prev[candidate%window]) - 1
		if before >= candidate {
			break // the place was taken by a newer position
		}
		candidate = before
	}
	return length, distance
}

// common counts the bytes with which both begin; a is not shorter than b.
func common(a, b []byte) int {
	n := 0
	for len(b)-n >= 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
		n += 8
	}
	for n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
