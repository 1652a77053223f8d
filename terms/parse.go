package terms

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

// The columns of a terms file. The first six must be there; the order is free.
const (
	colScope     = "scope"
	colValue     = "value"
	colProduct   = "product_type"
	colRate      = "rate"
	colFrom      = "from"
	colTo        = "to"
	colNote      = "note"
	colAccount   = "account"
	colSource    = "source"
	colTierBy    = "tier_by"
	colTierFrom  = "tier_from"
	colReference = "reference"
)

const neededColumns = 6

// FileColumns lists the columns of a terms file in the order in which [WriteFile] writes
// them.
func FileColumns() []string {
	return []string{colScope, colValue, colProduct, colRate, colFrom, colTo, colNote, colAccount, colSource, colTierBy, colTierFrom, colReference}
}

// Limits of a terms file.
const (
	MaxFileBytes = 5 << 20
	maxText      = 500 // characters of a value, a note or a reference
)

// firstDay and lastDay bound the days of a term: other years are slips of the pen.
var firstDay, lastDay = affiliate.NewDay(2000, 1, 1), affiliate.NewDay(2999, 12, 31)

// File is what a terms file says.
type File struct {
	Terms   []Term
	Repeats int // lines that say the same as an earlier line and were left out

	columns map[string]int // number of each column, from 1
}

// Parse reads a terms file: CSV in UTF-8, with commas or semicolons, and a header. A term
// has the line of the file from which it came. A line that repeats another one is left out;
// if their notes differ, the later note counts.
//
// The error is of the type [Mistakes] and lists everything that is wrong with the file, or
// it is that of reading.
func Parse(r io.Reader) (File, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err != nil {
		return File{}, err
	}
	p := &parser{file: File{columns: map[string]int{}}}
	p.read(text)
	p.gather()
	if err := p.mistakes.err(); err != nil {
		return File{}, err
	}
	return p.file, nil
}

type parser struct {
	file     File
	header   []string
	mistakes Mistakes

	line   int // of the row that is read
	fields []string
}

func (p *parser) read(text []byte) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	switch {
	case len(text) > MaxFileBytes:
		p.note(0, "", "the file is larger than %d MiB: is it a terms file?", MaxFileBytes>>20)
		return
	case !utf8.Valid(text):
		p.notUTF8(text)
		return
	}
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comma = separator(text)
	reader.FieldsPerRecord = -1
	for {
		fields, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if broken := (*csv.ParseError)(nil); errors.As(err, &broken) {
			p.line = broken.Line
			p.note(0, "", "the quotes are not balanced near character %d: put a text with quotes into quotes and double those inside (%v)", broken.Column, broken.Err)
			return // what follows is read wrongly
		}
		if err != nil {
			p.note(0, "", "%v", err)
			return
		}
		p.line, _ = reader.FieldPos(0)
		if !slices.ContainsFunc(fields, func(field string) bool { return strings.TrimSpace(field) != "" }) {
			continue // a spreadsheet leaves lines of separators
		}
		if p.header == nil {
			if p.readHeader(fields); len(p.mistakes) > 0 {
				return
			}
			continue
		}
		p.fields = fields
		p.readTerm()
	}
	if p.header == nil {
		p.line = 1
		p.note(0, "", "the file is empty: its first line names the columns %s", strings.Join(FileColumns()[:neededColumns+1], ","))
	}
}

// separator is the one that the header uses.
func separator(text []byte) rune {
	header, _, _ := bytes.Cut(text, []byte("\n"))
	if bytes.ContainsRune(header, ';') && !bytes.ContainsRune(header, ',') {
		return ';'
	}
	return ','
}

func (p *parser) notUTF8(text []byte) {
	valid := 0
	for rest := text; ; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size <= 1 {
			break
		}
		valid += size
		rest = rest[size:]
	}
	before := text[:valid]
	p.line = 1 + bytes.Count(before, []byte("\n"))
	p.note(0, "", "character %d is not UTF-8: save the file as “CSV UTF-8”", 1+utf8.RuneCount(before[1+bytes.LastIndexByte(before, '\n'):]))
}

