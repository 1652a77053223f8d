package terms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/tabular"
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
	colCoin      = "coin"
)

const neededColumns = 6

// FileColumns lists the columns of a terms file in the order in which [WriteFile] writes
// them.
func FileColumns() []string {
	return []string{colScope, colValue, colProduct, colRate, colFrom, colTo, colNote, colAccount, colSource, colTierBy, colTierFrom, colReference, colCoin}
}

// Limits of a terms file.
const (
	MaxFileBytes = 5 << 20
	maxRows      = 500_000
	maxText      = 500 // characters of a value, a note or a reference
	maxCoin      = 20
)

// firstDay and lastDay bound the days of a term: other years are slips of the pen.
var firstDay, lastDay = affiliate.NewDay(2000, 1, 1), affiliate.NewDay(2999, 12, 31)

// File is what a terms file says.
type File struct {
	Terms   []Term
	Repeats int // lines that say the same as an earlier line and were left out

	columns map[string]int // number of each column, from 1
}

// Parse reads a terms file: text with separators or the first sheet of an XLSX workbook, with
// a header. A term has the line of the file from which it came. A line that repeats another one
// is left out; if their notes differ, the later note counts.
//
// The error is of the type [tabular.Mistakes] and lists everything that is wrong with the file, or
// it is that of ctx.
func Parse(ctx context.Context, text []byte) (File, error) {
	p := &parser{file: File{columns: map[string]int{}}}
	kind := tabular.Kind{Noun: "terms file", Columns: FileColumns(), Needed: neededColumns, Dates: []string{colFrom, colTo}, MaxBytes: MaxFileBytes, MaxRows: maxRows}
	err := tabular.Read(ctx, text, kind, p.readTerm)
	faults, ok := errors.AsType[tabular.Mistakes](err)
	if err != nil && !ok {
		return File{}, err
	}
	if err := append(faults, p.gather()...).Err(); err != nil {
		return File{}, err
	}
	return p.file, nil
}

type parser struct {
	*tabular.Row // that is read

	file File
}

// text returns a cell that is shown as it was written.
func (p *parser) text(name string) string {
	return p.checked(name, p.Text(name), affiliate.Invisible)
}

// lines returns a cell of one line or several.
func (p *parser) lines(name string) string {
	return p.checked(name, affiliate.LineFeeds(p.Text(name)), affiliate.InvisibleInLines)
}

func (p *parser) checked(name, text string, invisible func(rune) bool) string {
	switch {
	case utf8.RuneCountInString(text) > maxText:
		p.Wrong(name, "the text is longer than %d characters", maxText)
	case strings.ContainsFunc(text, invisible):
		p.Wrong(name, "the text has a character without a visible form, or a line break: %s; remove it", clipped(text))
	}
	return text
}

func (p *parser) readTerm(row *tabular.Row) {
	p.Row = row
	if len(p.file.columns) == 0 {
		for _, name := range FileColumns() {
			p.file.columns[name] = row.Number(name)
		}
	}
	t := Term{Line: row.Line, Scope: Scope(strings.ToLower(p.Cell(colScope))), Account: affiliate.Account(p.text(colAccount)), Note: p.lines(colNote), Reference: p.text(colReference)}
	p.readAbout(&t)
	p.readProduct(&t)
	p.readSource(&t)
	t.Rate = p.rate()
	p.readDays(&t)
	p.readTier(&t)
	p.readCoin(&t)
	if !row.Faulty() {
		p.file.Terms = append(p.file.Terms, t)
	}
}

func clipped(text string) string { return tabular.Clipped(text) }

