package people

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/tabular"
)

// Limits of a people file.
const (
	MaxFile = 64 << 20 // bytes; an upload is shorter
	MaxRows = 500_000
)

const uidColumn = "uid"

// removes is the cell that removes what is stored.
const removes = "-"

// Columns lists the columns of a people file in the order in which it is written.
func Columns() []string {
	columns := []string{uidColumn}
	for _, f := range PersonFields() {
		columns = append(columns, string(f))
	}
	return columns
}

// ParseFile reads a people file: text with separators or the first sheet of an XLSX workbook, with
// a header. Lines that say the same are one.
//
// What is wrong with the file is [tabular.Mistakes]; any other error is that of ctx.
func ParseFile(ctx context.Context, text []byte) (File, error) {
	p := &parser{first: map[affiliate.UID]int{}}
	kind := tabular.Kind{Noun: "people file", Columns: Columns(), Needed: 1, MaxBytes: MaxFile, MaxRows: MaxRows}
	if err := tabular.Read(ctx, text, kind, p.readEntry); err != nil {
		return File{}, err
	}
	return p.file, nil
}

type parser struct {
	*tabular.Row // that is read

	file  File
	first map[affiliate.UID]int // the entry of each UID
}

func (p *parser) readEntry(row *tabular.Row) {
	p.Row = row
	e := PersonEntry{UID: p.uid(), Line: row.Line}
	for _, f := range PersonFields() {
		switch text := row.Cell(string(f)); text {
		case "":
		case removes:
			e.Values = append(e.Values, GivenValue{Field: f})
		default:
			value, err := CheckValue(f, row.Text(string(f)))
			if err != nil {
				row.Wrong(string(f), "%v", err)
				continue
			}
			e.Values = append(e.Values, GivenValue{f, value})
		}
	}
	p.checkCosts(e)
	if !row.Faulty() {
		p.add(e)
	}
}

// number finds what a spreadsheet makes of a text that it takes for a number.
var number = regexp.MustCompile(`^[0-9]+([.,][0-9]*)?([eE][+-]?[0-9]+)?$`)

// wholeNumber finds a number that a program wrote with decimals, none of which says anything.
var wholeNumber = regexp.MustCompile(`^([0-9]{1,15})\.0+$`)

func (p *parser) uid() affiliate.UID {
	text := p.Text(uidColumn)
	if whole := wholeNumber.FindStringSubmatch(text); whole != nil {
		text = whole[1]
	}
	switch {
	case text == "":
		p.Wrong(uidColumn, "the UID is missing")
	case strings.ContainsAny(text, ".,eE") && number.MatchString(text):
		p.Wrong(uidColumn, "%q is a UID that a spreadsheet took for a number, so that digits may be lost: format the column as text and enter it again", clipped(text))
	case affiliate.CheckUID(text) != nil:
		p.Wrong(uidColumn, "%v", affiliate.CheckUID(clipped(text)))
	}
	return affiliate.UID(text)
}

// checkCosts refuses a cost without a coin, and a coin without a cost.
func (p *parser) checkCosts(e PersonEntry) {
	cost, costs := e.Value(FieldCost)
	coin, coins := e.Value(FieldCostCoin)
	switch {
	case cost != "" && coin == "":
		p.Wrong(string(FieldCost), "the cost %s has no coin: name it in %s, such as USDT", cost, FieldCostCoin)
	case coin != "" && cost == "" && p.Cell(string(FieldCost)) == removes:
		p.Wrong(string(FieldCostCoin), "the coin %s stands beside a cost that is removed: leave it empty", coin)
	case coin != "" && !costs && p.Cell(string(FieldCost)) == "":
		p.Wrong(string(FieldCostCoin), "the coin %s stands without a cost: give both", coin)
	case coins && coin == "" && !costs:
		p.Wrong(string(FieldCostCoin), "the coin is removed and the cost is not: remove the cost")
	}
}

// add adds an entry, unless an earlier line says the same or contradicts it.
func (p *parser) add(e PersonEntry) {
	i, again := p.first[e.UID]
	switch {
	case !again:
		p.first[e.UID] = len(p.file.Entries)
		p.file.Entries = append(p.file.Entries, e)
	case slices.Equal(p.file.Entries[i].Values, e.Values):
		p.file.Repeats++
	default:
		p.Wrong(uidColumn, "the UID %s stands in line %d too, with other values: keep one of the lines %[2]d and %d", e.UID, p.file.Entries[i].Line, e.Line)
	}
}