func (p *parser) note(column int, name, format string, values ...any) {
	p.mistakes = append(p.mistakes, Mistake{Line: p.line, Column: column, Name: name, Text: fmt.Sprintf(format, values...)})
}

// wrong notes a mistake in a column of the row that is read.
func (p *parser) wrong(name, format string, values ...any) {
	p.note(p.file.columns[name], name, format, values...)
}

func (p *parser) readHeader(fields []string) {
	p.header = make([]string, len(fields))
	for i, field := range fields {
		name := strings.ToLower(strings.TrimSpace(field))
		p.header[i] = name
		shown := affiliate.Visible(clipped(name))
		switch first, again := p.file.columns[name]; {
		case name == "":
			p.note(i+1, "", "the column has no name")
		case !slices.Contains(FileColumns(), name):
			p.note(i+1, shown, "unknown column; a terms file has %s", strings.Join(FileColumns(), ", "))
		case again:
			p.note(i+1, shown, "the column stands twice, first as column %d: remove one", first)
		default:
			p.file.columns[name] = i + 1
		}
	}
	for _, name := range FileColumns()[:neededColumns] {
		if _, ok := p.file.columns[name]; !ok {
			p.note(0, "", "the column %s is missing; a terms file begins with %s", name, strings.Join(FileColumns()[:neededColumns+1], ","))
		}
	}
}