func (p *parser) readAbout(t *Term) {
	t.Value = p.text(colValue)
	switch t.Scope {
	case ScopeAll:
		if t.Value != "" {
			p.Wrong(colValue, "%q with the scope all: leave the value empty, or use the scope code or uid", clipped(t.Value))
		}
	case ScopeCode:
		if t.Value == "" {
			p.Wrong(colValue, "the invite code is missing")
		}
	case ScopeUID, ScopeSubAffiliate:
		if t.Value == "" && t.Scope == ScopeUID {
			p.Wrong(colValue, "the UID is missing")
		}
		if t.Value != "" && affiliate.CheckUID(t.Value) != nil {
			p.Wrong(colValue, "%v; a spreadsheet keeps all digits in a text cell", affiliate.CheckUID(clipped(t.Value)))
		}
	case "":
		p.Wrong(colScope, "the scope is missing: all, code, uid or sub-affiliate")
	default:
		p.Wrong(colScope, "%q is no scope: use all, code, uid or sub-affiliate", clipped(string(t.Scope)))
	}
}

func (p *parser) readProduct(t *Term) {
	text := p.Cell(colProduct)
	t.Product = affiliate.Product(strings.ToUpper(text))
	if text != "" && !t.Product.Known() {
		p.Wrong(colProduct, "%q is no product: use SPOT, FUTURES, or nothing for both", clipped(text))
	}
}

func (p *parser) readSource(t *Term) {
	text := p.Cell(colSource)
	t.Source = affiliate.Source(strings.ToLower(text))
	switch {
	case text == "":
	case !slices.Contains(affiliate.Sources(), t.Source):
		p.Wrong(colSource, "%q is no source: use direct, sub, or nothing for both", clipped(text))
	case t.Scope == ScopeSubAffiliate:
		p.Wrong(colSource, "a share for a sub-affiliate has no source: leave it empty")
	}
}

