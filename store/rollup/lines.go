package rollup

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
)

// LineKey identifies a line of a block. Name is a UID, a symbol or an invite code, see
// [Grouping].
type LineKey struct {
	Name string
	LineKind
}

// LineKind distinguishes the lines of a name.
type LineKind struct {
	Product affiliate.Product
	Coin    affiliate.Coin
	Source  affiliate.Source
	Symbol  string // of lines by pair
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
		escapeField.Replace(string(k.Coin)) + "\t" + escapeField.Replace(string(k.Source)) + "\t" + endOfKey(k.Symbol)
}

// endOfKey returns the end of the keys of lines by pair; other lines have none.
func endOfKey(symbol string) string {
	if symbol == "" {
		return ""
	}
	return escapeField.Replace(symbol) + "\t"
}

// beginOfLines returns the prefix of the keys of all lines about a name, and of no others.
func beginOfLines(name string) string { return escapeField.Replace(name) + "\t" }

// parseKind parses a key without its name.
func parseKind(text string) (LineKind, bool) {
	fields := strings.Split(text, "\t")
	if len(fields) != 4 && len(fields) != 5 || fields[len(fields)-1] != "" || len(fields) == 5 && fields[3] == "" {
		return LineKind{}, false
	}
	for i, field := range fields {
		fields[i] = strings.Clone(unescapeField.Replace(field)) // a kind outlives its block
	}
	return LineKind{affiliate.Product(fields[0]), affiliate.Coin(fields[1]), affiliate.Source(fields[2]), fields[3]}, true
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
	name          string // of the previous line, as its key begins
	names         int64  // different ones so far
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
	if w.names == 0 || !strings.HasPrefix(key, w.name) {
		w.name = key[:strings.IndexByte(key, '\t')+1]
		w.names++
	}
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

// appendFigures appends the figures of a line: records, the sums, and the days if there are any.
func appendFigures(to []byte, s *LineFigures) []byte {
	to = binary.AppendVarint(to, s.Records)
	for _, sum := range s.All() {
		to = sum.AppendBinary(to)
	}
	if s.Days != 0 {
		to = binary.AppendUvarint(to, uint64(s.Days))
	}
	return to
}

// AddFigures adds the figures of a line.
func (s *LineFigures) AddFigures(figures string) error {
	n, rest, ok := affiliate.Uvarint(figures)
	for _, sum := range s.All() {
		if ok {
			rest, ok = sum.AddBinary(rest)
		}
	}
	var days MonthDays
	if ok {
		days, ok = daysAt(rest)
	}
	if !ok {
		return fmt.Errorf("%w: %.100x are no figures", errBroken, figures)
	}
	s.Records += zigzag(n)
	s.Days |= days
	return nil
}

// daysAt reads the days at the end of figures; figures without any end before.
func daysAt(rest string) (MonthDays, bool) {
	if rest == "" {
		return 0, true
	}
	days, rest, ok := affiliate.Uvarint(rest)
	return MonthDays(days), ok && rest == "" && 0 < days && days < 1<<31
}

// AddDays adds only the days of the figures of a line.
func (s *LineFigures) AddDays(figures string) error {
	_, rest, ok := affiliate.Uvarint(figures)
	for range s.All() {
		if ok {
			rest, ok = affiliate.SkipBinary(rest)
		}
	}
	var days MonthDays
	if ok {
		days, ok = daysAt(rest)
	}
	if !ok {
		return fmt.Errorf("%w: %.100x are no figures", errBroken, figures)
	}
	s.Days |= days
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

// AddFeeAndCommission adds only the records, the fee and the commission of the figures of a
// line.
func (s *LineFigures) AddFeeAndCommission(figures string) error {
	n, rest, ok := affiliate.Uvarint(figures)
	if ok {
		rest, ok = s.Fee.AddBinary(rest)
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
	cell *LineFigures // of the tally, for a line of a day
	left MonthDays    // the days of a month that have no line any more
}

// MergeLines adds changes to the lines of a block, and counts the names of all its lines.
// Both are sorted by key. A line that no longer counts any record is dropped.
func MergeLines(block string, changes []change) (lines string, names int64, err error) {
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
					return "", 0, err
				}
			} else {
				w.add(old.BlockLine)
			}
			more = old.Next()
		}
		c.sums.Days &^= c.left
		if c.sums.Records != 0 {
			w.addSums(c.key, c.sums)
		} else if c.cell != nil {
			c.cell.gone = true
		}
	}
	for ; more; more = old.Next() {
		w.add(old.BlockLine)
	}
	return w.block(), w.names, old.Err()
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
	Wants func(*LineKind) bool // nil: every kind is wanted
	known []*Kind
	last  int // the index of the previous line's kind
}

// Kind is the kind of many lines. Callers share it and must not change it.
type Kind struct {
	LineKind
	Wanted bool // see [KindReader]
	text   string
}

// Of returns the name and the kind of a line.
func (r *KindReader) Of(l BlockLine) (name string, kind *Kind, err error) {
	name, text, _ := strings.Cut(l.Key, "\t")
	if strings.IndexByte(name, '\\') >= 0 {
		name = unescapeField.Replace(name)
	}
	// The lines of each name are in the same order, so the kind after the previous one is the
	// most likely.
	for range r.known {
		if r.last++; r.last >= len(r.known) {
			r.last = 0
		}
		if kind := r.known[r.last]; kind.text == text {
			return name, kind, nil
		}
	}
	parsed, ok := parseKind(text)
	if !ok {
		return "", nil, errBroken
	}
	kind = &Kind{LineKind: parsed, text: strings.Clone(text)}
	kind.Wanted = r.Wants == nil || r.Wants(&kind.LineKind)
	r.last = len(r.known)
	r.known = append(r.known, kind)
	return name, kind, nil
}
