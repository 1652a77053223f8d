package rollup

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
)

// LineKey is what a line of a block is about. Name is a UID or a symbol.
type LineKey struct {
	Name string
	LineKind
}

// LineKind is what tells the lines of a name apart.
type LineKind struct {
	Product affiliate.Product
	Coin    affiliate.Coin
	Source  affiliate.Source
}

// BlockLine is a line of a block as it is stored.
type BlockLine struct {
	LineKey
	Figures string // what appendFigures gives
}

// Texts of the exchange may hold anything, our separators too.
var (
	escapeField   = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`)
	unescapeField = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n")
)

// Text is the beginning of the key's line. Lines are in the order of it, as
// bytes, which keeps the lines of a name together.
func (k LineKey) Text() string {
	return escapeField.Replace(k.Name) + "\t" + escapeField.Replace(string(k.Product)) + "\t" +
		escapeField.Replace(string(k.Coin)) + "\t" + escapeField.Replace(string(k.Source)) + "\t"
}

// appendFigures appends the figures of a line: records, fee, commission, taker
// amount and maker amount.
func appendFigures(text []byte, s *LineFigures) []byte {
	text = strconv.AppendInt(text, s.Records, 10)
	for _, sum := range []*affiliate.Sum{&s.Fee, &s.Commission, &s.TakerAmount, &s.MakerAmount} {
		text = append(text, '\t')
		text = sum.AppendTo(text)
	}
	return text
}

// AddFigures adds what appendFigures wrote.
func (s *LineFigures) AddFigures(text string) error {
	rest := text
	records, _ := field(&rest) // without one there is no number either
	n, err := strconv.ParseInt(records, 10, 64)
	for _, sum := range [...]*affiliate.Sum{&s.Fee, &s.Commission, &s.TakerAmount} {
		amount, ok := field(&rest)
		if !ok || !sum.Add(affiliate.Number(amount)) {
			return fmt.Errorf("the figures %.200q of a roll-up are no figures", text)
		}
	}
	if err != nil || !s.MakerAmount.Add(affiliate.Number(rest)) {
		return fmt.Errorf("the figures %.200q of a roll-up are no figures", text)
	}
	s.Records += n
	return nil
}

// AddCommission adds records and commission of what appendFigures wrote, and
// leaves out the other figures.
func (s *LineFigures) AddCommission(text string) error {
	rest := text
	records, _ := field(&rest)
	_, _ = field(&rest) // the fee
	commission, ok := field(&rest)
	n, err := strconv.ParseInt(records, 10, 64)
	if err != nil || !ok || !s.Commission.Add(affiliate.Number(commission)) {
		return fmt.Errorf("the figures %.200q of a roll-up are no figures", text)
	}
	s.Records += n
	return nil
}

// field cuts the next field off the text of a line.
func field(text *string) (string, bool) {
	at := strings.IndexByte(*text, '\t')
	if at < 0 {
		return "", false
	}
	before := (*text)[:at]
	*text = (*text)[at+1:]
	return before, true
}

// Parse reads a line without its end. The texts of the line are parts of the
// given one.
func (l *BlockLine) Parse(text string) error {
	rest := text
	var fields [4]string
	for i := range fields {
		var found bool
		if fields[i], found = field(&rest); !found {
			return fmt.Errorf("the line %.200q of a roll-up has %d fields", text, i+1)
		}
	}
	if strings.IndexByte(text, '\\') >= 0 {
		for i := range fields {
			fields[i] = unescapeField.Replace(fields[i])
		}
	}
	l.Name, l.Product, l.Coin, l.Source = fields[0], affiliate.Product(fields[1]), affiliate.Coin(fields[2]), affiliate.Source(fields[3])
	l.Figures = rest
	return nil
}

// EachLine gives the lines of a block, in order.
func EachLine(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			line, after, _ := strings.Cut(text, "\n")
			if !yield(line) {
				return
			}
			text = after
		}
	}
}

// BeginOfLines is what all lines about a name begin with, and no others.
func BeginOfLines(name string) string { return escapeField.Replace(name) + "\t" }

// CutLines gives the lines of a block that begin with what beginOfLines gives,
// and those after them.
func CutLines(text, begin string) (own, after string) {
	text = text[searchLine(text, begin):]
	end := 0
	for strings.HasPrefix(text[end:], begin) {
		end += lineEnd(text[end:])
	}
	return text[:end], text[end:]
}

// searchLine is where the first line that is not before a key begins. Lines are
// in order, so that few of them are looked at.
func searchLine(text, key string) int {
	low, high := 0, len(text) // where lines begin; those before low are before the key
	for low < high {
		middle := low + (high-low)/2
		begin := low + strings.LastIndexByte(text[low:middle], '\n') + 1
		if text[begin:] >= key {
			high = begin
		} else {
			low = middle + lineEnd(text[middle:])
		}
	}
	return low
}

// lineEnd is the length of the rest of a line, its end included.
func lineEnd(text string) int {
	if at := strings.IndexByte(text, '\n'); at >= 0 {
		return at + 1
	}
	return len(text)
}

// change is what a write adds to a line.
type change struct {
	key  string // what lineKey.text gives
	sums *LineFigures
}

// MergeLines adds changes to the lines of a block. Both are in order of key. A
// line that no longer stands for any record is left out.
func MergeLines(old string, changes []change) (string, error) {
	text := make([]byte, 0, len(old)+64*len(changes))
	for _, c := range changes {
		for old != "" {
			end := strings.IndexByte(old, '\n') + 1
			if end == 0 {
				return "", fmt.Errorf("the last line %.200q of a roll-up has no end", old)
			}
			order := cmp.Compare(old[:min(len(c.key), end)], c.key)
			if order > 0 {
				break
			}
			if order == 0 {
				if err := c.sums.AddFigures(old[len(c.key) : end-1]); err != nil {
					return "", err
				}
			} else {
				text = append(text, old[:end]...)
			}
			old = old[end:]
		}
		if c.sums.Records != 0 {
			text = append(appendFigures(append(text, c.key...), c.sums), '\n')
		}
	}
	return string(append(text, old...)), nil
}

// CountNames counts the names that lines are about.
func CountNames(text string) int64 {
	var n int64
	var before string
	for line := range EachLine(text) {
		name, _, _ := strings.Cut(line, "\t")
		if n == 0 || name != before {
			n, before = n+1, name
		}
	}
	return n
}