func (p *parser) rate() affiliate.Number {
	text := p.Cell(colRate)
	n, err := affiliate.ParseNumber(text)
	switch {
	case text == "":
		p.Wrong(colRate, "the rate is missing: a fraction, such as 0.15 for 15 %%")
	case strings.ContainsAny(text, "%٪％"):
		p.Wrong(colRate, "%q is a percentage: write the fraction, 0.15 for 15 %%", clipped(text))
	case tooManyDigits(text, err):
		p.Wrong(colRate, "%s has more than %d decimals: round it", clipped(text), affiliate.MostDecimals)
	case err != nil && strings.Contains(text, ","):
		p.Wrong(colRate, "%q has a comma: write a decimal point and no separators, 0.15", clipped(text))
	case err != nil:
		p.Wrong(colRate, "%q is not a number: write a fraction, 0.15 for 15 %%", clipped(text))
	case n.Cmp("0") < 0:
		p.Wrong(colRate, "%s is negative: a rate is a fraction from 0 to 1", clipped(text))
	case n.Cmp("1") > 0:
		p.Wrong(colRate, "%s is above 1: a rate is a fraction, 0.15 for 15 %%", clipped(text))
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
	if p.Cell(colFrom) == "" {
		p.Wrong(colFrom, "the first day is missing: YYYY-MM-DD")
	}
	t.From, t.To = p.day(colFrom), p.day(colTo)
	if t.From != 0 && t.To != 0 && t.To < t.From {
		p.Wrong(colTo, "the last day %s lies before the first day %s", t.To, t.From)
	}
}

// day returns 0 for an empty cell and for one with a mistake.
func (p *parser) day(name string) affiliate.Day {
	text := p.Cell(name)
	if text == "" {
		return 0
	}
	day, err := affiliate.ParseDay(text)
	switch {
	case err != nil:
		p.Wrong(name, "%q is not a day of the form YYYY-MM-DD", clipped(text))
		return 0
	case day < firstDay || day > lastDay:
		p.Wrong(name, "%s is not a day from %s to %s", text, firstDay, lastDay)
		return 0
	}
	return day
}

func (p *parser) readTier(t *Term) {
	by, from := p.Cell(colTierBy), p.Cell(colTierFrom)
	t.TierBy = TierBy(strings.ToLower(by))
	switch t.TierBy {
	case "":
		if from != "" {
			p.Wrong(colTierBy, "the tier from %s lacks its figure: volume or active_traders", clipped(from))
		}
		return
	case TierByVolume:
	case TierByActiveTraders:
		switch t.Scope {
		case ScopeUID:
			p.Wrong(colTierBy, "one UID is one trader: use volume")
		case ScopeSubAffiliate:
			p.Wrong(colTierBy, "the exchange does not say how many clients of a sub-affiliate trade: use volume")
		}
	default:
		p.Wrong(colTierBy, "%q is no figure for tiers: use volume or active_traders", clipped(by))
	}
	n, err := affiliate.ParseNumber(from)
	switch {
	case from == "":
		p.Wrong(colTierFrom, "the figure from which the tier applies is missing")
	case tooManyDigits(from, err):
		p.Wrong(colTierFrom, "%s has more than %d decimals: round it", clipped(from), affiliate.MostDecimals)
	case err != nil:
		p.Wrong(colTierFrom, "%q is not a plain number: write 1000000, without separators", clipped(from))
	case n.Cmp("0") < 0:
		p.Wrong(colTierFrom, "%s is negative", clipped(from))
	case t.TierBy == TierByActiveTraders && strings.Contains(string(n.Canonical()), "."):
		p.Wrong(colTierFrom, "%s is not a whole number of traders", clipped(from))
	default:
		t.TierFrom = n.Canonical()
	}
}

// readCoin reads in which coin a share is settled.
func (p *parser) readCoin(t *Term) {
	text := p.Cell(colCoin)
	t.Coin = affiliate.Coin(strings.ToUpper(text))
	notOfCoin := func(r rune) bool {
		return r != '-' && r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	switch {
	case text == "":
	case t.Scope != ScopeSubAffiliate:
		p.Wrong(colCoin, "only a share of a sub-affiliate has a coin: commission comes in the coins in which the exchange reports it; leave it empty")
	case utf8.RuneCountInString(text) > maxCoin || strings.ContainsFunc(text, notOfCoin):
		p.Wrong(colCoin, "%q is no coin: write its short name, such as USDT", clipped(text))
	}
}

// place identifies a term within a list without contradictions.
type place struct {
	Key
	from affiliate.Day
}

// gather leaves out repeated lines and finds contradictions between the others.
func (p *parser) gather() (faults tabular.Mistakes) {
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
			faults = append(faults, p.file.contradiction(kept[i], t))
		}
	}
	p.file.Terms = kept
	return append(faults, p.file.mixedTiers(kept)...)
}

// contradiction describes why a term of the file cannot stand beside another one of the same
// series and first day.
func (f File) contradiction(other, t Term) tabular.Mistake {
	name, what := colRate, fmt.Sprintf("the rate %s contradicts the rate %s", t.Rate, other.Rate)
	switch {
	case t.Rate.Cmp(other.Rate) != 0:
	case t.To == other.To:
		name, what = colCoin, fmt.Sprintf("the coin %q contradicts the coin %q", string(t.Coin), string(other.Coin))
	default:
		name, what = colTo, fmt.Sprintf("the term %s contradicts that %s", t.Days(), other.Days())
	}
	return tabular.Mistake{Line: t.Line, Column: f.columns[name], Name: name,
		Text: fmt.Sprintf("%s in %s: both are about %s, from %s", what, other.Where(), t.About(), t.From)}
}

// mixedTiers finds terms of one agreement whose tiers go by different figures on the same
// days: which of two reached tiers applies would be open.
func (f File) mixedTiers(terms []Term) (mistakes tabular.Mistakes) {
	groups := map[Key][]Spell{}
	for _, s := range AllSeries(terms) {
		if s.TierBy != "" {
			key := s.Key.Agreement()
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
				mistakes = append(mistakes, tabular.Mistake{Line: a.Line, Column: f.columns[colTierBy], Name: colTierBy,
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
