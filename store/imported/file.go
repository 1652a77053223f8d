package imported

import (
	"context"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/tabular"
)

// Limits of a commission file.
const (
	MaxFile = 64 << 20 // bytes
	maxRows = 1_000_000
	maxWord = 64 // characters
)

// Columns lists the columns of a commission file, the four that it must have first.
func Columns() []string {
	return []string{"uid", "time", "coin", "commission", "fee", "rate", "taker_amount", "maker_amount", "symbol", "product_type", "invite_code"}
}

const needed = 4

// Reading says how a file is to be read.
type Reading struct {
	Headers map[string]string // the names in the file of columns that it calls otherwise, by the column
	Zone    *time.Location    // of times that state none; nil = UTC
	Days    affiliate.Days    // that the file covers, in UTC; zero = from its first record to its last
	Now     time.Time         // records later than this are a fault
}

// File is what a commission file says.
type File struct {
	Records []affiliate.Commission
	Codes   map[affiliate.UID]string // invite codes, of those who have one
	Days    affiliate.Days           // that it covers, in UTC
	Left    []string                 // columns that were left out, by their names in the file
}

// ParseFile reads a commission file: text with separators or the first sheet of an XLSX workbook, with a
// header. Two equal lines are two records. Further columns are left out.
//
// What is wrong with the file is [tabular.Mistakes]; any other error is that of ctx.
func ParseFile(ctx context.Context, text []byte, how Reading) (File, error) {
	p := &parser{how: how, file: File{Codes: map[affiliate.UID]string{}}}
	if p.how.Zone == nil {
		p.how.Zone = time.UTC
	}
	kind := tabular.Kind{Noun: "commission file", Columns: Columns(), Needed: needed, Dates: []string{"time"}, MaxBytes: MaxFile, MaxRows: maxRows,
		Headers: lower(how.Headers), Others: true, Left: func(name string) { p.file.Left = append(p.file.Left, name) }}
	if err := tabular.Read(ctx, text, kind, p.read); err != nil {
		return File{}, err
	}
	return p.file, p.cover()
}

func lower(headers map[string]string) map[string]string {
	list := map[string]string{}
	for column, header := range headers {
		list[column] = strings.ToLower(strings.TrimSpace(header))
	}
	return list
}

type parser struct {
	*tabular.Row // that is read

	how  Reading
	file File
}

func (p *parser) read(row *tabular.Row) {
	p.Row = row
	c := affiliate.Commission{
		UID: p.uid(), DealTime: p.time(), Coin: p.coin(), Source: affiliate.Direct,
		Commission: p.number("commission", true), Fee: p.number("fee", false), Rate: p.number("rate", false),
		TakerAmount: p.number("taker_amount", false), MakerAmount: p.number("maker_amount", false),
		Symbol: p.word("symbol"), Product: affiliate.Product(p.word("product_type")),
	}
	code := p.word("invite_code")
	if known := p.file.Codes[c.UID]; code != "" && known != "" && known != code {
		p.Wrong("invite_code", "the code %q contradicts the code %q of the same user in an earlier line: keep one of them", code, known)
	}
	if row.Faulty() {
		return
	}
	if code != "" {
		p.file.Codes[c.UID] = code
	}
	p.file.Records = append(p.file.Records, c)
}

func (p *parser) uid() affiliate.UID {
	text := p.Text("uid")
	switch {
	case text == "":
		p.Wrong("uid", "the UID is missing")
	case !affiliate.IsUID(text):
		p.Wrong("uid", "%q is no UID: write its digits or letters alone, at most 32", tabular.Clipped(text))
	}
	return affiliate.UID(text)
}

// timeForms are the forms of a time without a zone.
var timeForms = []string{"2006-01-02 15:04:05.999", "2006-01-02T15:04:05.999", "2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02"}

func (p *parser) time() affiliate.Millis {
	text := p.Cell("time")
	at, ok := p.instant(text)
	switch {
	case text == "":
		p.Wrong("time", "the time is missing")
	case !ok:
		p.Wrong("time", "%q is no time: write it as 2026-07-01, 2026-07-01 13:05:00, 2026-07-01T13:05:00Z, or in milliseconds since 1970", tabular.Clipped(text))
	case at.Before(firstTime):
		p.Wrong("time", "%s is before %s: check the year", at.Format(time.DateOnly), firstTime.Format(time.DateOnly))
	case at.After(p.how.Now):
		p.Wrong("time", "%s is in the future: check the time and its zone", at.UTC().Format(time.RFC3339))
	}
	return affiliate.MillisOf(at)
}

// firstTime bounds the times of records: earlier ones are slips of the pen.
var firstTime = time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)

func (p *parser) instant(text string) (time.Time, bool) {
	if len(text) == 13 {
		if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
			return time.UnixMilli(ms), true
		}
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return at.Truncate(time.Millisecond), true
	}
	for _, form := range timeForms {
		if at, err := time.ParseInLocation(form, text, p.how.Zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func (p *parser) coin() affiliate.Coin {
	text := strings.ToUpper(p.Text("coin"))
	switch {
	case text == "":
		p.Wrong("coin", "the coin is missing: write its short name, such as USDT")
	case utf8.RuneCountInString(text) > 20 || strings.ContainsFunc(text, func(r rune) bool { return r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }):
		p.Wrong("coin", "%q is no coin: write its short name, such as USDT", tabular.Clipped(text))
	}
	return affiliate.Coin(text)
}

// number returns no number for an empty cell that may be empty.
func (p *parser) number(column string, must bool) affiliate.Number {
	text := p.Text(column)
	n, err := affiliate.ParseNumber(text)
	switch {
	case text == "" && must:
		p.Wrong(column, "the %s is missing: write 0 if there was none", column)
	case text == "":
		return ""
	case strings.Contains(text, ","):
		p.Wrong(column, "the number %q has a comma: write a decimal point and no separators, such as 1240.10", tabular.Clipped(text))
	case err != nil:
		p.Wrong(column, "%q is not a plain number of at most %d decimals: write it as 1240.10, without currency sign, per cent or separators", tabular.Clipped(text), affiliate.MostDecimals)
	}
	return n
}

func (p *parser) word(column string) string {
	text := p.Text(column)
	if utf8.RuneCountInString(text) > maxWord || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		p.Wrong(column, "%q is longer than %d characters, or has some that cannot be shown", tabular.Clipped(text), maxWord)
	}
	return text
}

// cover sets the days that the file covers, and refuses days that leave out a record.
func (p *parser) cover() error {
	dayOf := func(c affiliate.Commission) affiliate.Day { return affiliate.DayOf(c.DealTime.Time(), time.UTC) }
	days := affiliate.Days{First: dayOf(p.file.Records[0]), Last: dayOf(p.file.Records[0])}
	for _, c := range p.file.Records {
		days.First, days.Last = min(days.First, dayOf(c)), max(days.Last, dayOf(c))
	}
	p.file.Days = days
	if p.how.Days == (affiliate.Days{}) {
		return nil
	}
	p.file.Days = p.how.Days
	if days.First < p.how.Days.First || days.Last > p.how.Days.Last {
		return tabular.Mistakes{{Text: "the file has records from " + days.First.String() + " to " + days.Last.String() + ", which is more than the days it is said to cover: give all of its days, or none"}}
	}
	return nil
}