// clipped keeps a cell short in messages.
func clipped(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// field returns a cell of the row without blanks around it, "" where the file lacks the
// column.
func (p *parser) field(name string) string {
	if i := p.file.columns[name]; i > 0 {
		return strings.TrimSpace(p.fields[i-1])
	}
	return ""
}

// text returns a cell without the guard that an export sets before what a spreadsheet would
// run.
func (p *parser) text(name string) string {
	text := unguarded(p.field(name))
	switch {
	case utf8.RuneCountInString(text) > maxText:
		p.wrong(name, "the text is longer than %d characters", maxText)
	case strings.ContainsFunc(text, affiliate.Invisible):
		p.wrong(name, "the text has a character without a visible form, %s: remove it", affiliate.Visible(clipped(text)))
	}
	return text
}

func (p *parser) readTerm() {
	if len(p.fields) != len(p.header) {
		p.note(0, "", "%s, but the header names %d columns", counted(len(p.fields), "field"), len(p.header))
		return
	}
	before := len(p.mistakes)
	t := Term{Line: p.line, Scope: Scope(strings.ToLower(p.field(colScope))), Account: affiliate.Account(p.text(colAccount)), Note: p.text(colNote), Reference: p.text(colReference)}
	p.readAbout(&t)
	p.readProduct(&t)
	p.readSource(&t)
	t.Rate = p.rate()
	p.readDays(&t)
	p.readTier(&t)
	if len(p.mistakes) == before {
		p.file.Terms = append(p.file.Terms, t)
	}
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (p *parser) readAbout(t *Term) {
	t.Value = p.text(colValue)
	switch t.Scope {
	case ScopeAll:
		if t.Value != "" {
			p.wrong(colValue, "%q with the scope all: leave the value empty, or use the scope code or uid", clipped(t.Value))
		}
	case ScopeCode:
		if t.Value == "" {
			p.wrong(colValue, "the invite code is missing")
		}
	case ScopeUID, ScopeSubAffiliate:
		if t.Value == "" && t.Scope == ScopeUID {
			p.wrong(colValue, "the UID is missing")
		}
		if t.Value != "" && !affiliate.IsUID(t.Value) {
			p.wrong(colValue, "%q is not a UID, such as 4667776811; a spreadsheet keeps all digits in a text cell", affiliate.Visible(clipped(t.Value)))
		}
	case "":
		p.wrong(colScope, "the scope is missing: all, code, uid or sub-affiliate")
	default:
		p.wrong(colScope, "%q is no scope: use all, code, uid or sub-affiliate", affiliate.Visible(clipped(string(t.Scope))))
	}
}

func (p *parser) readProduct(t *Term) {
	text := p.field(colProduct)
	t.Product = affiliate.Product(strings.ToUpper(text))
	if text != "" && !t.Product.Known() {
		p.wrong(colProduct, "%q is no product: use SPOT, FUTURES, or nothing for both", affiliate.Visible(clipped(text)))
	}
}

func (p *parser) readSource(t *Term) {
	text := p.field(colSource)
	t.Source = affiliate.Source(strings.ToLower(text))
	switch {
	case text == "":
	case !slices.Contains(affiliate.Sources(), t.Source):
		p.wrong(colSource, "%q is no source: use direct, sub, or nothing for both", affiliate.Visible(clipped(text)))
	case t.Scope == ScopeSubAffiliate:
		p.wrong(colSource, "a share for a sub-affiliate has no source: leave it empty")
	}
}

func (p *parser) rate() affiliate.Number {
	text := p.field(colRate)
	n, err := affiliate.ParseNumber(text)
	switch {
	case text == "":
		p.wrong(colRate, "the rate is missing: a fraction, such as 0.15 for 15 %%")
	case strings.ContainsAny(text, "%٪％"):
		p.wrong(colRate, "%q is a percentage: write the fraction, 0.15 for 15 %%", affiliate.Visible(clipped(text)))
	case tooManyDigits(text, err):
		p.wrong(colRate, "%s has more than %d decimals: round it", affiliate.Visible(clipped(text)), affiliate.MostDecimals)
	case err != nil && strings.Contains(text, ","):
		p.wrong(colRate, "%q has a comma: write a decimal point and no separators, 0.15", affiliate.Visible(clipped(text)))
	case err != nil:
		p.wrong(colRate, "%q is not a number: write a fraction, 0.15 for 15 %%", affiliate.Visible(clipped(text)))
	case n.Cmp("0") < 0:
		p.wrong(colRate, "%s is negative: a rate is a fraction from 0 to 1", clipped(text))
	case n.Cmp("1") > 0:
		p.wrong(colRate, "%s is above 1: a rate is a fraction, 0.15 for 15 %%", clipped(text))
	}
	return n
}

// tooManyDigits reports whether a number was refused only because it has too many decimals.
func tooManyDigits(text string, err error) bool {
	whole, decimals, _ := strings.Cut(text, ".")
	if err == nil || len(decimals) <= affiliate.MostDecimals {
		return false
	}
	_, err = affiliate.ParseNumber(whole + "." + decimals[:affiliate.MostDecimals])
	return err == nil && strings.Trim(decimals, "0123456789") == ""
}

func (p *parser) readDays(t *Term) {
	if p.field(colFrom) == "" {
		p.wrong(colFrom, "the first day is missing: YYYY-MM-DD")
	}
	t.From, t.To = p.day(colFrom), p.day(colTo)
	if t.From != 0 && t.To != 0 && t.To < t.From {
		p.wrong(colTo, "the last day %s lies before the first day %s", t.To, t.From)
	}
}

// day returns 0 for an empty cell and for one with a mistake.
func (p *parser) day(name string) affiliate.Day {
	text := p.field(name)
	if text == "" {
		return 0
	}
	day, err := affiliate.ParseDay(text)
	switch {
	case err != nil:
		p.wrong(name, "%q is not a day of the form YYYY-MM-DD", affiliate.Visible(clipped(text)))
		return 0
	case day < firstDay || day > lastDay:
		p.wrong(name, "%s is not a day from %s to %s", text, firstDay, lastDay)
		return 0
	}
	return day
}

func (p *parser) readTier(t *Term) {
	by, from := p.field(colTierBy), p.field(colTierFrom)
	t.TierBy = TierBy(strings.ToLower(by))
	switch t.TierBy {
	case "":
		if from != "" {
			p.wrong(colTierBy, "the tier from %s lacks its figure: volume or active_traders", affiliate.Visible(clipped(from)))
		}
		return
	case TierByVolume:
	case TierByActiveTraders:
		switch t.Scope {
		case ScopeUID:
			p.wrong(colTierBy, "one UID is one trader: use volume")
		case ScopeSubAffiliate:
			p.wrong(colTierBy, "the exchange does not say how many clients of a sub-affiliate trade: use volume")
		}
	default:
		p.wrong(colTierBy, "%q is no figure for tiers: use volume or active_traders", affiliate.Visible(clipped(by)))
	}
	n, err := affiliate.ParseNumber(from)
	switch {
	case from == "":
		p.wrong(colTierFrom, "the figure from which the tier applies is missing")
	case tooManyDigits(from, err):
		p.wrong(colTierFrom, "%s has more than %d decimals: round it", affiliate.Visible(clipped(from)), affiliate.MostDecimals)
	case err != nil:
		p.wrong(colTierFrom, "%q is not a plain number: write 1000000, without separators", affiliate.Visible(clipped(from)))
	case n.Cmp("0") < 0:
		p.wrong(colTierFrom, "%s is negative", clipped(from))
	case t.TierBy == TierByActiveTraders && strings.Contains(string(n.Canonical()), "."):
		p.wrong(colTierFrom, "%s is not a whole number of traders", clipped(from))
	default:
		t.TierFrom = n.Canonical()
	}
}

// place identifies a term within a list without contradictions.
type place struct {
	Key
	from affiliate.Day
}

// gather leaves out repeated lines and finds contradictions between the others.
func (p *parser) gather() {
	first := map[place]int{}
	var kept []Term
	for _, t := range p.file.Terms {
		at := place{t.Key(), t.From}
		i, again := first[at]
		switch {
		case !again:
			first[at] = len(kept)
			kept = append(kept, t)
		case kept[i].Same(t):
			p.file.Repeats++
			kept[i].Note, kept[i].Reference = t.Note, t.Reference
		default:
			p.mistakes = append(p.mistakes, p.file.contradiction(kept[i], t))
		}
	}
	p.file.Terms = kept
	p.mistakes = append(p.mistakes, p.file.mixedTiers(kept)...)
}

// contradiction describes why a term of the file cannot stand beside another one of the same
// series and first day.
func (f File) contradiction(other, t Term) Mistake {
	name, what := colRate, fmt.Sprintf("the rate %s contradicts the rate %s", t.Rate, other.Rate)
	if t.Rate.Cmp(other.Rate) == 0 {
		name, what = colTo, fmt.Sprintf("the term %s contradicts that %s", t.Days(), other.Days())
	}
	return Mistake{Line: t.Line, Column: f.columns[name], Name: name,
		Text: fmt.Sprintf("%s in %s: both are about %s, from %s", what, other.Where(), t.About(), t.From)}
}

// mixedTiers finds terms of one agreement whose tiers go by different figures on the same
// days: which of two reached tiers applies would be open.
func (f File) mixedTiers(terms []Term) (mistakes Mistakes) {
	groups := map[Key][]Spell{}
	for _, s := range AllSeries(terms) {
		if s.TierBy != "" {
			key := s.Key.untiered()
			groups[key] = append(groups[key], s.Spells...)
		}
	}
	for _, spells := range groups {
		for i, a := range spells {
			for _, b := range spells[:i] {
				if a.TierBy == b.TierBy || !a.meets(b) {
					continue
				}
				if a.Line < b.Line {
					a, b = b, a
				}
				if a.Line == 0 {
					continue // both are stored
				}
				mistakes = append(mistakes, Mistake{Line: a.Line, Column: f.columns[colTierBy], Name: colTierBy,
					Text: fmt.Sprintf("the tier by %s contradicts the tier by %s in %s: tiers of one agreement go by one figure", a.TierBy, b.TierBy, b.Where())})
			}
		}
	}
	return mistakes
}

// meets reports whether two spells have a day in common.
func (s Spell) meets(o Spell) bool {
	return (s.Last == 0 || o.From <= s.Last) && (o.Last == 0 || s.From <= o.Last)
}
