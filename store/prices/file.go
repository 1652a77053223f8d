package prices

import (
	"context"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/tabular"
)

// Quote is the coin that prices are in.
const Quote affiliate.Coin = "USDT"

// Limits of a price file.
const (
	MaxFile = 5 << 20 // bytes
	maxRows = 100_000
	maxCoin = 20 // characters
)

const (
	dateColumn  = "date"
	coinColumn  = "coin"
	priceColumn = "price_usdt"
)

// Columns lists the columns of a price file, in the order in which [WriteFile] writes them.
func Columns() []string { return []string{dateColumn, coinColumn, priceColumn} }

// firstDay bounds the days of prices: earlier ones are slips of the pen.
var firstDay = affiliate.NewDay(2009, 1, 1)

// Price is the price of one coin on a reporting day, in [Quote].
type Price struct {
	Day   affiliate.Day
	Coin  affiliate.Coin
	Price affiliate.Number // empty: to be filled in
}

// File is what a price file says.
type File struct {
	Prices  []Price // one per day and coin, in the order of the file
	Repeats int     // lines that say the same as an earlier one, and were left out
	Blank   int     // lines without a price, which were left out

	lines  []int // of each price, from 1
	column int   // the number of the column of days
}

// ParseFile reads a price file: text with separators or the first sheet of an XLSX workbook, with a
// header. A line without a price is left out, and lines that say the same are one.
//
// What is wrong with the file is [tabular.Mistakes]; any other error is that of ctx.
func ParseFile(ctx context.Context, text []byte) (File, error) {
	p := &parser{first: map[key]int{}}
	kind := tabular.Kind{Noun: "price file", Columns: Columns(), Needed: len(Columns()), Dates: []string{dateColumn}, MaxBytes: MaxFile, MaxRows: maxRows}
	if err := tabular.Read(ctx, text, kind, p.read); err != nil {
		return File{}, err
	}
	return p.file, nil
}

type key struct {
	coin affiliate.Coin
	day  affiliate.Day
}

type parser struct {
	*tabular.Row // that is read

	file  File
	first map[key]int // the price of each day and coin
}

func (p *parser) read(row *tabular.Row) {
	p.Row, p.file.column = row, row.Number(dateColumn)
	line := Price{Day: p.day(), Coin: p.coin(), Price: p.price()}
	if row.Faulty() {
		return
	}
	i, again := p.first[key{line.Coin, line.Day}]
	switch {
	case !line.Price.Known():
		p.file.Blank++
	case !again:
		p.first[key{line.Coin, line.Day}] = len(p.file.Prices)
		p.file.Prices, p.file.lines = append(p.file.Prices, line), append(p.file.lines, row.Line)
	case p.file.Prices[i].Price.Cmp(line.Price) == 0:
		p.file.Repeats++
	default:
		p.Wrong(priceColumn, "the price %s contradicts the price %s of %s on %s in line %d: keep one of them",
			line.Price, p.file.Prices[i].Price, line.Coin, line.Day, p.file.lines[i])
	}
}

func (p *parser) day() affiliate.Day {
	text := p.Cell(dateColumn)
	day, err := affiliate.ParseDay(text)
	switch {
	case text == "":
		p.Wrong(dateColumn, "the day is missing: write it as YYYY-MM-DD")
	case err != nil:
		p.Wrong(dateColumn, "%q is not a day of the form YYYY-MM-DD", tabular.Clipped(text))
	case day < firstDay:
		p.Wrong(dateColumn, "%s is before %s: check the year", day, firstDay)
	}
	return day
}

func (p *parser) coin() affiliate.Coin {
	text := strings.ToUpper(p.Text(coinColumn))
	switch {
	case text == "":
		p.Wrong(coinColumn, "the coin is missing: write its short name, such as BTC")
	case utf8.RuneCountInString(text) > maxCoin || !utf8.ValidString(text) ||
		strings.ContainsFunc(text, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }):
		p.Wrong(coinColumn, "%q is no coin: write its short name, such as BTC", tabular.Clipped(text))
	case affiliate.Coin(text) == Quote:
		p.Wrong(coinColumn, "prices are in %s, which needs none: remove the line", Quote)
	}
	return affiliate.Coin(text)
}

// price returns no price for an empty cell.
func (p *parser) price() affiliate.Number {
	text := p.Cell(priceColumn)
	n, err := affiliate.ParseNumber(text)
	switch {
	case text == "":
		return ""
	case strings.Contains(text, ","):
		p.Wrong(priceColumn, "the price %q has a comma: write a decimal point and no separators, such as 61240.10", tabular.Clipped(text))
	case err != nil:
		p.Wrong(priceColumn, "the price %q is not a plain number of at most %d decimals: write it as 61240.10, without currency sign or separators", tabular.Clipped(text), affiliate.MostDecimals)
	case !n.Decimal().IsPositive():
		p.Wrong(priceColumn, "the price %s is not above zero: remove the line if the day has no price", tabular.Clipped(text))
	}
	return n
}

// WriteFile writes prices as a price file that [ParseFile] reads as the same prices. What a spreadsheet
// would run as a formula is guarded by an apostrophe.
func WriteFile(w io.Writer, prices []Price) error {
	return tabular.WriteText(w, Columns(), func(yield func([]string) bool) {
		for _, p := range prices {
			if !yield([]string{p.Day.String(), string(p.Coin), string(p.Price)}) {
				return
			}
		}
	})
}
