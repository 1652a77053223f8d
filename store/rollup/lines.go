package rollup

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
)

// LineKey identifies a line of a block. Name is a UID or a symbol.
type LineKey struct {
	Name string
	LineKind
}

// LineKind distinguishes the lines of a name.
type LineKind struct {
	Product affiliate.Product
	Coin    affiliate.Coin
	Source  affiliate.Source
}

// Texts of the exchange may contain any character, including our separator.
var (
	escapeField   = strings.NewReplacer(`\`, `\\`, "\t", `\t`)
	unescapeField = strings.NewReplacer(`\\`, `\`, `\t`, "\t")
)

// Text returns the key in the form used in a line. Lines are sorted by it as bytes, which
// keeps the lines of a name together.
func (k LineKey) Text() string {
	return beginOfLines(k.Name) + escapeField.Replace(string(k.Product)) + "\t" +
		escapeField.Replace(string(k.Coin)) + "\t" + escapeField.Replace(string(k.Source)) + "\t"
}

// beginOfLines returns the prefix of the keys of all lines about a name, and of no others.
func beginOfLines(name string) string { return escapeField.Replace(name) + "\t" }

// parseKind parses a key without its name.
func parseKind(text string) (LineKind, bool) {
	fields := strings.Split(text, "\t")
	if len(fields) != 4 || fields[3] != "" {
		return LineKind{}, false
	}
	for i, field := range fields {
		fields[i] = strings.Clone(unescapeField.Replace(field)) // a kind outlives its block
	}
	return LineKind{affiliate.Product(fields[0]), affiliate.Coin(fields[1]), affiliate.Source(fields[2])}, true
}

// A block is a byte string: the index, then the lines. A line is its key and its figures,
// each preceded by its length. The index is a count followed by the positions of every
// sixteenth line, starting with the first.
const indexedLines = 16

// errBroken is returned for bytes that are not a valid block.
var errBroken = errors.New("the lines of a roll-up are damaged")

// BlockLine is a line of a block.
type BlockLine struct {
	Key     string // from LineKey.Text
	Figures string // from appendFigures
}

// Name returns the UID or the symbol of the line.
func (l BlockLine) Name() string {
	name, _, _ := strings.Cut(l.Key, "\t")
	if strings.IndexByte(name, '\\') >= 0 {
		return unescapeField.Replace(name)
	}
	return name
}

// LineKey parses the key of the line.
func (l BlockLine) LineKey() (LineKey, error) {
	name, rest, _ := strings.Cut(l.Key, "\t")
	kind, ok := parseKind(rest)
	if !ok {
		return LineKey{}, errBroken
	}
	return LineKey{unescapeField.Replace(name), kind}, nil
}

// BlockLines reads the lines of a block in order. Their texts share the memory of the
// block.
type BlockLines struct {
	BlockLine
	rest string
	err  error
}

// LinesOf reads a block from its first line on. An empty text is a block without lines.
func LinesOf(block string) BlockLines {
	_, lines, ok := index(block)
	if !ok {
		return BlockLines{err: errBroken}
	}
	return BlockLines{rest: lines}
}

// LinesAbout reads the lines of a block about a name, and skips most others.
func LinesAbout(block, name string) BlockLines {
	begin := beginOfLines(name)
	places, lines, ok := index(block)
	if !ok {
		return BlockLines{err: errBroken}
	}
	low, high := 0, len(places)/4 // numbers of positions; those below low come before the name
	for low < high {
		middle := low + (high-low)/2
		l := BlockLines{rest: from(lines, places, middle)}
		if !l.Next() {
			return BlockLines{err: errBroken}
		}
		if l.Key < begin {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low > 0 {
		lines = from(lines, places, low-1)
	}
	first, end := -1, 0
	for l := (BlockLines{rest: lines}); ; {
		before := len(lines) - len(l.rest)
		if !l.Next() {
			if l.err != nil {
				return l
			}
			break
		}
		own := strings.HasPrefix(l.Key, begin)
		if own && first < 0 {
			first = before
		}
		if own {
			end = len(lines) - len(l.rest)
		} else if l.Key > begin {
			break
		}
	}
	if first < 0 {
		return BlockLines{}
	}
	return BlockLines{rest: lines[first:end]}
}

// index splits a block into the positions of its index and its lines.
func index(block string) (places, lines string, ok bool) {
	if block == "" {
		return "", "", true
	}
	n, rest, ok := affiliate.Uvarint(block)
	if !ok || n > uint64(len(rest))/4 {
		return "", "", false
	}
	return rest[:4*n], rest[4*n:], true
}

// from returns the lines from position i of the index on.
func from(lines, places string, i int) string {
	p := places[4*i:]
	return lines[min(int(uint32(p[0])|uint32(p[1])<<8|uint32(p[2])<<16|uint32(p[3])<<24), len(lines)):]
}

// Next advances to the next line. It returns false after the last line, and after an error.
func (l *BlockLines) Next() bool {
	if l.rest == "" || l.err != nil {
		return false
	}
	var ok bool
	if l.Key, l.rest, ok = piece(l.rest); ok {
		l.Figures, l.rest, ok = piece(l.rest)
	}
	if !ok {
		l.err = errBroken
	}
	return ok
}

// Err returns the error that ended the lines early, or nil.
func (l *BlockLines) Err() error { return l.err }

// piece reads a text that is preceded by its length.
func piece(text string) (own, rest string, ok bool) {
	n, rest, ok := affiliate.Uvarint(text)
	if !ok || n > uint64(len(rest)) {
		return "", "", false
	}
	return rest[:n], rest[n:], true
}

// blockWriter writes a block line by line.
type blockWriter struct {
	places, lines []byte
	figures       []byte // of a line, before its length is known
	count         int
}

func (w *blockWriter) add(l BlockLine) {
	w.begin(l.Key)
	w.lines = append(binary.AppendUvarint(w.lines, uint64(len(l.Figures))), l.Figures...)
}

func (w *blockWriter) addSums(key string, s *LineFigures) {
	w.begin(key)
	w.figures = appendFigures(w.figures[:0], s)
	w.lines = append(binary.AppendUvarint(w.lines, uint64(len(w.figures))), w.figures...)
}

func (w *blockWriter) begin(key string) {
	if w.count%indexedLines == 0 {
		w.places = binary.LittleEndian.AppendUint32(w.places, uint32(len(w.lines)))
	}
	w.count++
	w.lines = append(binary.AppendUvarint(w.lines, uint64(len(key))), key...)
}

// block returns the written block; a block without lines is empty.
func (w *blockWriter) block() string {
	if w.count == 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(binary.MaxVarintLen32 + len(w.places) + len(w.lines))
	b.Write(binary.AppendUvarint(nil, uint64(len(w.places)/4)))
	b.Write(w.places)
	b.Write(w.lines)
	return b.String()
}

// appendFigures appends the figures of a line: records, fee, commission, taker amount
// and maker amount.
func appendFigures(to []byte, s *LineFigures) []byte {
	to = binary.AppendVarint(to, s.Records)
	for _, sum := range []*affiliate.Sum{&s.Fee, &s.Commission, &s.TakerAmount, &s.MakerAmount} {
		to = sum.AppendBinary(to)
	}
	return to
}

// AddFigures adds the figures of a line.
func (s *LineFigures) AddFigures(figures string) error {
	n, rest, ok := affiliate.Uvarint(figures)
	for _, sum := range [...]*affiliate.Sum{&s.Fee, &s.Commission, &s.TakerAmount, &s.MakerAmount} {
		if ok {
			rest, ok = sum.AddBinary(rest)
		}
	}
	if !ok || rest != "" {
		return fmt.Errorf("%w: %.100x are no figures", errBroken, figures)
	}
	s.Records += zigzag(n)
	return nil
}

// AddCommission adds only the records and the commission of the figures of a line.
func (s *LineFigures) AddCommission(figures string) error {
	n, rest, ok := affiliate.Uvarint(figures)
	if ok {
		rest, ok = affiliate.SkipBinary(rest) // the fee
	}
	if ok {
		_, ok = s.Commission.AddBinary(rest)
	}
	if !ok {
		return fmt.Errorf("%w: %.100x are no figures", errBroken, figures)
	}
	s.Records += zigzag(n)
	return nil
}

// zigzag returns the signed number that [binary.AppendVarint] writes as n.
func zigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// change is the change that a write makes to a line.
type change struct {
	key  string // from LineKey.Text
	sums *LineFigures
}

// MergeLines adds changes to the lines of a block. Both are sorted by key. A line that no
// longer counts any record is dropped.
func MergeLines(block string, changes []change) (string, error) {
	w := blockWriter{lines: make([]byte, 0, len(block)+64*len(changes))}
	old := LinesOf(block)
	more := old.Next()
	for _, c := range changes {
		for more {
			order := cmp.Compare(old.Key, c.key)
			if order > 0 {
				break
			}
			if order == 0 {
				if err := c.sums.AddFigures(old.Figures); err != nil {
					return "", err
				}
			} else {
				w.add(old.BlockLine)
			}
			more = old.Next()
		}
		if c.sums.Records != 0 {
			w.addSums(c.key, c.sums)
		}
	}
	for ; more; more = old.Next() {
		w.add(old.BlockLine)
	}
	return w.block(), old.Err()
}

// CountNames counts the different names in the lines of a block.
func CountNames(block string) int64 {
	var n int64
	var before string
	for l := LinesOf(block); l.Next(); {
		name, _, _ := strings.Cut(l.Key, "\t")
		if n == 0 || name != before {
			n, before = n+1, name
		}
	}
	return n
}

// KindReader parses the kinds of lines. There are few kinds and many lines share one, so it
// caches those it has parsed.
type KindReader struct {
	known []knownKind
}

type knownKind struct {
	text string
	kind LineKind
}

// Of returns the kind of a line.
func (r *KindReader) Of(l BlockLine) (LineKind, error) {
	_, text, _ := strings.Cut(l.Key, "\t")
	for i := range r.known {
		if r.known[i].text == text {
			return r.known[i].kind, nil
		}
	}
	kind, ok := parseKind(text)
	if !ok {
		return LineKind{}, errBroken
	}
	r.known = append(r.known, knownKind{strings.Clone(text), kind})
	return kind, nil
}
