package archive

import (
	"cmp"
	"io"
	"math/bits"
	"slices"
)

// Sizes of the alphabets of a block.
const (
	literals   = 286
	distances  = 30
	endOfBlock = 256
	longestBit = 15 // of a code
)

// bitWriter writes codes, lowest bit first.
type bitWriter struct {
	w     io.Writer
	out   []byte
	held  uint64 // bits that do not fill a byte yet
	count uint
}

func (b *bitWriter) put(value uint32, width uint) {
	b.held |= uint64(value) << b.count
	for b.count += width; b.count >= 8; b.count -= 8 {
		b.out = append(b.out, byte(b.held))
		b.held >>= 8
	}
}

// align fills the last byte with zeros.
func (b *bitWriter) align() {
	if b.count > 0 {
		b.put(0, 8-b.count)
	}
}

func (b *bitWriter) flush() error {
	_, err := b.w.Write(b.out)
	b.out = b.out[:0]
	return err
}

// lengthCode returns the symbol of a length, and its further bits.
func lengthCode(length int) (symbol int, further uint32, width uint) {
	if length == longest {
		return 285, 0, 0
	}
	code, further, width := stepCode(length-3, 2)
	return 257 + code, further, width
}

// distanceCode returns the symbol of a distance, and its further bits.
func distanceCode(distance int) (symbol int, further uint32, width uint) {
	return stepCode(distance-1, 1)
}

// stepCode returns the code of a value in the steps of the format: 1<<fine codes of each
// width, of which the first two widths have no further bits.
func stepCode(value int, fine uint) (code int, further uint32, width uint) {
	if top := uint(bits.Len(uint(value))); top > fine+1 {
		width = top - fine - 1
	}
	return int(width)<<fine + value>>width, uint32(value) & (1<<width - 1), width
}

// block writes tokens as a block with codes of its own.
func (b *bitWriter) block(tokens []token, last bool) {
	var letters [literals]int
	letters[endOfBlock], letters[0] = 1, 1 // two symbols at least, so that the code is complete
	ways := [distances]int{1, 1}
	for _, t := range tokens {
		length, distance, match := t.match()
		if !match {
			letters[t]++
			continue
		}
		symbol, _, _ := lengthCode(length)
		letters[symbol]++
		symbol, _, _ = distanceCode(distance)
		ways[symbol]++
	}
	letterCodes, wayCodes := codesOf(letters[:]), codesOf(ways[:])
	b.head(letterCodes, wayCodes, last)
	for _, t := range tokens {
		length, distance, match := t.match()
		if !match {
			b.code(letterCodes[t])
			continue
		}
		symbol, further, width := lengthCode(length)
		b.code(letterCodes[symbol])
		b.put(further, width)
		symbol, further, width = distanceCode(distance)
		b.code(wayCodes[symbol])
		b.put(further, width)
	}
	b.code(letterCodes[endOfBlock])
}

// head writes the beginning of a block: its kind, and the length of each code in four bits.
func (b *bitWriter) head(letters, ways []code, last bool) {
	final := uint32(0)
	if last {
		final = 1
	}
	b.put(final, 1)
	b.put(2, 2)
	b.put(literals-257, 5)
	b.put(distances-1, 5)
	b.put(19-4, 4)
	for i := range 19 { // the first three are codes of repetition, which are not used
		width := uint32(4)
		if i < 3 {
			width = 0
		}
		b.put(width, 3)
	}
	for _, c := range slices.Concat(letters, ways) {
		b.code(code{reversed(uint32(c.width), 4), 4})
	}
}

// code is the code of a symbol, with its first bit lowest.
type code struct {
	bits  uint32
	width uint
}

func (b *bitWriter) code(c code) { b.put(c.bits, c.width) }

func reversed(value uint32, width uint) uint32 { return bits.Reverse32(value) >> (32 - width) }

// codesOf returns the codes for symbols of these counts. At least two counts are positive.
func codesOf(counts []int) []code {
	widths := widthsOf(counts)
	var ofWidth [longestBit + 2]uint32
	for _, width := range widths {
		if width > 0 {
			ofWidth[width+1]++
		}
	}
	var next [longestBit + 2]uint32
	for width := 1; width <= longestBit; width++ {
		next[width] = (next[width-1] + ofWidth[width]) << 1
	}
	codes := make([]code, len(counts))
	for symbol, width := range widths {
		if width > 0 {
			codes[symbol] = code{reversed(next[width], width), width}
			next[width]++
		}
	}
	return codes
}

// widthsOf returns the width of each symbol's Huffman code, 0 for those that do not occur.
// Counts are made coarser until no code is too long.
func widthsOf(counts []int) []uint {
	counts = slices.Clone(counts)
	for {
		widths, top := huffman(counts)
		if top <= longestBit {
			return widths
		}
		for i, n := range counts {
			counts[i] = (n + 1) / 2
		}
	}
}

// node is a symbol, or two nodes put together.
type node struct {
	count  int
	parent int
	width  uint
	symbol int // -1: two nodes
}

// huffman returns the width of each code, and the greatest of them.
func huffman(counts []int) (widths []uint, top uint) {
	var nodes []node
	for symbol, n := range counts {
		if n > 0 {
			nodes = append(nodes, node{count: n, symbol: symbol})
		}
	}
	slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(a.count, b.count) })
	leaves := len(nodes)
	leaf, pair := 0, leaves // the rarest of each kind that has no parent yet
	rarest := func() int {
		if leaf < leaves && (pair >= len(nodes) || nodes[leaf].count <= nodes[pair].count) {
			leaf++
			return leaf - 1
		}
		pair++
		return pair - 1
	}
	for range leaves - 1 {
		a, b := rarest(), rarest()
		nodes[a].parent, nodes[b].parent = len(nodes), len(nodes)
		nodes = append(nodes, node{count: nodes[a].count + nodes[b].count, symbol: -1})
	}
	widths = make([]uint, len(counts))
	for i := len(nodes) - 2; i >= 0; i-- {
		nodes[i].width = nodes[nodes[i].parent].width + 1
		if nodes[i].symbol >= 0 {
			widths[nodes[i].symbol] = nodes[i].width
			top = max(top, nodes[i].width)
		}
	}
	return widths, top
}
